// The lattice: which rank has which sites.
//
// Always true: the axes of a shape are t, z, y, x, so that x is fastest in C order, as in files.
// Directions count x, y, z, t.
#pragma once

#include <mpi.h>

#include <weft/layout.hpp>

namespace staggered {

constexpr int directions = 4;

/// The axis of a direction.
constexpr int axis(int direction) { return directions - 1 - direction; }

/// Boxes on the process grid that MPI chooses, t cut into most parts. Parts may differ by a site an
/// axis, and be empty.
inline weft::Layout sites(const weft::Shape& shape, int ranks) {
  int grid[directions] = {};
  MPI_Dims_create(ranks, directions, grid);
  return weft::Layout::grid(shape, weft::Few<int>(grid, grid + directions));
}

/// A shape as people and files say it: nx, ny, nz, nt.
inline weft::Shape extents(const weft::Shape& shape) { return {shape[3], shape[2], shape[1], shape[0]}; }

/// Calls f(site) for every site of a box in C order.
template <class F>
void each_site(const weft::Box& box, F&& f) {
  if (box.empty()) return;
  weft::Shape at = box.lo;
  for (at[0] = box.lo[0]; at[0] < box.hi[0]; ++at[0])
    for (at[1] = box.lo[1]; at[1] < box.hi[1]; ++at[1])
      for (at[2] = box.lo[2]; at[2] < box.hi[2]; ++at[2])
        for (at[3] = box.lo[3]; at[3] < box.hi[3]; ++at[3]) f(at);
}

/// 0: even. Of sites beyond the lattice, too.
inline int parity_of(const weft::Shape& at) { return static_cast<int>((at[0] + at[1] + at[2] + at[3]) & 1); }

/// The number of a site in C order.
inline weft::Index number_of(const weft::Shape& shape, const weft::Shape& at) {
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}

/// The site of the periodic lattice at which one beyond it lies.
inline weft::Shape wrapped(const weft::Shape& shape, weft::Shape at) {
  for (int a = 0; a < directions; ++a) at[a] = (at[a] % shape[a] + shape[a]) % shape[a];
  return at;
}

/// The sites of one parity of every rank's box, each in C order.
weft::Layout of_parity(const weft::Layout& parts, int parity);

/// Ghost sites that a rank's field has at both ends of every axis, for hops of up to `farthest`
/// sites: none on axes that are whole on every rank, where its own sites are beyond the ends.
weft::Shape ghost_width(const weft::Layout& parts, weft::Index farthest);

/// The ghost sites at one end of an axis of a rank's box: beyond its upper end, or beyond its lower
/// one. They are not wrapped. Fields have them behind their own sites, axis after axis, the lower
/// end first.
weft::Box ghosts_at(const weft::Box& box, const weft::Shape& width, int axis, bool upper);

/// Throws weft::Error unless all extents are even: else sites across the ends would have the same
/// parity.
void check_parities(const weft::Shape& shape);

}  // namespace staggered

// Localised orbitals: real functions on spheres of a periodic grid. Ranks own them one behind the
// other. Every rank can tell where each lies and what its values are, so that a serial overlap
// matrix is at hand.
#pragma once

#include <cstddef>
#include <vector>

#include <weft/box.hpp>

namespace localised {

struct Geometry {
  weft::Shape grid{48, 48, 48};
  int orbitals = 64;
  double radius = 6;  ///< of every sphere, in steps of the grid
};

/// Where a point lies in both of two orbitals.
struct Common {
  weft::Index in_first, in_second;
};

class Orbitals {
 public:
  /// Centres are spread at random, alike for the same geometry, and numbered along axis 0:
  /// neighbours in number are mostly neighbours in space. Throws Error for a sphere that is wider
  /// than the grid, or no orbitals.
  Orbitals(const Geometry& geometry, int ranks);

  const Geometry& geometry() const { return geometry_; }
  std::size_t count() const { return points_.size(); }
  int ranks() const { return ranks_; }
  /// Orbitals [first(rank), first(rank + 1)) are a rank's.
  std::size_t first(int rank) const;
  int owner(std::size_t orbital) const { return owners_[orbital]; }
  /// The points of an orbital in C order of the grid, ascending.
  const std::vector<weft::Index>& points(std::size_t orbital) const { return points_[orbital]; }
  /// Where an orbital's values begin when all orbitals lie one behind the other.
  weft::Index offset(std::size_t orbital) const { return offsets_[orbital]; }
  /// The points that two orbitals share, ascending; empty: they do not overlap.
  std::vector<Common> common(std::size_t first, std::size_t second) const;

  /// Values of an orbital in the order of its points. Every round has another amplitude for each
  /// orbital.
  std::vector<double> values(std::size_t orbital, int round) const;
  /// The overlap of two orbitals, summed point by point: what every way must find.
  double overlap(std::size_t first, std::size_t second, int round) const;

 private:
  Geometry geometry_;
  int ranks_;
  std::vector<std::vector<double>> centres_;
  std::vector<std::vector<weft::Index>> points_;
  std::vector<weft::Index> offsets_;
  std::vector<int> owners_;
};

}  // namespace localised

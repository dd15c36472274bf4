// Spheres of plane waves: which G-vectors there are below a cutoff, and how their sticks are shared
// among ranks. No MPI.
//
//     auto sticks = weft::share_sticks(weft::sphere_sticks({.squared = 32 * 32}), ranks);
//     weft::Plan waves(comm, weft::sphere<double>({128, 128, 128}, weft::vectors(sticks[rank])), {.batch = 60});
//     waves.backward(coefficients, psi);                 // sum of c(G) exp(+2 pi i G.r / n)
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// A reciprocal lattice vector by its three integers, of axes 0, 1, 2: negative, or wrapped as g +
/// n. On an even grid +n/2 and -n/2 are the same point: a sphere may have one of them, under either
/// sign; half a sphere, whose vectors stand for their mirror images too, none.
using GVector = std::array<Index, 3>;

/// All G with (k+G)^T metric (k+G) <= squared.
struct Cutoff {
  double squared = 0;  ///< in the units of the metric, such as (2 pi / a)^2 or Ry
  /// B_i . b_j of the reciprocal cell: symmetric, positive definite
  std::array<std::array<double, 3>, 3> metric{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<double, 3> k{0, 0, 0};  ///< in units of the b_i
  /// One of every pair +-G only, for real functions: g2 > 0, or g2 = 0 and g1 > 0, or both 0 and g0
  /// >= 0. Only at k = 0.
  bool half = false;
};

/// The G-vectors [lo, hi) of axis 0 at one (g1, g2). None is wrapped.
struct SphereStick {
  Index g1 = 0, g2 = 0, lo = 0, hi = 0;
  Index size() const { return hi - lo; }
  bool operator==(const SphereStick&) const = default;
};

/// The sticks of a cutoff, by ascending g2, then g1. Throws Error when the metric is not positive
/// definite or the cutoff is negative or beyond all grids.
std::vector<SphereStick> sphere_sticks(const Cutoff& cutoff);

/// A box of kept[a] vectors an axis, from -kept[a]/2 on, in the order of sphere_sticks: 2/3-rule
/// dealiasing, padding, boxes of half the grid ("boxcut 2").
std::vector<SphereStick> box_sticks(const Shape& kept);

/// Shares sticks among ranks, each rank's in ascending order again. The rules: "coefficients": by
/// decreasing length, each to the rank with the fewest coefficients, then the fewest sticks, then
/// the lowest (Quantum ESPRESSO's rule); "columns": in their order, as many to each rank, the first
/// ranks one more. Throws Error for another rule or less than one rank.
std::vector<std::vector<SphereStick>> share_sticks(const std::vector<SphereStick>& sticks, int ranks,
                                                   const std::string& rule = "coefficients");
/// The same for real space in pencils, on a process grid of `planes` x `rows` ranks in C order
/// (`Options::grid`): ranges of g2 with about as many coefficients each go to one column of that
/// grid each, and are shared there by the rule.
std::vector<std::vector<SphereStick>> share_sticks(const std::vector<SphereStick>& sticks, int planes, int rows,
                                                   const std::string& rule = "coefficients");

/// The G-vectors of sticks, stick by stick, ascending.
std::vector<GVector> vectors(const std::vector<SphereStick>& sticks);

/// A rank's part of the spectrum of a grid `kept`, in the order that PlaneWaves::box tells: along
/// axis a the indices of a transform of that length, or kept[a] that follow low[a].
std::vector<GVector> box_vectors(const Shape& kept, bool real, int ranks, int rank,
                                 const std::optional<Shape>& low = std::nullopt);

/// The extents below which a grid does not hold the products of so many `fields` of the sphere: 2
/// fields max|g| + 1 on every axis. One field is the sphere itself. A density |psi|^2, or V psi of
/// a potential that has all wavenumbers of densities, wants 2: on the grid of one, what a product
/// has beyond the sphere is folded back into it.
Shape smallest_grid(const std::vector<GVector>& vectors, int fields = 1);
Shape smallest_grid(const std::vector<SphereStick>& sticks, int fields = 1);

/// What a plan needs to know of its plane waves: this rank's G-vectors in the order of its
/// coefficients, or what they follow from.
struct PlaneWaves {
  std::vector<GVector> mine = std::vector<GVector>();
  std::optional<Cutoff> cutoff = std::nullopt;
  /// Or a box: the spectrum of a smaller grid, cut into slabs along axis 1 and in memory order (1,
  /// 0, 2), as dense slabs of that grid leave it.
  std::optional<Shape> box = std::nullopt;
  /// Of a box that is no smaller grid's: its lowest index along each axis, from -n on; it is
  /// ordered by index
  std::optional<Shape> low = std::nullopt;
  std::string balance = "coefficients";  ///< the rule of `share_sticks` for a cutoff
  bool half = false;                     ///< real functions: of every pair +-G one is given (a cutoff says so itself)
  bool real = false;                     ///< of a box: real functions; its last axis is halved as r2c does
};

}  // namespace weft
#pragma GCC visibility pop

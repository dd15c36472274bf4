// Densities and potentials: real functions on the grid, whose coefficients lie in a sphere of twice
// the basis' radius, where all differences G - G' of the basis are. Real space is cut into slabs of
// planes, as weft does.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include <weft/plan.hpp>

#include "crystal.hpp"

namespace bands {

/// A function on a box of the grid, in C order.
struct Part {
  weft::Box box;
  std::vector<double> values;
};

class Space {
 public:
  /// Collective. `cutoff` is the basis'. Options change how data move; a batch and groups do not
  /// count here.
  Space(MPI_Comm comm, const Crystal& crystal, const weft::Shape& grid, double cutoff, weft::Options options);

  /// This rank's G-vectors: one of every pair +-G, whose coefficient is the conjugate of the
  /// other's.
  const std::vector<weft::GVector>& vectors() const { return plan_.vectors(); }
  /// |G|^2 of these, 1/bohr^2.
  const std::vector<double>& squared() const { return squared_; }
  /// For how many of the whole sphere's vectors each of these stands: 2, and 1 of G = 0.
  double weight(std::size_t i) const { return squared_[i] == 0 ? 1 : 2; }
  /// Who has which slab, for files.
  const weft::Layout& layout() const { return plan_.input_layout(); }
  /// Points of this rank's slab; volume of the cell for a point.
  std::size_t points() const { return static_cast<std::size_t>(plan_.input_view().box.volume()); }
  double volume_of_point() const { return volume_ * plan_.scale(); }

  /// Collective: sum of f(G) exp(i G.r) on this rank's slab.
  std::vector<double> real(const std::vector<std::complex<double>>& coefficients);
  /// Collective: the coefficients of what is on the slabs.
  std::vector<std::complex<double>> coefficients(const std::vector<double>& slab);
  /// Collective over `all`, whose ranks all call it: the sum of everybody's parts, on this rank's
  /// slab.
  std::vector<double> sum(MPI_Comm all, const std::vector<Part>& parts) const;
  /// Collective: the sum of weight(G) f(G)* g(G) over the whole sphere.
  double product(const std::vector<std::complex<double>>& f, const std::vector<std::complex<double>>& g) const;
  /// Collective: the part of a function on the slabs that lies in this rank's `box` of the grid,
  /// which may be any.
  std::vector<double> part(const std::vector<double>& slab, const weft::Box& box) const;

 private:
  MPI_Comm comm_;
  weft::Plan<double, std::complex<double>> plan_;
  std::vector<double> squared_;
  double volume_;
};

}  // namespace bands

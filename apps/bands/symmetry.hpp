// The space group of a crystal, which spglib finds: k-points that it maps onto one another have the
// same energies, so one of them is enough; the density that these bands give is symmetrised.
#pragma once

#include <array>
#include <vector>

#include <mpi.h>

#include "input.hpp"
#include "space.hpp"

namespace bands {

/// x becomes W x + w, in units of the cell's vectors. w is a whole number of points of the grid.
struct Operation {
  std::array<std::array<int, 3>, 3> rotation{};              ///< W
  std::array<weft::Index, 3> points{};                       ///< w, in points of the grid
  std::vector<std::size_t> to = std::vector<std::size_t>();  ///< where it takes each atom
};

/// Operations that map a crystal, the points of a grid and a mesh of k-points onto themselves: they
/// are a group. Others are left out, since sums over grid and mesh do not have their symmetry.
/// Throws Error where this build has no spglib, or spglib finds nothing.
std::vector<Operation> symmetry(const Crystal& crystal, const weft::Shape& grid, const Mesh& mesh);

/// The points of a mesh of which none is another one's image, with the weights of all that are.
/// Weights sum up to 1.
std::vector<KPoint> irreducible(const Mesh& mesh, const std::vector<Operation>& operations);

/// The mean of a density over all its images.
class Symmetriser {
 public:
  /// Collective over `comm`, whose ranks share the vectors of `space`. No operations: nothing is
  /// changed.
  Symmetriser(const Space& space, MPI_Comm comm, std::vector<Operation> operations);
  /// Collective: on this rank's coefficients of `space`.
  std::vector<std::complex<double>> operator()(const std::vector<std::complex<double>>& density) const;

 private:
  std::size_t place(const weft::GVector& g) const;

  MPI_Comm comm_;
  std::vector<Operation> operations_;
  weft::Shape grid_;
  std::vector<weft::GVector> mine_;
  std::vector<int> counts_, firsts_;  ///< of every rank's coefficients among all
  std::vector<int> places_;           ///< of each point of the grid among all coefficients; -1: it has none
  std::array<std::vector<std::complex<double>>, 3> turns_;  ///< exp(-2 pi i g / n) of each axis
};

/// The mean of forces over all their images, Ha/bohr.
std::vector<Vector3> symmetrised(const Crystal& crystal, const std::vector<Operation>& operations,
                                 const std::vector<Vector3>& forces);

}  // namespace bands

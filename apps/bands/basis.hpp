// The plane waves of one k-point, and which rank has which: psi(r) = sum of c(G) exp(i (k+G).r)
// over |k+G|^2 / 2 <= cutoff. At Gamma bands can be chosen real, c(-G) = conj(c(G)): one of every
// pair +-G is kept, and costs half.
#pragma once

#include <vector>

#include <weft/sphere.hpp>

#include "crystal.hpp"

namespace bands {

/// All sticks of a basis, or of one of every pair +-G. `largest_index` bounds every component of G
/// (0: the cutoff alone decides).
std::vector<weft::SphereStick> basis_sticks(const Crystal& crystal, const Vector3& k, double cutoff,
                                            weft::Index largest_index, bool half = false);

/// The smallest grid with small prime factors on which V psi is right for every one of the
/// k-points: V has the wavenumbers G - G' of the basis. Also holds densities. A `wanted` grid is
/// checked instead.
weft::Shape basis_grid(const Crystal& crystal, const std::vector<Vector3>& kpoints, double cutoff,
                       weft::Index largest_index, const std::vector<weft::Index>& wanted);

struct Basis {
  std::vector<weft::GVector> mine;  ///< of this rank, in the order of its coefficients
  std::vector<double> kinetic;      ///< |k+G|^2 / 2, Ha, of these
  std::vector<Vector3> waves;       ///< k+G, 1/bohr, of these
  weft::Index total = 0;            ///< of the whole sphere, on all ranks
  bool half = false;                ///< real functions: one of every pair +-G
  long origin = -1;                 ///< place of G = 0 where this rank has it and `half` holds; else -1
};

/// A rank's part of the basis: at k = 0 of half the sphere. Every rank must call it alike; nothing
/// is communicated.
Basis make_basis(const Crystal& crystal, const Vector3& k, double cutoff, weft::Index largest_index, int ranks,
                 int rank);

}  // namespace bands

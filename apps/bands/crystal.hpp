// A crystal: a cell, and atoms in it.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <weft/sphere.hpp>

#include "vector3.hpp"

namespace bands {

struct Atom {
  std::size_t species = 0;  ///< a place in Crystal::species
  Vector3 at{};             ///< in units of the cell's vectors
};

struct Crystal {
  double constant = 1;  ///< the lattice constant, bohr
  Matrix3 cell{};       ///< rows a_i, bohr
  std::vector<std::string> species;
  std::vector<Atom> atoms;

  /// |a_1 . (a_2 x a_3)|, bohr^3
  double volume() const;
  /// Rows b_i with a_i . b_j = 2 pi delta_ij, 1/bohr.
  Matrix3 reciprocal() const;
  /// b_i . b_j, 1/bohr^2: what a cutoff measures lengths by.
  Matrix3 metric() const;
};

/// S(G) = sum over the atoms of a species of exp(-i G.r).
std::complex<double> structure_factor(const Crystal& crystal, std::size_t species, const weft::GVector& g);

/// The least distance between two atoms, periodic images included, bohr.
double least_distance(const Crystal& crystal);

}  // namespace bands

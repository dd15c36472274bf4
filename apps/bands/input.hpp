// What a calculation is: read from a TOML file, whose units are in its keys. apps/bands/README.md
// lists all keys.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include <weft/box.hpp>

#include "crystal.hpp"
#include "form_factor.hpp"
#include "gth.hpp"
#include "occupation.hpp"
#include "screening.hpp"

namespace bands {

/// Values on shells of |G|^2.
struct ShellPotential {
  std::vector<Shell> symmetric, antisymmetric;
};
/// Four coefficients for each species.
struct FourParameterPotential {
  std::vector<std::array<double, 4>> coefficients;
};
/// Norm-conserving pseudopotentials, one for each species: electrons act on one another, and need a
/// density.
struct GthPotential {
  std::vector<Gth> species;
};

struct KPoint {
  std::string label;  ///< of a corner of the path; else empty
  Vector3 k{};        ///< in units of the reciprocal vectors
  double weight = 0;  ///< of a mesh: they sum up to 1
};

/// k-points (n + shift/2) / divisions along each reciprocal vector.
struct Mesh {
  std::array<int, 3> divisions{1, 1, 1}, shift{0, 0, 0};
};

/// k of each.
std::vector<Vector3> places(const std::vector<KPoint>& kpoints);

/// A self-consistent calculation.
struct SelfConsistent {
  Mesh mesh;
  std::vector<KPoint> kpoints;  ///< of the mesh; empty: there is no such calculation
  bool symmetry = false;        ///< only k-points that the crystal's symmetry does not map onto others
  std::vector<std::string> functionals{"lda_x", "lda_c_vwn"};
  double tolerance = 1e-8;  ///< of the total energy's change, Ha
  Smearing smearing;
  Screening mixing;
  int most_iterations = 60;
};

struct Input {
  std::string title;
  Crystal crystal;
  std::variant<ShellPotential, FourParameterPotential, GthPotential> potential;

  double cutoff = 0;              ///< |k+G|^2 / 2 at most, Ha
  weft::Index largest_index = 0;  ///< of every component of G; 0: the cutoff alone decides
  std::vector<weft::Index> grid;  ///< of real space; empty: the smallest that holds all products

  weft::Index bands = 8;
  weft::Index occupied = 0;     ///< bands below the gap; 0: not known
  double tolerance = 0;         ///< of a band's residual |H psi - e psi|, Ha
  std::vector<KPoint> kpoints;  ///< of the path; empty: there is none
  SelfConsistent scf;
};

/// The input that a file's text holds; `file` is for messages. Throws Error that names line and
/// key.
Input read_input(const std::string& file, const std::string& text);

}  // namespace bands

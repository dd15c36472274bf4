// Empirical pseudopotentials: one number for each species and length of G, fitted to spectra.
//
//     V(G) = (1/N) sum over the N atoms of v_s(|G|) exp(-i G.r)
//
// so v is an energy, and a supercell has the potential of the cell that it repeats. V(0) = 0.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "crystal.hpp"

namespace bands {

/// v of a species at |G|^2 (1/bohr^2), in Ha, without the factor 1/N.
using FormFactor = std::function<double(std::size_t species, double g_squared)>;

/// A value for a shell |G|^2, in units of (2 pi / constant)^2.
struct Shell {
  double squared = 0;
  double value = 0;  ///< Ha
};

/// Cohen and Bergstresser, Physical Review 141, 789 (1966): with an atom of the first species at
/// tau and one of the second at -tau, V(G) = V_S cos(G.tau) - i V_A sin(G.tau). So v of the first
/// is V_S + V_A, of the second V_S - V_A; a crystal of one species has V_A = 0. Zero outside the
/// shells.
FormFactor shells(const Crystal& crystal, std::vector<Shell> symmetric, std::vector<Shell> antisymmetric);

/// Zhang, Yeh and Zunger, Physical Review B 48, 11204 (1993): v(q) = c0 (q^2 - c1) / (c2 exp(c3
/// q^2) - 1) Ry, q in 1/bohr; coefficients for each species.
FormFactor four_parameters(std::vector<std::array<double, 4>> coefficients);

/// V at a G-vector, Ha.
std::complex<double> empirical_potential(const Crystal& crystal, const FormFactor& v, const weft::GVector& g,
                                         double g_squared);

}  // namespace bands

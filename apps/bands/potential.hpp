// The potential of ions and electrons on the coefficients and slabs of a Space.
#pragma once

#include <vector>

#include "block.hpp"
#include "exchange_correlation.hpp"
#include "gth.hpp"
#include "space.hpp"

namespace bands {

/// The local parts of all ions: sum over species of V_loc(|G|) S(G) / volume. V(0) = 0.
std::vector<Complex> ionic_potential(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth);
/// A first density: a Gaussian of each ion's charge, 1/bohr^3.
std::vector<Complex> ionic_density(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth);
/// What the ions' local parts lack at G = 0, for so many electrons: Ha.
double ionic_correction(const Crystal& crystal, const std::vector<Gth>& gth, double electrons);

/// Energies of a density, Ha, and its effective potential on this rank's slab.
struct Effective {
  double local = 0, hartree = 0, exchange_correlation = 0;
  std::vector<double> slab;
};
/// Collective.
Effective effective_potential(Space& space, const std::vector<Complex>& ionic, const std::vector<Complex>& density,
                              const ExchangeCorrelation& xc, MPI_Comm comm, double volume);

}  // namespace bands

#include "potential.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bands {

std::vector<Complex> ionic_potential(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth) {
  std::vector<Complex> v(space.vectors().size());
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t s = 0; s < gth.size(); ++s)
      v[i] +=
          local_part(gth[s], space.squared()[i]) * structure_factor(crystal, s, space.vectors()[i]) / crystal.volume();
  return v;
}

namespace {

/// Of a Gaussian that is about as wide as the valence electrons of an atom, bohr. Its ion's radius
/// tells: the factor is silicon's, whose Gaussians come closest to the density of the crystal;
/// hydrogen's is as wide as a bond.
double width(const Gth& gth) { return std::max(0.9, 3.4 * gth.radius); }

}  // namespace

std::vector<Complex> ionic_density(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth) {
  std::vector<Complex> density(space.vectors().size());
  for (std::size_t i = 0; i < density.size(); ++i)
    for (std::size_t s = 0; s < gth.size(); ++s)
      density[i] += gth[s].charge * std::exp(-space.squared()[i] * width(gth[s]) * width(gth[s]) / 2) *
                    structure_factor(crystal, s, space.vectors()[i]) / crystal.volume();
  return density;
}

double ionic_correction(const Crystal& crystal, const std::vector<Gth>& gth, double electrons) {
  double sum = 0;
  for (const Atom& atom : crystal.atoms) sum += local_limit(gth[atom.species]);
  return electrons * sum / crystal.volume();
}

Effective effective_potential(Space& space, const std::vector<Complex>& ionic, const std::vector<Complex>& density,
                              const ExchangeCorrelation& xc, MPI_Comm comm, double volume) {
  Effective result;
  std::vector<Complex> hartree(density.size()), local(density.size());
  for (std::size_t i = 0; i < density.size(); ++i) {
    if (space.squared()[i] > 0) hartree[i] = 4 * std::numbers::pi / space.squared()[i] * density[i];
    local[i] = ionic[i] + hartree[i];
  }
  result.local = volume * space.product(ionic, density);
  result.hartree = volume / 2 * space.product(hartree, density);

  result.slab = space.real(local);
  const std::vector<double> rho = space.real(density);
  std::vector<double> energy, potential;
  xc.at(rho, energy, potential);
  double sum = 0;
  for (std::size_t i = 0; i < rho.size(); ++i) {
    sum += energy[i] * std::max(rho[i], 0.0);
    result.slab[i] += potential[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  result.exchange_correlation = sum * space.volume_of_point();
  return result;
}

}  // namespace bands

#include "forces.hpp"

#include <numbers>

#include "potential.hpp"

namespace bands {

// E = sum over G of V(|G|) exp(i G.R) rho(G), over all ions: dE/dR = sum of V i G exp(i G.R) rho.
std::vector<Vector3> local_forces(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth,
                                  const std::vector<std::complex<double>>& density, MPI_Comm comm) {
  std::vector<Vector3> forces(crystal.atoms.size(), Vector3{});
  const Matrix3 b = crystal.reciprocal();
  for (std::size_t i = 0; i < density.size(); ++i) {
    const weft::GVector& g = space.vectors()[i];
    const Vector3 wave = combine(g, b);
    for (std::size_t n = 0; n < crystal.atoms.size(); ++n) {
      const Atom& atom = crystal.atoms[n];
      double turns = 0;
      for (std::size_t a = 0; a < 3; ++a) turns += static_cast<double>(g[a]) * atom.at[a];
      const double v = local_part(gth[atom.species], space.squared()[i]) * space.weight(i);
      const double pull = v * (std::polar(1.0, 2 * std::numbers::pi * turns) * density[i]).imag();
      for (std::size_t a = 0; a < 3; ++a) forces[n][a] += pull * wave[a];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, forces.data(), static_cast<int>(3 * forces.size()), MPI_DOUBLE, MPI_SUM, comm);
  return forces;
}

}  // namespace bands

// The lowest eigenvectors of a Hamiltonian by Davidson's method in blocks: the subspace grows by
// preconditioned residuals of the bands that have not converged, and begins anew with the best
// vectors when it is full.
#pragma once

#include <functional>
#include <vector>

#include "hamiltonian.hpp"

namespace bands {

struct Step {
  int number = 0;
  long open = 0;        ///< bands that have not converged
  double residual = 0;  ///< the largest |H psi - e psi| of a wanted band, Ha
};

struct Wanted {
  long bands = 1;
  double tolerance = 1e-7;  ///< of every wanted band's residual, Ha
  int most_steps = 200;
  std::function<void(const Step&)> told = [](const Step&) {};
};

struct Solution {
  std::vector<double> energies;   ///< Ha, ascending: of the wanted bands
  std::vector<double> residuals;  ///< of the same, Ha
  int steps = 0;
  bool converged = false;
};

/// What the solver works in: kept from one call to the next, it is allocated once.
struct Workspace {
  Block v, hv, projected;  ///< an orthonormal basis V of the subspace, H V and V^H H V
  Block residual;
};

/// Collective. `x` holds first guesses in its columns, some more than the wanted bands, and returns
/// orthonormal vectors of the lowest energies. A basis of fewer plane waves than wanted bands is an
/// Error.
Solution davidson(Hamiltonian& h, Block& x, const Wanted& wanted, Workspace& work);
inline Solution davidson(Hamiltonian& h, Block& x, const Wanted& wanted) {
  Workspace work;
  return davidson(h, x, wanted, work);
}

/// First guesses that do not depend on how many ranks there are: random, with little kinetic
/// energy.
Block first_guess(const Basis& basis, long bands);
/// Throws Error where a basis of so many plane waves has fewer than the bands that are wanted.
void check_bands(long bands, weft::Index plane_waves);
/// So many columns help the highest wanted bands to converge.
long columns_for(long bands, weft::Index plane_waves);

}  // namespace bands

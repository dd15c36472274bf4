// Forces on the ions: minus the derivatives of the total energy, which the density does not
// contribute to once it is self-consistent (Hellmann and Feynman). `ewald` and `nonlocal` have
// their own parts.
#pragma once

#include <vector>

#include "gth.hpp"
#include "space.hpp"

namespace bands {

/// Collective: what a density does to the local parts of all ions, Ha/bohr.
std::vector<Vector3> local_forces(const Space& space, const Crystal& crystal, const std::vector<Gth>& gth,
                                  const std::vector<std::complex<double>>& density, MPI_Comm comm);

}  // namespace bands

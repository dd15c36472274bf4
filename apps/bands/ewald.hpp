// The energy of point charges in a neutralising background, and the forces on them, by Ewald's
// sums.
#pragma once

#include <vector>

#include "crystal.hpp"

namespace bands {

/// Ha for a cell. `charges` has an entry for each species.
double ewald(const Crystal& crystal, const std::vector<double>& charges);
/// On each atom, Ha/bohr.
std::vector<Vector3> ewald_forces(const Crystal& crystal, const std::vector<double>& charges);

}  // namespace bands

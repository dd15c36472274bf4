// The energy of point charges in a neutralising background, by Ewald's sums.
#pragma once

#include <vector>

#include "crystal.hpp"

namespace bands {

/// Ha for a cell. `charges` has an entry for each species.
double ewald(const Crystal& crystal, const std::vector<double>& charges);

}  // namespace bands

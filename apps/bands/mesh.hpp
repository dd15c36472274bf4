// Meshes of k-points, halved by time reversal: k and -k have the same energies.
#pragma once

#include <array>
#include <vector>

#include "input.hpp"

namespace bands {

/// k = (n + shift/2) / divisions along each axis, in (-1/2, 1/2]; one of every pair +-k, which
/// counts twice. Weights sum up to 1.
std::vector<KPoint> mesh(const std::array<int, 3>& divisions, const std::array<int, 3>& shift);

}  // namespace bands

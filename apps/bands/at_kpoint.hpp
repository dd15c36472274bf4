// What is found at one k-point, and how pools tell each other.
#pragma once

#include <vector>

#include "davidson.hpp"
#include "input.hpp"
#include "pools.hpp"

namespace bands {

struct AtKPoint {
  KPoint point;
  weft::Index plane_waves = 0;
  Solution solution;
};

/// Collective on all ranks: every k-point on every rank, from the pool that solved it. Throws Error
/// where the bands of one did not converge.
void share(const Pools& pools, std::vector<AtKPoint>& kpoints, const Input& input);

/// Collective: throws Error where `kpoints` k-points a pool need more memory than there is, before
/// anything is allocated: their bands, what the solver works in, and real space of a batch, or of
/// one band on each rank where they are transposed.
void check_size(const Pools& pools, const Input& input, weft::Index batch, bool whole_bands, std::size_t kpoints);

}  // namespace bands

// Stages whose source and destination lie in one memory.
#pragma once

#include "plan/stage/overlap.hpp"
#include "plan/stage/spec.hpp"

namespace weft {

/// Whether source and destination share memory but not places.
bool lies_otherwise(const StageSpec& spec);

/// A side's views, with one slot for each memory.
Placed placed(const Side& side, const std::pair<int, int>& one_memory);

}  // namespace weft

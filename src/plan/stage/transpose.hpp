// Transposing panels in registers.
#pragma once

#include "plan/stage/mover.hpp"

namespace weft {

/// What moves a panel of elements of 4, 8 or 16 bytes, contiguous along j where it is read and
/// along i where it is written, on this processor; past the caches where that can be done and is
/// asked for.
MoveFunction transposing(Index bytes, bool stream);

}  // namespace weft

// What is recorded of steps.
#pragma once

#include "plan/step.hpp"
#include "trace/recorder.hpp"

namespace weft {

/// A step as traces have it; of a start what its exchange sends to others than `self`, this rank's
/// number in its group.
trace::Step recorded(const Step& step, const Exchange* exchange, int self, Index element_bytes);

}  // namespace weft

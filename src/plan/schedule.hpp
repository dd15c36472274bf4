// Schedules: the ordered list of steps that executing, printing, tracing, modelling and simulating
// a plan all walk.
#pragma once

#include <vector>

#include "plan/stage/stage.hpp"
#include "plan/step.hpp"

namespace weft {

struct Schedule {
  Index window = 1;  ///< most tiles on their way at once, 0: all
  Index test = 0;    ///< let tiles progress after so many blocks, 0: never
  /// from this stage on, a stage begins when all that those before it made has arrived, for it
  /// writes where they read; -1: none
  int held = -1;
  /// bytes at least that a stage hands on to the next without an exchange between, where that need
  /// not wait for all
  Index passed_on = 0;
  /// a tile goes through all exchanges as soon as it can: none begins more than its window and one
  /// before peers have read what it made (Demand::buffered_tiles)
  bool in_step = false;
  /// that share the blocks of a step: each is handed what it has made itself, where caches hold so
  /// much
  int threads = 1;
};

/// Steps of a transform of stages; exchanges[s] lies between stages s and s+1 (null: an array).
/// Starts are ordered by exchange, then by tile, or in step by when tiles can arrive, then by
/// exchange, whatever a rank owns, so that ranks never wait for each other in a circle.
std::vector<Step> make_steps(const std::vector<const Stage*>& stages, const std::vector<const Exchange*>& exchanges,
                             const Schedule& schedule);

}  // namespace weft

// Schedules: the ordered list of steps that executing, printing, tracing, modelling and simulating a plan all walk.
#pragma once

#include <weft/exchange.hpp>

#include "plan/stage/stage.hpp"

namespace weft {

struct Step {
  enum class Kind { work, open, start, test, finish, close };
  Kind kind;
  int of;           ///< the stage of work; of all others the exchange, by the number of the stage that writes it
  int first, last;  ///< work: blocks [first, last); others: the tile is `first`
};

struct Schedule {
  Index window = 1;        ///< most tiles on their way at once, 0: all
  Index test = 0;          ///< let tiles progress after so many blocks, 0: never
  int held = -1;           ///< from this stage on, a stage begins when all that those before it made has arrived, for it writes where they read; -1: none
  Index passed_on = 0;     ///< bytes at least that a stage hands on to the next without an exchange between, where that need not wait for all
  bool in_step = false;    ///< a tile goes through all exchanges as soon as it can: none begins more than its window and one before peers have read what it made (Demand::ring)
  int threads = 1;         ///< that share the blocks of a step: each is handed what it has made itself, where caches hold so much
};

/// Steps of a chain of stages; exchanges[s] lies between stages s and s+1 (null: an array). Starts are ordered by exchange, then by
/// tile, or in step by when tiles can arrive, then by exchange, whatever a rank owns, so that ranks never wait for each other in a circle.
std::vector<Step> make_steps(const std::vector<const Stage*>& stages, const std::vector<const Exchange*>& exchanges, const Schedule& schedule);

/// Calls an exchange's verb for a step that is no work.
void take(Exchange& exchange, const Step& step);
std::string to_string(const Step& step);

}  // namespace weft

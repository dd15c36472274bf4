// One step of a plan: a run of blocks of a stage, or a verb of an exchange for a tile.
#pragma once

#include <string>

#include <weft/exchange.hpp>

namespace weft {

struct Step {
  enum class Kind { work, open, start, test, finish, close };
  Kind kind;
  int of;           ///< the stage of work; of all others the exchange, by the number of the stage that writes it
  int first, last;  ///< work: blocks [first, last); others: the tile is `first`
};

/// Calls an exchange's verb for a step that is no work.
void take(Exchange& exchange, const Step& step);
std::string to_string(const Step& step);

}  // namespace weft

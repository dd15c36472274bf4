// Rounds of a tile that flags tell of: what strategies share whose data move without messages.
#pragma once

#include <algorithm>
#include <vector>

#include "mpi/segment.hpp"

namespace weft {

/// A tile's data that others bring. Always true: each of the flags is raised to the round when its
/// part is there.
struct Awaited {
  std::vector<const mpi::Flag*> flags;
  std::uint64_t round = 0, finished = 0;  ///< how often the tile was started, and waited for

  /// Whether nothing is to be waited for.
  bool here() const {
    return finished == round ||
           std::all_of(flags.begin(), flags.end(), [this](const mpi::Flag* flag) { return flag->reached(round); });
  }
  void wait(const mpi::Communicator& group) {
    for (const mpi::Flag* flag : flags) flag->wait(round, group);
    finished = round;
  }
};

}  // namespace weft

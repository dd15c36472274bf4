// What the machine is, as far as plans ask: caches and cache lines.
#pragma once

#include <algorithm>

#include <weft/box.hpp>

namespace weft {

struct Hardware {
  struct Cache {
    Index bytes = 0;  ///< of one; 0: there is none, or the system does not tell
    Index cores = 1;  ///< that share it
  };
  Cache first, second, third;  ///< of data, by level
  Index cache_line = 64;
  Index cores = 1;  ///< of this node

  /// The farthest cache that there is.
  const Cache& last() const { return third.bytes > 0 ? third : second.bytes > 0 ? second : first; }
  /// Bytes of the last-level caches that so many ranks have together, where each takes the least used: at most all of
  /// them.
  Index last_level(Index ranks) const {
    const Index caches = (cores + last().cores - 1) / last().cores;
    return last().bytes * std::clamp<Index>(caches, 1, std::max<Index>(ranks, 1));
  }
};

/// This machine, asked once.
const Hardware& hardware();

}  // namespace weft

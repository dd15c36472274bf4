// What the machine is, as far as plans ask: caches, cache lines and pages.
#pragma once

#include <algorithm>
#include <string>

#include <weft/box.hpp>

namespace weft {

struct Hardware {
  struct Cache {
    Index bytes = 0;  ///< of one; 0: there is none, or nobody tells
    Index cores = 1;  ///< that share it
  };
  Cache first, second, third;  ///< of data, by level; farther ones than the third count as that
  Index cache_line = 64;
  Index page = 4096;
  Index cores = 1;  ///< of this node

  /// The farthest cache that there is.
  const Cache& last() const { return third.bytes > 0 ? third : second.bytes > 0 ? second : first; }
  /// Bytes of the last-level caches that so many ranks have together, where each takes the least
  /// used: at most all of them.
  Index last_level(Index ranks) const {
    const Index caches = (cores + last().cores - 1) / last().cores;
    return last().bytes * std::clamp<Index>(caches, 1, std::max<Index>(ranks, 1));
  }
  /// A cache of data of this level, counted from 1.
  void add(int level, const Cache& cache);
};

/// This machine, asked once: the system, and where it does not tell, or hwloc is told otherwise by
/// its environment (HWLOC_XMLFILE and its like), hwloc, where this build has it.
const Hardware& hardware();

/// Takes in what hwloc knows of caches around its first core. Returns whether it knows any; without
/// hwloc in this build it does not.
bool ask_hwloc(Hardware& machine);
/// Takes in what Linux tells of caches in a folder like /sys/devices/system/cpu/cpu0/cache.
void ask_system(Hardware& machine, const std::string& folder);

}  // namespace weft

#include "plan/cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace weft {
namespace {

struct Cache {
  Index bytes = 0, cores = 1;  // of one, and that share it
};

// As Linux tells: "32768K", and "0-7,64-71" for the cores. The C library says ten times as much on an AMD EPYC of two cores.
Cache last_level() {
  Cache last;
  for (int level = 0;; ++level) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/";
    std::ifstream size(folder + "size"), sharers(folder + "shared_cpu_list");
    Index amount = 0;
    char unit = 0;
    if (!(size >> amount)) return last;
    size >> unit;
    Cache cache{unit == 'K' ? amount << 10 : unit == 'M' ? amount << 20 : amount, 0};
    for (std::string range; std::getline(sharers, range, ',');) {
      std::istringstream numbers(range);
      Index first = 0, end = 0;
      if (!(numbers >> first)) continue;
      cache.cores += numbers.get() == '-' && numbers >> end ? end - first + 1 : 1;
    }
    cache.cores = std::max<Index>(cache.cores, 1);
    if (cache.bytes >= last.bytes) last = cache;
  }
}

}  // namespace

Index last_level_caches(Index ranks) {
  static const Cache cache = last_level();
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (cache.bytes == 0) return std::max<Index>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#endif
  const Index cores = std::max<Index>(sysconf(_SC_NPROCESSORS_CONF), 1);
  return cache.bytes * std::clamp<Index>((cores + cache.cores - 1) / cache.cores, 1, std::max<Index>(ranks, 1));
}

}  // namespace weft

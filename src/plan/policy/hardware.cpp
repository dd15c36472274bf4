#include "plan/policy/hardware.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace weft {
namespace {

void add(Hardware& machine, int level, const Hardware::Cache& cache) {
  Hardware::Cache* const levels[] = {&machine.first, &machine.second, &machine.third};
  if (level >= 1) *levels[std::min(level, 3) - 1] = {cache.bytes, std::max<Index>(cache.cores, 1)};
}

// Linux says "32768K", and "0-7,64-71" of cores. The C library says ten times as much on some machines.
void ask_for_caches(Hardware& machine) {
  for (int k = 0;; ++k) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(k) + "/";
    const auto read = [&](const char* name, auto value) {
      std::ifstream(folder + name) >> value;
      return value;
    };
    std::ifstream size(folder + "size"), sharers(folder + "shared_cpu_list");
    Index amount = 0;
    char unit = 0;
    if (!(size >> amount)) return;
    size >> unit;
    if (read("type", std::string()) == "Instruction") continue;
    Hardware::Cache cache{unit == 'K' ? amount << 10 : unit == 'M' ? amount << 20 : amount, 0};
    for (std::string range; std::getline(sharers, range, ',');) {
      std::istringstream numbers(range);
      Index first = 0, end = 0;
      if (!(numbers >> first)) continue;
      cache.cores += numbers.get() == '-' && numbers >> end ? end - first + 1 : 1;
    }
    const int level = read("level", 0);
    add(machine, level, cache);
    if (const Index line = read("coherency_line_size", Index{0}); level == 1 && line > 0) machine.cache_line = line;
  }
}

Hardware ask() {
  Hardware machine;
  machine.cores = std::max<Index>(sysconf(_SC_NPROCESSORS_CONF), 1);
  ask_for_caches(machine);
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (machine.last().bytes == 0) machine.third.bytes = std::max<Index>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#endif
  return machine;
}

}  // namespace

const Hardware& hardware() {
  static const Hardware machine = ask();
  return machine;
}

}  // namespace weft

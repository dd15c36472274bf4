#include "plan/policy/hardware.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#ifdef WEFT_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace weft {
namespace {

void add(Hardware& machine, int level, const Hardware::Cache& cache) {
  Hardware::Cache* const levels[] = {&machine.first, &machine.second, &machine.third};
  if (level >= 1) *levels[std::min(level, 3) - 1] = {cache.bytes, std::max<Index>(cache.cores, 1)};
}

#ifdef WEFT_HAVE_HWLOC

// The caches above the first core.
void ask_for_caches(Hardware& machine) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return;
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(topology) == 0)
    for (hwloc_obj_t at = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0); at; at = at->parent)
      if (hwloc_obj_type_is_dcache(at->type)) {
        const auto& cache = at->attr->cache;
        add(machine, static_cast<int>(cache.depth),
            {static_cast<Index>(cache.size), hwloc_bitmap_weight(at->cpuset)});
        if (cache.depth == 1 && cache.linesize > 0) machine.cache_line = cache.linesize;
      }
  hwloc_topology_destroy(topology);
}

#else

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

#endif

Hardware ask() {
  Hardware machine;
  machine.cores = std::max<Index>(sysconf(_SC_NPROCESSORS_CONF), 1);
  machine.page = std::max<Index>(sysconf(_SC_PAGESIZE), 1);
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

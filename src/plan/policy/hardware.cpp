#include "plan/policy/hardware.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#ifdef WEFT_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace weft {
namespace {

Hardware ask() {
  Hardware machine;
  machine.cores = std::max<Index>(sysconf(_SC_NPROCESSORS_CONF), 1);
  if (const Index page = sysconf(_SC_PAGESIZE); page > 0) machine.page = page;
  // hwloc takes longer than a small plan, and on Linux it reads the same files
  const bool told = std::getenv("HWLOC_XMLFILE") || std::getenv("HWLOC_SYNTHETIC") || std::getenv("HWLOC_FSROOT");
  if (!told) ask_system(machine, "/sys/devices/system/cpu/cpu0/cache");
  if (machine.last().bytes == 0) ask_hwloc(machine);
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (machine.last().bytes == 0) machine.third.bytes = std::max<Index>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#endif
  return machine;
}

}  // namespace

void Hardware::add(int level, const Cache& cache) {
  Cache* const levels[] = {&first, &second, &third};
  if (level >= 1) *levels[std::min(level, 3) - 1] = {cache.bytes, std::max<Index>(cache.cores, 1)};
}

// Linux says "32768K", and "0-7,64-71" of cores. The C library says ten times as much on some
// machines.
void ask_system(Hardware& machine, const std::string& caches) {
  for (int k = 0;; ++k) {
    const std::string folder = caches + "/index" + std::to_string(k) + "/";
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
    machine.add(level, cache);
    if (const Index line = read("coherency_line_size", Index{0}); level == 1 && line > 0) machine.cache_line = line;
  }
}

#ifdef WEFT_HAVE_HWLOC
// Only caches are looked for, which takes the least time, and all cores, also those that this
// process may not use: the system counts them too.
bool ask_hwloc(Hardware& machine) {
  struct Destroy {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  };
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return false;
  const std::unique_ptr<hwloc_topology, Destroy> topology(made);
  hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(made, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(made) != 0) return false;
  Hardware known = machine;
  bool any = false;
  for (hwloc_obj_t at = hwloc_get_obj_by_type(made, HWLOC_OBJ_PU, 0); at; at = at->parent) {
    if (!hwloc_obj_type_is_dcache(at->type) || at->attr->cache.size == 0) continue;
    const auto& cache = at->attr->cache;
    known.add(static_cast<int>(cache.depth), {static_cast<Index>(cache.size), hwloc_bitmap_weight(at->cpuset)});
    if (cache.depth == 1 && cache.linesize > 0) known.cache_line = cache.linesize;
    any = true;
  }
  if (any) machine = known;
  return any;
}
#else
bool ask_hwloc(Hardware&) { return false; }
#endif

const Hardware& hardware() {
  static const Hardware machine = ask();
  return machine;
}

}  // namespace weft

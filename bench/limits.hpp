// What the machine allows: the speed of copying and that of FFTW's lines in cache, on one core and
// on all ranks at once.
#pragma once

#include <nlohmann/json.hpp>

#include "case.hpp"

struct Limit {
  std::string what, unit;
  std::size_t bytes = 0;               ///< that each rank copies; 0: no copy
  double one_rank = 0, all_ranks = 0;  ///< all ranks: their sum
};

/// Collective. Lines are those of the case, or the longest that are in cache.
std::vector<Limit> limits(const World& world, const Case& what);
/// Seconds of a case without overlap of arithmetic and memory: lines at the speed of cache, and
/// four passes (two reads, two writes) there, and as many back, over the data at the speed of
/// copying as much.
double least_seconds(const std::vector<Limit>& limits, const World& world, const Case& what);

std::string text(const std::vector<Limit>& limits, const World& world);
nlohmann::ordered_json json(const std::vector<Limit>& limits);

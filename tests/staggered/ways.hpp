// Ways to fill ghost sites that tests go through: all strategies, and the two that are no
// strategies.
#pragma once

#include <string>
#include <vector>

#include <weft/exchange.hpp>

#include "staggered/exchange.hpp"

namespace staggered {

inline std::vector<std::string> ways() {
  std::vector<std::string> all{by_hand, by_faces};
  for (const weft::Strategy* strategy : weft::strategies()) all.emplace_back(strategy->name());
  return all;
}

}  // namespace staggered

// What engines this build has.
#pragma once

#include <algorithm>

#include "engines/engine.hpp"

namespace weft {

inline bool has_fftw() {
  const auto& all = engines();
  return std::any_of(all.begin(), all.end(), [](const Engine* e) { return e->name() == "fftw"; });
}

}  // namespace weft

// What all measuring needs: a clock, and the middle of what was measured.
#pragma once

#include <algorithm>
#include <vector>

#include "trace/recorder.hpp"

namespace weft {

/// Of this host, since an unknown day; never goes back.
inline double clock_seconds() { return 1e-9 * static_cast<double>(trace::now()); }

/// 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace weft

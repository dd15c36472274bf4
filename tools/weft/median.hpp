// The middle of what was measured; of an even number the mean of the two in the middle.
#pragma once

#include <algorithm>
#include <vector>

/// At least one value.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

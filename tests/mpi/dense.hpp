// Dense plans against the definition of their transform, over every strategy and schedule.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/plans.hpp"

namespace weft {

template <class T>
struct Filler {
  static T at(Index k) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(value(k));
    else
      return {static_cast<typename T::value_type>(value(k)), static_cast<typename T::value_type>(value(k + 77))};
  }
};

template <class T>
double worst(const Array<T>& array, const std::function<Complex(const Shape&)>& expected) {
  double error = 0;
  array.for_each([&](const Shape& p, T& v) { error = std::max(error, std::abs(Complex(v) - expected(p))); });
  return error;
}

// Forward against the definition, there and back, the map between; returns this rank's output, bit
// for bit.
template <class In, class Out>
std::vector<std::byte> verify(const Problem<In, Out>& problem, const Options& options, double tolerance);

using Change = std::function<void(Options&)>;
inline const Change unchanged = [](Options&) {};

// Runs a problem over all strategies and schedules, or those wanted; declined ones are skipped, but
// not all may be. `few`: each strategy under one schedule, or under none if it declines that,
// another one from problem to problem.
template <class In, class Out>
void over_all(
    const Problem<In, Out>& problem, double tolerance, const Change& change, bool few = crowded(),
    const std::function<bool(const Strategy&)>& wanted = [](const Strategy&) { return true; });

std::string of_rank_0(std::string text);

}  // namespace weft

// Trials: what no plan can know, found out while it runs.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <weft/box.hpp>

namespace weft {

/// Settings of two values that change how long executions take, and nothing else. Each is tried both ways in turn, some executions each, and keeps the way that took less of the plan's time;
/// some thousand executions later all are tried again, since callers and neighbours change.
///
/// Every rank tries the same at the same number of executions; none waits for another, and each decides for itself. Nothing is allocated once settings are there.
class Trial {
 public:
  static constexpr int chains = 3;

  /// A setting of one of the plan's chains, tried where that runs. `set` is called with what holds from then on, now with the guess. The same number of settings on all ranks, in the same order.
  void add(int chain, std::function<void(bool)> set, bool guess);
  bool empty() const { return settings_.empty(); }
  /// Whether executions to come are trials.
  bool trying() const { return !empty() && executions_ < calm + (executions_ < calm ? 1 : trials_); }
  /// An execution of a chain has taken so long.
  void took(int chain, double seconds);

  /// Executions: before the first trial; in a row the same way, of which the first does not count; such rows each way; from one round of trials to the next.
  static constexpr Index calm = 8, stretch = 4, stretches = 3, again = 2000;
  static constexpr Index each = 2 * stretch * stretches;  ///< to try one setting

 private:
  struct Setting {
    int chain;
    std::function<void(bool)> set;
    bool now;
  };
  struct Times {
    std::array<double, stretch * stretches> seconds;
    std::size_t count = 0;
    double usual();
  };
  double other_over_this();

  std::vector<Setting> settings_;
  Index executions_ = 0, trials_ = 0;  ///< in this round: so far, and those of all settings that are tried, which come first
  std::array<std::array<Times, 2>, chains> times_;  // this way, and the other
  std::array<bool, chains> ran_{};
  bool hopeless_ = false;
};

}  // namespace weft

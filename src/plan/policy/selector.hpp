// Trials: what no plan can know, found out while it runs.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <weft/box.hpp>

namespace weft {

/// Settings of two values that change how long executions take, and nothing else. Each is tried
/// both ways in turn, some executions each, and keeps the way that took less of the plan's time.
/// Callers, neighbours and cores change: all are tried again where executions have come to take
/// clearly more or less than they did, and some thousand executions later anyway.
///
/// Every rank tries the same at the same number of executions; none waits for another, and each
/// decides for itself, also whether to try again; those that do not come to what follows at the
/// same execution. Nothing is allocated once settings are there.
class Selector {
 public:
  static constexpr int transforms = 3;

  /// A setting of one of the plan's transforms, tried where that runs. `set` is called with what
  /// holds from then on, now with the guess. The same number of settings on all ranks, in the same
  /// order.
  void add(int transform, std::function<void(bool)> set, bool guess);
  bool empty() const { return settings_.empty(); }
  /// Whether executions to come are the first trials.
  bool trying() const { return !empty() && rounds_ == 0 && executions_ < calm + (executions_ < calm ? 1 : trials_); }
  /// An execution of a transform has taken so long.
  void took(int transform, double seconds);

  /// Executions: before trials; in a row the same way, of which the first does not count; such rows
  /// each way, this way, the other, the other, this, so that neither always comes first where
  /// callers execute in rows as well; from one look at how long they take to the next; and so many
  /// looks until all is tried anyway.
  static constexpr Index calm = 8, stretch = 6, stretches = 2, look = 200, looks = 10;
  static constexpr Index each = 2 * stretch * stretches;  ///< to try one setting

 private:
  struct Setting {
    int transform;
    std::function<void(bool)> set;
    bool now;
  };
  struct Times {
    std::array<double, stretch * stretches> seconds;
    std::size_t count = 0;
    double usual();
  };
  double other_over_this();
  bool changed();

  std::vector<Setting> settings_;
  /// rounds before this one; in it so far, those of all settings that are tried, which come first,
  /// and all
  Index rounds_ = 0, executions_ = 0, trials_ = 0, length_ = look;
  std::array<double, transforms> took_{};               // when they had last been tried
  std::array<std::array<Times, 2>, transforms> times_;  // this way, and the other
  std::array<bool, transforms> ran_{};
  bool hopeless_ = false;
};

}  // namespace weft

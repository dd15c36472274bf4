#include "plan/policy/selector.hpp"

#include <algorithm>
#include <numeric>

namespace weft {

void Selector::add(int transform, std::function<void(bool)> set, bool guess) {
  set(guess);
  settings_.push_back({transform, std::move(set), guess});
}

// Their mean, without the longest third, which something else has disturbed. A median would see one
// kind of executions alone where callers alternate between two.
double Selector::Times::usual() {
  const std::size_t quiet = std::max<std::size_t>(count - (count + 2) / 3, 1);
  const auto end = seconds.begin() + static_cast<std::ptrdiff_t>(quiet);
  std::nth_element(seconds.begin(), end - 1, seconds.begin() + static_cast<std::ptrdiff_t>(count));
  return std::accumulate(seconds.begin(), end, 0.0) / static_cast<double>(quiet);
}

// The plan's time the other way over that this way, every transform counted as often as it ran; 1:
// nothing is known.
double Selector::other_over_this() {
  double as_is = 0, other = 0;
  for (auto& [now, then] : times_)
    if (now.count > 0 && then.count > 0) {
      const auto runs = static_cast<double>(now.count + then.count);
      as_is += runs * now.usual();
      other += runs * then.usual();
    }
  return as_is > 0 ? other / as_is : 1;
}

// Whether executions take clearly more or less than when they were last tried, or others run.
bool Selector::changed() {
  constexpr double clearly = 1.15;
  double now = 0, then = 0;
  for (std::size_t c = 0; c < times_.size(); ++c) {
    Times& times = times_[c][0];
    if (times.count == 0) continue;
    if (took_[c] == 0) return true;
    now += static_cast<double>(times.count) * times.usual();
    then += static_cast<double>(times.count) * took_[c];
  }
  return now > clearly * then || then > clearly * now;
}

void Selector::took(int transform, double seconds) {
  constexpr double clearly = 0.97, hopeless = 1.1;
  if (settings_.empty()) return;
  const auto setting = [&](Index trial) -> Setting& { return settings_[static_cast<std::size_t>(trial / each)]; };
  const auto forget = [&] {
    for (auto& both : times_) both[0].count = both[1].count = 0;
  };
  const auto other = [](Index trial) { return (trial % each / stretch + 1) / 2 % 2 == 1; };
  ran_[static_cast<std::size_t>(transform)] = true;
  const Index at = executions_++ - calm;
  if (at < trials_) {
    Times& times = times_[static_cast<std::size_t>(transform)][at >= 0 && other(at) && !hopeless_];
    if ((at < 0 || at % stretch > 0) && times.count < times.seconds.size()) times.seconds[times.count++] = seconds;
  }
  if (at >= 0 && at < trials_) {
    if (at % (2 * stretch) == 2 * stretch - 1) hopeless_ = hopeless_ || other_over_this() > hopeless;
    if (at % each == each - 1) {
      const bool changes = other_over_this() < clearly;
      if (changes) setting(at).now = !setting(at).now;
      setting(at).set(setting(at).now);
      for (std::size_t c = 0; c < times_.size(); ++c)
        if (Times& kept = times_[c][changes]; kept.count > 0) took_[c] = kept.usual();
      forget();
    }
  }
  if (executions_ == calm) {
    const auto tried = std::partition(settings_.begin(), settings_.end(),
                                      [&](const Setting& s) { return ran_[static_cast<std::size_t>(s.transform)]; }) -
                       settings_.begin();
    trials_ = rounds_ % looks == 0 || changed() ? each * tried : 0;
    length_ = std::max(look, calm + each * tried);
    forget();
  }
  if (executions_ == length_) ++rounds_, executions_ = trials_ = 0, ran_.fill(false);
  const Index next = executions_ - calm;
  if (next < 0 || next >= trials_ || next % stretch != 0) return;
  if (next % each == 0) hopeless_ = false;
  setting(next).set(setting(next).now != (other(next) && !hopeless_));
}

}  // namespace weft

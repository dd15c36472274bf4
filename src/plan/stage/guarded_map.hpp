// A caller's map while an execution runs: whatever it throws, the execution goes on.
//
// Always true: no exception leaves a line. An execution that stopped in the middle of its steps
// would leave other ranks waiting, and threads of this one.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <utility>

#include <weft/plan.hpp>

namespace weft {

class GuardedMap {
 public:
  explicit GuardedMap(const std::function<void(const Line&)>& f) : f_(f) {}

  /// Maps a line, on any thread. Once a line has thrown, all that follow on this rank stay as they
  /// are.
  void operator()(const Line& line) noexcept {
    if (thrown_.load(std::memory_order_relaxed)) return;
    try {
      f_(line);
    } catch (...) {
      if (!thrown_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// When all threads are done: throws what the first line threw that did.
  void rethrow() {
    if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  const std::function<void(const Line&)>& f_;
  std::atomic<bool> thrown_{false};
  std::exception_ptr first_;
};

}  // namespace weft

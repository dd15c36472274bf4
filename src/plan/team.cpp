#include "plan/team.hpp"

namespace weft {
namespace {

// A wait spins while the others are likely to be on a core of their own, then lets the system have the core.
template <class Changed>
void spin_until(const Changed& changed) {
  for (int k = 0; k < 2000; ++k) {
    if (changed()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (!changed()) std::this_thread::yield();
}

}  // namespace

Team::Team(int threads) {
  for (int t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
}

Team::~Team() {
  ended_ = true;
  round_.fetch_add(1);
  round_.notify_all();
}

void Team::serve(int thread) {
  for (unsigned seen = 0;;) {
    for (int k = 0; k < 20000 && round_.load(std::memory_order_acquire) == seen; ++k) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (k % 512 == 511) std::this_thread::yield();  // threads may outnumber cores
    }
    round_.wait(seen, std::memory_order_acquire);  // idle teams sleep
    ++seen;
    if (ended_) return;
    (*work_)(thread);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Team::run(const std::function<void(int)>& f) {
  if (others_.empty()) return f(0);
  work_ = &f;
  done_.store(0, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  f(0);
  spin_until([&] { return done_.load(std::memory_order_acquire) == others_.size(); });
}

void Team::meet() {
  if (others_.empty()) return;
  const unsigned meeting = meetings_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == others_.size()) {
    arrived_.store(0, std::memory_order_relaxed);
    meetings_.fetch_add(1, std::memory_order_release);
  } else {
    spin_until([&] { return meetings_.load(std::memory_order_acquire) != meeting; });
  }
}

}  // namespace weft

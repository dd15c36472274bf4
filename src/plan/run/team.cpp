#include "plan/run/team.hpp"

#include <string>
#include <system_error>
#include <utility>

#include <weft/error.hpp>

namespace weft {
namespace {

// A wait spins while the others are likely to be on a core of their own, then lets the system have
// the core.
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
  others_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
  } catch (const std::exception& refused) {
    end();
    throw Error("thread " + std::to_string(others_.size() + 2) + " of " + std::to_string(threads) +
                " cannot be started (" + refused.what() +
                "); use fewer threads, or allow this user more of them (ulimit -u)");
  }
}

Team::~Team() { end(); }

void Team::end() {
  ended_ = true;
  call_.fetch_add(1);
  call_.notify_all();
}

void Team::serve(int thread) {
  for (unsigned seen = 0;;) {
    for (int k = 0; k < 20000 && call_.load(std::memory_order_acquire) == seen; ++k) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (k % 512 == 511) std::this_thread::yield();  // threads may outnumber cores
    }
    call_.wait(seen, std::memory_order_acquire);  // idle teams sleep
    ++seen;
    if (ended_) return;
    work(thread);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Team::work(int thread) noexcept {
  try {
    (*work_)(thread);
  } catch (...) {
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }
}

void Team::run(const std::function<void(int)>& f) {
  if (others_.empty()) return f(0);
  work_ = &f;
  done_.store(0, std::memory_order_relaxed);
  call_.fetch_add(1, std::memory_order_release);
  call_.notify_all();
  work(0);
  spin_until([&] { return done_.load(std::memory_order_acquire) == others_.size(); });
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(failure_, nullptr));
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

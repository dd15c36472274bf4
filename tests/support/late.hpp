// Strategies whose ranks are late in the middle of an execution: between the verbs of an exchange,
// where what a peer does too early is seen.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>

#include <unistd.h>

#include "support/plans.hpp"
#include "support/wrapped.hpp"

namespace weft {

/// It sleeps now and then before or after any verb, each rank by itself.
class LateExchange final : public WrappedExchange {
 public:
  using WrappedExchange::WrappedExchange;
  void open(int t) override { WrappedExchange::open(t), sleep(); }
  void start(int t) override { sleep(), WrappedExchange::start(t); }
  void finish(int t) override { WrappedExchange::finish(t), sleep(); }
  void close(int t) override { sleep(), WrappedExchange::close(t); }

 private:
  static void sleep() {
    static std::minstd_rand random(static_cast<unsigned>(rank_of_world()) + 1);
    if (random() % 16 == 0) usleep(random() % 300);
  }
};

/// Another strategy under the name "late-NAME".
class Late final : public Wrapped<LateExchange> {
 public:
  explicit Late(const Strategy& inner) : Wrapped(inner, "late-" + std::string(inner.name())) {}
};

}  // namespace weft

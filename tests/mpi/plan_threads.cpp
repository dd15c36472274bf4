// Plans on several threads, and that executing allocates nothing.
#include <gtest/gtest.h>

#include "mpi/dense.hpp"
#include "support/allocations.hpp"

namespace weft {
namespace {

TEST(Plan, Threads) {
  for (const int threads : {2, 3})
    over_all(
        c2c<double>({6, 5, 4}), 1e-13, [&](Options& o) { o.threads = threads; }, threads == 3 || crowded());
}

// One thread in MPI, the others at work: the same bits as without, for every strategy and schedule;
// batches, pencils, in place, the map between.
TEST(Plan, CommunicatingThread) {
  for (const int threads : {2, 3}) {
    const auto thread = [&](Options& o) { o.threads = threads, o.schedule.communicate = "thread"; };
    const bool few = threads == 3 || crowded();
    over_all(c2c<double>({7, 5, 6}), 1e-13, thread, few);
    over_all(
        c2c<double>({6, 5, 4}), 1e-13, [&](Options& o) { thread(o), o.placement = "in_place"; }, few);
    over_all(
        r2c<double>({4, 3, 6}), 1e-13, [&](Options& o) { thread(o), o.batch = 3; }, true);
    const int ranks = ranks_of_world();
    over_all(
        c2c<double>({5, 6, 7}), 1e-13,
        [&](Options& o) {
          thread(o), o.grid = {2 - ranks % 2, ranks / (2 - ranks % 2)};
        },
        few);
    // Results may land in an array of the caller's
    over_all(
        c2c<double>({6, 5, 4}), 1e-13, [&](Options& o) { thread(o), o.natural_output = true; }, few);
  }
  std::vector<std::byte> bits[2];
  for (int k = 0; k < 2; ++k) {
    Options o;
    o.strategy = "isend", o.effort = "estimate", o.threads = 1 + k,
    o.schedule = {"gathered", 1, 2, 0, k ? "thread" : "caller"};
    bits[k] = verify(c2c<double>({7, 5, 6}), o, 1e-13);
  }
  EXPECT_TRUE(bits[0] == bits[1]);
}

TEST(Plan, ExecutingAllocatesNothing) {
  const AnyPlan lines = lines_of(c2c<double>({6, 4, 5}), {.effort = "estimate"});
  for (const Case& c : ways(crowded())) {
    for (const int threads : {1, 2, 3}) {
      Options o = c.options;
      o.threads = std::min(threads, 2);
      if (threads == 3) o.schedule.communicate = "thread";
      try {
        Plan fft(world, c2c<double>({6, 4, 5}), o);
        auto u = fft.input();
        auto u_hat = fft.output();
        u.fill([](const Shape&) { return Complex(); });
        fft.forward(u, u_hat), fft.backward(u_hat, u);
        const long before = allocations();
        fft.forward(u, u_hat), fft.backward(u_hat, u);
        EXPECT_EQ(allocations() - before, 0) << c.name;
      } catch (const Declined&) {
      }
    }
  }
}

}  // namespace
}  // namespace weft

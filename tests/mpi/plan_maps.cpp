// Maps that throw: on every rank or on one alone, at the first line or later, on one thread or
// several. Nobody waits for ever, and the plan is as good as before.
#include <gtest/gtest.h>

#include <atomic>

#include "mpi/dense.hpp"

namespace weft {
namespace {

struct Stop {};

enum class Who { all, last };

// One map that throws at its line number `at`, then what the plan does must be right. `call(map)`
// is the mapped execution, `right()` the others.
template <class Call, class Right>
void stops(Who who, int at, int threads, Call&& call, Right&& right) {
  const bool mine = who == Who::all || rank_of_world() == ranks_of_world() - 1;
  std::atomic<int> lines = 0, after = 0;
  std::atomic<bool> thrown = false;
  bool caught = false;
  try {
    call([&](const Line&) {
      if (thrown) ++after;
      if (mine && lines++ == at) {
        thrown = true;
        throw Stop();
      }
    });
  } catch (const Stop&) {
    caught = true;
  }
  EXPECT_EQ(caught, thrown.load());
  if (threads == 1) {
    EXPECT_EQ(after, 0) << "the map was called again";  // another thread may be at it before it can know
  }
  right();
}

TEST(Plan, MapThatThrows) {
  const Shape shape{6, 4, 5};
  const AnyPlan lines = lines_of(c2c<double>(shape), {.effort = "estimate"});
  std::vector<Case> pencils;
  for (const char* strategy : {"direct", "node", "isend"}) {
    const int ranks = ranks_of_world();
    Options options{.strategy = strategy, .effort = "estimate"};
    if (ranks % 2 == 0) options.grid = {2, ranks / 2};
    pencils.push_back({std::string(strategy) + " pencils", options});
  }
  int ran = 0;
  Index turn = 0;
  for (const char* way : {"1", "2", "thread", "in place"}) {
    // every strategy under another schedule each way, or under all where that is asked for
    std::vector<Case> cases = ways(!std::getenv("WEFT_TEST_THOROUGH"), turn++);
    cases.insert(cases.end(), pencils.begin(), pencils.end());
    for (const Case& c : cases) {
      Options o = c.options;
      if (*way == '2' || *way == 't') o.threads = 2;
      if (*way == 't') o.schedule.communicate = "thread";
      o.placement = *way == 'i' ? "in_place" : "preserve";
      SCOPED_TRACE(c.name + ", " + way);
      try {
        Plan fft(world, c2c<double>(shape), o);
        ++ran;
        const auto u = fft.input(), u_hat = fft.output();
        Index mode = 0;
        const auto right = [&] {
          mode = (mode + 1) % 4;
          u.fill([&](const Shape& p) {
            return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(mode * p[1]) / 4);
          });
          fft.forward(u, u_hat);
          ASSERT_LT(worst<Complex>(u_hat, [&](const Shape& k) { return k == Shape{0, mode, 0} ? 120.0 : 0.0; }), 1e-11);
          fft.backward(u_hat, u);
          fft.forward_map_backward(u.span(), u.span(), [](const Shape&, Complex& v) { v /= 120.0 * 120.0; });
          ASSERT_LT(worst<Complex>(u,
                                   [&](const Shape& p) {
                                     return std::polar(1.0,
                                                       2 * std::numbers::pi * static_cast<double>(mode * p[1]) / 4);
                                   }),
                    1e-11);
        };
        for (const Who who : {Who::all, Who::last})
          for (const int at : {0, 3})
            stops(
                who, at, o.threads,
                [&](const std::function<void(const Line&)>& f) {
                  static_cast<AnyPlan&>(fft).forward_map_backward(u.span().data(), u.span().data(), f);
                },
                right);
      } catch (const Declined&) {
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(ran, 20);
}

TEST(Sphere, MapThatThrows) {
  for (const Case& c : ways(true))
    for (const int threads : {1, 2}) {
      Options o = c.options;
      o.threads = threads;
      SCOPED_TRACE(c.name);
      try {
        Plan waves(world, sphere<double>({9, 9, 9}, Cutoff{.squared = 16}), o);
        std::vector<Complex> c0(static_cast<std::size_t>(waves.output_elements()), 1.0), c1 = c0;
        const auto right = [&] {
          waves.backward_map_forward(c0.data(), c1.data(), [](const Line& line) {
            for (Index k = 0; k < line.count; ++k) static_cast<Complex*>(line.values)[k] *= 2.0 / 729;
          });
          for (std::size_t k = 0; k < c0.size(); ++k) ASSERT_LT(std::abs(c1[k] - 2.0 * c0[k]), 1e-12);
        };
        for (const Who who : {Who::all, Who::last})
          for (const int at : {0, 5})
            stops(
                who, at, threads,
                [&](const std::function<void(const Line&)>& f) { waves.backward_map_forward(c0.data(), c1.data(), f); },
                right);
      } catch (const Declined&) {
      }
      if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace weft

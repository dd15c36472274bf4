// Plans leave nothing behind, whether they were made, used, or could not be made; and any rank may
// be late at any time.
#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

#include "support/environment.hpp"
#include "support/fails.hpp"
#include "support/nodes.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

/// What a plan may hold of the system: MPI's handles, open files, and shared memory.
struct Held {
  mpi::Handles handles = mpi::live_handles();
  long files =
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  long segments = 0;
  Held() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) segments += line.find("memfd:weft") != std::string::npos;
  }
  bool operator==(const Held&) const = default;
};

class Plans : public testing::Test {
 protected:
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();

  std::vector<Options> ways() const {
    std::vector<Options> all;
    for (const Strategy* strategy : strategies())
      for (const ScheduleOptions& schedule :
           {ScheduleOptions{}, ScheduleOptions{"gathered", 2, 2, 1}, ScheduleOptions{"kept", 2, 0, 1}}) {
        Options o;
        o.strategy = strategy->name();
        o.effort = "estimate";
        o.schedule = schedule;
        for (int r = 0; r < ranks && knows_nodes(*strategy); ++r) o.nodes.push_back(r % 2);
        all.push_back(o);
      }
    return all;
  }
  /// A plane wave there and back, `rounds` times, calling pause() wherever a rank may be late.
  template <class Pause>
  void there_and_back(const Options& options, int rounds, Pause pause) const {
    const Shape shape{5, 4, 6};
    Plan fft(world.raw(), c2c<double>(shape), options);
    const auto u = fft.input(), u_hat = fft.output();
    const auto wave = [&](Index mode, const Shape& p) {
      return std::polar(1.0, std::acos(-1.0) / 2 * static_cast<double>(mode * p[1]));
    };
    const auto worst = [](const auto& array, auto&& expected) {
      double error = 0;
      array.for_each([&](const Shape& p, const Complex& v) { error = std::max(error, std::abs(v - expected(p))); });
      return error;
    };
    for (int round = 0; round < rounds; ++round) {
      const Index mode = round % 4;
      u.fill([&](const Shape& p) { return wave(mode, p); });
      pause();
      fft.forward(u, u_hat);
      ASSERT_LT(worst(u_hat,
                      [&](const Shape& k) {
                        return k == Shape{0, mode, 0} ? 120.0 : 0.0;
                      }),
                1e-11)
          << "round " << round;
      pause();
      fft.backward(u_hat, u);
      ASSERT_LT(worst(u, [&](const Shape& p) { return 120.0 * wave(mode, p); }), 1e-11) << "round " << round;
      fft.forward_map_backward(u.span(), u.span(), [&](const Shape& k, Complex& v) {
        if (k == Shape{0, mode, 0}) pause();
        v /= 120;
      });
      ASSERT_LT(worst(u, [&](const Shape& p) { return 120.0 * wave(mode, p); }), 1e-11) << "round " << round;
    }
  }
};

TEST_F(Plans, NothingIsLeftBehind) {
  there_and_back({.effort = "estimate"}, 1, [] {});  // MPI opens files of its own at first use
  const Held before;
  int made = 0;
  for (const Options& options : ways()) {
    SCOPED_TRACE(options.strategy + ", " + options.schedule.tiles);
    try {
      there_and_back(options, 2, [] {});
      ++made;
    } catch (const Declined&) {
    }
    EXPECT_TRUE(Held() == before);
  }
  EXPECT_GT(made, 10);
}

TEST_F(Plans, TinyNothingIsLeftOfThoseThatCouldNotBeMade) {
  const bool last = rank == ranks - 1;
  const auto plan = [&](const Options& options, const Shape& shape = {4, 4, 4}) {
    return [this, options, shape] { AnyPlan(world.raw(), c2c<double>(shape), options); };
  };
  fails(world, plan({.strategy = "pigeon"}), {"pigeon"});  // what is opened at first use is open now
  const Held before;
  for (int round = 0; round < 3; ++round) {
    fails(world, plan({.strategy = "pigeon"}), {"pigeon"});
    fails(world, plan({.engine = last ? "abacus" : "naive"}), {"engine is \"abacus\"; allowed: "});
    fails(world, plan({.engine = "abacus"}), {"abacus"});
    fails(world, plan({.schedule = {.tiles = "some"}}), {"some"});
    fails(world, plan({.grid = {ranks, 2}}), {"grid"});
    fails(world, plan({}, {4, last ? 0 : 4, 4}), {"extent of 0"});
    {
      // Fails after everything else has been made
      const Environment forbidden("WEFT_SHARED_MEMORY", last ? "none" : "own");
      fails(world, plan({.strategy = "direct"}), {"WEFT_SHARED_MEMORY=none"});
      if (ranks % 2 == 0)
        fails(world, plan({.strategy = "direct", .grid = {ranks / 2, 2}}), {"WEFT_SHARED_MEMORY=none"});
      std::vector<int> nodes(static_cast<std::size_t>(ranks), 0);
      nodes.back() = 1;
      // Whose node could have made its memory
      const AnyPlan other(world.raw(), c2c<double>({4, 4, 4}), {.strategy = "node", .nodes = nodes});
      EXPECT_EQ(other.effective().strategy, ranks > 1 ? "leader" : "node");
    }
    if (ranks > 1) fails(world, plan({.strategy = "alltoall"}, {5, 3, 4}), {"alltoall", "declines"});
  }
  EXPECT_TRUE(Held() == before);
}

TEST_F(Plans, TinySingleThread) {
  if (!std::getenv("WEFT_TEST_THREAD_LEVEL"))
    GTEST_SKIP() << "MPI was initialised for threads; the test faults.single runs this without";
  ASSERT_LT(mpi::thread_level(), MPI_THREAD_FUNNELED);
  there_and_back({.effort = "estimate"}, 1, [] {});
  for (const char* who : {"caller", "thread"})
    fails(world,
          [&] {
            AnyPlan(world.raw(), c2c<double>({4, 4, 4}), {.schedule = {.communicate = who}, .threads = 2});
          },
          {"threads is 2", "MPI_Init_thread", "MPI_THREAD_FUNNELED"});
}

TEST_F(Plans, TinyDestroyedInAnotherOrderThanMade) {
  const Held before;
  {
    auto first = std::make_unique<AnyPlan>(world.raw(), c2c<double>({4, 4, 4}),
                                           Options{.strategy = "direct", .effort = "estimate"});
    auto second = std::make_unique<AnyPlan>(world.raw(), c2c<double>({4, 6, 4}),
                                            Options{.strategy = "isend", .effort = "estimate"});
    first.reset();
    AnyPlan third = std::move(*second);
    second.reset();
    EXPECT_FALSE(third.steps().empty());
  }
  EXPECT_TRUE(Held() == before);
}

// MPI has room for some thousand communicators. Plans share one, and one more where not all ranks
// have anything to exchange.
TEST_F(Plans, ManyLiveAtOnce) {
  const int many = std::getenv("WEFT_TEST_THOROUGH") ? 10000 : 800;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const Held before;
  {
    std::vector<AnyPlan> living;
    Index shared = 0;  // by the first plans of each shape, with each strategy
    const auto made = [&] { return mpi::live_handles().communicators - before.handles.communicators; };
    for (int k = 0; k < many; ++k) {
      if (k == 6) shared = made();
      living.emplace_back(own, c2c<double>({2, 2, 2 + k % 3}),
                          Options{.strategy = k % 2 ? "alltoallv" : "isend", .effort = "estimate"});
    }
    EXPECT_EQ(shared, world.size() > 2 ? 2 : 1);
    EXPECT_EQ(made(), shared);
    for (const int k : {many - 1, 0, many / 2}) {
      AnyPlan& fft = living[static_cast<std::size_t>(k)];
      std::vector<Complex> u(static_cast<std::size_t>(fft.input_elements()), 1.0);
      std::vector<Complex> u_hat(static_cast<std::size_t>(fft.output_elements()));
      fft.forward(u.data(), u_hat.data());
      const double first = u_hat.empty() ? 0 : u_hat[0].real();
      EXPECT_EQ(world.max(first), 4.0 * (2 + k % 3));
    }
    living.erase(living.begin() + many / 4, living.end());  // those that are left share it still
    AnyPlan later(own, c2c<double>({2, 2, 2}), {.strategy = "alltoallv", .effort = "estimate"});
    EXPECT_EQ(made(), shared);
  }
  EXPECT_TRUE(Held() == before);
  MPI_Comm_free(&own);
}

TEST_F(Plans, AnyRankMayBeLate) {
  for (Options options : ways()) {
    SCOPED_TRACE(options.strategy + ", " + options.schedule.tiles);
    std::minstd_rand random(static_cast<unsigned>(rank + 1));  // other delays on every rank, the same ones in every run
    const auto pause = [&] {
      if (random() % 4 == 0) usleep(random() % 1500);
    };
    for (const bool overwrite : {false, true}) {
      options.placement = overwrite ? "overwrite" : "preserve";
      try {
        there_and_back(options, 12, pause);
      } catch (const Declined&) {
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft

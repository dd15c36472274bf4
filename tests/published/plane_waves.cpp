// What zero avoidance leaves to do, counted while it runs or, for many ranks, from the route:
// lines, elements and messages against the printed formulas.
//
// Hoefler and Zerah, 3-D FFT in ABINIT, a sphere whose box is m = n/2 in each dimension: n^2/4 +
// n^2/2 + n^2 = 1.75 n^2 lines of length n against 3 n^2 (58.3 %), 1/4 of the dense exchange;
// forward n_z/p planes of n_x/2 n_y/(2p) elements for each pair of ranks, backward n_y/(2p) of
// n_x/2 n_z/p: 128^3 on 16 ranks: 8 x 4 KiB and 4 x 8 KiB, complex double.
#include <weft/plan.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "mpi/communicator.hpp"
#include "plan/route/sphere_route.hpp"
#include "support/changing.hpp"

namespace weft {
namespace {

mpi::Communicator world() { return mpi::Communicator::duplicate(MPI_COMM_WORLD); }

std::vector<GVector> boxcut(Index n, int rank, int ranks) {
  return vectors(share_sticks(box_sticks({n / 2, n / 2, n / 2}), ranks, "columns")[static_cast<std::size_t>(rank)]);
}

Index all(const mpi::Communicator& comm, const std::vector<Index>& lines) {
  return comm.sum(std::accumulate(lines.begin(), lines.end(), Index{0}));
}

TEST(PlaneWavesTiny, LinesOfABoxcut) {
  const auto comm = world();
  for (const Index n : {8, 12, 20}) {
    AnyPlan waves(comm.raw(), problem(Precision::double_, {n, n, n}, {.mine = boxcut(n, comm.rank(), comm.size())}),
                  {.effort = "estimate"});
    AnyPlan dense(comm.raw(), c2c<double>({n, n, n}), {.effort = "estimate"});
    const std::vector<Index> mine = waves.lines();
    EXPECT_EQ(comm.sum(mine[0]), n * n / 4);
    EXPECT_EQ(comm.sum(mine[1]), n * n / 2);
    EXPECT_EQ(comm.sum(mine[2]), n * n);
    EXPECT_EQ(4 * all(comm, mine), 7 * n * n);
    EXPECT_EQ(all(comm, dense.lines()), 3 * n * n);
  }
}

// Only columns inside the circle, and only planes' lines at some of them.
TEST(PlaneWavesTiny, LinesOfASphere) {
  const auto comm = world();
  const Cutoff cutoff{.squared = 16};
  AnyPlan waves(comm.raw(), problem(Precision::double_, {16, 18, 20}, {.cutoff = cutoff}), {.effort = "estimate"});
  const std::vector<Index> mine = waves.lines();
  EXPECT_EQ(comm.sum(mine[0]), 49);      // x^2 + y^2 <= 16
  EXPECT_EQ(comm.sum(mine[1]), 16 * 9);  // planes, -4..4
  EXPECT_EQ(comm.sum(mine[2]), 16 * 18);
}

TEST(PlaneWavesTiny, AQuarterOfTheDenseExchange) {
  const auto comm = world();
  constexpr Index n = 24;
  if (n / 2 % comm.size() != 0) GTEST_SKIP() << "uneven";
  const Options options{.strategy = "alltoallv", .effort = "estimate"};
  AnyPlan waves(comm.raw(), problem(Precision::double_, {n, n, n}, {.mine = boxcut(n, comm.rank(), comm.size())}),
                options);
  AnyPlan dense(comm.raw(), c2c<double>({n, n, n}), options);
  const auto sent = [](AnyPlan& plan, bool forward) {
    const auto in = plan.input_memory(), out = plan.output_memory();
    plan.measure(true);
    forward ? plan.forward(in.get(), out.get()) : plan.backward(out.get(), in.get());
    return plan.spent().bytes;
  };
  EXPECT_EQ(4 * sent(waves, true), sent(dense, true));
  EXPECT_EQ(4 * sent(waves, false), sent(dense, false));
}

// A tile of each direction is what the source calls a plane: forward one of space, backward one of
// the box, n_x/2 sticks.
Options planes(Index n) {
  return {.strategy = "isend",
          .effort = "estimate",
          .schedule = {.tiles = "gathered", .tile = 1, .window = 0},
          .backward_schedule = ScheduleOptions{.tiles = "gathered", .tile = n / 2, .window = 0}};
}

TEST(PlaneWavesTiny, MessagesOfEachDirection) {
  const auto comm = world();
  const Index n = 24, p = comm.size();
  if (n / 2 % p != 0) GTEST_SKIP() << "uneven";
  Plan waves(comm.raw(), sphere<double>({n, n, n}, boxcut(n, comm.rank(), comm.size())), planes(n));
  auto in = waves.input(), out = waves.output();
  waves.measure(true);
  waves.forward(in, out);
  EXPECT_EQ(waves.spent().messages, (p - 1) * n / p);
  EXPECT_EQ(waves.spent().bytes, waves.spent().messages * 16 * (n / 2) * n / (2 * p));
  waves.measure(true);
  waves.backward(out, in);
  EXPECT_EQ(waves.spent().messages, (p - 1) * n / (2 * p));
  EXPECT_EQ(waves.spent().bytes, waves.spent().messages * 16 * (n / 2) * n / p);
  back_to_back(waves);
}

// The route on so many ranks, as rank 0 of them plans it.
Route route_of(const Shape& grid, const std::vector<std::vector<SphereStick>>& shares, const Options& options) {
  std::vector<std::string> texts;
  for (const auto& share : shares) texts.push_back(Share(grid, vectors(share), false).text());
  const Waves waves(grid, texts, 0, {Share(grid, vectors(shares[0]), false).elements()}, false, false, 0);
  return plan_sphere_route(problem(Precision::double_, grid, PlaneWaves{}), options, static_cast<int>(shares.size()),
                           waves);
}

TEST(PlaneWavesTiny, PrintedMessagesOn16Ranks) {
  constexpr Index n = 128;
  const Route route = route_of({n, n, n}, share_sticks(box_sticks({n / 2, n / 2, n / 2}), 16, "columns"), planes(n));
  ASSERT_EQ(route.transitions.size(), 1u);
  const Transition& transition = route.transitions[0];
  const auto expect = [&](const Pattern& pattern, int tiles, Index bytes) {
    EXPECT_EQ(pattern.tiles(), tiles);
    for (int t = 0; t < pattern.tiles(); ++t)
      pattern.each_count(t, [&](int, int, Index count) {
        EXPECT_EQ(16 * count, bytes);
        return 16 * count == bytes;
      });
  };
  expect(Pattern(transition.from, transition.to, 3, transition.cut), 8, 4096);
  expect(Pattern(transition.to, transition.from, 3, *transition.back_cut), 4, 8192);
}

// Bethune, dCSE report on Quantum ESPRESSO / GWW, 2010: CNT40 on 16 ranks, message sizes in
// elements; 1231.9 sent by a rank, what it keeps included.
TEST(PlaneWavesTiny, PrintedMessagesOfCnt40) {
  const Route route = route_of({30, 30, 30}, share_sticks(sphere_sticks({.squared = 205}), 16, "columns"), {});
  const Pattern pattern(route.transitions[0].to, route.transitions[0].from, 0);
  std::set<Index> sizes;
  Index sent = 0, kept = 0;
  pattern.each_count(0, [&](int source, int target, Index count) {
    sizes.insert(count);
    sent += count;
    kept += source == target ? count : 0;
    return true;
  });
  EXPECT_EQ(sizes, (std::set<Index>{84, 82, 42, 41}));
  EXPECT_NEAR(static_cast<double>(sent) / 16, 1231.9, 0.05);
  EXPECT_NEAR(static_cast<double>(sent - kept) / 16, 1154.9, 0.05);
  EXPECT_EQ(16 * pattern.largest(0), 1344);
}

}  // namespace
}  // namespace weft

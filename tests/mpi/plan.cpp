// Plans of every kind of problem against a naive DFT, over every strategy: forward, backward,
// forward_map_backward, and the same bits from all of them.
#include <gtest/gtest.h>

#include <set>

#include "mpi/dense.hpp"
#include "support/changing.hpp"
#include "support/kernels.hpp"

namespace weft {
namespace {

// What runs also where ranks outnumber cores and nothing keeps them from spinning: a call can take
// milliseconds there.
TEST(PlanTiny, EveryStrategyGivesTheSameBits) {
  over_all(c2c<double>({3, 5, 2}), 1e-13, unchanged, true);
  // lines too long to stay columns in the last stage; and those that do forward alone, since rows
  // begin within cache lines
  for (const Shape& shape : {Shape{66, 2, 4}, Shape{65, 2, 3}}) over_all(c2c<double>(shape), 1e-13, unchanged, true);
}
TEST(Plan, EveryStrategyAndScheduleGivesTheSameBits) { over_all(c2c<double>({7, 5, 6}), 1e-13, unchanged, false); }
TEST(Plan, EmptyRanks) {
  for (const Shape& shape : {Shape{1, 4, 3}, Shape{6, 1, 1}, Shape{5, 1}, Shape{4}, Shape{2, 3, 1}})
    over_all(c2c<double>(shape), 1e-13, unchanged, true);
  over_all(c2c<double>({2, 1, 3}), 1e-13, unchanged, false);
}
TEST(Plan, RealToComplex) {
  over_all(r2c<double>({5, 4, 7}), 1e-13, unchanged);
  over_all(
      r2c<double>({4, 3, 6}), 1e-13, [](Options& o) { o.placement = "in_place"; }, true);
  over_all(r2c<double>({6}), 1e-13, unchanged, true);
  over_all(r2c<float>({3, 8}), 1e-5, unchanged, true);
}
TEST(Plan, InPlaceAndOverwriting) {
  over_all(c2c<double>({6, 5, 4}), 1e-13, [](Options& o) { o.placement = "in_place"; });
  over_all(c2c<double>({6, 5, 4}), 1e-13, [](Options& o) { o.placement = "overwrite"; });
}
// Several blocks a rank: half a spectrum grows over the real numbers that it comes from.
TEST(Plan, HalfSpectraWhereTheirRowsWere) {
  const auto shared = [](const Strategy& s) {
    return s.name() == "direct" || s.name() == "deposit" || s.name() == "isend";
  };
  for (const int threads : {1, 2})
    over_all(
        r2c<double>({13, 40, 97}), 1e-11, [&](Options& o) { o.placement = "overwrite", o.threads = threads; }, true,
        shared);
  if (ranks_of_world() == 1) return;
  Plan plan(world, r2c<double>({48 * ranks_of_world(), 64, 130}),
            {.strategy = "direct", .effort = "estimate", .placement = "overwrite"});
  const Index arrays = plan.input().size() * 8 + plan.output().size() * 16;
  EXPECT_LT(plan.bytes_owned(), arrays + arrays / 2) << plan.describe();  // with whole huge pages
}
TEST(Plan, BatchesAndComponents) {
  over_all(c2c<double>({4, 3, 5}), 1e-13, [](Options& o) { o.batch = 3; });
  over_all(
      c2c<double>({4, 3, 5}), 1e-13, [](Options& o) { o.components = 2; }, true);
  over_all(
      r2c<double>({4, 6}), 1e-13, [](Options& o) { o.components = 3, o.batch = 2; }, true);
}
TEST(Plan, Pencils) {
  const int ranks = ranks_of_world();
  const Few<int> grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  over_all(
      c2c<double>({5, 6, 7}), 1e-13, [&](Options& o) { o.grid = grid; }, false);
  over_all(
      r2c<double>({4, 5, 6}), 1e-13,
      [&](Options& o) {
        o.grid = grid;
        o.natural_output = true;
      },
      true);
  // With planes of their own
  over_all(
      c2c<double>({8, 5, 70}), 1e-12,
      [&](Options& o) {
        o.grid = {1, ranks}, o.placement = "overwrite";
      },
      true);
}
TEST(Plan, NaturalOutputAndAxes) {
  over_all(c2c<double>({6, 4, 5}), 1e-13, [](Options& o) { o.natural_output = true; });
  over_all(c2c<double>({6, 4, 5}, {1, 2}), 1e-13, unchanged, true);
  over_all(c2c<double>({6, 4, 5}, {0}), 1e-13, unchanged, true);
  over_all(c2c<double>({3, 4, 2, 5}), 1e-13, unchanged, true);
  over_all(r2c<double>({3, 4, 6}, {2, 0}), 1e-13, unchanged, true);
}
// Where several axes are whole, which of them tiles are cut along must not change the order in
// which they are transformed.
TEST(Plan, FourAxesUnderEverySchedule) {
  const auto wanted = [](const Strategy& s) { return s.name() == "isend"; };
  const int ranks = ranks_of_world();
  for (const Shape& shape : {Shape{3, 4, 2, 5}, Shape{4, 3, 5, 4}})
    for (const Few<int>& grid : {Few<int>{ranks}, Few<int>{2 - ranks % 2, ranks / (2 - ranks % 2)}}) {
      const auto on_grid = [&](Options& o) { o.grid = grid; };
      over_all(c2c<double>(shape), 1e-13, on_grid, false, wanted);
      over_all(r2c<double>(shape), 1e-13, on_grid, false, wanted);
    }
}
TEST(Plan, CallersLayouts) {
  const int ranks = ranks_of_world();
  const Shape shape{6, 5, 4};
  const Layout bricks =
      Layout::grid(shape, ranks % 2 == 0 ? Few<int>{ranks / 2, 1, 2} : Few<int>{1, 1, ranks}, Split::even(), {2, 0, 1});
  over_all(
      c2c<double>(shape), 1e-13, [&](Options& o) { o.input = bricks; }, true);
  over_all(
      c2c<double>(shape), 1e-13, [&](Options& o) { o.output = bricks; }, true);
  over_all(
      c2c<double>(shape), 1e-13,
      [&](Options& o) {
        o.input = bricks;
        o.natural_output = true;
      },
      true);
  over_all(
      c2c<double>(shape), 1e-13,
      [&](Options& o) {
        o.split = Split::blocks();
        o.scale = "full";
      },
      true);
}

TEST(PlanTiny, SevenAndEightAxes) {
  const Options o{.effort = "estimate"};
  for (const Shape& shape : {Shape{2, 2, 2, 2, 2, 2, 2}, Shape{3, 1, 2, 2, 1, 2, 3, 2}}) {
    verify(c2c<double>(shape), o, 1e-13);
    verify(r2c<double>(shape), o, 1e-13);
    verify(c2c<double>(shape, {7 % shape.size(), 2, 4}), o, 1e-13);
  }
  verify(c2c<double>({2, 2, 2, 2, 2, 2, 2}), {.effort = "estimate", .batch = 3}, 1e-13);
}

// Parts of a line or two, scaled where they lie: what is between the lines belongs to others.
TEST(PlanTiny, ScaledWhereLinesAreShort) {
  for (const char* scale : {"full", "symmetric"})
    for (const Shape& shape :
         {Shape{1, 2}, Shape{2, 1}, Shape{1, 3}, Shape{3, 2}, Shape{1, 1, 2}, Shape{2, 1, 3}, Shape{1, 5, 1}})
      for (const Index batch : {1, 3, 4}) {
        SCOPED_TRACE(to_string(shape) + " x " + std::to_string(batch) + ", " + scale);
        const Options o{.effort = "estimate", .batch = batch, .scale = scale};
        verify(c2c<double>(shape), o, 1e-13);
        verify(r2c<double>(shape), o, 1e-13);
      }
}

// The halved axis first: of layouts that cut it, of bricks, and of the plan's own.
TEST(Plan, HalvedAxisFirst) {
  const auto wanted = [](const Strategy& s) { return s.name() == "isend" || s.name() == "direct"; };
  const int ranks = ranks_of_world();
  const Shape shape{8, 6, 9};
  std::vector<Change> changes{unchanged, [](Options& o) { o.natural_output = true, o.batch = 2; }};
  const bool both = ranks > 2 && ranks % 2 == 0;
  for (const Few<int>& grid :
       {Few<int>{ranks, 1, 1}, Few<int>{1, ranks, 1}, ranks % 2 ? Few<int>{1, 1, ranks} : Few<int>{2, ranks / 2, 1},
        both ? Few<int>{2, 1, ranks / 2} : Few<int>{1, 1, ranks}}) {
    changes.push_back([grid](Options& o) { o.grid = grid; });
    changes.push_back([grid, shape](Options& o) { o.input = Layout::grid(shape, grid, Split::even(), {2, 1, 0}); });
  }
  // Bricks that are no grid in C order, and what the first stage works on is asked for
  changes.push_back([ranks, shape](Options& o) {
    std::vector<Box> boxes;
    const Layout slabs = Layout::grid(shape, {ranks, 1, 1});
    for (int r = 0; r < ranks; ++r) boxes.push_back(slabs.box(ranks - 1 - r));
    o.input = Layout(shape, boxes);
    o.grid = {1, 1, ranks};
  });
  for (const Change& change : changes) {
    over_all(r2c<double>(shape, {1, 2, 0}), 1e-12, change, true, wanted);
  }
  const Plan<double, Complex> fft(world, r2c<double>(shape, {1, 2, 0}),
                                  {.effort = "estimate", .input = Layout::grid(shape, {ranks, 1, 1})});
  EXPECT_GT(fft.output_layout().elements(rank_of_world()), 0);
}

// The processor's own kernels, whatever planning measures today: rows and columns, in blocks and
// straight from peers' memory to where they are wanted.
TEST(Plan, KernelsForEveryLine) {
  if (crowded() && ranks_of_world() > 3) GTEST_SKIP() << "more ranks do what three do";
  const auto over = [](const auto& problem, double tolerance, const Change& change) {
    const Change measured = [&](Options& o) { change(o), o.effort = "measure"; };
    Options options;
    measured(options);
    const AnyPlan lines = with_kernels(problem, options);
    over_all(problem, tolerance, measured, true);
  };
  const int ranks = ranks_of_world();
  over(c2c<double>({16, 20, 32}), 1e-12, unchanged);
  over(c2c<double>({64, 18, 24}), 1e-12, [](Options& o) { o.placement = "overwrite", o.scale = "full"; });
  // Rows that begin within cache lines
  over(c2c<double>({12, 10, 9}), 1e-12, [](Options& o) { o.batch = 3, o.natural_output = true; });
  over(c2c<double>({16, 12, 20}), 1e-12, [&](Options& o) {
    o.grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  });
  over(c2c<double>({12, 16, 8}), 1e-12, [](Options& o) { o.placement = "in_place"; });
  over(r2c<double>({16, 20, 24}), 1e-12, [](Options& o) { o.placement = "overwrite"; });
  over(r2c<float>({20, 16, 36}), 1e-4, unchanged);
}

TEST(Plan, RealToReal) {
  for (const Kind kind : {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3,
                          Kind::dst4, Kind::r2hc, Kind::hc2r, Kind::dht}) {
    SCOPED_TRACE(to_string(kind));
    over_all(r2r<double>({4, 5, 3}, {kind}), 1e-12, unchanged, true);
  }
}

// Arrays with gaps that no stage transforms where they lie: the first exchange reads them.
TEST(Plan, PaddedArraysGoByEveryStrategy) {
  const Shape shape{4, 5, 6};
  const int ranks = ranks_of_world();
  for (const Shape& padding : {Shape{0, 0, 2}, Shape{0, 3, 0}, Shape{1, 0, 0}}) {
    std::vector<Box> boxes;
    const Layout slabs = Layout::slab(shape, 0, ranks);
    for (int r = ranks; r-- > 0;) boxes.push_back(slabs.box(r));  // no process grid, unless there is one rank
    const Layout turned(shape, boxes, c_order(3), padding);
    over_all(
        c2c<double>(shape), 1e-13, [&](Options& o) { o.input = turned; }, true);
  }
}

TEST(Plan, EveryExchangeMayHaveAStrategyOfItsOwn) {
  Options o;
  o.natural_output = true;
  o.effort = "estimate";
  const auto bits = verify(c2c<double>({6, 4, 5}), o, 1e-13);
  for (const std::string names : {"alltoallv+isend", "isend+auto", "direct+deposit", "deposit+direct"}) {
    o.strategy = names;
    EXPECT_TRUE(verify(c2c<double>({6, 4, 5}), o, 1e-13) == bits) << names;
    const Plan<Complex, Complex> fft(world, c2c<double>({6, 4, 5}), o);
    if (ranks_of_world() > 1 && names.find("auto") == names.npos) {
      EXPECT_EQ(fft.effective().strategy, names);
    }
  }
}

/// Doubles that travel as floats: half the bytes, an error that is there and small, whatever
/// strategy sends messages; the others decline.
TEST(Plan, SinglePrecisionOnTheWire) {
  const auto problem = c2c<double>({5, 6, 4});
  const AnyPlan lines = lines_of(problem, {.effort = "estimate"});
  std::set<std::string> took;
  for (const Strategy* s : strategies())
    for (const char* tiles : {"one", "gathered"}) {
      const std::string name(s->name());
      Options options{.strategy = name, .effort = "estimate", .schedule = {.tiles = tiles, .tile = 2, .window = 2}};
      try {
        Plan same(world, problem, options);
        options.wire = "single";
        Plan fft(world, problem, options);
        took.insert(name);
        SCOPED_TRACE(fft.describe());
        EXPECT_NE(fft.describe().find("single precision on the wire"), std::string::npos);
        auto u = fft.input();
        auto u_hat = fft.output(), exact = same.output();
        for (int round = 0; round < 2; ++round) {
          u.fill([](const Shape& p) { return Filler<Complex>::at(position(p, {5, 6, 4})); });
          same.measure(true), fft.measure(true);
          same.forward(u, exact);
          fft.forward(u, u_hat);
          EXPECT_EQ(2 * fft.spent().bytes, same.spent().bytes);
          EXPECT_EQ(fft.spent().messages, same.spent().messages);
          const double error = worst<Complex>(u_hat, [&](const Shape& p) { return exact[p]; });
          EXPECT_LT(error, 1e-5);
          EXPECT_TRUE(same.spent().bytes == 0 || u_hat.size() == 0 || error > 1e-12) << "nothing was rounded";
          fft.backward(u_hat, u);
          EXPECT_LT(worst<Complex>(u,
                                   [&](const Shape& p) {
                                     return Filler<Complex>::at(position(p, {5, 6, 4})) / fft.scale();
                                   }) *
                        fft.scale(),
                    1e-6);
        }
        back_to_back(fft);
      } catch (const Declined&) {
      }
    }
  EXPECT_GE(took.size(), 8u);
  EXPECT_EQ(took.contains("direct"), ranks_of_world() == 1);
}

// Shapes that peers crash on or get wrong.
TEST(Plan, WherePeersFail) {
  Options o;
  o.effort = "estimate";
  AnyPlan(world, c2c<double>({448, 352}), o);
  for (const Shape& shape : {Shape{32, 1}, Shape{1, 32}, Shape{8, 8, 1}}) verify(c2c<double>(shape), o, 1e-13);
}

}  // namespace
}  // namespace weft

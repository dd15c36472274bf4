// How plans are cut and in which order they go: alike on every rank, stated, and right however
// ranks are delayed.
#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "mpi/dense.hpp"
#include "plan/policy/hardware.hpp"
#include "support/changing.hpp"

namespace weft {
namespace {

TEST(Plan, BackToBackWithOneRankDelayed) {
  const AnyPlan lines[] = {lines_of(c2c<double>({6, 4, 5}), {.effort = "estimate"}),
                           lines_of(c2c<double>({6, 4, 5}), {.effort = "estimate", .natural_output = true})};
  std::vector<Case> cases = ways();
  for (Case c : ways(true)) {
    c.options.natural_output = true;
    cases.push_back({c.name + ", natural output", c.options});
  }
  cases.push_back(cases.back());
  cases.back().name = cases.back().options.strategy = "direct+deposit";
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Options o = c.options;
    o.placement = "overwrite";
    try {
      Plan fft(world, c2c<double>({6, 4, 5}), o);
      back_to_back(fft, every_three);
    } catch (const Declined&) {
    }
  }
}

// Ranks that start exchanges in different orders wait for each other for ever.
TEST(Plan, EveryRankStartsInTheSameOrder) {
  const int ranks = ranks_of_world();
  const Few<int> grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{ranks};
  for (const Shape& shape : {Shape{7, 5, 6}, Shape{3, 1, 9}, Shape{1, 8, 2}, Shape{5, 4, 3, 7}})
    for (const ScheduleOptions& schedule :
         {ScheduleOptions{}, ScheduleOptions{"gathered", 1, 2, 1}, ScheduleOptions{"gathered", 2, 0, 0},
          ScheduleOptions{"gathered", 3, 3, 0}, ScheduleOptions{"kept", 1, 1, 2}, ScheduleOptions{"kept", 2, 2, 0},
          ScheduleOptions{"kept", 4, 0, 1}}) {
      Options o;
      o.strategy = "isend", o.effort = "estimate", o.grid = grid, o.schedule = schedule;
      o.batch = schedule.tiles == "kept" ? 2 : 1;  // an axis to keep, unless ranks would be idle and the batch is cut
      if (o.batch > 1) {
        Options uncut = o;
        uncut.schedule = {};
        const Plan plan(world, c2c<double>(shape), uncut);
        const Layout& end = plan.output_layout();
        bool whole = true;
        for (int r = 0; r < ranks; ++r) whole = whole && (end.box(r).empty() || end.box(r).extent(0) == o.batch);
        if (!whole) {
          EXPECT_TRUE(shape == (Shape{1, 8, 2}) && ranks > 2) << to_string(shape);
          EXPECT_THROW((Plan(world, c2c<double>(shape), o)), Declined);
          continue;
        }
      }
      Plan fft(world, c2c<double>(shape), o);
      std::string starts;
      std::istringstream steps(fft.steps());
      for (std::string line; std::getline(steps, line);)
        if (line.starts_with("start")) starts += line + "\n";
      EXPECT_EQ(starts, of_rank_0(starts)) << to_string(shape);
      EXPECT_TRUE(!starts.empty() || ranks == 1 || shape[0] == 1) << to_string(shape);
    }
}

// Forward and backward may be cut each in its own way; the bits are those of one way for both.
TEST(Plan, BackwardMayHaveAScheduleOfItsOwn) {
  const std::vector<ScheduleOptions> schedules{{}, {"gathered", 1, 0, 1}, {"kept", 2, 2, 1}};
  const auto both = [&](const auto& problem, const Options& common) {
    std::vector<std::byte> first;
    for (const char* strategy : {"isend", "alltoallv", "direct"})
      for (const ScheduleOptions& there : schedules)
        for (const ScheduleOptions& back : schedules) {
          Options o = common;
          o.strategy = strategy, o.effort = "estimate", o.schedule = there, o.backward_schedule = back;
          SCOPED_TRACE(std::string(strategy) + ", " + there.tiles + " and " + back.tiles);
          try {
            const auto bits = verify(problem, o, 1e-13);
            if (first.empty()) first = bits;
            EXPECT_TRUE(bits == first);
          } catch (const Declined& e) {  // more ranks than planes: pencils, which have no kept axis
            EXPECT_NE(std::string(e.what()).find("kept"), std::string::npos) << e.what();
          }
        }
  };
  both(c2c<double>({7, 5, 6}), {});
  both(r2c<double>({4, 5, 6}), {.natural_output = true});
  both(c2c<double>({4, 5, 6}), {.placement = "in_place"});
  if (ranks_of_world() == 1) return;
  Plan fft(world, c2c<double>({12, 12, 4}),
           {.strategy = "isend",
            .effort = "estimate",
            .schedule = {"gathered", 1, 0, 1},
            .backward_schedule = ScheduleOptions{"kept", 100, 3, 2}});
  EXPECT_EQ(fft.effective().schedule.tiles, "gathered");
  EXPECT_EQ(fft.effective().backward_schedule->tile, 4);
  EXPECT_EQ(fft.effective().backward_schedule->window, 1);
  EXPECT_NE(fft.describe().find("backward: tiles kept of 4"), std::string::npos) << fft.describe();
}

// What cannot be done as requested is stated: a window or tests with a strategy that blocks, tiles
// longer than what they cut, tests beside a thread that only talks.
TEST(Plan, EffectiveSchedulesAreStated) {
  if (ranks_of_world() == 1) return;
  const auto effective = [](const char* strategy, const ScheduleOptions& schedule) {
    Options o;
    o.strategy = strategy, o.schedule = schedule, o.effort = "estimate", o.threads = 2;
    Plan fft(world, c2c<double>({12, 12, 4}), o);
    const ScheduleOptions& s = fft.effective().schedule;
    EXPECT_EQ(fft.describe().find("(requested: " + schedule.tiles + " of ") != std::string::npos,
              s.tile != schedule.tile || s.window != schedule.window || s.test != schedule.test);
    EXPECT_TRUE(s.test > 0 || fft.steps().find("test") == std::string::npos);
    return s;
  };
  const Index planes = (12 + ranks_of_world() - 1) / ranks_of_world();
  EXPECT_EQ(effective("isend", {"gathered", 1, 2, 3}).test, 3);
  EXPECT_EQ(effective("isend", {"gathered", 1, 2, 3, "thread"}).test, 0);
  EXPECT_EQ(effective("isend", {"gathered", 1, 2, 3}).window, 2);
  EXPECT_EQ(effective("isend", {"gathered", 1, 100, 1}).window, planes);
  EXPECT_EQ(effective("isend", {"gathered", 100, 1, 1}).tile, planes);
  EXPECT_EQ(effective("ialltoall", {"kept", 100, 2, 1}).tile, 4);
  EXPECT_EQ(effective("alltoallv", {"gathered", 1, 2, 0}).window, 1);
  EXPECT_EQ(effective("alltoallv", {"gathered", 1, 1, 3}).test, 0);
}

// Stages without an exchange between take turns, so that the one reads from cache what the other
// has written: field by field of a batch, plane by plane where planes are too large for one stage;
// and never write over what is still to be read.
TEST(Plan, StagesHandOnWhatIsStillInCache) {
  if (crowded() && ranks_of_world() > 3) GTEST_SKIP() << "more ranks do what three do";
  const auto turns = [](const std::string& steps) {  // how often stage 0 goes on after stage 1 has begun
    int count = 0;
    bool behind = false;
    std::istringstream lines(steps);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("work stage 1")) behind = true;
      if (line.starts_with("work stage 0") && std::exchange(behind, false)) ++count;
    }
    return count;
  };
  if (ranks_of_world() == 1)
    for (const bool in_place : {false, true})
      for (const bool overwrite : {false, true})
        for (const int threads : {1, 2}) {
          const Options o{.effort = "estimate",
                          .threads = threads,
                          .batch = 3,
                          .placement = in_place    ? "in_place"
                                       : overwrite ? "overwrite"
                                                   : "preserve"};
          verify(c2c<double>({24, 28, 32}), o, 1e-10);
          verify(r2c<double>({48, 28, 32}), o, 1e-10);
          EXPECT_TRUE(in_place || turns(Plan(world, c2c<double>({24, 28, 32}), o).steps()) > 0);
        }
  const Options planes{.strategy = "alltoallv", .effort = "estimate"};
  verify(c2c<double>({3 * ranks_of_world(), 300, 240}), planes, 1e-10);
  EXPECT_EQ(turns(Plan(world, c2c<double>({3 * ranks_of_world(), 300, 240}), planes).steps()),
            ranks_of_world() > 1 ? 2 : 0);
}

// As many fields as caches hold make a tile, where nobody says otherwise; not where they hold all
// of them, in an input that may be overwritten.
TEST(Plan, AutoTakesABatchFieldByField) {
  const Shape small{16, 16, 16};
  const Index field = (volume(small) + ranks_of_world() - 1) / ranks_of_world() * 16,
              together = (Index{1} << 20) / field;
  const auto schedule = [&](
                            Index batch, const std::function<void(Options&)>& change = [](Options&) {}) {
    Options o{.wisdom = false, .effort = "estimate", .batch = batch};
    change(o);
    const Plan fft(world, c2c<double>(small), o);
    const ScheduleOptions chosen = fft.effective().schedule;
    if (chosen.tiles == "kept") {
      EXPECT_NE(fft.explain().find("while they are in cache"), std::string::npos);
    }
    return chosen;
  };
  const ScheduleOptions all, few = ranks_of_world() > 1 ? ScheduleOptions{"kept", (Index{768} << 10) / field, 2} : all;
  verify(c2c<double>(small), {.wisdom = false, .effort = "estimate", .batch = together + 3}, 1e-12);
  EXPECT_EQ(schedule(together + 3), few);
  EXPECT_EQ(schedule(together), all);
  // Two exchanges
  EXPECT_EQ(schedule(together + 3, [](Options& o) { o.natural_output = true; }),
            ranks_of_world() > 1 ? (ScheduleOptions{"kept", together, 1}) : all);
  EXPECT_EQ(schedule(together + 3, [](Options& o) { o.strategy = "direct"; }), all);
  EXPECT_EQ(schedule(together + 3, [](Options& o) { o.placement = "in_place"; }), all);
  const auto overwrites = [](Options& o) { o.placement = "overwrite"; };
  const Index ranks_here = ranks_of_world(), cached = hardware().last_level(ranks_here) / (2 * ranks_here * field);
  if (cached > together) {
    EXPECT_EQ(schedule(together + 1, overwrites), all);
  }
  if (cached < 4000) {
    EXPECT_EQ(schedule(std::max(cached, together) + 1, overwrites), few);
  }
  // plane waves that fill a cache one by one, within a node
  const auto waves = [](const Shape& shape, const Options& of) {
    return AnyPlan(world, sphere<double>(shape, Cutoff{.squared = 9}), of).effective().schedule;
  };
  Options bands{.wisdom = false, .effort = "estimate", .batch = 3};
  const int ranks = ranks_of_world();
  EXPECT_EQ(waves({128, 64, 64}, bands), ranks == 2 ? (ScheduleOptions{"kept", 1, 1}) : ScheduleOptions());
  EXPECT_EQ(waves({64, 64, 32}, bands), ScheduleOptions());
  for (int r = 0; r < ranks; ++r) bands.nodes.push_back(r);
  EXPECT_EQ(waves({128, 64, 64}, bands), ScheduleOptions());
  bands.nodes.clear(), bands.groups = ranks;
  EXPECT_NO_THROW(waves({128, 64, 64}, bands));
  // fields that no cache holds, one by one where the input is preserved
  const auto dense = [](const Options& of) { return Plan(world, c2c<double>({64, 64, 64}), of).effective().schedule; };
  Options fields{.wisdom = false, .effort = "estimate", .batch = 3};
  if (ranks > 3) return;
  EXPECT_EQ(dense(fields), ranks > 1 ? (ScheduleOptions{"kept", 1, 1}) : ScheduleOptions());
  fields.placement = "overwrite";
  EXPECT_EQ(dense(fields), ScheduleOptions());
  fields.placement = "preserve";
  for (int r = 0; r < ranks; ++r) fields.nodes.push_back(r);
  EXPECT_EQ(dense(fields), ScheduleOptions());
}

// What goes past the caches is not put where it goes before it is done: planes of many fields, the
// input preserved.
TEST(Plan, SmallPlanesThatStream) {
  const auto spectrum = [](const std::string& strategy, bool overwrite) {
    Plan fft(world, c2c<double>({32, 32, 32}),
             {.strategy = strategy,
              .wisdom = false,
              .effort = "estimate",
              .batch = 40,
              .placement = overwrite ? "overwrite" : "preserve"});
    auto u = fft.input();
    auto u_hat = fft.output();
    u.fill([](const Shape& p) {
      return Complex(static_cast<double>((p[0] + 3 * p[1] * p[2]) % 17),
                     static_cast<double>((p[0] * p[3] + p[1]) % 11));
    });
    fft.forward(u, u_hat);
    return std::vector<Complex>(u_hat.span().begin(), u_hat.span().end());
  };
  const auto expected = spectrum("direct", true);
  for (const char* strategy : {"direct", "isend"}) EXPECT_TRUE(spectrum(strategy, false) == expected) << strategy;
}

// What goes past the caches is found out while a plan runs: executions meanwhile, and those after,
// give the same bits, of other data each.
TEST(Plan, TriesWhatGoesPastTheCaches) {
  if (crowded() && ranks_of_world() > 3) GTEST_SKIP() << "more ranks do what three do";
  const auto runs = [](const auto& problem, const Options& options) {
    Plan fft(world, problem, options);
    const Index cache = hardware().last_level(1);
    const bool small = fft.input_elements() < 100 * 1000 && (cache == 0 || cache >= 4 << 20);  // which holds all of it
    if (small) {
      EXPECT_EQ(fft.trying(), ranks_of_world() > 1 && cache > 0) << fft.describe();
    }
    auto u = fft.input();
    auto u_hat = fft.output();
    using In = std::remove_reference_t<decltype(u.data()[0])>;
    u.fill([](const Shape& p) { return In(static_cast<double>((p[0] + 3 * p[1] * p[2]) % 17)); });
    const std::vector<In> before(u.span().begin(), u.span().end());
    std::vector<In> after;
    std::vector<Complex> first;
    int different = 0, k = 0;
    for (int rest = 8; rest > 0; ++k) {  // executions there and back after all has been tried
      const double times = k == 0 ? 1 : factor(static_cast<std::size_t>(k));
      const auto multiple = [&](const auto& seen, const auto& known) { return seen == times * known; };
      std::transform(before.begin(), before.end(), u.data(), [&](const In& value) { return times * value; });
      fft.forward(u, u_hat);
      if (k == 0) first.assign(u_hat.span().begin(), u_hat.span().end());
      different += !std::equal(u_hat.span().begin(), u_hat.span().end(), first.begin(), multiple);
      fft.backward(u_hat, u);
      if (k == 0) after.assign(u.span().begin(), u.span().end());
      different += !std::equal(u.span().begin(), u.span().end(), after.begin(), multiple);
      int trying = fft.trying();
      MPI_Allreduce(MPI_IN_PLACE, &trying, 1, MPI_INT, MPI_MAX, world);
      rest -= trying == 0;
      ASSERT_LT(k, 200) << "trials do not end";
    }
    EXPECT_EQ(different, 0) << fft.describe();
  };
  const bool all = std::getenv("WEFT_TEST_THOROUGH");
  for (const bool overwrite : {false, true}) {
    const std::string placement = overwrite ? "overwrite" : "preserve";
    if (all || overwrite)
      runs(c2c<double>({128, 128, 100}),
           {.strategy = "direct", .wisdom = false, .effort = "estimate", .placement = placement});
    if (!crowded() && (all || !overwrite))
      runs(r2c<double>({200, 128, 128}),
           {.strategy = "isend", .wisdom = false, .effort = "estimate", .placement = placement});
    for (const char* strategy : {"direct", "isend", "deposit"})
      for (const bool natural : {false, true}) {
        Options options{.strategy = strategy, .wisdom = false, .effort = "estimate", .placement = placement};
        options.natural_output = natural;
        // every strategy has all shapes with either placement
        if (all || natural == overwrite) {
          runs(c2c<double>({48, 32, 40}), options);
          runs(r2c<double>({24, 36, 64}), options);
        }
        if (all || natural != overwrite) {
          runs(c2c<double>({36, 44, 27}), options);
          runs(c2c<double>({16, 32, 256}), options);  // whose rows pile up
        }
      }
  }
}

// What stays on a rank lies in the output from the first stage on, where the last one works on it:
// the bits of messages, forward, backward and mapped, in any shape of the exchange.
TEST(Plan, WhatStaysWaitsInTheOutput) {
  if (crowded() && ranks_of_world() > 4) GTEST_SKIP() << "more ranks do what four do";
  Index least = 0;
  const auto results = [&](const auto& problem, const Options& options) {
    Plan fft(world, problem, options);
    auto u = fft.input(), v = fft.input();
    auto u_hat = fft.output();
    using In = std::remove_cvref_t<decltype(u.data()[0])>;
    using Real = decltype(std::abs(In()));
    const auto fill = [&] {
      u.fill([](const Shape& p) {
        const Complex value(static_cast<double>((p[0] + 3 * p[1] * p[2]) % 17),
                            static_cast<double>((p[0] * p[2] + p[1]) % 11));
        if constexpr (std::is_same_v<In, Real>)
          return static_cast<Real>(value.real());
        else
          return In(value);
      });
    };
    std::vector<Real> all;
    const auto add = [&](const auto& array) {
      const auto* const begin = reinterpret_cast<const Real*>(array.span().data());
      all.insert(all.end(), begin, begin + array.span().size_bytes() / sizeof(Real));
    };
    fill(), fft.forward(u, u_hat), add(u_hat);
    fft.backward(u_hat, u), add(u);
    fill(),
        fft.forward_map_backward(u.span(), v.span(), [](const Shape& p, auto& x) { x *= static_cast<Real>(p[0] % 3); }),
        add(v);
    fill(), fft.forward(u, u_hat), add(u_hat);
    back_to_back(fft, "ffbmf");
    least = static_cast<Index>(u_hat.span().size_bytes());
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, world);
    return all;
  };
  const auto same = [&](const auto& problem, const std::function<void(Options&)>& change) {
    Options options{.strategy = "direct", .wisdom = false, .effort = "estimate"};
    change(options);
    const auto waits = results(problem, options);
    EXPECT_GE(least, Index{1} << 19) << "what is smaller does not wait";
    options.strategy = "isend", options.schedule = {};
    EXPECT_TRUE(waits == results(problem, options)) << options.strategy;
  };
  const Index ranks = ranks_of_world(), n = 12 * ranks;  // three quarters of a MiB a rank
  const auto overwrites = [](Options& o) { o.placement = "overwrite"; };
  same(c2c<double>({64, 64, n}), [](Options&) {});
  same(c2c<double>({64, 66, n}), [](Options& o) { o.scale = "full"; });
  same(c2c<float>({96, 96, n}), [](Options& o) { o.schedule = {"kept", 8, 2}; });
  same(c2c<double>({64, 64, n}), [](Options& o) { o.schedule = {"gathered", 7, 1}; });
  same(r2c<double>({64, 64, 2 * n}), [](Options&) {});
  same(c2c<double>({32, 32, 32}), [&](Options& o) { o.batch = 2 * ranks; });
  same(c2c<double>({64, 64, n}), [](Options& o) { o.threads = 2; });
  same(c2c<double>({64, 64, n}), overwrites);
  same(c2c<float>({96, 99, n}), overwrites);
  same(r2c<double>({64, 64, 2 * n}), overwrites);
  same(r2c<double>({64, 65, 2 * n + 1}), overwrites);
  same(c2c<double>({64, 64, n}), [](Options& o) { o.placement = "overwrite", o.schedule = {"kept", 8, 2}; });
  same(c2c<double>({64, 64, n}), [](Options& o) { o.placement = "overwrite", o.threads = 2; });
  for (const char* placement : {"preserve", "overwrite"})
    same(c2c<double>({64, 64, n}), [&](Options& o) { o.grid = {1, ranks_of_world()}, o.placement = placement; });
}

// Fields of a batch go through all exchanges in step, so that few of them are held at a time: in
// slabs, pencils, with an exchange more, in maps; however ranks are delayed.
TEST(Plan, ExchangesHoldFewFieldsOfABatch) {
  const int ranks = ranks_of_world();
  const std::vector<ScheduleOptions> cuts{{}, {"kept", 1, 1}, {"kept", 2, 1, 1}, {"kept", 1, 3, 2}, {"kept", 1, 0}};
  const auto cut = [](const ScheduleOptions& schedule, Options o) {
    return o.strategy = o.strategy == "auto" ? "direct" : o.strategy, o.effort = "estimate", o.batch = 7,
           o.schedule = schedule, o;
  };
  const auto in_step = [&](const auto& problem, const Options& common) {
    std::vector<std::byte> first;
    for (const ScheduleOptions& schedule : cuts) {
      SCOPED_TRACE(to_string(schedule));
      const auto bits = verify(problem, cut(schedule, common), 1e-13);
      if (first.empty()) first = bits;
      EXPECT_TRUE(bits == first);
    }
  };
  in_step(c2c<double>({8, 7, 5}), {});
  in_step(c2c<double>({8, 7, 5}), {.threads = 2});
  in_step(c2c<double>({2, 3, 4}), {.natural_output = true});  // ranks without planes
  in_step(r2c<double>({6, 8, 9}), {.strategy = "isend", .natural_output = true});
  in_step(r2c<double>({7, 6, 4}), {.strategy = "direct+deposit", .natural_output = true});
  in_step(r2c<double>({7, 6, 4}), {.placement = "overwrite"});
  in_step(c2c<double>({8, 7, 5}), {.placement = "overwrite"});
  in_step(c2c<double>({8, 7, 5}), {.strategy = "unpacked", .placement = "overwrite"});
  if (ranks % 2 == 0) in_step(c2c<double>({6, 7, 4}), {.grid = {2, ranks / 2}});
  if (ranks % 2 == 0)
    in_step(r2c<double>({6, 7, 4}), {.strategy = "alltoallv", .grid = {2, ranks / 2}, .natural_output = true});

  const auto problem = c2c<double>({8, 8, 16});
  const AnyPlan whole(world, problem, cut(cuts[0], {})), few(world, problem, cut(cuts[1], {}));
  if (ranks > 1 && ranks <= 8) {
    const AnyPlan overwriting(world, problem, cut(cuts[1], {.placement = "overwrite"}));
    for (const AnyPlan* plan : {&few, &overwriting})
      EXPECT_NE(plan->describe().find("its array holds 2 of 7 tiles"), std::string::npos) << plan->describe();
    EXPECT_LE(few.bytes_owned(), whole.bytes_owned() * 5 / 7);
  }
  for (const auto& [overwrite, schedule] :
       {std::pair(false, cuts[1]), std::pair(true, cuts[1]), std::pair(true, ScheduleOptions{"kept", 1, 2})}) {
    Plan fft(world, problem, cut(schedule, {.placement = overwrite ? "overwrite" : "preserve"}));
    back_to_back(fft, every_three);
  }
}

// Ranks that read in place take turns: every other one reads what has arrived a tile earlier. Not
// by messages, nor with several exchanges.
TEST(Plan, EveryOtherRankReadsATileEarlier) {
  const int rank = rank_of_world();
  if (ranks_of_world() < 2) GTEST_SKIP() << "one rank exchanges nothing";
  const auto early = [&](const std::string& strategy, bool natural) {
    Plan fft(world, c2c<double>({16, 16, 8}),
             {.strategy = strategy,
              .effort = "estimate",
              .schedule = {"kept", 1, 2},
              .natural_output = natural,
              .batch = 6});
    auto u = fft.input();
    auto u_hat = fft.output();
    u.fill([](const Shape&) { return 1.0; });
    fft.forward(u, u_hat);
    const std::string steps = fft.steps();
    return steps.find("finish exchange 0 tile 0") < steps.find("start exchange 0 tile 1");
  };
  EXPECT_EQ(early("direct", false), rank % 2 == 0);
  EXPECT_FALSE(early("direct", true));
  EXPECT_FALSE(early("isend", false));
}

// In place the last stage may write where earlier ones still read, and where tiles lie that have
// not been sent.
TEST(Plan, InPlaceWithTilesOfABatchOrAMovedAxis) {
  for (const ScheduleOptions& schedule :
       {ScheduleOptions{"kept", 1, 1}, ScheduleOptions{"kept", 1, 2}, ScheduleOptions{"gathered", 1, 1}}) {
    const auto in_place = [&](Options& o) { o.placement = "in_place", o.schedule = schedule; };
    over_all(
        c2c<double>({5, 4, 3}), 1e-13, [&](Options& o) { in_place(o), o.batch = 3; }, true);
    over_all(c2c<double>({6, 2, 8, 2}), 1e-13, in_place, true);
  }
}

}  // namespace
}  // namespace weft

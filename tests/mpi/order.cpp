// The order of what ranks read and write: in plans of every kind all pairs are ordered, whatever
// the timing.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include <weft/halo.hpp>

#include "check/order.hpp"
#include "support/nodes.hpp"
#include "support/plans.hpp"
#include "support/thorough.hpp"

namespace weft {
namespace {

/// The k-th of a row of problems: every choice comes with every other one sooner or later, alike on
/// all ranks.
class Chosen {
 public:
  explicit Chosen(unsigned k) : random_(k) {
    const auto& list = strategies();
    options.strategy = list[k % list.size()]->name();
    if (k / list.size() % 3 == 0) options.strategy += "+" + std::string(list[random_() % list.size()]->name());
    cut();
    shape_ = any(Shape{6, 5, 4}, Shape{4, 6, 8}, Shape{3, 1, 9}, Shape{7, 5, 6}, Shape{8, 8}, Shape{5, 4, 3, 7},
                 Shape{2, 16, 9}, Shape{32, 30, 24});
    transform();
    share();
    if (problem.waves) {
      options.components = 1, options.natural_output = false;
      if (options.in_place()) options.placement = "preserve";
      options.groups = options.batch > 1 ? any(1, 1, 2) : 1;
    } else {
      layouts();
    }
    if (problem.precision == Precision::double_ && any(0, 0, 0, 1)) options.wire = "single";
  }

  AnyProblem problem;
  Options options{.wisdom = false, .effort = "estimate"};

 private:
  template <class First, class... More>
  First any(First first, More... more) {
    const First all[] = {first, more...};
    return all[random_() % std::size(all)];
  }

  ScheduleOptions schedule() {
    ScheduleOptions s;
    s.tiles = any("one", "gathered", "kept", "kept");
    s.tile = any(1, 1, 2, 3), s.window = any(0, 1, 2, 3, 4), s.test = any(0, 0, 1, 2);
    return s;
  }
  void cut() {
    options.schedule = schedule();
    options.schedule.communicate = any("caller", "caller", "caller", "thread");
    if (any(0, 0, 0, 1)) {
      options.backward_schedule = schedule();
      options.backward_schedule->communicate = options.schedule.communicate;
    }
    options.threads = options.schedule.communicate == "thread" ? any(2, 3) : any(1, 1, 2);
  }

  void transform() {
    const Few<int> all_but_first = shape_.size() == 3 ? Few<int>{1, 2} : Few<int>{1};
    switch (any(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) {
      case 1:
        problem = c2c<float>(shape_);
        break;
      case 2:
        problem = r2c<double>(shape_);
        break;
      case 3:
        problem = r2r<double>(shape_, {Kind::dct2});
        break;
      case 4:
        problem = sphere<double>({8, 8, 8}, Cutoff{.squared = 9});
        break;
      case 5:
        problem = gamma_sphere<double>({8, 9, 8}, Cutoff{.squared = 9});
        break;
      case 6:
        problem = kept_box<double>({9, 8, 6}, Shape{4, 4, 4});
        break;
      case 7:
        problem = real_kept_box<float>({9, 8, 6}, Shape{6, 5, 4});
        break;
      case 8:
        problem = mixed<double, Complex>({5, 6, 8}, {Kind::c2c, Kind::dst2, Kind::r2c});
        break;
      case 9:
        problem = c2c<double>(shape_, all_but_first);
        break;
      default:
        problem = c2c<double>(shape_);
        break;
    }
  }

  void share() {
    const int ranks = ranks_of_world();
    options.batch = any(1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    options.components = any(1, 1, 1, 2);
    const bool in_place = any(false, false, false, true), overwrite = any(false, true);
    options.placement = in_place ? "in_place" : overwrite ? "overwrite" : "preserve";
    if (any(false, true) && ranks > 1) options.grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
    if (any(false, true)) {
      const auto nodes = node_layouts(ranks);
      options.nodes = nodes[random_() % nodes.size()].second;
    }
  }
  void layouts() {
    const int ranks = ranks_of_world(), axes = problem.shape.size();
    options.natural_output = any(false, false, true);
    if (any(0, 0, 0, 1) == 0) return;
    options.grid = {};
    options.input = Layout::slab(problem.shape, any(0, 1, axes - 1), ranks);
    if (!options.natural_output && problem.kinds.back() != Kind::r2c && any(false, true))
      options.output = Layout::slab(problem.shape, any(0, 1, axes - 1), ranks);
  }

  std::mt19937 random_;
  Shape shape_;
};

TEST(Order, EveryPlanIsOrdered) {
  const unsigned all = thorough() ? 2400 : ranks_of_world() <= 2 ? 600 : 200;
  int planned = 0;
  std::map<std::string, int> strategies_planned;
  Index compared = 0;
  for (unsigned k = 0; k < all && !HasFailure(); ++k) {
    const Chosen chosen(k);
    SCOPED_TRACE("problem " + std::to_string(k));
    try {
      const AnyPlan plan(world, chosen.problem, chosen.options);
      const AnyPlan::Ordering found = plan.ordering();
      ++planned, ++strategies_planned[chosen.options.strategy];
      compared += found.compared;
      EXPECT_EQ(found.unordered, 0) << found.text << plan.describe() << plan.steps();
      EXPECT_FALSE(found.hangs) << found.text << plan.describe() << plan.steps();
    } catch (const Error&) {  // not every strategy takes every problem
    }
  }
  EXPECT_GT(planned, static_cast<int>(all) / 4);
  for (const Strategy* strategy : strategies())
    EXPECT_TRUE(crowded() || strategies_planned.count(std::string(strategy->name()))) << strategy->name();
  if (rank_of_world() == 0)
    std::cout << planned << " of " << all << " problems planned, " << strategies_planned.size()
              << " strategies and mixtures, " << compared << " pairs compared" << std::endl;
}

// A rank that has nothing to transform still sends from its array, when the way back of a map in
// one array arrives there.
TEST(Order, RanksWithoutWorkWaitToo) {
  Options options{.strategy = "datatype", .wisdom = false, .effort = "estimate", .schedule = {"kept", 1, 1}};
  options.batch = 4, options.placement = "overwrite";
  options.split = Split::blocks(4);  // all of the transformed array on the first rank
  const AnyPlan plan(world, c2c<double>({6, 4, 4}), options);
  const AnyPlan::Ordering found = plan.ordering();
  EXPECT_EQ(found.unordered, 0) << found.text << plan.describe() << plan.steps();
}

// Any three executions in a row, with every choice of arrays.
TEST(Order, AnyThreeExecutionsAreOrdered) {
  const unsigned all = thorough() ? 600 : 60;
  for (unsigned k = 0; k < all && !HasFailure(); ++k) {
    const Chosen chosen(k * 7 + 3);
    SCOPED_TRACE("problem " + std::to_string(k * 7 + 3));
    try {
      const auto ranks = check::programs(AnyPlan(world, chosen.problem, chosen.options));
      const int kinds = static_cast<int>(ranks.front().kinds.size());
      if (rank_of_world() != 0) continue;
      for (int row = 0; row < kinds * kinds * kinds; ++row)
        for (const bool lent : {false, true}) {
          const auto found = check::check(ranks, {row / kinds / kinds, row / kinds % kinds, row % kinds}, lent, lent);
          EXPECT_TRUE(found.clean()) << found.text;
        }
    } catch (const Error&) {
    }
  }
}

TEST(Order, EveryRedistributionIsOrdered) {
  const int ranks = ranks_of_world();
  for (const Strategy* strategy : strategies())
    for (const auto& [name, nodes] : node_layouts(ranks))
      for (const Shape& shape : {Shape{6, 5}, Shape{2, 7, 3}, Shape{12, 12}}) {
        SCOPED_TRACE(std::string(strategy->name()) + ", " + name);
        try {
          const RedistributionOptions options{.strategy = std::string(strategy->name()), .nodes = nodes};
          const Layout from = Layout::slab(shape, 0, ranks), to = Layout::slab(shape, 1, ranks);
          const check::Finding found = check::check(check::programs(Redistribution(world, from, to, 8, options)));
          EXPECT_TRUE(found.clean()) << found.text;
          EXPECT_TRUE(found.compared > 0 || ranks == 1);
        } catch (const Error&) {
        }
      }
}

/// Every form that a halo has: boxes and lists, several fields, filling and adding.
std::vector<std::function<Halo(const HaloOptions&)>> halos(int ranks) {
  const Layout boxes = Layout::grid({8, 4 * ranks}, {1, ranks});
  const auto of = [=](Shape width, bool corners, Few<int> periodic, int fields) {
    return [=](HaloOptions options) {
      options.width = width, options.corners = corners, options.periodic = periodic, options.fields = fields;
      return Halo(world, boxes, 16, options);
    };
  };
  return {of({1, 1}, true, {1, 1}, 1), of({0, 2}, true, {}, 2), of({2, 5}, false, {0, 1}, 3),
          [=](const HaloOptions& options) {
            std::vector<Box> parts;
            for (int r = 0; r < ranks; ++r) parts.push_back(boxes.box(r));
            const Layout ghosts = checkerboard_ghosts(boxes, {.width = {1, 1}, .periodic = {1, 1}});
            return Halo(world, Layout::checkerboard({8, 4 * ranks}, parts), ghosts, 8, options);
          }};
}

TEST(Order, EveryHaloIsOrdered) {
  const int ranks = ranks_of_world();
  int seen = 0;
  for (const Strategy* strategy : strategies()) {
    auto layouts = node_layouts(ranks);
    if (!knows_nodes(*strategy)) layouts.resize(1);
    for (const auto& [name, nodes] : layouts)
      for (int form = 0; const auto& make : halos(ranks)) {
        SCOPED_TRACE(std::string(strategy->name()) + ", " + name + ", form " + std::to_string(form++));
        try {
          const HaloOptions options{
              .adds = true, .strategy = std::string(strategy->name()), .nodes = nodes, .wisdom = false};
          const check::Finding found = check::check(check::programs(make(options)));
          EXPECT_TRUE(found.clean()) << found.text;
          EXPECT_GT(found.compared, 0);
          ++seen;
        } catch (const Declined&) {
        }
      }
  }
  EXPECT_GE(seen, 40);
}

}  // namespace
}  // namespace weft

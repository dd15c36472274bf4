// The order of what ranks read and write: of every kind of plan all pairs are ordered, and faults that are planted are found.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "check/order.hpp"
#include "support/nodes.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

using check::Kind;

struct Problem {
  AnyProblem problem;
  Options options;
  std::string name;
};

// The k-th of a row of problems: every choice comes with every other one sooner or later, alike on all ranks.
Problem problem(unsigned k) {
  std::minstd_rand random(k * 7919 + 1);
  const auto any = [&](auto... choices) {
    const std::common_type_t<decltype(choices)...> all[] = {choices...};
    return all[random() % sizeof...(choices)];
  };
  const int ranks = ranks_of_world();
  Options o{.strategy = "", .wisdom = false, .effort = "estimate"};
  const auto& list = strategies();
  o.strategy = list[k % list.size()]->name();
  if (k % 3 == 0) o.strategy += "+" + std::string(list[random() % list.size()]->name());
  const auto cut = [&] { return ScheduleOptions{any("one", "gathered", "kept", "kept"), any(1, 1, 2, 3), any(0, 1, 2, 3, 4), any(0, 0, 1, 2), any("caller", "caller", "caller", "thread")}; };
  o.schedule = cut();
  o.batch = any(1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  if (any(0, 0, 0, 1)) {
    o.backward_schedule = cut();
    o.backward_schedule->communicate = o.schedule.communicate;
  }
  o.threads = o.schedule.communicate == "thread" ? any(2, 3) : any(1, 1, 2);
  o.in_place = any(0, 0, 0, 1) != 0;
  o.overwrite_input = any(0, 1) != 0;
  o.natural_output = any(0, 0, 1) != 0;
  o.components = any(1, 1, 1, 2);
  if (any(0, 1) && ranks > 1) o.grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  if (any(0, 1)) {
    const auto layouts = node_layouts(ranks);
    o.nodes = layouts[random() % layouts.size()].second;
  }
  const Shape shapes[] = {{6, 5, 4}, {4, 6, 8}, {3, 1, 9}, {7, 5, 6}, {8, 8}, {5, 4, 3, 7}};
  const Shape& shape = shapes[random() % std::size(shapes)];
  AnyProblem p;
  switch (any(0, 0, 1, 2, 3, 4, 5)) {
    case 1: p = c2c<float>(shape); break;
    case 2: p = r2c<double>(shape); break;
    case 3: p = r2r<double>(shape, {weft::Kind::dct2}); break;
    case 4: p = sphere<double>({8, 8, 8}, Cutoff{.squared = 9}); break;
    case 5: p = kept_box<double>({9, 8, 6}, Shape{4, 4, 4}); break;
    default: p = c2c<double>(shape); break;
  }
  if (p.waves) o.components = 1, o.in_place = false, o.natural_output = false;
  if (p.precision == Precision::double_ && any(0, 0, 0, 1)) o.wire = "single";
  return {p, o, "problem " + std::to_string(k) + ": " + o.strategy + ", " + to_string(o.schedule) + ", " + o.schedule.communicate + ", batch " + std::to_string(o.batch) + ", threads " + std::to_string(o.threads) +
                    (o.in_place ? ", in place" : "") + (o.overwrite_input ? ", overwriting" : "") + (o.natural_output ? ", natural" : "") + ", " + to_string(p.shape)};
}

std::vector<check::Program> programs(const AnyPlan& plan) { return check::programs(plan); }

TEST(Order, EveryPlanIsOrdered) {
  const unsigned all = std::getenv("WEFT_TEST_THOROUGH") ? 1600 : ranks_of_world() <= 2 ? 320 : 60;
  int planned = 0;
  Index compared = 0;
  for (unsigned k = 0; k < all; ++k) {
    const Problem p = problem(k);
    SCOPED_TRACE(p.name);
    try {
      const AnyPlan plan(world, p.problem, p.options);
      const AnyPlan::Ordering found = plan.ordering();
      ++planned;
      compared += found.compared;
      EXPECT_EQ(found.unordered, 0) << found.text << plan.steps();
      EXPECT_FALSE(found.hangs) << found.text;
    } catch (const Error&) {  // not every strategy takes every problem
    }
    if (HasFailure() && !std::getenv("WEFT_TEST_THOROUGH")) break;
  }
  EXPECT_GT(planned, static_cast<int>(all) / 4);
  RecordProperty("planned", planned);
  if (rank_of_world() == 0) std::cout << planned << " of " << all << " plans, " << compared << " pairs" << std::endl;
}

TEST(Order, EveryRedistributionIsOrdered) {
  const int ranks = ranks_of_world();
  for (const Strategy* strategy : strategies())
    for (const auto& [name, nodes] : node_layouts(ranks))
      for (const Shape& shape : {Shape{6, 5}, Shape{2, 7, 3}, Shape{12, 12}}) {
        SCOPED_TRACE(std::string(strategy->name()) + ", " + name);
        try {
          const Redistribution move(world, Layout::slab(shape, 0, ranks), Layout::slab(shape, 1, ranks), 8, {.strategy = std::string(strategy->name()), .nodes = nodes});
          const check::Finding found = check::check(check::programs(move));
          EXPECT_TRUE(found.clean()) << found.text;
          EXPECT_TRUE(found.compared > 0 || ranks == 1);
        } catch (const Error&) {
        }
      }
}

// ---- planted faults ----

using Programs = std::vector<check::Program>;
using Fault = std::function<void(check::Program&)>;

// Steps of a kind, of one execution kind.
void drop(check::Program& p, int execution, Kind kind, int tile) {
  auto& events = p.kinds[static_cast<std::size_t>(execution)].events;
  std::erase_if(events, [&](const check::Event& e) { return e.kind == kind && e.tile == tile; });
}
void exchange_places(check::Program& p, int execution, Kind kind, int tile, Kind other_kind, int other_tile) {
  auto& events = p.kinds[static_cast<std::size_t>(execution)].events;
  const auto place = [&](Kind k, int t) { return std::find_if(events.begin(), events.end(), [&](const check::Event& e) { return e.kind == k && e.tile == t; }); };
  const auto a = place(kind, tile), b = place(other_kind, other_tile);
  ASSERT_TRUE(a != events.end() && b != events.end());
  std::iter_swap(a, b);
}
void no_wait(check::Program& p, int execution, Kind verb, int tile) {
  for (check::Exchange& x : p.kinds[static_cast<std::size_t>(execution)].exchanges)
    std::erase_if(x.waits, [&](const check::Wait& w) { return w.verb == verb && w.tile == tile; });
}

TEST(Order, PlantedFaultsAreFound) {
  if (ranks_of_world() == 1) return;
  const AnyPlan ring(world, r2c<double>({6, 4, 8}), {.strategy = "direct", .wisdom = false, .effort = "estimate", .schedule = {"kept", 1, 1}, .batch = 5});
  const AnyPlan messages(world, c2c<double>({4, 6, 4}), {.strategy = "isend", .wisdom = false, .effort = "estimate", .schedule = {"kept", 1, 2}, .batch = 4});
  const AnyPlan landing(world, c2c<double>({4, 6, 4}), {.strategy = "direct+deposit", .wisdom = false, .effort = "estimate", .natural_output = true});
  const AnyPlan whole(world, c2c<double>({4, 6, 4}), {.strategy = "direct", .wisdom = false, .effort = "estimate", .overwrite_input = true});
  const AnyPlan window(world, c2c<double>({4, 6, 4}), {.strategy = "put", .wisdom = false, .effort = "estimate"});
  int found = 0;
  const auto planted = [&](const char* name, const AnyPlan& plan, const Fault& fault, bool on_all = true) {
    SCOPED_TRACE(name);
    Programs ranks = programs(plan);
    const check::Finding before = check::check(ranks);
    EXPECT_TRUE(before.clean()) << before.text;
    for (check::Program& p : ranks) {
      fault(p);
      if (!on_all) break;
    }
    const check::Finding after = check::check(ranks);
    EXPECT_FALSE(after.clean());
    EXPECT_FALSE(after.text.empty());
    found += !after.clean();
  };
  // the rule by which a ring's tile waited for (t + tiles - room) % tiles of the round before
  const auto old_rule = [](check::Program& p) {
    for (check::Execution& x : p.kinds)
      for (check::Exchange& e : x.exchanges)
        for (check::Wait& w : e.waits)
          if (w.verb == Kind::open && w.rounds == 1) w.of_tile = (w.tile + 5 - 2) % 5;
  };
  planted("the old rule of rings", ring, old_rule);
  planted("the old rule of rings on one rank", ring, old_rule, false);
  planted("a ring one too short", ring, [](check::Program& p) {
    for (check::Execution& x : p.kinds)
      for (check::Exchange& e : x.exchanges)
        for (check::Wait& w : e.waits)
          if (w.verb == Kind::open && w.rounds == 0) w.of_tile = std::max(w.of_tile - 1, 0);
  });
  planted("an open left out", ring, [](check::Program& p) { drop(p, 0, Kind::open, 2); });
  planted("an open that waits for nobody", whole, [](check::Program& p) { no_wait(p, 0, Kind::open, 0); });
  planted("an open behind the start", ring, [](check::Program& p) { exchange_places(p, 0, Kind::open, 3, Kind::start, 3); });
  planted("a close left out", ring, [](check::Program& p) { drop(p, 0, Kind::close, 1); });
  planted("a close before its readers", ring, [](check::Program& p) { exchange_places(p, 0, Kind::close, 1, Kind::finish, 1); });
  planted("a finish left out", ring, [](check::Program& p) { drop(p, 1, Kind::finish, 3); });
  planted("a finish left out, messages", messages, [](check::Program& p) { drop(p, 0, Kind::finish, 2); });
  planted("a finish that waits for nobody", whole, [](check::Program& p) { no_wait(p, 1, Kind::finish, 0); });
  planted("a start before its writers", messages, [](check::Program& p) { exchange_places(p, 0, Kind::start, 0, Kind::start, 3); });
  planted("tiles exchanged", ring, [](check::Program& p) { exchange_places(p, 0, Kind::finish, 0, Kind::finish, 4); });
  planted("a landing that is not held", landing, [](check::Program& p) {
    for (check::Exchange& e : p.kinds[0].exchanges)
      for (check::Wait& w : e.waits)
        if (w.verb == Kind::open && w.rounds == 0) w.rounds = 1;
  });
  planted("a put that does not wait for its reader", window, [](check::Program& p) { no_wait(p, 0, Kind::start, 0); });
  planted("two slots of a rank that are one", messages, [](check::Program& p) {
    int first = -1;  // of the exchange's, written by the first stage and by what arrives
    for (const check::Event& e : p.kinds[0].events)
      for (const check::Access& a : e.accesses)
        if (a.writes && a.region.memory.number >= 0 && first < 0) first = a.region.memory.number;
    for (check::Execution& x : p.kinds) {
      for (check::Event& e : x.events)
        for (check::Access& a : e.accesses)
          if (a.region.memory.number >= 0) a.region.memory.number = first;
      for (check::Exchange& e : x.exchanges)
        for (check::Touch& t : e.touches)
          if (t.access.region.memory.number >= 0) t.access.region.memory.number = first;
    }
  });
  planted("a wait in a circle", ring, [](check::Program& p) {
    for (check::Exchange& e : p.kinds[0].exchanges)
      for (check::Wait& w : e.waits)
        if (w.verb == Kind::open) w.rounds = 0, w.of_tile = w.tile;
  });
  if (rank_of_world() == 0) std::cout << found << " planted faults found" << std::endl;
}

TEST(Order, RegionsOverlapExactly) {
  std::minstd_rand random(1);
  const auto any = [&](int n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  int met = 0;
  constexpr int tries = 3000;
  for (int k = 0; k < tries; ++k) {
    const auto make = [&] {
      check::Region r{{}, any(40), 1 + any(4), {}};
      for (Index step : {Index{40}, Index{12}, Index{5}})
        if (any(2)) r.loops.push_back({2 + any(3), step + any(4)});
      std::sort(r.loops.begin(), r.loops.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
      return r;
    };
    const auto bytes = [](const check::Region& r) {
      std::vector<bool> all(500, false);
      std::vector<Index> begins{r.first};
      for (const auto& [count, step] : r.loops) {
        std::vector<Index> more;
        for (const Index b : begins)
          for (Index i = 0; i < count; ++i) more.push_back(b + i * step);
        begins = more;
      }
      for (const Index b : begins)
        for (Index i = 0; i < r.run; ++i) all[static_cast<std::size_t>(b + i)] = true;
      return all;
    };
    const check::Region a = make(), b = make();
    const auto x = bytes(a), y = bytes(b);
    bool expected = false;
    for (std::size_t i = 0; i < x.size(); ++i) expected = expected || (x[i] && y[i]);
    ASSERT_EQ(check::overlap(a, b), expected) << k;
    met += expected;
  }
  EXPECT_TRUE(met > tries / 10 && met < tries * 9 / 10) << met;
}

}  // namespace
}  // namespace weft

// Faults planted in what ranks say of their plans: each is found, for its own reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include <weft/halo.hpp>

#include "check/order.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

using check::Kind;
using Programs = std::vector<check::Program>;
using Fault = std::function<void(check::Program&)>;
using Parts = std::vector<std::string>;

enum Execution { forward, backward, map };

std::vector<check::Event>& events(check::Program& p, Execution e) {
  return p.kinds[static_cast<std::size_t>(e)].events;
}

// What is done with every wait of an execution, or of all of them.
void each_wait(check::Program& p, const std::function<void(check::Wait&)>& f) {
  for (check::Execution& x : p.kinds)
    for (check::Exchange& e : x.exchanges) std::for_each(e.waits.begin(), e.waits.end(), f);
}
void no_wait(check::Program& p, Execution e, Kind verb, int tile) {
  for (check::Exchange& x : p.kinds[static_cast<std::size_t>(e)].exchanges)
    std::erase_if(x.waits, [&](const check::Wait& w) { return w.verb == verb && w.tile == tile; });
}
void left_out(check::Program& p, Execution e, Kind kind, int tile) {
  std::erase_if(events(p, e), [&](const check::Event& event) { return event.kind == kind && event.tile == tile; });
}
void swapped(check::Program& p, Execution e, Kind kind, int tile, Kind other_kind, int other_tile) {
  const auto place = [&](Kind k, int t) {
    return std::find_if(events(p, e).begin(), events(p, e).end(),
                        [&](const check::Event& event) { return event.kind == k && event.tile == t; });
  };
  const auto a = place(kind, tile), b = place(other_kind, other_tile);
  ASSERT_TRUE(a != events(p, e).end() && b != events(p, e).end());
  std::iter_swap(a, b);
}

// Some finding has all of these in its text.
bool says(const std::string& text, const Parts& parts) {
  std::istringstream lines(text);
  std::vector<std::string> findings;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(' ') && !findings.empty())
      findings.back() += line;
    else
      findings.push_back(line);
  return std::any_of(findings.begin(), findings.end(), [&](const std::string& finding) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return finding.find(part) != finding.npos; });
  });
}

class OrderFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks_of_world() == 1) GTEST_SKIP() << "one rank waits for nobody";
  }
  static AnyPlan plan(const AnyProblem& problem, Options options) {
    options.wisdom = false, options.effort = "estimate";
    return AnyPlan(world, problem, options);
  }
  // Planted on all ranks, or on the first alone.
  template <class Plan>
  static void found(const char* name, const Plan& plan, const Fault& fault, const Parts& parts, bool on_all = true) {
    SCOPED_TRACE(name);
    Programs ranks = check::programs(plan);
    const check::Finding before = check::check(ranks);
    EXPECT_TRUE(before.clean()) << before.text;
    EXPECT_GT(before.compared, 0);
    std::for_each(ranks.begin(), on_all ? ranks.end() : ranks.begin() + 1, fault);
    const check::Finding after = check::check(ranks);
    EXPECT_FALSE(after.clean());
    EXPECT_TRUE(says(after.text, parts)) << after.text << plan.describe();
    if (rank_of_world() == 0 && std::getenv("WEFT_TEST_VERBOSE")) std::cout << name << "\n" << after.text << std::endl;
  }
};

TEST_F(OrderFaults, OfARing) {
  const AnyPlan ring = plan(r2c<double>({6, 4, 8}), {.strategy = "direct", .schedule = {"kept", 1, 1}, .batch = 5});
  // the rule by which a tile waited for (t + tiles - room) % tiles of the round before
  const Fault old_rule = [](check::Program& p) {
    each_wait(p, [](check::Wait& w) {
      if (w.verb == Kind::open && w.rounds == 1) w.of_tile = (w.tile + 5 - 2) % 5;
    });
  };
  const Parts overwritten = {"exchange 0 of forward", "stage 0 from block 0 on", "stage 1 from block 4 on"};
  found("the old rule of rings", ring, old_rule, overwritten);
  found("the old rule of rings on one rank", ring, old_rule, overwritten, false);
  found("a ring one too short", ring,
        [](check::Program& p) {
          each_wait(p, [](check::Wait& w) {
            if (w.verb == Kind::open && w.rounds == 0) w.of_tile = std::max(w.of_tile - 1, 0);
          });
        },
        {"exchange 0 of forward", "stage 0 from block 3 on", "stage 1 from block 1 on"});
  found("an open left out", ring, [](check::Program& p) { left_out(p, forward, Kind::open, 2); },
        {"exchange 0 of forward", "stage 0 from block 2 on", "stage 1 from block 0 on"});
  found("an open behind the work that it allows", ring,
        [](check::Program& p) { swapped(p, forward, Kind::open, 3, Kind::finish, 2); },
        {"exchange 0 of forward", "stage 0 from block 3 on", "stage 1 from block 1 on"});
  found("a close left out", ring, [](check::Program& p) { left_out(p, forward, Kind::close, 1); },
        {"waits for what never comes", "open of exchange 0 tile 3", "forward"});
  found("a close before its readers", ring,
        [](check::Program& p) { swapped(p, forward, Kind::close, 1, Kind::finish, 1); },
        {"exchange 0 of forward", "stage 0 from block 3 on", "stage 1 from block 1 on"});
  found("a finish left out", ring, [](check::Program& p) { left_out(p, backward, Kind::finish, 4); },
        {"exchange 0 of backward", "stage 0 from block 4 on", "stage 1 from block 4 on"});
  found("tiles exchanged", ring, [](check::Program& p) { swapped(p, forward, Kind::finish, 0, Kind::finish, 4); },
        {"exchange 0 of forward", "stage 0 from block 0 on", "stage 1 from block 0 on"});
  found("opens that wait for one another in a circle", ring,
        [](check::Program& p) {
          each_wait(p, [](check::Wait& w) {
            if (w.verb == Kind::open) w.rounds = 0, w.of_tile = w.tile;
          });
        },
        {"waits for what never comes", "open of exchange 0 tile 0"});
}

TEST_F(OrderFaults, OfMessages) {
  const AnyPlan messages =
      plan(c2c<double>({12, 12, 12}), {.strategy = "isend", .schedule = {"kept", 1, 2}, .batch = 4});
  found("a finish left out", messages, [](check::Program& p) { left_out(p, forward, Kind::finish, 2); },
        {"start of exchange 0 tile 2", "which moves them", "stage 1 from block 2 on"});
  found("a start before its writers", messages,
        [](check::Program& p) { swapped(p, forward, Kind::start, 0, Kind::start, 3); },
        {"start of exchange 0 tile 3", "which moves them", "stage 0 from block 3 on"});
  found(
      "starts in another order on one rank", messages,
      [](check::Program& p) { swapped(p, forward, Kind::start, 0, Kind::start, 1); },
      {"start tiles in different orders", "forward"}, false);
  found("a buffer that is sent from and received into", messages,
        [](check::Program& p) {
          int first = -1;  // the first that is written
          for (const check::Event& e : events(p, forward))
            for (const check::Access& a : e.accesses)
              if (a.writes && a.region.memory.number >= 0 && first < 0) first = a.region.memory.number;
          const auto moved = [&](check::Access& a) {
            if (a.region.memory.number >= 0) a.region.memory.number = first;
          };
          for (check::Event& e : events(p, forward)) std::for_each(e.accesses.begin(), e.accesses.end(), moved);
          for (check::Exchange& e : p.kinds[forward].exchanges)
            for (check::Touch& t : e.touches) moved(t.access);
        },
        {"start of exchange 0 tile", "which moves them"});

  const AnyPlan window = plan(c2c<double>({12, 12, 12}), {.strategy = "put"});
  found("a put that does not wait for its reader", window,
        [](check::Program& p) { no_wait(p, forward, Kind::start, 0); },
        {"start of exchange 0 tile 0", "which moves them", "stage 1 from block 0 on"});
}

TEST_F(OrderFaults, OfSharedMemory) {
  const AnyPlan whole = plan(c2c<double>({12, 12, 12}), {.strategy = "direct", .placement = "overwrite"});
  found("an open that waits for nobody", whole, [](check::Program& p) { no_wait(p, forward, Kind::open, 0); },
        {"exchange 0 of forward", "stage 0 from block 0 on", "stage 1 from block 0 on"});
  found("a finish that waits for nobody", whole, [](check::Program& p) { no_wait(p, backward, Kind::finish, 0); },
        {"exchange 0 of backward", "stage 0 from block 0 on", "stage 1 from block 0 on"});
  found("a map that returns while its output is read", whole,
        [](check::Program& p) {
          while (events(p, map).back().kind == Kind::open) events(p, map).pop_back();
        },
        {"exchange 0 of backward", "the caller, after", "stage 2 from block 0 on", "map"});

  Options lands{.strategy = "deposit"};
  lands.output = Layout::slab({12, 12, 12}, 1, ranks_of_world());
  const AnyPlan landing = plan(c2c<double>({12, 12, 12}, {1, 2}), lands);
  found(
      "a landing that is not held", landing,
      [](check::Program& p) {
        each_wait(p, [](check::Wait& w) {
          if (w.verb == Kind::open && w.rounds == 0) w.rounds = 1;
        });
      },
      {"exchange 0 of forward", "stage 0 from block 0 on, in execution 2", "stage 1 from block 0 on, in execution 1"});

  const AnyPlan twice = plan(c2c<double>({12, 12, 12}), {.strategy = "direct", .natural_output = true});
  found("two exchanges in one memory", twice,
        [](check::Program& p) {
          int first = 0;
          for (const check::Event& e : events(p, forward))
            for (const check::Access& a : e.accesses) first = first == 0 && a.writes ? a.region.memory.number : first;
          for (check::Event& e : events(p, forward))
            for (check::Access& a : e.accesses)
              if (a.region.memory.number > first) a.region.memory.number = first;
        },
        {"exchange 0 of forward", "stage 1 from block 0 on"});
}

TEST_F(OrderFaults, OfHalos) {
  const Layout boxes = Layout::slab({4 * ranks_of_world(), 6}, 0, ranks_of_world());
  const auto halo = [&](const char* strategy) {
    return Halo(world, boxes, 8,
                {.width = {1, 1}, .periodic = {1, 1}, .adds = true, .strategy = strategy, .wisdom = false});
  };
  constexpr Execution fill = forward, add = backward;
  const Halo direct = halo("direct"), messages = halo("isend");
  found("a halo that is read before it has come", messages,
        [](check::Program& p) { left_out(p, fill, Kind::finish, 0); }, {"fill", "stage 2"});
  found("a halo that is sent before it is packed", messages,
        [](check::Program& p) { swapped(p, add, Kind::start, 0, Kind::work, 0); }, {"add", "stage 0"});
  found("a halo whose neighbours are not waited for", direct,
        [](check::Program& p) { no_wait(p, fill, Kind::finish, 0); }, {"fill", "stage 2"});
  found("a halo that is filled again while its neighbours read", direct,
        [](check::Program& p) { no_wait(p, fill, Kind::open, 0); }, {"fill", "stage 0"});
  found("a halo that does not say what it has read", direct,
        [](check::Program& p) { left_out(p, add, Kind::close, 0); }, {"waits for what never comes", "add"});
}

TEST_F(OrderFaults, OfThreads) {
  const AnyPlan conducted =
      plan(c2c<double>({12, 12, 12}),
           {.strategy = "isend", .schedule = {"kept", 1, 2, 0, "thread"}, .threads = 2, .batch = 4});
  found("work that does not wait for the thread that exchanges", conducted,
        [](check::Program& p) {
          for (check::Event& e : events(p, forward))
            if (e.lane == 1 && e.needs > 0) --e.needs;
        },
        {"stage 1 from block", "which moves them"});
  found("an exchange that does not wait for work", conducted,
        [](check::Program& p) {
          for (check::Event& e : events(p, forward))
            if (e.lane == 0 && e.kind == Kind::start) --e.needs;
        },
        {"stage 0 from block", "start of exchange 0 tile", "which moves them"});

  const AnyPlan shared = plan(c2c<double>({32, 30, 24}), {.strategy = "isend", .threads = 2, .batch = 4});
  found("threads that write the same bytes", shared,
        [](check::Program& p) {
          for (check::Event& e : events(p, forward))
            for (check::Access& a : e.accesses)
              if (a.part > 0)
                a.region.first = e.accesses.front().region.first, a.region.memory = e.accesses.front().region.memory;
        },
        {"stage 0 from block 0 on"});
}

}  // namespace
}  // namespace weft

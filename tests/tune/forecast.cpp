// Forecasts: that they count what plans count, and what machines may be.
#include <weft/forecast.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <weft/error.hpp>
#include <weft/wisdom.hpp>

#include "mpi/communicator.hpp"
#include "support/message.hpp"
#include "support/plans.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

std::vector<int> one_node(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

MachineProfile by_hand() {
  MachineProfile profile;
  profile.relative_error = 0.5;
  return profile;
}

const Forecast& of(const std::vector<Forecast>& all, const std::string& name) {
  for (const Forecast& f : all)
    if (f.strategy == name) return f;
  throw Error("no forecast of " + name);
}

TEST(Forecast, CountsWhatPlansCount) {
  for (const AnyProblem& problem : {AnyProblem(c2c<double>({12, 24, 12})), AnyProblem(r2c<float>({12, 12, 10}))}) {
    const Options options{.wisdom = false, .effort = "estimate"};
    const AnyPlan plan(world, problem, options);
    const std::vector<int> here = nodes(world);
    const std::vector<Forecast> said = forecast(problem, options, here, by_hand());
    ASSERT_EQ(said.size(), strategies().size());
    for (const auto& list : plan.considered()) {
      ASSERT_EQ(plan.considered().size(), 1u);
      for (const Considered& c : list) {
        const Forecast& f = of(said, c.strategy);
        EXPECT_EQ(f.declined.empty(), c.declined.empty()) << c.strategy << f.declined;
        if (!c.declined.empty()) continue;
        EXPECT_GE(f.cost.bytes, c.cost.bytes) << c.strategy;  // and back
        // what "unpacked" sends depends on the order of memory, which differs on the way back
        if (c.strategy != "unpacked" && 12 % ranks_of_world() == 0 && problem.precision == Precision::double_) {
          EXPECT_EQ(f.cost.bytes, 2 * c.cost.bytes) << c.strategy;
          EXPECT_EQ(f.cost.messages, 2 * c.cost.messages) << c.strategy;
          EXPECT_EQ(f.cost.calls, 2 * c.cost.calls) << c.strategy;
        }
      }
    }
    for (const Forecast& f : said) {
      if (!f.declined.empty()) continue;
      EXPECT_GT(f.least_seconds, 0);
      EXPECT_LT(f.least_seconds, f.seconds);
      EXPECT_DOUBLE_EQ(f.most_seconds, 1.5 * f.seconds);
      EXPECT_NEAR(f.seconds, f.work_seconds + f.exchange_seconds - f.overlapped_seconds, 1e-9 * f.seconds);
      EXPECT_NE(f.warning.find("by hand"), std::string::npos);
    }
  }
}

TEST(Forecast, FollowsTheMachine) {
  if (ranks_of_world() > 1) GTEST_SKIP() << "it needs no other ranks";
  const auto problem = c2c<double>({64, 64, 64});
  std::vector<int> pairs;
  for (int r = 0; r < 16; ++r) pairs.push_back(r / 2);
  MachineProfile far = by_hand(), near = far;
  far.machine.node_message_seconds = 1e-3;
  // where messages between nodes are dear, whoever sends few of them wins
  const auto dear = forecast(problem, {}, pairs, far), cheap = forecast(problem, {}, pairs, near);
  EXPECT_LT(of(dear, "node").seconds, 0.5 * of(dear, "alltoallv").seconds);
  EXPECT_GT(of(dear, "alltoallv").seconds, of(cheap, "alltoallv").seconds);
  EXPECT_FALSE(of(dear, "direct").declined.empty());
  EXPECT_TRUE(dear.back().seconds == 0) << "those that decline come last";
  for (std::size_t k = 1; k < dear.size() && dear[k].declined.empty(); ++k)
    EXPECT_LE(dear[k - 1].seconds, dear[k].seconds);
  // rates by size
  MachineProfile slow = by_hand();
  slow.lines = {{32, 1e6}, {128, 1e6}};
  EXPECT_GT(of(forecast(problem, {}, one_node(2), slow), "isend").work_seconds, 1);
  EXPECT_DOUBLE_EQ(rate_at(slow.lines, 1, 7), 1e6);
  EXPECT_DOUBLE_EQ(rate_at({}, 1, 7), 7);
  EXPECT_NEAR(rate_at({{10, 100}, {1000, 400}}, 100, 7), 200, 1e-9);
  EXPECT_DOUBLE_EQ(rate_at({{10, 100}, {1000, 400}}, 1e9, 7), 400);
  // tiles overlap, and are more messages
  const Options tiled{.strategy = "isend", .schedule = {"kept", 8, 2}};
  const Forecast one = forecast(problem, {.strategy = "isend"}, one_node(4), near).front();
  const Forecast tiles = forecast(problem, tiled, one_node(4), near).front();
  EXPECT_GT(tiles.cost.messages, one.cost.messages);
  EXPECT_GT(tiles.overlapped_seconds, 0);
  EXPECT_EQ(one.overlapped_seconds, 0);
}

TEST(Forecast, FollowsWhatCubesTook) {
  if (ranks_of_world() > 1) GTEST_SKIP() << "it needs no other ranks";
  const auto problem = c2c<double>({64, 64, 64});
  const MachineProfile plain = by_hand();
  MachineProfile known = plain;
  const double block = 64 * 64 * 64 * 16 / 4 / 4;  // of one of 4 ranks, for each of them
  known.work = {{1, 2}, {1e9, 2}};
  known.exchanges["isend"] = {{2, 1, 100}, {4, block / 2, 2}, {4, block * 2, 8}, {64, 1, 100}};
  const auto before = forecast(problem, {}, one_node(4), plain), after = forecast(problem, {}, one_node(4), known);
  EXPECT_NEAR(of(after, "isend").work_seconds, 2 * of(before, "isend").work_seconds, 1e-12);
  EXPECT_NEAR(of(after, "isend").exchange_seconds, 4 * of(before, "isend").exchange_seconds, 1e-12);
  EXPECT_DOUBLE_EQ(of(after, "padded").exchange_seconds, of(before, "padded").exchange_seconds);
  EXPECT_DOUBLE_EQ(ratio_at(std::vector<Ratio>(), 5), 1);
  EXPECT_EQ(text_of(profile_of(text_of(known))), text_of(known));
}

TEST(Forecast, RealLinesHaveRatesOfTheirOwn) {
  if (ranks_of_world() > 1) GTEST_SKIP() << "it needs no other ranks";
  const MachineProfile plain = by_hand();
  const auto work = [](const AnyProblem& problem, const MachineProfile& profile) {
    return forecast(problem, {.strategy = "isend"}, one_node(2), profile).front().work_seconds;
  };
  const AnyProblem real = r2c<double>({64, 64, 64}), complex = c2c<double>({64, 64, 64});
  MachineProfile slow = plain;
  slow.real_lines = {{8, plain.machine.flops_per_second / 3}, {4096, plain.machine.flops_per_second / 3}};
  // lines along the halved axis take three times as long, there and back: 32 planes of 64 lines
  const double lines = 2 * 32 * 64 * 2.5 * 64 * 6 / plain.machine.flops_per_second;
  EXPECT_NEAR(work(real, slow), work(real, plain) + 2 * lines, 1e-9 * lines);
  EXPECT_DOUBLE_EQ(work(complex, slow), work(complex, plain));
  MachineProfile known = plain;
  known.work = {{1, 2}};
  EXPECT_DOUBLE_EQ(work(real, known), 2 * work(real, plain));  // the best that is known of it
  known.real_work = {{1, 5}};
  EXPECT_DOUBLE_EQ(work(real, known), 5 * work(real, plain));
  EXPECT_DOUBLE_EQ(work(complex, known), 2 * work(complex, plain));
  known.real_lines = slow.real_lines, known.node_processor = {{8, 1e-6}, {1024, 2e-6}};
  EXPECT_EQ(text_of(profile_of(text_of(known))), text_of(known));
  const MachineProfile read = profile_of(text_of(known));
  ASSERT_EQ(read.node_processor.size(), 2u);
  EXPECT_DOUBLE_EQ(read.node_processor[1].seconds, 2e-6);
  EXPECT_DOUBLE_EQ(read.real_work.front().ratio, 5);
}

TEST(Forecast, AutoFollowsTheProfileInWisdom) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const auto problem = c2c<double>({12, 12, 12});
  const auto chosen = [&] { return AnyPlan(world, problem, {.effort = "estimate"}).effective().strategy; };
  MachineProfile profile = by_hand();
  for (const Strategy* s : strategies()) profile.exchanges[std::string(s->name())] = {{1, 1, 1e3}};
  for (const std::string wanted : {"padded", "leader"}) {
    MachineProfile favours = profile;
    favours.exchanges[wanted] = {{1, 1, 1e-3}};
    EXPECT_NE(remember(world, favours).find("kept in"), std::string::npos);
    EXPECT_EQ(chosen(), wanted);
  }
  const AnyPlan plan(world, problem, {.effort = "estimate"});
  EXPECT_NE(plan.explain().find("profile of this machine"), std::string::npos) << plan.explain();
  EXPECT_EQ(AnyPlan(world, problem, {.strategy = "isend", .effort = "estimate"}).effective().strategy, "isend");
  forget_wisdom();
  EXPECT_EQ(AnyPlan(world, problem, {.effort = "estimate"}).explain().find("profile"), std::string::npos);
}

TEST(Forecast, ManyRanks) {
  if (ranks_of_world() > 1) GTEST_SKIP() << "it needs no other ranks";
  const double begin = clock_seconds();
  std::vector<int> nodes;
  for (int r = 0; r < 1024; ++r) nodes.push_back(r / 32);
  const auto pencils =
      forecast(c2c<double>({256, 256, 256}), {.strategy = "alltoallv", .grid = {32, 32}}, nodes, by_hand());
  EXPECT_EQ(pencils.front().cost.messages, 2 * 2 * 31);
  // the ranks of a node are in one row, and in 32 columns that share its link: a quarter of a
  // millionth of the array leaves
  EXPECT_GT(pencils.front().cost.node_bytes, pencils.front().cost.bytes);
  const auto slabs = forecast(c2c<double>({1024, 1024, 16}), {.strategy = "alltoallv"}, nodes, by_hand());
  EXPECT_EQ(slabs.front().cost.messages, 2 * 1023);
  EXPECT_LT(clock_seconds() - begin, 10);
}

TEST(Forecast, ProfilesOfMachines) {
  if (crowded()) GTEST_SKIP() << "ranks that share cores measure only that";
  MachineProfile measured = measure_profile(world, {}, 2);
  EXPECT_EQ(measured.ranks, ranks_of_world());
  EXPECT_GE(measured.relative_error, 0.1);
  for (const MachineRow& row : machine_rows()) EXPECT_GT(measured.machine.*row.value, 0) << row.name;
  EXPECT_EQ(measured.messages.empty(), ranks_of_world() == 1);
  EXPECT_EQ(measured.exchanges.empty(), ranks_of_world() == 1);
  EXPECT_FALSE(measured.work.empty());
  EXPECT_TRUE(measured.nodes > 1 || measured.node_processor.empty());
  EXPECT_EQ(measured.real_work.size(), measured.work.size());
  EXPECT_EQ(measured.real_lines.size(), measured.lines.size());
  measured.host = "a \"host\"";
  const std::string text = text_of(measured);
  for (const std::string& other : mpi::Communicator::duplicate(world).gather_all(text)) EXPECT_EQ(other, text);
  const MachineProfile read = profile_of(text);
  EXPECT_EQ(text_of(read), text);
  EXPECT_EQ(read.host, measured.host);
  const Forecast here = forecast(c2c<double>({16, 16, 16}), {}, one_node(ranks_of_world()), measured).front();
  EXPECT_EQ(here.warning, "");
  const Forecast more = forecast(c2c<double>({16, 16, 16}), {}, one_node(ranks_of_world() + 1), measured).front();
  EXPECT_NE(more.warning.find("outside"), std::string::npos);
}

TEST(Forecast, ProcessorsAreBusyWithMessagesBetweenNodes) {
  if (crowded() || ranks_of_world() == 1) GTEST_SKIP() << "there is nobody to send to, or no time to compute meanwhile";
  std::vector<int> apart;
  for (int r = 0; r < ranks_of_world(); ++r) apart.push_back(r);
  const auto busy = measure_profile(world, apart, 0.01).node_processor;
  ASSERT_EQ(busy.size(), 4u);
  for (std::size_t k = 0; k < busy.size(); ++k) {
    EXPECT_GT(busy[k].seconds, 0);
    EXPECT_LT(busy[k].seconds, 0.1);
    EXPECT_GE(busy[k].seconds, busy[k == 0 ? 0 : k - 1].seconds);
  }
}

TEST(Forecast, WhatCannotBe) {
  if (ranks_of_world() > 1) GTEST_SKIP() << "it needs no other ranks";
  const auto cube = c2c<double>({8, 8, 8});
  const auto says = [](const std::string& text, auto work) {
    EXPECT_NE(message(work).find(text), std::string::npos) << message(work);
  };
  says("0 ranks", [&] { forecast(cube, {}, {}, by_hand()); });
  says("65536", [&] { forecast(cube, {}, one_node(65537), by_hand()); });
  says("negative", [&] { forecast(cube, {}, {0, -1}, by_hand()); });
  says("nope", [&] { forecast(cube, {.strategy = "nope"}, {0, 0}, by_hand()); });
  says("mixture", [&] { forecast(cube, {.strategy = "isend+node"}, {0, 0}, by_hand()); });
  says("3", [&] { forecast(cube, {.grid = {3}}, {0, 0}, by_hand()); });
  says("plane waves", [&] { forecast(sphere<double>({8, 8, 8}, Cutoff{.squared = 4}), {}, {0, 0}, by_hand()); });
}

}  // namespace
}  // namespace weft

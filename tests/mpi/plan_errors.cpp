// Bad input to plans: one error on every rank.
#include <gtest/gtest.h>

#include "mpi/dense.hpp"

namespace weft {
namespace {

// What everyone must see alike: an Error on every rank whose text has `part`.
template <class F>
void expect_error(const std::string& part, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected one about \"" << part << "\"";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << "expected \"" << part << "\", got: " << e.what();
  }
}

TEST(PlanTiny, BadInputIsOneErrorOnEveryRank) {
  const int rank = rank_of_world(), ranks = ranks_of_world();
  const auto plan = [](const AnyProblem& p, const Options& o = {}) { AnyPlan fft(world, p, o); };
  const auto with = [](auto change) {
    Options o;
    change(o);
    return o;
  };
  const AnyProblem good = c2c<double>({4, 4, 4}), wide = c2c<double>({8, 8, 8});  // planes for every rank
  expect_error("at least 1", [&] { plan(c2c<double>({4, 0, 4})); });
  expect_error("at least 1", [&] { plan(c2c<double>({4, -4, 4})); });
  expect_error("counted", [&] { plan(c2c<double>({Index{1} << 40, Index{1} << 40})); });
  expect_error("axis 3", [&] { plan(c2c<double>({4, 4, 4}, {3})); });
  expect_error("single precision already", [&] {
    plan(c2c<float>({4, 4, 4}), with([](Options& o) { o.wire = "single"; }));
  });
  expect_error("\"same\" or \"single\"", [&] { plan(good, with([](Options& o) { o.wire = "half"; })); });
  expect_error("twice", [&] { plan(c2c<double>({4, 4, 4}, {1, 1})); });
  expect_error("product", [&] { plan(good, with([&](Options& o) { o.grid = {ranks + 1}; })); });
  expect_error("alltoallv", [&] { plan(good, with([](Options& o) { o.strategy = "carrier pigeon"; })); });
  expect_error(engine_list().front().first, [&] { plan(good, with([](Options& o) { o.engine = "abacus"; })); });
  expect_error("estimate", [&] { plan(good, with([](Options& o) { o.effort = "heroic"; })); });
  expect_error("kept", [&] { plan(good, with([](Options& o) { o.schedule.tiles = "some"; })); });
  expect_error("tile is 0", [&] { plan(good, with([](Options& o) { o.schedule.tile = 0; })); });
  expect_error("window is -1", [&] { plan(good, with([](Options& o) { o.schedule.window = -1; })); });
  expect_error("test is -2", [&] { plan(good, with([](Options& o) { o.schedule.test = -2; })); });
  expect_error("caller", [&] { plan(good, with([](Options& o) { o.schedule.communicate = "carrier pigeon"; })); });
  expect_error("at least 2", [&] { plan(good, with([](Options& o) { o.schedule.communicate = "thread"; })); });
  expect_error("oneplane", [&] { kernel("nope"); });
  expect_error("groups is -1", [&] { plan(good, with([](Options& o) { o.groups = -1; })); });
  expect_error("batch is 0", [&] { plan(good, with([](Options& o) { o.batch = 0; })); });
  expect_error("scale", [&] { plan(good, with([](Options& o) { o.scale = "up"; })); });
  std::vector<Box> twice(static_cast<std::size_t>(ranks), Box::whole({4, 4, 4}));
  if (ranks > 1) {
    expect_error("names 2 strategies, and this plan has 1 exchange;",
                 [&] { plan(wide, with([](Options& o) { o.strategy = "isend+auto"; })); });
    expect_error("names 3 strategies, and this plan has 2 exchanges;", [&] {
      plan(wide, with([](Options& o) { o.strategy = "isend+direct+isend", o.natural_output = true; }));
    });
    expect_error("both own", [&] { plan(good, with([&](Options& o) { o.input = Layout({4, 4, 4}, twice); })); });
    expect_error("rank", [&] { plan(rank == ranks - 1 ? AnyProblem(c2c<double>({4, 4, 5})) : good); });
    expect_error("rank", [&] { plan(rank == 0 ? AnyProblem(c2c<double>({4, 0, 4})) : good); });
    expect_error("rank", [&] { plan(rank == 1 ? AnyProblem(c2c<float>({4, 4, 4})) : good); });
    expect_error("rank",
                 [&] { plan(good, with([&](Options& o) { o.strategy = rank == 0 ? "isend" : "alltoallv"; })); });
    expect_error("rank", [&] { plan(good, with([&](Options& o) { o.threads = rank == 0 ? 1 : 2; })); });
  }
  std::vector<Box> hole(static_cast<std::size_t>(ranks), Box{{0, 0, 0}, {0, 0, 0}});
  expect_error("", [&] { plan(good, with([&](Options& o) { o.input = Layout({4, 4, 4}, hole); })); });
  expect_error("ommunicator", [&] { AnyPlan fft(MPI_COMM_NULL, good); });

  Plan fft(world, c2c<double>({4, 4, 4}));
  auto u = fft.input();
  if (u.size() == 0) return;
  expect_error("null", [&] { fft.forward(u.data(), nullptr); });
  expect_error("overlap", [&] { fft.forward(u.data(), u.data()); });
  expect_error("overlap",
               [&] { static_cast<AnyPlan&>(fft).forward_map_backward(u.data(), u.data() + 1, [](const Line&) {}); });
  expect_error("elements", [&] { fft.forward(u.span().first(1), fft.output().span()); });
}

}  // namespace
}  // namespace weft

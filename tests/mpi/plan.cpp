// Plans against a naive DFT, over every strategy and schedule: forward, backward, forward_map_backward, and the same bits from all of them.
#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <set>
#include <sstream>

#include "support/allocations.hpp"
#include "support/environment.hpp"
#include "support/nodes.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

Order shifted(const Order& axes, const Options& o) {
  Order s;
  for (const int a : axes) s.push_back(a + (o.batch > 1));
  return s;
}

template <class T>
struct Filler {
  static T at(Index k) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value(k));
    else return {static_cast<typename T::value_type>(value(k)), static_cast<typename T::value_type>(value(k + 77))};
  }
};

template <class T>
double worst(const Array<T>& array, const std::function<Complex(const Shape&)>& expected) {
  double error = 0;
  array.for_each([&](const Shape& p, T& v) { error = std::max(error, std::abs(Complex(v) - expected(p))); });
  return error;
}

// Forward against the definition, there and back, the map between; returns this rank's output, bit for bit.
template <class In, class Out>
std::vector<std::byte> verify(const Problem<In, Out>& problem, const Options& options, double tolerance) {
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  const Shape& shape = fft.input_layout().shape();
  const auto points = static_cast<std::size_t>(volume(shape));
  std::vector<Complex> whole(points);
  for (std::size_t k = 0; k < points; ++k) whole[k] = Complex(Filler<In>::at(static_cast<Index>(k)));
  const std::vector<Complex> expected = naive(whole, shape, shifted(problem.axes, options));
  const auto before = [&](const Shape& p) { return whole[static_cast<std::size_t>(position(p, shape))]; };
  const auto after = [&](const Shape& p) { return expected[static_cast<std::size_t>(position(p, shape))]; };
  const double scale = options.scale == "full" ? 1 / static_cast<double>(volume(problem.shape)) : 1;

  auto u = fft.input();
  auto u_hat = fft.output();
  std::vector<std::byte> bits;
  for (int round = 0; round < 2; ++round) {  // the second finds everything used
    u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
    fft.forward(u, u_hat);
    EXPECT_LT(worst<Out>(u_hat, [&](const Shape& p) { return after(p) * scale; }), tolerance) << "forward";
    if (!options.in_place && !options.overwrite_input) {
      EXPECT_EQ(worst<In>(u, before), 0) << "the input is not preserved";
    }
    if (round == 0)
      u_hat.for_each([&](const Shape&, Out& v) {
        const auto* at = reinterpret_cast<const std::byte*>(&v);
        bits.insert(bits.end(), at, at + sizeof v);
      });
    fft.backward(u_hat, u);
    EXPECT_LT(worst<In>(u, [&](const Shape& p) { return before(p) / fft.scale(); }) * fft.scale(), tolerance) << "backward";
  }
  u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
  auto v = options.in_place ? u : Array<In>(std::shared_ptr<std::byte>(new std::byte[static_cast<std::size_t>(u.size()) * sizeof(In) + 64](), std::default_delete<std::byte[]>()), fft.input_view(), u.size());
  const double both = options.scale == "full" ? 1 : fft.scale();
  fft.forward_map_backward(u.span(), v.span(), [&](const Shape& p, Out& x) { x *= static_cast<decltype(std::abs(Out()))>(p[problem.axes[0] + (options.batch > 1)] == 0 ? both : 2 * both); });
  // the part that is constant along the first axis is kept, the rest doubled
  const int first = problem.axes[0] + (options.batch > 1);
  const auto doubled = [&](const Shape& p) {
    Complex mean = 0;
    Shape q = p;
    for (q[first] = 0; q[first] < shape[first]; ++q[first]) mean += before(q) / static_cast<double>(shape[first]);
    return 2.0 * before(p) - mean;
  };
  if (problem.kinds[0] == Kind::c2c) {
    EXPECT_LT(worst<In>(v, doubled), tolerance) << "forward_map_backward";
  }
  return bits;
}

std::string of_rank_0(std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, world);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, world);
  return text;
}

const auto every = [](const Strategy&) { return true; };

// Runs a problem over all of them, or those wanted; declined ones are skipped, but not all may be.
template <class In, class Out, class Change>
void over_all(const Problem<In, Out>& problem, double tolerance, Change&& change, bool few = crowded(), const std::function<bool(const Strategy&)>& wanted = every) {
  std::vector<std::byte> first;
  int ran = 0;
  for (Case c : ways(few)) {
    if (!wanted(strategy(c.options.strategy))) continue;
    change(c.options);
    SCOPED_TRACE(c.name + " of " + to_string(problem.shape));
    try {
      const auto bits = verify(problem, c.options, tolerance);
      if (ran++ == 0) first = bits;
      EXPECT_TRUE(bits == first) << "not the same bits as the first way";
    } catch (const Declined&) {
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(ran, 0);
}
const auto unchanged = [](Options&) {};

// What runs also where ranks outnumber cores and spin: a call can take milliseconds there.
TEST(PlanTiny, EveryStrategyGivesTheSameBits) { over_all(c2c<double>({3, 5, 2}), 1e-13, unchanged, true); }
TEST(Plan, EveryStrategyAndScheduleGivesTheSameBits) { over_all(c2c<double>({7, 5, 6}), 1e-13, unchanged, false); }
TEST(Plan, EmptyRanks) {
  for (const Shape& shape : {Shape{1, 4, 3}, Shape{6, 1, 1}, Shape{5, 1}, Shape{4}, Shape{2, 3, 1}}) over_all(c2c<double>(shape), 1e-13, unchanged, true);
  over_all(c2c<double>({2, 1, 3}), 1e-13, unchanged, false);
}
TEST(Plan, RealToComplex) {
  over_all(r2c<double>({5, 4, 7}), 1e-13, unchanged);
  over_all(r2c<double>({4, 3, 6}), 1e-13, [](Options& o) { o.in_place = true; }, true);
  over_all(r2c<double>({6}), 1e-13, unchanged, true);
  over_all(r2c<float>({3, 8}), 1e-5, unchanged, true);
}
TEST(Plan, InPlaceAndOverwriting) {
  over_all(c2c<double>({6, 5, 4}), 1e-13, [](Options& o) { o.in_place = true; });
  over_all(c2c<double>({6, 5, 4}), 1e-13, [](Options& o) { o.overwrite_input = true; });
}
TEST(Plan, BatchesAndComponents) {
  over_all(c2c<double>({4, 3, 5}), 1e-13, [](Options& o) { o.batch = 3; });
  over_all(c2c<double>({4, 3, 5}), 1e-13, [](Options& o) { o.components = 2; }, true);
  over_all(r2c<double>({4, 6}), 1e-13, [](Options& o) { o.components = 3, o.batch = 2; }, true);
}
TEST(Plan, Pencils) {
  const int ranks = ranks_of_world();
  const Few<int> grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  over_all(c2c<double>({5, 6, 7}), 1e-13, [&](Options& o) { o.grid = grid; }, false);
  over_all(r2c<double>({4, 5, 6}), 1e-13, [&](Options& o) { o.grid = grid; o.natural_output = true; }, true);
}
TEST(Plan, NaturalOutputAndAxes) {
  over_all(c2c<double>({6, 4, 5}), 1e-13, [](Options& o) { o.natural_output = true; });
  over_all(c2c<double>({6, 4, 5}, {1, 2}), 1e-13, unchanged, true);
  over_all(c2c<double>({6, 4, 5}, {0}), 1e-13, unchanged, true);
  over_all(c2c<double>({3, 4, 2, 5}), 1e-13, unchanged, true);
  over_all(r2c<double>({3, 4, 6}, {2, 0}), 1e-13, unchanged, true);
}
TEST(Plan, Threads) {
  for (const int threads : {2, 3}) over_all(c2c<double>({6, 5, 4}), 1e-13, [&](Options& o) { o.threads = threads; }, threads == 3 || crowded());
}
TEST(Plan, CallersLayouts) {
  const int ranks = ranks_of_world();
  const Shape shape{6, 5, 4};
  const Layout bricks = Layout::grid(shape, ranks % 2 == 0 ? Few<int>{ranks / 2, 1, 2} : Few<int>{1, 1, ranks}, Split::even(), {2, 0, 1});
  over_all(c2c<double>(shape), 1e-13, [&](Options& o) { o.input = bricks; }, true);
  over_all(c2c<double>(shape), 1e-13, [&](Options& o) { o.output = bricks; }, true);
  over_all(c2c<double>(shape), 1e-13, [&](Options& o) { o.input = bricks; o.natural_output = true; }, true);
  over_all(c2c<double>(shape), 1e-13, [&](Options& o) { o.split = Split::blocks(); o.scale = "full"; }, true);
}

// Who is on which node changes how data travel and nothing else. One strategy that does not care gives the bits.
TEST(Plan, Nodes) {
  const auto wanted = [](const Strategy& s) { return s.name() == "alltoallv" || knows_nodes(s); };
  const int ranks = ranks_of_world();
  const Few<int> pencils = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  for (const auto& [name, nodes] : node_layouts(ranks)) {
    SCOPED_TRACE(name);
    const auto on_nodes = [&, &numbers = nodes](Options& o) { o.nodes = numbers; };
    over_all(c2c<double>({7, 5, 6}), 1e-13, on_nodes, false, wanted);
    over_all(c2c<double>({5, 6, 7}), 1e-13, [&](Options& o) { on_nodes(o), o.grid = pencils; }, true, wanted);
    over_all(r2c<double>({5, 4, 7}), 1e-13, on_nodes, true, wanted);
    if (HasFailure()) return;
  }
}

TEST(Plan, NodesAreStatedAndChecked) {
  const int ranks = ranks_of_world();
  Options o;
  for (int r = 0; r < ranks; ++r) o.nodes.push_back(5 - r % 2);
  const std::string text = Plan(world, c2c<double>({4, 4, 4}), o).describe();
  EXPECT_EQ(text.find(" on 2 nodes") != text.npos, ranks > 1) << text;
  const auto message = [&] {
    try {
      AnyPlan(world, c2c<double>({4, 4, 4}), o);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  if (ranks >= 4) {  // short messages: what sends fewest between nodes is cheapest; on one node no message is
    for (int r = 0; r < ranks; ++r) o.nodes[static_cast<std::size_t>(r)] = r / 2;
    EXPECT_TRUE(knows_nodes(strategy(Plan(world, c2c<double>({12, 12, 2}), o).effective().strategy)));
    EXPECT_EQ(Plan(world, c2c<double>({12, 12, 2}), {.effort = "estimate"}).effective().strategy, "direct");
  }
  o.nodes.assign(static_cast<std::size_t>(ranks) + 1, 0);
  EXPECT_EQ(message(), "nodes are given for " + std::to_string(ranks + 1) + " ranks, but the communicator has " + std::to_string(ranks) +
                           "; give one number a rank, or none to have them found");
  o.nodes.assign(static_cast<std::size_t>(ranks), rank_of_world() > 0);
  if (ranks > 1) {
    EXPECT_EQ(message().find("ranks disagree about the nodes of ranks: rank 0 has 0,0"), 0u) << message();
  }
}

// A node without shared memory: on all ranks another strategy, and it is said why.
TEST(Plan, OneNodeWithoutSharedMemory) {
  const int ranks = ranks_of_world(), last = ranks - 1;
  std::optional<Environment> forbidden;
  if (rank_of_world() == last) forbidden.emplace("WEFT_SHARED_MEMORY", "none");
  for (const Strategy* s : strategies()) {
    if (!s->instead()) continue;
    Options o;
    o.strategy = s->name(), o.effort = "estimate";
    for (int r = 0; r < ranks; ++r) o.nodes.push_back(r == last);
    verify(c2c<double>({7, 5, 6}), o, 1e-13);
    Plan fft(world, c2c<double>({7, 5, 6}), o);
    if (ranks == 1) continue;
    const std::string name(s->instead()->name()), text = fft.describe();
    EXPECT_EQ(fft.requested().strategy, s->name());
    EXPECT_EQ(fft.effective().strategy, name);
    EXPECT_NE(text.find("exchange: " + name + " (as requested, but in the place of " + std::string(s->name()) + ": rank "), text.npos) << text;
    EXPECT_NE(text.find("shared memory is forbidden by WEFT_SHARED_MEMORY=none"), text.npos) << text;
    EXPECT_EQ(of_rank_0(text.substr(text.find("exchange: "), 200)), text.substr(text.find("exchange: "), 200));
  }
}

TEST(Plan, RealToRealComesBack) {
  for (const Kind kind : {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4})
    for (const Case& c : ways(true)) {
      try {
        Plan fft(world, r2r<double>({4, 5, 3}, {kind}), c.options);
        auto u = fft.input();
        auto u_hat = fft.output();
        const auto field = [&](const Shape& p) { return value(position(p, {4, 5, 3})); };
        u.fill(field);
        fft.forward(u, u_hat);
        fft.backward(u_hat, u);
        EXPECT_LT(worst<double>(u, [&](const Shape& p) { return Complex(field(p) / fft.scale()); }) * fft.scale(), 1e-13) << to_string(kind) << " " << c.name;
      } catch (const Declined&) {
      }
    }
}

TEST(Plan, BackToBackWithOneRankDelayed) {
  const int rank = rank_of_world(), ranks = ranks_of_world();
  std::vector<Case> cases = ways();
  for (Case c : ways(true)) {
    c.options.natural_output = true;
    cases.push_back({c.name + ", natural output", c.options});
  }
  cases.push_back(cases.back());
  cases.back().name = cases.back().options.strategy = "direct+deposit";
  for (const Case& c : cases) {
    Options o = c.options;
    o.overwrite_input = true;
    try {
      Plan fft(world, c2c<double>({6, 4, 5}), o);
      auto u = fft.input();
      auto u_hat = fft.output();
      for (int round = 0; round < 6; ++round) {
        // a plane wave of another wave number each round: one mode
        const Index mode = round % 4;
        if (rank == round % ranks) usleep(2000);
        u.fill([&](const Shape& p) { return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(mode * p[1]) / 4); });
        fft.forward(u, u_hat);
        if (rank == (round + 1) % ranks) usleep(2000);  // what one still looks at no other may overwrite
        const double error = worst<Complex>(u_hat, [&](const Shape& p) { return p == Shape{0, mode, 0} ? 120.0 : 0.0; });
        ASSERT_LT(error, 1e-11) << c.name << " round " << round;
        fft.forward(u, u_hat);
        fft.backward(u_hat, u);
      }
    } catch (const Declined&) {
    }
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

// Ranks that start exchanges in different orders wait for each other for ever.
TEST(Plan, EveryRankStartsInTheSameOrder) {
  const int ranks = ranks_of_world();
  const Few<int> grid = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{ranks};
  for (const Shape& shape : {Shape{7, 5, 6}, Shape{3, 1, 9}, Shape{1, 8, 2}, Shape{5, 4, 3, 7}})
    for (const ScheduleOptions& schedule : {ScheduleOptions{}, ScheduleOptions{"gathered", 1, 2, 1}, ScheduleOptions{"gathered", 2, 0, 0}, ScheduleOptions{"gathered", 3, 3, 0},
                                            ScheduleOptions{"kept", 1, 1, 2}, ScheduleOptions{"kept", 2, 2, 0}, ScheduleOptions{"kept", 4, 0, 1}}) {
      Options o;
      o.strategy = "isend", o.effort = "estimate", o.grid = grid, o.schedule = schedule;
      o.batch = schedule.tiles == "kept" ? 2 : 1;  // an axis to keep, whatever the grid
      Plan fft(world, c2c<double>(shape), o);
      std::string starts;
      std::istringstream steps(fft.steps());
      for (std::string line; std::getline(steps, line);)
        if (line.starts_with("start")) starts += line + "\n";
      EXPECT_EQ(starts, of_rank_0(starts)) << to_string(shape);
      EXPECT_TRUE(!starts.empty() || ranks == 1 || shape[0] == 1) << to_string(shape);
    }
}

// What cannot be done as requested is stated: a window or tests with a strategy that blocks, tiles longer than what they cut, tests beside a thread that only talks.
TEST(Plan, EffectiveSchedulesAreStated) {
  if (ranks_of_world() == 1) return;
  const auto effective = [](const char* strategy, const ScheduleOptions& schedule) {
    Options o;
    o.strategy = strategy, o.schedule = schedule, o.effort = "estimate", o.threads = 2;
    Plan fft(world, c2c<double>({12, 12, 4}), o);
    const ScheduleOptions& s = fft.effective().schedule;
    EXPECT_EQ(fft.describe().find("(requested: " + schedule.tiles + " of ") != std::string::npos, s.tile != schedule.tile || s.window != schedule.window || s.test != schedule.test);
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

TEST(Plan, ExecutingAllocatesNothing) {
  for (const Case& c : ways(crowded())) {
    for (const int threads : {1, 2, 3}) {
      Options o = c.options;
      o.threads = std::min(threads, 2);
      if (threads == 3) o.schedule.communicate = "thread";
      try {
        Plan fft(world, c2c<double>({6, 4, 5}), o);
        auto u = fft.input();
        auto u_hat = fft.output();
        u.fill([](const Shape&) { return Complex(); });
        fft.forward(u, u_hat), fft.backward(u_hat, u);
        const long before = allocations();
        fft.forward(u, u_hat), fft.backward(u_hat, u);
        EXPECT_EQ(allocations() - before, 0) << c.name;
      } catch (const Error&) {
      }
    }
  }
}

// One thread in MPI, the others at work: the same bits as without, for every strategy and schedule; batches, pencils, in place, the map between.
TEST(Plan, CommunicatingThread) {
  for (const int threads : {2, 3}) {
    const auto thread = [&](Options& o) { o.threads = threads, o.schedule.communicate = "thread"; };
    const bool few = threads == 3 || crowded();
    over_all(c2c<double>({7, 5, 6}), 1e-13, thread, few);
    over_all(c2c<double>({6, 5, 4}), 1e-13, [&](Options& o) { thread(o), o.in_place = true; }, few);
    over_all(r2c<double>({4, 3, 6}), 1e-13, [&](Options& o) { thread(o), o.batch = 3; }, true);
    const int ranks = ranks_of_world();
    over_all(c2c<double>({5, 6, 7}), 1e-13, [&](Options& o) { thread(o), o.grid = {2 - ranks % 2, ranks / (2 - ranks % 2)}; }, few);
  }
  std::vector<std::byte> bits[2];
  for (int k = 0; k < 2; ++k) {
    Options o;
    o.strategy = "isend", o.effort = "estimate", o.threads = 1 + k, o.schedule = {"gathered", 1, 2, 0, k ? "thread" : "caller"};
    bits[k] = verify(c2c<double>({7, 5, 6}), o, 1e-13);
  }
  EXPECT_TRUE(bits[0] == bits[1]);
}

// In place the last stage may write where earlier ones still read, and where tiles lie that have not been sent.
TEST(Plan, InPlaceWithTilesOfABatchOrAMovedAxis) {
  for (const ScheduleOptions& schedule : {ScheduleOptions{"kept", 1, 1}, ScheduleOptions{"kept", 1, 2}, ScheduleOptions{"gathered", 1, 1}}) {
    const auto in_place = [&](Options& o) { o.in_place = true, o.schedule = schedule; };
    over_all(c2c<double>({5, 4, 3}), 1e-13, [&](Options& o) { in_place(o), o.batch = 3; }, true);
    over_all(c2c<double>({6, 2, 8, 2}), 1e-13, in_place, true);
  }
}

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

/// Doubles that travel as floats: half the bytes, an error that is there and small, whatever strategy sends messages; the others decline.
TEST(Plan, SinglePrecisionOnTheWire) {
  const auto problem = c2c<double>({5, 6, 4});
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
          EXPECT_LT(worst<Complex>(u, [&](const Shape& p) { return Filler<Complex>::at(position(p, {5, 6, 4})) / fft.scale(); }) * fft.scale(), 1e-6);
        }
      } catch (const Declined&) {
      }
    }
  EXPECT_GE(took.size(), 8u);
  EXPECT_EQ(took.contains("direct"), ranks_of_world() == 1);
}

TEST(PlanTiny, BadInputIsOneErrorOnEveryRank) {
  const int rank = rank_of_world(), ranks = ranks_of_world();
  const auto plan = [](const AnyProblem& p, const Options& o = {}) { AnyPlan fft(world, p, o); };
  const auto with = [](auto change) {
    Options o;
    change(o);
    return o;
  };
  const AnyProblem good = c2c<double>({4, 4, 4});
  expect_error("at least 1", [&] { plan(c2c<double>({4, 0, 4})); });
  expect_error("at least 1", [&] { plan(c2c<double>({4, -4, 4})); });
  expect_error("counted", [&] { plan(c2c<double>({Index{1} << 40, Index{1} << 40})); });
  expect_error("axis 3", [&] { plan(c2c<double>({4, 4, 4}, {3})); });
  expect_error("single precision already", [&] { plan(c2c<float>({4, 4, 4}), with([](Options& o) { o.wire = "single"; })); });
  expect_error("\"same\" and \"single\"", [&] { plan(good, with([](Options& o) { o.wire = "half"; })); });
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
  expect_error("batch is 0", [&] { plan(good, with([](Options& o) { o.batch = 0; })); });
  expect_error("scale", [&] { plan(good, with([](Options& o) { o.scale = "up"; })); });
  std::vector<Box> twice(static_cast<std::size_t>(ranks), Box::whole({4, 4, 4}));
  if (ranks > 1) {
    expect_error("both own", [&] { plan(good, with([&](Options& o) { o.input = Layout({4, 4, 4}, twice); })); });
    expect_error("rank", [&] { plan(rank == ranks - 1 ? AnyProblem(c2c<double>({4, 4, 5})) : good); });
    expect_error("rank", [&] { plan(rank == 0 ? AnyProblem(c2c<double>({4, 0, 4})) : good); });
    expect_error("rank", [&] { plan(rank == 1 ? AnyProblem(c2c<float>({4, 4, 4})) : good); });
    expect_error("rank", [&] { plan(good, with([&](Options& o) { o.strategy = rank == 0 ? "isend" : "alltoallv"; })); });
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
  expect_error("elements", [&] { fft.forward(u.span().first(1), fft.output().span()); });
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

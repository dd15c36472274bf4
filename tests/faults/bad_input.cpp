// A table of bad input: every call is made wrongly on all ranks, then on one rank alone. Each must
// throw one error, with the same message on every rank, and leave a plan that was made before as
// good as it was. What hangs is ended by the limit of every test.
#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <tuple>

#include <unistd.h>

#include "geometry/checked.hpp"
#include "support/fails.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;
constexpr Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();

class BadInputTiny : public testing::Test {
 protected:
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();
  int calls = 0;
  Plan<Complex, Complex> fft{world.raw(), c2c<double>({4, 6, 2}), {.effort = "estimate"}};

  /// A plan that was made before still transforms.
  void usable() {
    const auto u = fft.input(), u_hat = fft.output();
    u.fill([](const Shape& p) { return Complex(p[1] == 2 ? 1.0 : 0.0, 0.0); });
    fft.forward(u, u_hat);
    double worst = 0;
    u_hat.for_each([&](const Shape& k, const Complex& v) {
      const Complex expected = k[0] == 0 && k[2] == 0
                                   ? 8.0 * std::polar(1.0, -2 * std::acos(-1.0) * 2 * static_cast<double>(k[1]) / 6)
                                   : 0.0;
      worst = std::max(worst, std::abs(v - expected));
    });
    EXPECT_LT(world.max(worst), 1e-12);
  }

  /// call(bad) with bad input everywhere must say `word`; with bad input on one rank it must fail on all of them, too.
  void fails_everywhere(const std::string& name, const std::string& word, const std::function<void(bool)>& call) {
    SCOPED_TRACE(name);
    ++calls;
    fails(world, [&] { call(true); }, {word});
    for (const int one : {ranks - 1, 0}) {
      if (ranks == 1) break;
      SCOPED_TRACE("on rank " + std::to_string(one) + " alone");
      ++calls;
      fails(world, [&] { call(rank == one); }, {"rank"});
    }
  }

  /// What a rank sees by itself: it throws there.
  void fails_here(const std::string& name, const std::string& word, const std::function<void()>& call) {
    SCOPED_TRACE(name);
    ++calls;
    try {
      call();
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << "\nlacks: " << word;
      EXPECT_LT(std::strlen(e.what()), 2000u) << "a message that repeats all of what was given";
      for (const char c : std::string_view(e.what()))
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << "a control character: " << int(c);
    }
  }
};

/// A problem and its options, both good.
struct Ask {
  AnyProblem problem = c2c<double>({4, 6, 2});
  Options options = {.effort = "estimate"};
};

TEST_F(BadInputTiny, Plans) {
  struct Row {
    std::string name, word;
    std::function<void(Ask&)> spoil;
  };
  const std::string long_name(1 << 20, 'x');
  const auto boxes = [&](const Box& box) { return std::vector<Box>(static_cast<std::size_t>(ranks), box); };
  const auto waves = [](PlaneWaves w, const Shape& grid = {8, 8, 8}) {
    return problem(Precision::double_, grid, std::move(w));
  };
  const auto cutoff = [&](const Cutoff& c) { return waves({.cutoff = c}); };
  // clang-format off
  const std::vector<Row> table{
      {"no axes", "no axes", [](Ask& a) { a.problem = c2c<double>(Shape{}); }},
      {"no axes, r2c", "no axes", [](Ask& a) { a.problem = r2c<double>(Shape{}); }},
      {"no axes, r2r", "no axes", [](Ask& a) { a.problem = r2r<double>(Shape{}, {Kind::dct2}); }},
      {"no axes, run time", "no axes", [](Ask& a) { a.problem = problem(Precision::double_, {Kind::r2c}, {}); }},
      {"extent 0", "extent of 0", [](Ask& a) { a.problem = c2c<double>({4, 0, 2}); }},
      {"extent -1", "extent of -1", [](Ask& a) { a.problem = c2c<double>({4, -1, 2}); }},
      {"least extent", "at least 1", [](Ask& a) { a.problem = c2c<double>({least, 1, 2}); }},
      {"uncountable", "can be counted", [](Ask& a) { a.problem = c2c<double>({most, most}); }},
      {"most points", "memory can be addressed", [](Ask& a) { a.problem = c2c<double>({most}); }},
      {"bytes beyond addresses", "memory can be addressed",
       [](Ask& a) { a.problem = r2c<double>({Index{1} << 30, Index{1} << 30}); }},
      {"axis 3", "axis 3", [](Ask& a) { a.problem.axes = {0, 1, 3}; }},
      {"axis -1", "axis -1", [](Ask& a) { a.problem.axes = {-1, 1, 2}; }},
      {"axis twice", "twice", [](Ask& a) { a.problem.axes = {1, 1, 2}; }},
      {"no transformed axes", "no axes to transform", [](Ask& a) { a.problem.axes = {}; }},
      {"too few kinds", "kinds are given", [](Ask& a) { a.problem.kinds.pop_back(); }},
      {"two of r2c", "only one axis can be halved",
       [](Ask& a) { a.problem.kinds = {Kind::r2c, Kind::c2c, Kind::r2c}; }},
      {"c2r", "c2r is backward", [](Ask& a) { a.problem.kinds = {Kind::c2c, Kind::c2c, Kind::c2r}; }},
      {"dct1 of one point", "dct1", [](Ask& a) { a.problem = r2r<double>({4, 1, 4}, {Kind::dct1}); }},
      {"unknown strategy", "strategy is \"pigeon\"", [](Ask& a) { a.options.strategy = "pigeon"; }},
      {"empty strategy", "strategy is \"\"", [](Ask& a) { a.options.strategy = ""; }},
      {"half a strategy", "strategy is \"isend+\"", [](Ask& a) { a.options.strategy = "isend+"; }},
      {"strategy of 1 MiB", "(1048576 characters)", [=](Ask& a) { a.options.strategy = long_name; }},
      {"strategy with an escape", "\\x1b[31mred", [](Ask& a) { a.options.strategy = "\x1b[31mred"; }},
      {"unknown engine", "engine is \"abacus\"", [](Ask& a) { a.options.engine = "abacus"; }},
      {"engine of 1 MiB", "(1048576 characters)", [=](Ask& a) { a.options.engine = long_name; }},
      {"unknown effort", "effort", [](Ask& a) { a.options.effort = "heroic"; }},
      {"effort of 1 MiB", "(1048576 characters)", [=](Ask& a) { a.options.effort = long_name; }},
      {"tiles", "tiles is \"some\"", [](Ask& a) { a.options.schedule.tiles = "some"; }},
      {"tiles of 1 MiB", "(1048576 characters)", [=](Ask& a) { a.options.schedule.tiles = long_name; }},
      {"tiles with a bell", "\\x07", [](Ask& a) { a.options.schedule.tiles = "\a"; }},
      {"tile 0", "tile is 0", [](Ask& a) { a.options.schedule.tile = 0; }},
      {"tile -5", "tile is -5", [](Ask& a) { a.options.schedule.tile = -5; }},
      {"window", "window is -1", [](Ask& a) { a.options.schedule.window = -1; }},
      {"test", "test is -2", [](Ask& a) { a.options.schedule.test = -2; }},
      {"communicate", "communicate is \"pigeon\"", [](Ask& a) { a.options.schedule.communicate = "pigeon"; }},
      {"a thread that is not there", "at least 2", [](Ask& a) { a.options.schedule.communicate = "thread"; }},
      {"backward tile", "tile is -1", [](Ask& a) { a.options.backward_schedule = ScheduleOptions{"gathered", -1}; }},
      {"backward communicates otherwise", "give the same",
       [](Ask& a) { a.options.threads = 2, a.options.backward_schedule = ScheduleOptions{.communicate = "thread"}; }},
      {"batch 0", "batch is 0", [](Ask& a) { a.options.batch = 0; }},
      {"batch -1", "batch is -1", [](Ask& a) { a.options.batch = -1; }},
      {"batch without end", "counted", [](Ask& a) { a.options.batch = most; }},
      {"components 0", "components is 0", [](Ask& a) { a.options.components = 0; }},
      {"fields without end", "batch times components",
       [](Ask& a) { a.options.batch = a.options.components = Index{1} << 40; }},
      {"groups -1", "groups is -1", [](Ask& a) { a.options.groups = -1; }},
      {"groups of no plane waves", "plane waves", [](Ask& a) { a.options.groups = 2; }},
      {"threads -1", "threads is -1", [](Ask& a) { a.options.threads = -1; }},
      {"threads 10^9", "threads is 1000000000", [](Ask& a) { a.options.threads = 1000000000; }},
      {"tune_seconds NaN", "tune_seconds", [](Ask& a) { a.options.tune_seconds = nan; }},
      {"tune_seconds -1", "tune_seconds", [](Ask& a) { a.options.tune_seconds = -1; }},
      {"tune_seconds infinite", "tune_seconds", [](Ask& a) { a.options.tune_seconds = infinite; }},
      {"scale", "scale is \"up\"", [](Ask& a) { a.options.scale = "up"; }},
      {"wire", "wire is \"half\"", [](Ask& a) { a.options.wire = "half"; }},
      {"wire of floats", "single precision already",
       [](Ask& a) { a.problem = c2c<float>({4, 6, 2}), a.options.wire = "single"; }},
      {"grid of no ranks", "grid is", [=, this](Ask& a) { a.options.grid = {0, ranks}; }},
      {"grid of -1", "grid is", [](Ask& a) { a.options.grid = {-1, -1}; }},
      {"grid of more ranks", "product", [=, this](Ask& a) { a.options.grid = {ranks + 1}; }},
      {"grid that wraps to 0", "is for 4294967296 ranks", [](Ask& a) { a.options.grid = {65536, 65536}; }},
      {"grid that wraps to 2", "is for 4294967298 ranks", [](Ask& a) { a.options.grid = {3, 1431655766}; }},
      {"grid that wraps to 3", "is for 4294967299 ranks", [](Ask& a) { a.options.grid = {7, 613566757}; }},
      {"grid of four axes", "at most one entry an axis", [=, this](Ask& a) { a.options.grid = {ranks, 1, 1, 1}; }},
      {"split of too few bounds", "bounds", [](Ask& a) { a.options.split = Split::given({0}); }},
      {"split of blocks too small", "block",
       [](Ask& a) { a.problem = c2c<double>({64, 6, 2}), a.options.split = Split::blocks(1); }},
      {"both outputs", "give one of them",
       [=, this](Ask& a) { a.options.natural_output = true, a.options.output = Layout::slab({4, 6, 2}, 0, ranks); }},
      {"input of another shape", "shape", [=, this](Ask& a) { a.options.input = Layout::slab({4, 6, 3}, 0, ranks); }},
      {"input of more ranks", "ranks", [=, this](Ask& a) { a.options.input = Layout::slab({4, 6, 2}, 0, ranks + 1); }},
      {"input of runs", "runs",
       [=, this](Ask& a) {
          a.options.input = Layout::checkerboard({4, 6, 2},
              {static_cast<std::size_t>(ranks), Box::whole({4, 6, 2}).cut(0, 0, 0)}); }},
      {"input with a hole", "belong",
       [=](Ask& a) { a.options.input = Layout({4, 6, 2}, boxes({{0, 0, 0}, {0, 0, 0}})); }},
      {"input beyond the shape", "not inside",
       [=](Ask& a) { a.options.input = Layout({4, 6, 2}, boxes({{0, 0, 0}, {5, 6, 2}})); }},
      {"output of another shape", "shape", [=, this](Ask& a) { a.options.output = Layout::slab({4, 6, 3}, 0, ranks); }},
      {"nodes of more ranks", "nodes are given for",
       [=, this](Ask& a) { a.options.nodes = std::vector<int>(static_cast<std::size_t>(ranks + 1), 0); }},
      {"sphere on two axes", "three extents",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1}}, {8, 8}); }},
      {"sphere without a vector", "no rank has a G-vector", [=](Ask& a) { a.problem = waves({}); }},
      {"cutoff NaN", "a cutoff of nan", [=](Ask& a) { a.problem = cutoff({.squared = nan}); }},
      {"cutoff -1", "a cutoff of -1", [=](Ask& a) { a.problem = cutoff({.squared = -1}); }},
      {"cutoff infinite", "a million", [=](Ask& a) { a.problem = cutoff({.squared = infinite}); }},
      {"cutoff 16 on 8^3", "smallest that holds it is 9x9x9", [=](Ask& a) { a.problem = cutoff({.squared = 16}); }},
      {"cutoff 1e8", "does not fit the grid", [=](Ask& a) { a.problem = cutoff({.squared = 1e8}); }},
      {"cutoff 1e11", "does not fit the grid", [=](Ask& a) { a.problem = cutoff({.squared = 1e11}); }},
      {"metric 0", "metric",
       [=](Ask& a) { a.problem = cutoff({.squared = 1, .metric = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}}); }},
      {"metric NaN", "metric",
       [=](Ask& a) { a.problem = cutoff({.squared = 1, .metric = {{{nan, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}); }},
      {"metric not symmetric", "symmetric",
       [=](Ask& a) { a.problem = cutoff({.squared = 1, .metric = {{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}}}); }},
      {"k NaN", "k finite", [=](Ask& a) { a.problem = cutoff({.squared = 1, .k = {nan, 0, 0}}); }},
      {"k far away", "a million", [=](Ask& a) { a.problem = cutoff({.squared = 1, .k = {1e300, 0, 0}}); }},
      {"half a sphere at k", "k = 0",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1, .k = {0.5, 0, 0}, .half = true}}); }},
      {"balance", "shared by \"hand\"",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1}, .balance = "hand"}); }},
      {"balance of 1 MiB", "(1048576 characters)",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1}, .balance = long_name}); }},
      {"vector beyond the grid", "does not fit the grid", [=](Ask& a) { a.problem = waves({.mine = {{9, 0, 0}}}); }},
      {"vector of the largest integer", "beyond all grids",
       [=](Ask& a) { a.problem = waves({.mine = {{most, 0, 0}}}); }},
      {"vector of the least integer", "beyond all grids",
       [=](Ask& a) { a.problem = waves({.mine = {{0, least, 0}}}); }},
      {"vector twice", "given twice", [=](Ask& a) { a.problem = waves({.mine = {{1, 0, 0}, {1, 0, 0}}}); }},
      {"kept box of two axes", "three extents", [=](Ask& a) { a.problem = waves({.box = Shape{4, 4}}); }},
      {"kept box of 0", "from 1 to the grid's", [=](Ask& a) { a.problem = waves({.box = Shape{4, 0, 4}}); }},
      {"kept box larger than the grid", "from 1 to the grid's",
       [=](Ask& a) { a.problem = waves({.box = Shape{4, 9, 4}}); }},
      {"kept box whose low overflows", "indices go from",
       [=](Ask& a) { a.problem = waves({.box = Shape{4, 4, 4}, .low = Shape{most - 1, 0, 0}}); }},
      {"kept box of the least low", "indices go from",
       [=](Ask& a) { a.problem = waves({.box = Shape{4, 4, 4}, .low = Shape{0, least, 0}}); }},
      {"kept box below", "indices go from",
       [=](Ask& a) { a.problem = waves({.box = Shape{4, 4, 4}, .low = Shape{-9, 0, 0}}); }},
      {"kept box of bounds that wrap", "from 1 to the grid's",
       [](Ask& a) { a.problem = kept_box<double>({8, 8, 8}, Box{{most - 1, 0, 0}, {least + 2, 4, 4}}); }},
      {"kept box of all integers", "from 1 to the grid's",
       [](Ask& a) { a.problem = kept_box<double>({8, 8, 8}, Box{{least, 0, 0}, {most, 4, 4}}); }},
      {"low of two axes", "three indices",
       [=](Ask& a) { a.problem = waves({.box = Shape{4, 4, 4}, .low = Shape{0, 0}}); }},
      {"low of no box", "where a kept box begins",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1}, .low = Shape{0, 0, 0}}); }},
      {"box and cutoff", "give one of them",
       [=](Ask& a) { a.problem = waves({.cutoff = Cutoff{.squared = 1}, .box = Shape{4, 4, 4}}); }},
      {"plane waves in place", "in_place",
       [=](Ask& a) { a.problem = cutoff({.squared = 1}), a.options.placement = "in_place"; }},
      {"plane waves with components", "components is 2",
       [=](Ask& a) { a.problem = cutoff({.squared = 1}), a.options.components = 2; }},
  };
  // clang-format on
  for (const Row& row : table) {
    fails_everywhere(row.name, row.word, [&](bool bad) {
      Ask ask;
      if (bad) row.spoil(ask);
      AnyPlan(world.raw(), ask.problem, ask.options);
    });
    usable();
  }
  EXPECT_GT(calls, ranks > 1 ? 250 : 80);
}

TEST_F(BadInputTiny, Redistributions) {
  struct Move {
    std::optional<Layout> from, to;
    Index bytes = 8;
    RedistributionOptions options = {};
  };
  struct Row {
    std::string name, word;
    std::function<void(Move&)> spoil;
  };
  const Shape shape{5, 4};
  const Layout slab = Layout::slab(shape, 0, ranks), other = Layout::slab(shape, 1, ranks);
  // clang-format off
  const std::vector<Row> table{
      {"0 bytes", "0 bytes", [](Move& m) { m.bytes = 0; }},
      {"-8 bytes", "-8 bytes", [](Move& m) { m.bytes = -8; }},
      {"2^58 bytes", "memory can be addressed", [](Move& m) { m.bytes = Index{1} << 58; }},
      {"most bytes", "memory can be addressed", [](Move& m) { m.bytes = most; }},
      {"unknown strategy", "no strategy 'pigeon'", [](Move& m) { m.options.strategy = "pigeon"; }},
      {"strategy of 1 MiB", "(1048576 characters)", [](Move& m) { m.options.strategy = std::string(1 << 20, 'x'); }},
      {"another shape", "5x5", [=, this](Move& m) { m.to = Layout::slab({5, 5}, 1, ranks); }},
      {"more ranks", "ranks",
       [=, this](Move& m) { m.from = Layout::slab(shape, 0, ranks + 1), m.to = Layout::slab(shape, 1, ranks + 1); }},
      {"periodic in one axis of two", "periodic", [](Move& m) { m.options.periodic = {1}; }},
      {"nodes of more ranks", "nodes are given for",
       [=, this](Move& m) { m.options.nodes = std::vector<int>(static_cast<std::size_t>(ranks + 1), 0); }},
      {"a source beyond the shape", "not inside", [=](Move& m) { m.from = slab.grown({1, 0}); }},
      {"a halo that wraps without end", "wraps",
       [=](Move& m) { m.to = slab.grown({Index{1} << 40, 0}), m.options.periodic = {1, 0}; }},
      {"an array without end", "memory can be addressed",
       [=](Move& m) { m.to = slab.grown({Index{1} << 55, 0}), m.options.periodic = {1, 0}; }},
  };
  // clang-format on
  for (const Row& row : table) {
    fails_everywhere(row.name, row.word, [&](bool bad) {
      Move move{slab, other};
      if (bad) row.spoil(move);
      Redistribution(world.raw(), *move.from, *move.to, move.bytes, move.options);
    });
    usable();
  }
}

TEST_F(BadInputTiny, Files) {
  std::string folder = (std::filesystem::temp_directory_path() / ("weft-bad-" + std::to_string(getpid()))).string();
  world.bcast(folder);
  if (rank == 0) {
    std::filesystem::create_directories(folder + "/folder.npy");
    std::ofstream(folder + "/text.npy") << "once upon a time";
    std::ofstream(folder + "/empty.raw");
  }
  world.barrier();
  const Shape shape{4, 6};
  const Layout slab = Layout::slab(shape, 0, ranks);
  std::vector<double> doubles(24);
  std::vector<float> floats(24);
  std::vector<Complex> complexes(24);
  std::vector<int> integers(24);
  const std::string good = folder + "/good.npy";
  write(world.raw(), good, slab, doubles.data());

  const auto comm = world.raw();
  const auto either = [&](auto bad, auto fine) { return [=](bool spoiled) { spoiled ? bad() : fine(); }; };
  const auto reads = [&] { read(comm, good, slab, doubles.data()); };
  const auto writes = [&] { write(comm, good, slab, doubles.data()); };
  const std::string long_path = folder + "/" + std::string(1 << 20, 'x'), escape = folder + "/\x1b[2J.npy";
  // clang-format off
  const std::vector<std::tuple<std::string, std::string, std::function<void(bool)>>> table{
      {"no file", "No such file", either([&] { read(comm, folder + "/absent.npy", slab, doubles.data()); }, reads)},
      {"a folder", "no regular file", either([&] { read(comm, folder + "/folder.npy", slab, doubles.data()); }, reads)},
      {"a text", "no npy file", either([&] { read(comm, folder + "/text.npy", slab, doubles.data()); }, reads)},
      {"an empty raw file", "the file has 0",
       either([&] { read(comm, folder + "/empty.raw", slab, doubles.data()); }, reads)},
      {"a path of 1 MiB", "characters)", either([&] { read(comm, long_path, slab, doubles.data()); }, reads)},
      {"a path with an escape", "\\x1b[2J", either([&] { read(comm, escape, slab, doubles.data()); }, reads)},
      {"f8 into floats", "'f4'", either([&] { read(comm, good, slab, floats.data()); }, reads)},
      {"f8 into complex", "'c16'", either([&] { read(comm, good, slab, complexes.data()); }, reads)},
      {"f8 into int", "'i4'", either([&] { read(comm, good, slab, integers.data()); }, reads)},
      {"f8 into int, by name", "'f8' in the file and of 'i4' in the array",
       either([&] { read(comm, good, slab, "f8", integers.data()); }, reads)},
      {"f8 into complex, by name", "'f8' in the file and of 'c16' in the array",
       either([&] { read(comm, good, slab, "f8", complexes.data()); }, reads)},
      {"f4 named, f8 there", "elements are 'f8', and 'f4' was asked for",
       either([&] { read(comm, good, slab, "f4", floats.data()); }, reads)},
      {"f8 asked as f4 untyped", "'f4'",
       either([&] { read(comm, good, slab, "f4", static_cast<void*>(floats.data())); }, reads)},
      {"types f8 c8", "'f8 c8' is no element type",
       either([&] { read(comm, good, slab, "f8 c8", static_cast<void*>(doubles.data())); }, reads)},
      {"type f12", "'f12' is no element type",
       either([&] { read(comm, good, slab, "f12", static_cast<void*>(doubles.data())); }, reads)},
      {"no type", "'' is no element type",
       either([&] { read(comm, good, slab, "", static_cast<void*>(doubles.data())); }, reads)},
      {"a type of 1 MiB", "(1048576 characters)",
       either([&] { read(comm, good, slab, std::string(1 << 20, 'x'), static_cast<void*>(doubles.data())); }, reads)},
      {"another shape", "4x6",
       either([&] { read(comm, good, Layout::slab({6, 4}, 0, ranks), doubles.data()); }, reads)},
      {"more ranks", "ranks",
       either([&] { read(comm, good, Layout::slab(shape, 0, ranks + 1), doubles.data()); }, reads)},
      {"a null pointer", "null", either([&] { read(comm, good, slab, static_cast<double*>(nullptr)); }, reads)},
      {"a span too short", "room for 1 elements",
       either([&] { read(comm, good, slab, std::span(doubles).first(1)); }, reads)},
      {"write to no folder", "No such file",
       either([&] { write(comm, folder + "/absent/a.npy", slab, doubles.data()); }, writes)},
      {"write to a folder", "no regular file",
       either([&] { write(comm, folder + "/folder.npy", slab, doubles.data()); }, writes)},
      {"write int as f8", "'f8' in the file and of 'i4' in the array",
       either([&] { write(comm, good, slab, "f8", integers.data()); }, writes)},
      {"write double as c8", "'c8' in the file and of 'f8' in the array",
       either([&] { write(comm, good, slab, "c8", doubles.data()); }, writes)},
      {"write a null pointer", "null",
       either([&] { write(comm, good, slab, static_cast<const double*>(nullptr)); }, writes)},
      {"write a span too short", "room for 1 elements",
       either([&] { write(comm, good, slab, std::span(doubles).first(1)); }, writes)},
      {"write with holes", "no rank",
       either([&] { write(comm, good, Layout(shape, std::vector<Box>(static_cast<std::size_t>(ranks),
           Box{{0, 0}, {0, 0}})), doubles.data()); }, writes)},
      {"write beyond the shape", "not inside",
       either([&] { write(comm, good, slab.grown({1, 1}), doubles.data()); }, writes)},
      {"inspect nothing", "No such file", either([&] { inspect(comm, folder + "/absent.npy"); },
       [&] { inspect(comm, good); })},
      {"inspect a text", "no npy file", either([&] { inspect(comm, folder + "/text.npy"); },
       [&] { inspect(comm, good); })},
  };
  // clang-format on
  for (const auto& [name, word, call] : table) {
    fails_everywhere(name, word, call);
    usable();
  }
  if (rank == 0) std::filesystem::remove_all(folder);
}

TEST_F(BadInputTiny, Tuning) {
  struct Row {
    std::string name, word;
    std::function<void(Ask&, TuneOptions&)> spoil;
  };
  // clang-format off
  const std::vector<Row> table{
      {"seconds NaN", "seconds is", [](Ask&, TuneOptions& t) { t.seconds = nan; }},
      {"seconds -1", "seconds is -1", [](Ask&, TuneOptions& t) { t.seconds = -1; }},
      {"skew infinite", "skew_seconds", [](Ask&, TuneOptions& t) { t.skew_seconds = infinite; }},
      {"no axes", "no axes", [](Ask& a, TuneOptions&) { a.problem = r2c<double>(Shape{}); }},
      {"unknown engine", "engine", [](Ask& a, TuneOptions&) { a.options.engine = "abacus"; }},
  };
  // clang-format on
  for (const Row& row : table)
    fails_everywhere(row.name, row.word, [&](bool bad) {
      Ask ask;
      TuneOptions how{.seconds = 0};
      if (bad) row.spoil(ask, how);
      tune(world.raw(), ask.problem, ask.options, how);
    });
  fails_everywhere("spans of a trace", "-1", [&](bool bad) { Trace(world.raw(), bad ? -1 : 16); });
  usable();
}

// What a rank does by itself: no other rank waits for it.
TEST_F(BadInputTiny, OnOneRank) {
  const std::string long_name(1 << 20, 'x');
  const Layout slab = Layout::slab({4, 6}, 0, 2);
  const Box box{{0, 0}, {4, 6}};
  const View view = dense_view(box, {});
  const auto u = fft.input();
  // clang-format off
  const std::vector<std::tuple<std::string, std::string, std::function<void()>>> table{
      {"kind", "unknown kind", [] { kind_from_string("dct9"); }},
      {"kind of 1 MiB", "(1048576 characters)", [&] { kind_from_string(long_name); }},
      {"precision", "unknown precision", [] { precision_from_string("half"); }},
      {"direction", "unknown direction", [] { direction_from_string("up"); }},
      {"kernel", "no kernel", [] { kernel("nope"); }},
      {"kernel with an escape", "\\x1b", [] { kernel("\x1b"); }},
      {"strategy", "no strategy", [] { strategy("nope"); }},
      {"null strategy", "null", [] { add(nullptr); }},
      {"no kinds", "kind", [] { problem(Precision::double_, std::vector<Kind>(), {4, 4}); }},
      {"nine axes", "more than 8 axes", [] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }},
      {"negative volume", "negative", [] { volume({4, -1}); }},
      {"uncountable volume", "counted", [] { volume({most, 2}); }},
      {"point with too few axes", "1 axis", [&] { view.at({1}); }},
      {"point with too many axes", "3 axes", [&] { view.at({1, 2, 3}); }},
      {"element with too few axes", "2 axes", [&] { static_cast<void>(u[{0, 0}]); }},
      {"element with no axes", "0 axes", [&] { static_cast<void>(u[{}]); }},
      {"contains a point with too few axes", "1 axis", [&] { static_cast<void>(box.contains(Shape{1})); }},
      {"shift with too few axes", "1 axis", [&] { static_cast<void>(box.shifted({1})); }},
      {"shift beyond", "counted", [&] { static_cast<void>(box.shifted({most, 0})); }},
      {"shift below", "counted", [] { static_cast<void>(Box{{-2}, {-1}}.shifted({least})); }},
      {"inclusive of the largest", "counted", [] { Box::inclusive({0}, {most}); }},
      {"points of all integers", "counted", [] { static_cast<void>(Box{{least, 0}, {most, 2}}.volume()); }},
      {"order of too few axes", "memory order", [&] { dense_view(box, {0}); }},
      {"order twice", "memory order", [&] { dense_view(box, {0, 0}); }},
      {"padding -1", "padding", [&] { dense_view(box, {}, {0, -1}); }},
      {"padding of too few axes", "padding", [&] { dense_view(box, {}, {1}); }},
      {"padding beyond", "counted", [&] { dense_elements(box, {}, {0, most}); }},
      {"padding that multiplies beyond", "counted", [&] { dense_elements(box, {}, {0, most / 2}); }},
      {"layout without axes", "global shape", [] { Layout(Shape{}, {Box{}}); }},
      {"layout of extent 0", "global shape", [] { Layout::slab({4, 0}, 0, 2); }},
      {"layout of no rank", "for no rank", [] { Layout({4}, std::vector<Box>{}); }},
      {"layout of a box with too few axes", "on every axis", [] { Layout({4, 4}, {Box{{0}, {4}}}); }},
      {"layout of far bounds", "bounds lie between", [] { Layout({4}, {Box{{least}, {least + 1}}}); }},
      {"layout of farther bounds", "bounds lie between", [] { Layout({4}, {Box{{0}, {most}}}); }},
      {"slab of axis 2", "axes count from", [] { Layout::slab({4, 4}, 2, 2); }},
      {"slab of 0 ranks", "process grid", [] { Layout::slab({4, 4}, 0, 0); }},
      {"slab of -1 ranks", "process grid", [] { Layout::slab({4, 4}, 0, -1); }},
      {"grid of too few axes", "process grid", [] { Layout::grid({4, 4}, {2}); }},
      {"grid that cannot be numbered", "numbered", [] { Layout::grid({4, 4}, {65536, 65536}); }},
      {"splits of too few axes", "split rule", [] { Layout::grid({4, 4}, {2, 2}, std::vector<Split>{Split::even()}); }},
      {"replicated on no rank", "no rank", [] { Layout::replicated({4}, 0); }},
      {"grown by -1", "halo of width", [&] { slab.grown({-1, 0}); }},
      {"grown by too few", "halo of width", [&] { slab.grown({1}); }},
      {"grown beyond", "grown by a halo", [&] { slab.grown({most, 0}); }},
      {"grown far", "bounds lie between", [&] { slab.grown({most - 4, 0}); }},
      {"ordered by one axis", "memory order", [&] { slab.ordered({0}); }},
      {"box of rank 2", "rank 2", [&] { static_cast<void>(slab.box(2)); }},
      {"box of rank -1", "rank -1", [&] { static_cast<void>(slab.box(-1)); }},
      {"runs of boxes", "no runs", [&] { static_cast<void>(slab.runs(0)); }},
      {"run of -1", "run", [] { Layout::runs({4}, {{weft::Run{0, -1}}}); }},
      {"run beyond", "end of a run", [] { Layout::runs({4}, {{weft::Run{most, 1}}}); }},
      {"runs of too many points", "points of a rank",
       [] { Layout::runs({4}, {{weft::Run{0, most}, weft::Run{0, most}}}); }},
      {"stick of too few axes", "stick", [] { Layout::sticks({4, 4, 4}, {{Stick{{1}, 0, 4}}}); }},
      {"stick beyond", "stick", [] { Layout::sticks({4, 4}, {{Stick{{1}, 0, most}}}); }},
      {"stick turned round", "stick", [] { Layout::sticks({4, 4}, {{Stick{{1}, 3, 1}}}); }},
      {"split of 0 parts", "cut", [] { Split::even().bounds(4, 0); }},
      {"split of -1 indices", "cut", [] { Split::even().bounds(-1, 2); }},
      {"blocks of 0", "block", [] { Split::blocks(0); }},
      {"bounds that fall", "never falling", [] { Split::given({0, 3, 2, 4}).bounds(4, 3); }},
      {"checkerboard beyond", "checkerboard", [] { Layout::checkerboard({4, 4}, {Box{{0, 0}, {5, 4}}}); }},
      {"cutoff with too many vectors", "more than can be listed", [] { sphere_sticks({.squared = 1e8}); }},
      {"cutoff NaN", "a cutoff of nan", [] { sphere_sticks({.squared = nan}); }},
      {"box of sticks with two axes", "three extents", [] { box_sticks({4, 4}); }},
      {"box of sticks without end", "listed", [] { box_sticks({Index{1} << 30, Index{1} << 30, 1}); }},
      {"box of sticks of the largest extent", "components lie between", [] { box_sticks({most, 1, 1}); }},
      {"box vectors of two axes", "three extents", [] { box_vectors({4, 4}, false, 1, 0); }},
      {"box vectors of no rank", "at least 1 rank", [] { box_vectors({4, 4, 4}, false, 0, 0); }},
      {"box vectors of rank 2", "rank 2 of 2", [] { box_vectors({4, 4, 4}, false, 2, 2); }},
      {"box vectors of rank -1", "rank -1 of 2", [] { box_vectors({4, 4, 4}, false, 2, -1); }},
      {"box vectors far away", "components lie between",
       [] { box_vectors({4, 4, 4}, false, 1, 0, Shape{most, 0, 0}); }},
      {"box vectors from two indices", "three indices", [] { box_vectors({4, 4, 4}, false, 1, 0, Shape{0, 0}); }},
      {"box vectors without end", "listed", [] { box_vectors({1 << 20, 1 << 20, 1 << 20}, false, 1, 0); }},
      {"vectors of endless sticks", "listed", [] { vectors({{0, 0, 0, most}}); }},
      {"grid of the largest vector", "components lie between",
       [] { smallest_grid(std::vector<GVector>{{most, 0, 0}}); }},
      {"grid of the least vector", "components lie between",
       [] { smallest_grid(std::vector<GVector>{{least, 0, 0}}); }},
      {"grid of the largest stick", "components lie between",
       [] { smallest_grid(std::vector<SphereStick>{{0, 0, 0, most}}); }},
      {"grid of a stick at the least", "components lie between",
       [] { smallest_grid(std::vector<SphereStick>{{least, 0, 0, 1}}); }},
      {"sticks for 0 ranks", "0 ranks", [] { share_sticks({}, 0); }},
      {"sticks for 0x1 ranks", "0x1 ranks", [] { share_sticks({}, 0, 1); }},
      {"sticks for too many ranks", "numbered", [] { share_sticks({{0, 0, 0, 1}}, 65536, 65536); }},
      {"sticks turned round", "a stick from 3 to 1", [] { share_sticks({{0, 0, 3, 1}}, 2); }},
      {"sticks turned round on pencils", "a stick from 3 to 1", [] { share_sticks({{0, 0, 3, 1}}, 2, 2); }},
      {"sticks of all integers", "length of a stick", [] { share_sticks({{0, 0, least, most}}, 2); }},
      {"sticks of too many coefficients", "coefficients",
       [] { share_sticks({{0, 0, 0, most}, {0, 1, 0, most}}, 1, 2); }},
      {"sticks by hand", "shared by \"hand\"", [] { share_sticks({}, 1, "hand"); }},
      {"half a sphere of complex functions", "half a sphere",
       [] { sphere<double>({8, 8, 8}, Cutoff{.squared = 1, .half = true}); }},
      {"wisdom that is none", "no wisdom", [] { import_wisdom("{}"); }},
      {"wisdom that is no JSON", "no JSON", [] { import_wisdom("{\"weft_wisdom\": nan}"); }},
      {"wisdom of another format", "format", [] { import_wisdom("{\"weft_wisdom\": 2, \"entries\": []}"); }},
      {"wisdom of a folder", "folder", [] { Wisdom::read("/"); }},
      {"wisdom of a device", "no regular file", [] { Wisdom::read("/dev/null"); }},
      {"wisdom at a folder", "folder", [] { Wisdom::update("/", [](Wisdom&) {}); }},
  };
  // clang-format on
  for (const auto& [name, word, call] : table) fails_here(name, word, call);

  const auto v = fft.output();
  const auto no_map = std::function<void(const Line&)>();
  if (fft.input_elements() > 1 && fft.output_elements() > 1) {
    fails_here("null input", "null", [&] { fft.forward(nullptr, v.data()); });
    fails_here("null output", "null", [&] { fft.backward(v.data(), nullptr); });
    fails_here("one array", "overlap", [&] { fft.forward(u.data(), u.data()); });
    fails_here("arrays that overlap", "overlap", [&] { fft.forward(u.data(), u.data() + 1); });
    fails_here("mapped arrays that overlap", "overlap",
               [&] { fft.AnyPlan::forward_map_backward(u.data(), u.data() + 1, [](const Line&) {}); });
    fails_here("mapped null array", "null",
               [&] { fft.AnyPlan::forward_map_backward(nullptr, nullptr, [](const Line&) {}); });
    fails_here("a span too short", "elements", [&] { fft.forward(u.span().first(1), v.span()); });
  }
  fails_here("no map", "map", [&] { fft.AnyPlan::forward_map_backward(u.data(), u.data(), no_map); });
  fails_here("a map of plane waves", "plane waves",
             [&] { fft.backward_map_forward(v.data(), v.data(), [](const Line&) {}); });
  fails_here("map_view of no plane waves", "plane waves", [&] { static_cast<void>(fft.map_view()); });
  fails_here("null communicator", "ommunicator", [] { AnyPlan(MPI_COMM_NULL, c2c<double>({4, 4})); });
  fails_here("null communicator of a file", "ommunicator", [] { inspect(MPI_COMM_NULL, "a.npy"); });
  fails_here("null communicator of a trace", "ommunicator", [] { Trace(MPI_COMM_NULL); });
  usable();
  EXPECT_GT(calls, 80);
}

// What once crashed or overflowed, and is right.
TEST_F(BadInputTiny, StrangeButRight) {
  EXPECT_EQ(share_sticks({{0, 0, 0, 0}}, 1, 1).size(), 1u);
  EXPECT_EQ(share_sticks({{0, 0, 0, 0}}, 2, 3).size(), 6u);
  EXPECT_EQ(share_sticks({}, 2, 3).size(), 6u);
  EXPECT_EQ(Box({{least}, {most}}).shape(), (Shape{most}));
  EXPECT_EQ(smallest_grid(std::vector<GVector>{}), (Shape{1, 1, 1}));
  const Index far = checked::farthest;
  EXPECT_EQ(Layout({4}, {Box{{-far}, {far - 1}}}).points(0), far - 1 + far);
  EXPECT_EQ(Layout::slab({4}, 0, 1).grown({far - 4}).box(0), (Box{{4 - far}, {far}}));
  EXPECT_EQ(shown("plain \xc3\xa9 text"), "plain \xc3\xa9 text");
  EXPECT_EQ(shown("a\nb\x1b\x7f\x80\xc2\x9b"), "a\\nb\\x1b\\x7f\\x80\\xc2\\x9b");
  EXPECT_EQ(shown(std::string(100, 'a') + "z", 9), "aaaaaa...aaz (101 characters)");
  EXPECT_EQ(shown("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 9),
            "\xc3\xa9\xc3\xa9\xc3\xa9...\xc3\xa9\xc3\xa9 (12 characters)");
}

}  // namespace
}  // namespace weft

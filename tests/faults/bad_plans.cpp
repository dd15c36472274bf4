// Tables of bad input: problems and options of plans.
#include "faults/bad_input.hpp"

namespace weft {
namespace {

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

}  // namespace
}  // namespace weft

// Plane waves against the dense transform, by its definition, of the field with all its zeros:
// backward, forward, the map in real space, and the same bits from every strategy and schedule.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "support/allocations.hpp"
#include "support/changing.hpp"
#include "support/fails.hpp"
#include "support/kernels.hpp"

namespace weft {
namespace {

using Lists = std::vector<std::vector<GVector>>;

Lists shared(const Cutoff& cutoff, const std::string& rule = "coefficients") {
  Lists lists;
  for (const auto& sticks : share_sticks(sphere_sticks(cutoff), ranks_of_world(), rule))
    lists.push_back(vectors(sticks));
  return lists;
}

Shape wrapped(const GVector& g, const Shape& grid, bool mirrored = false) {
  Shape p;
  for (int a = 0; a < 3; ++a)
    p.push_back(((mirrored ? -g[static_cast<std::size_t>(a)] : g[static_cast<std::size_t>(a)]) + 2 * grid[a]) %
                grid[a]);
  return p;
}

// One sphere and what must come out of it, in whole arrays.
template <class In>
class Expected {
 public:
  static constexpr bool half = std::is_floating_point_v<In>;
  Expected(const Shape& grid, const Lists& lists, Index batch) : grid_(grid), lists_(lists) {
    for (Index b = 0; b < batch; ++b) {
      std::vector<Complex> field(static_cast<std::size_t>(volume(grid)));
      for (const auto& list : lists)
        for (const GVector& g : list) {
          field[at(wrapped(g, grid))] = coefficient(g, b);
          if (half) field[at(wrapped(g, grid, true))] = std::conj(coefficient(g, b));
        }
      real_.push_back(transformed(field, false));
      std::vector<Complex> product = real_.back(), other(product.size());
      for (std::size_t k = 0; k < product.size(); ++k)
        product[k] *= potential(static_cast<Index>(k)), other[k] = point(static_cast<Index>(k), b);
      mapped_.push_back(transformed(product, true));
      forward_.push_back(transformed(other, true));
    }
  }
  Complex coefficient(const GVector& g, Index b) const {
    const auto k = static_cast<Index>(at(wrapped(g, grid_))) + 1000 * b;
    const bool own_mirror = half && wrapped(g, grid_) == wrapped(g, grid_, true);
    return {value(k), own_mirror ? 0 : value(k + 500)};
  }
  static double potential(Index k) { return 1 + value(k + 33); }
  static Complex point(Index k, Index b) { return {value(k + 7 * b), half ? 0 : value(k + 91)}; }
  // A point of an array of the plan: its batch and its position on the grid.
  std::pair<std::size_t, std::size_t> split(const Shape& p) const {
    const int before = p.size() - 3;
    return {before ? static_cast<std::size_t>(p[0]) : 0, at(Shape{p[before], p[before + 1], p[before + 2]})};
  }
  Complex real(const Shape& p) const { return real_[split(p).first][split(p).second]; }
  Complex mapped(const GVector& g, Index b) const {
    return mapped_[static_cast<std::size_t>(b)][at(wrapped(g, grid_))];
  }
  Complex forward(const GVector& g, Index b) const {
    return forward_[static_cast<std::size_t>(b)][at(wrapped(g, grid_))];
  }
  const Shape& grid() const { return grid_; }
  const std::vector<GVector>& mine() const { return lists_[static_cast<std::size_t>(rank_of_world())]; }
  Index batch() const { return static_cast<Index>(real_.size()); }

 private:
  std::size_t at(const Shape& p) const { return static_cast<std::size_t>(position(p, grid_)); }
  std::vector<Complex> transformed(std::vector<Complex> x, bool forward) const {
    if (!forward)
      for (Complex& v : x) v = std::conj(v);
    x = naive(std::move(x), grid_, {0, 1, 2});
    if (!forward)
      for (Complex& v : x) v = std::conj(v);
    return x;
  }
  Shape grid_;
  Lists lists_;
  std::vector<std::vector<Complex>> real_, mapped_, forward_;
};

template <class In>
auto waves_of(const Expected<In>& e) {
  if constexpr (std::is_floating_point_v<In>)
    return gamma_sphere<In>(e.grid(), e.mine());
  else
    return sphere<typename In::value_type>(e.grid(), e.mine());
}

template <class In>
std::vector<std::byte> verify(const Expected<In>& e, const Options& options, double tolerance) {
  Plan waves(world, waves_of(e), options);
  SCOPED_TRACE(waves.describe());
  using Out = std::complex<real_of<In>>;
  const auto count = static_cast<Index>(e.mine().size()), batch = e.batch();
  EXPECT_EQ(waves.vectors(), e.mine());
  auto psi = waves.input();
  auto c = waves.output();
  EXPECT_EQ(c.size(), count * batch);
  std::vector<Out> result(static_cast<std::size_t>(c.size()));
  const auto each = [&](auto&& f) {
    for (Index b = 0; b < batch; ++b)
      for (Index i = 0; i < count; ++i)
        f(e.mine()[static_cast<std::size_t>(i)], b, static_cast<std::size_t>(b * count + i));
  };
  const auto fill = [&] {
    each([&](const GVector& g, Index b, std::size_t k) { c.data()[k] = Out(e.coefficient(g, b)); });
  };
  double error = 0;
  std::vector<std::byte> bits;
  for (int round = 0; round < 2; ++round) {  // the second finds everything used
    fill();
    waves.backward(c, psi);
    error = 0;
    psi.for_each([&](const Shape& p, In& v) { error = std::max(error, std::abs(Complex(v) - e.real(p))); });
    EXPECT_LT(error, tolerance) << "backward";
    if (!options.overwrites_input()) {
      error = 0;
      each([&](const GVector& g, Index b, std::size_t k) {
        error = std::max<double>(error, std::abs(c.data()[k] - Out(e.coefficient(g, b))));
      });
      EXPECT_EQ(error, 0) << "the coefficients are not preserved";
    }
    if (round == 0)
      psi.for_each([&](const Shape&, In& v) {
        bits.insert(bits.end(), reinterpret_cast<const std::byte*>(&v), reinterpret_cast<const std::byte*>(&v + 1));
      });
    psi.fill([&](const Shape& p) {
      const auto [b, k] = e.split(p);
      const Complex v = e.point(static_cast<Index>(k), static_cast<Index>(b));
      if constexpr (std::is_floating_point_v<In>)
        return static_cast<In>(v.real());
      else
        return In(v);
    });
    waves.forward(psi, c);
    error = 0;
    each([&](const GVector& g, Index b, std::size_t k) {
      error = std::max(error, std::abs(Complex(c.data()[k]) - e.forward(g, b)));
    });
    EXPECT_LT(error, tolerance) << "forward";
    if (round == 0)
      bits.insert(bits.end(), reinterpret_cast<const std::byte*>(c.data()),
                  reinterpret_cast<const std::byte*>(c.data() + c.size()));
  }
  const View planes = waves.map_view();
  std::vector<real_of<In>> potential;
  for (Index k = 0; k < volume(e.grid()); ++k)
    if (planes.box.contains(Shape{k / (e.grid()[1] * e.grid()[2]), k / e.grid()[2] % e.grid()[1], k % e.grid()[2]}))
      potential.push_back(static_cast<real_of<In>>(e.potential(k)));
  for (const bool same : {false, true}) {
    fill();
    if (same) std::copy(c.data(), c.data() + c.size(), result.begin());
    waves.apply(potential, same ? std::span<const Out>(result) : std::span<const Out>(c), result);
    error = 0;
    const double scale = waves.scale() * (options.scale == "full" ? static_cast<double>(volume(e.grid())) : 1);
    each([&](const GVector& g, Index b, std::size_t k) {
      error = std::max(error, std::abs(Complex(result[k]) / scale - e.mapped(g, b)));
    });
    EXPECT_LT(error, tolerance * 10) << "apply";
  }
  back_to_back(waves);
  return bits;
}

template <class In = Complex>
void over_all(const Shape& grid, const Lists& lists, bool few = true, Index batch = 1,
              const std::function<void(Options&)>& change = {}, double tolerance = 1e-12) {
  const Expected<In> e(grid, lists, batch);
  Options plain{.effort = "estimate", .batch = batch};
  if (change) change(plain);
  const AnyPlan lines = lines_of(waves_of(e), plain);
  std::vector<std::byte> first;
  int ran = 0;
  const auto runs = [&](Case c) {
    c.options.batch = batch;
    if (change) change(c.options);
    SCOPED_TRACE(c.name + " on " + to_string(grid));
    try {
      const auto bits = verify(e, c.options, tolerance);
      if (ran++ == 0) first = bits;
      EXPECT_TRUE(bits == first) << "not the same bits as the first way";
      return true;
    } catch (const Declined&) {
      return false;
    }
  };
  few = few || crowded();
  for (Case c : ways(few, grid[0] + 2 * grid[1] + 4 * grid[2] + batch)) {
    if (!runs(c) && few) c.options.schedule = {}, runs(c);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(ran, 0);
}

TEST(SphereTiny, EveryStrategyGivesTheSameBits) { over_all({5, 5, 6}, shared({.squared = 4})); }
TEST(Sphere, EveryStrategyAndScheduleGivesTheSameBits) { over_all({7, 8, 9}, shared({.squared = 9.5}), false); }
TEST(Sphere, Batches) { over_all({6, 7, 5}, shared({.squared = 4}, "columns"), false, 3); }
TEST(Sphere, BatchesInStep) {
  const int ranks = ranks_of_world();
  for (const ScheduleOptions& schedule : {ScheduleOptions{"kept", 1, 1}, {"kept", 1, 2, 1}, {"kept", 2, 1}}) {
    over_all({6, 7, 5}, shared({.squared = 4}), true, 6, [&](Options& o) {
      o.strategy = "direct", o.schedule = schedule, o.backward_schedule = {{"kept", schedule.tile, 1}};
    });
    over_all<double>({6, 7, 5}, shared({.squared = 4, .half = true}), true, 6,
                     [&](Options& o) { o.schedule = schedule; });
  }
  if (ranks > 1)
    over_all({6, 7, 5}, shared({.squared = 4}), true, 6, [&](Options& o) {
      o.strategy = "direct", o.schedule = {"kept", 1, 1}, o.groups = ranks;
    });
}
TEST(Sphere, HalfASphere) {
  over_all<double>({7, 8, 9}, shared({.squared = 9.5, .half = true}), false);
  over_all<double>({8, 5, 6}, shared({.squared = 4.2, .half = true}), true, 2);
}

Cutoff skewed(bool half = false) {
  return {.squared = 7,
          .metric = {{{1.1, 0.2, -0.1}, {0.2, 0.7, 0.3}, {-0.1, 0.3, 1.6}}},
          .k = {half ? 0 : 0.3, half ? 0 : -0.45, half ? 0 : 0.1},
          .half = half};
}

TEST(Sphere, CellsThatAreNotCubes) {
  for (const bool half : {false, true}) {
    const auto sticks = sphere_sticks(skewed(half));
    Shape grid = smallest_grid(sticks);
    half ? over_all<double>(grid, shared(skewed(true))) : over_all(grid, shared(skewed()));
    grid[0] += 3, grid[1] += 1, grid[2] += 2;
    half ? over_all<double>(grid, shared(skewed(true))) : over_all(grid, shared(skewed()));
  }
}

// In no order, negative or wrapped, and of half a sphere either of a pair.
TEST(Sphere, ListsInAnyOrder) {
  const Shape grid{7, 9, 8};
  const auto scrambled = [&](Lists lists, bool mirror) {
    for (auto& list : lists)
      for (std::size_t i = 0; i < list.size(); ++i) {
        std::swap(list[i], list[(i * 7 + 3) % list.size()]);
        for (std::size_t a = 0; a < 3; ++a) {
          if (mirror && (list[i][0] + list[i][1] + list[i][2]) % 2 == 0) list[i][a] = -list[i][a];
          if (list[i][a] < 0 && (i + a) % 2) list[i][a] += grid[static_cast<int>(a)];
        }
      }
    return lists;
  };
  over_all(grid, scrambled(shared({.squared = 9}), false));
  // a stick and its mirror image belong together here
  Lists halves(static_cast<std::size_t>(ranks_of_world()));
  for (const GVector& g : vectors(sphere_sticks({.squared = 9, .half = true})))
    halves[static_cast<std::size_t>((g[2] * 5 + std::abs(g[1])) % ranks_of_world())].push_back(g);
  over_all<double>(grid, halves);
  for (auto& list : halves)
    for (std::size_t i = 0; i < list.size(); i += 3)
      for (Index& g : list[i]) g = -g;
  over_all<double>(grid, halves);
}

// n/2 of even grids, under either sign: one point, alone and in the corner where all three are.
TEST(SphereTiny, TheMiddleOfEvenGrids) {
  const auto spread = [](const std::vector<GVector>& all) {
    Lists lists(static_cast<std::size_t>(ranks_of_world()));
    for (const GVector& g : all)
      lists[static_cast<std::size_t>((g[1] + 8 + 3 * (g[2] + 8)) % ranks_of_world())].push_back(g);
    return lists;
  };
  over_all({6, 4, 8},
           spread({{0, 0, 0}, {1, 0, 2}, {3, 0, 2}, {-3, 1, 0}, {2, 2, 1}, {0, -1, -4}, {1, 1, 4}, {3, 2, -4}}));
  over_all({6, 4, 8}, spread({{-3, 0, 0}, {1, -2, 3}, {3, 1, 4}}), true, 2);
}

TEST(Sphere, RanksWithoutSticksOrPlanes) {
  const int ranks = ranks_of_world();
  Lists single(static_cast<std::size_t>(ranks)), last = single, first = single;
  single.back() = {{1, -1, 2}};
  over_all({5, 4, 7}, single);
  last.back() = first.front() = vectors(sphere_sticks({.squared = 3}));
  over_all({4, 6, 5}, last);
  over_all({3, 4, 5}, first);  // fewer planes than ranks
  Lists origin(static_cast<std::size_t>(ranks));
  origin.front() = {{0, 0, 0}};
  over_all<double>({2, 3, 2}, origin);
  over_all({1, 1, 1}, origin);
}

TEST(Sphere, OptionsOfDensePlans) {
  const Lists lists = shared({.squared = 5});
  over_all({6, 7, 5}, lists, true, 2, [](Options& o) { o.threads = 2; });
  over_all({6, 7, 5}, lists, true, 2, [](Options& o) { o.placement = "overwrite"; });
  over_all({6, 7, 5}, lists, true, 1, [](Options& o) { o.split = Split::blocks(); });
  for (const char* tiles : {"kept", "one"})
    over_all({6, 7, 5}, lists, true, 2, [&](Options& o) {
      o.schedule = {"gathered", 1, 2, 1}, o.backward_schedule = ScheduleOptions{tiles, 1, 2, 1};
    });
  const int ranks = ranks_of_world();
  over_all({6, 7, 5}, lists, true, 2, [&](Options& o) { o.grid = {1, ranks}; });  // real space cut elsewhere
  over_all<std::complex<float>>({6, 7, 5}, lists, true, 1, {}, 1e-3);
  over_all<float>({6, 7, 5}, shared({.squared = 5, .half = true}), true, 1, {}, 1e-3);
  over_all(
      {6, 7, 5}, lists, true, 1, [](Options& o) { o.wire = "single"; }, 1e-4);
}

// Sticks shared for a process grid: two exchanges, each among the ranks of one of its rows or
// columns.
TEST(Sphere, Pencils) {
  const int ranks = ranks_of_world();
  for (int rows = 2; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    const auto pencils = [&](Options& o) { o.grid = {ranks / rows, rows}; };
    const auto lists = [&](const Cutoff& cutoff, const std::string& rule = "coefficients") {
      Lists all;
      for (const auto& sticks : share_sticks(sphere_sticks(cutoff), ranks / rows, rows, rule))
        all.push_back(vectors(sticks));
      return all;
    };
    over_all({7, 8, 9}, lists({.squared = 9.5}), true, 1, pencils);
    over_all({6, 7, 5}, lists({.squared = 4}, "columns"), true, 3, pencils);
    over_all<double>({8, 5, 6}, lists({.squared = 4.2, .half = true}), true, 2, pencils);
    Options options{.strategy = "isend", .effort = "estimate"};
    pencils(options);
    const Plan waves(world, sphere<double>({9, 9, 9}, Cutoff{.squared = 14}), options);
    EXPECT_EQ(waves.vectors(), lists({.squared = 14})[static_cast<std::size_t>(rank_of_world())]);
    EXPECT_EQ(waves.describe().find(": copy"), std::string::npos) << waves.describe();  // through no slabs
  }
}

// The processor's own kernels, which leave the middle of a sphere's lines out, whatever planning
// measures today.
TEST(Sphere, KernelsForEveryLine) {
  if (crowded() && ranks_of_world() > 3) GTEST_SKIP() << "more ranks do what three do";
  const auto over = [](auto type, const Shape& grid, const Cutoff& cutoff, Index batch, double tolerance,
                       const std::function<void(Options&)>& change) {
    using In = decltype(type);
    const auto measured = [&](Options& o) {
      o.effort = "measure";
      if (change) change(o);
    };
    Options options{.batch = batch};
    measured(options);
    const AnyPlan lines = with_kernels(waves_of(Expected<In>(grid, shared(cutoff), batch)), options);
    over_all<In>(grid, shared(cutoff), true, batch, measured, tolerance);
  };
  const int ranks = ranks_of_world();
  over(Complex(), {16, 16, 16}, {.squared = 16}, 1, 1e-11, {});
  over(Complex(), {20, 12, 32}, {.squared = 8}, 2, 1e-11, [](Options& o) { o.placement = "overwrite"; });
  over(Complex(), {24, 16, 12}, {.squared = 7, .k = {0, 0.4, 0}}, 1, 1e-11, [](Options& o) { o.threads = 2; });
  over(Complex(), {12, 16, 24}, {.squared = 9}, 1, 1e-11, [&](Options& o) { o.grid = {1, ranks}; });
  over(double(), {16, 24, 12}, {.squared = 9, .half = true}, 1, 1e-11, {});
  over(std::complex<float>(), {16, 24, 32}, {.squared = 12}, 1, 1e-2, {});
}

// What earlier transforms have left where nobody looks is in no sum of later ones.
TEST(Sphere, LargeNumbersLeaveNoTrace) {
  for (const Shape& grid : {Shape{16, 20, 32}, Shape{12, 10, 16}}) {
    const auto problem = sphere<double>(grid, Cutoff{.squared = 4});
    const Options options{.strategy = "isend", .scale = "full"};
    const AnyPlan lines = with_kernels(problem, options);
    Plan waves(world, problem, options);
    auto psi = waves.input();
    auto c = waves.output();
    const auto fill = [](auto& array, double value) {
      std::fill(array.data(), array.data() + array.size(), Complex(value, -value));
    };
    fill(c, 1e300), waves.backward(c, psi);
    fill(psi, 1e300), waves.forward(psi, c);
    fill(c, 1);
    std::feclearexcept(FE_ALL_EXCEPT);
    for (int round = 0; round < 20; ++round) waves.backward(c, psi), waves.forward(psi, c);
    EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_INVALID), 0);
    for (Index k = 0; k < c.size(); ++k) ASSERT_LT(std::abs(c.data()[k] - Complex(1, -1)), 1e-12);
  }
}

TEST(Sphere, TaskGroups) {
  const int ranks = ranks_of_world();
  for (int groups = 2; groups <= ranks; ++groups) {
    if (ranks % groups != 0) continue;
    over_all({6, 7, 5}, shared({.squared = 5}), true, 3, [&](Options& o) { o.groups = groups; });
    over_all<double>({5, 7, 6}, shared({.squared = 4, .half = true}), true, 2, [&](Options& o) {
      o.groups = groups;
      o.schedule = {"kept", 1, 2, 0};
    });
  }
}

// The field of one sphere on two grids: exact, whichever way.
TEST(Sphere, TwoGridsShareCoefficients) {
  const Cutoff cutoff{.squared = 10};
  Plan smooth(world, sphere<double>({7, 8, 9}, cutoff), {.effort = "estimate"}),
      dense(world, sphere<double>({15, 16, 18}, cutoff), {.effort = "estimate"});
  auto c = smooth.output(), d = dense.output();
  ASSERT_EQ(smooth.vectors(), dense.vectors());
  for (Index i = 0; i < c.size(); ++i) c.data()[i] = {value(i + 100 * rank_of_world()), value(i + 7)};
  auto u = smooth.input(), v = dense.input();
  smooth.backward(c, u);
  smooth.forward(u, d);
  for (Complex& x : d.span()) x *= smooth.scale();
  dense.backward(d, v);
  dense.forward(v, d);
  for (Index i = 0; i < c.size(); ++i) EXPECT_LT(std::abs(d.data()[i] * dense.scale() - c.data()[i]), 1e-13);
}

TEST(Sphere, CutoffsAreSharedByThePlan) {
  for (const char* rule : {"coefficients", "columns"}) {
    Plan waves(world, sphere<double>({9, 9, 9}, Cutoff{.squared = 14}, rule), {.effort = "estimate"});
    EXPECT_EQ(waves.vectors(), shared({.squared = 14}, rule)[static_cast<std::size_t>(rank_of_world())]);
  }
}

TEST(Sphere, ExecutingAllocatesNothing) {
  Plan waves(world, sphere<double>({8, 8, 8}, Cutoff{.squared = 4}), {.batch = 2});
  auto psi = waves.input();
  auto c = waves.output();
  const std::vector<double> potential(static_cast<std::size_t>(psi.size()), 1);
  waves.backward(c, psi), waves.forward(psi, c), waves.apply(potential, c, c);
  const auto before = allocations();
  waves.backward(c, psi), waves.forward(psi, c), waves.apply(potential, c, c);
  EXPECT_EQ(allocations(), before);
}

TEST(Sphere, BadInputIsOneErrorOnEveryRank) {
  const int rank = rank_of_world(), ranks = ranks_of_world();
  const auto all = mpi::Communicator::duplicate(world);
  const auto fails = [&](auto&& f, const std::string& word) { weft::fails(all, f, {word}); };
  const auto plan = [&](const std::vector<GVector>& mine, bool half = false, const Options& options = {},
                        const Shape& grid = {6, 7, 5}) {
    if (half)
      Plan(world, gamma_sphere<double>(grid, mine), options);
    else
      Plan(world, sphere<double>(grid, mine), options);
  };
  const auto only = [&](std::vector<GVector> bad) { return rank == ranks - 1 ? bad : std::vector<GVector>{}; };
  fails([&] { plan(only({{1, 1, 1}, {0, 1, 1}, {1, 1, 1}})); }, "given twice");
  fails([&] { plan(only({{-2, 1, 1}, {4, 1, 1}})); }, "given twice");
  fails([&] { plan(only({{4, 0, 0}, {-2, 0, 0}})); }, "as (-2, 0, 0) too");
  fails([&] { plan(only({{3, 0, 0}, {-3, 0, 0}})); }, "same point of the grid 6x7x5");
  fails([&] { plan(only({{3, 0, 0}}), true); }, "at least 7 points");
  fails([&] { plan(only({{-4, 0, 0}})); }, "at least 9 points");
  fails([&] { plan(only({{0, 9, 0}})); }, "at least 19 points");
  fails([&] { plan(only({{0, 0, -3}})); }, "at least 7 points");
  fails([&] { plan(only({{1, 1, 1}, {-1, -1, -1}}), true); }, "mirror images");
  fails([&] { plan({}); }, "no rank has a G-vector");
  if (ranks > 1) {
    fails([&] { plan({{rank, 1, 1}}, false, {}, {30, 7, 5}); }, "split over ranks 0 and 1");
    fails([&] { plan({{rank, rank % 2 ? -1 : 1, 0}}, true, {}, {30, 7, 5}); }, "split over ranks 0 and 1");
    fails([&] { Plan(world, sphere<double>({9, 9, 9}, Cutoff{.squared = rank ? 4.0 : 5.0})); }, "the plane waves");
  }
  const std::vector<GVector> good = only({{0, 0, 0}});
  fails([&] { plan(good, false, {.placement = "in_place"}); }, "in_place");
  fails([&] { plan(good, false, {.natural_output = true}); }, "natural_output is given");
  fails([&] { plan(good, false, {.components = 2}); }, "a batch");
  fails([&] { plan(good, false, {.batch = 2, .groups = 5}); }, "does not divide");
  fails([&] { plan(good, false, {.groups = ranks + 1}); }, "only a batch");
  fails([&] { plan(good, false, {.backward_schedule = ScheduleOptions{.tile = 0}}); }, "backward_tile is 0");
  fails([&] { plan(good, false, {}, {6, 7}); }, "three extents");
  fails([&] { plan(good, false, {.grid = {ranks + 1}}); }, "process grid");
  if (ranks > 1) fails([&] { plan(good, false, {.schedule = {.tiles = "kept"}}); }, "or a batch");
  fails([&] { Plan(world, sphere<double>({8, 9, 9}, Cutoff{.squared = 16})); }, "smallest that holds it is 9x9x9");
  fails([&] { Plan(world, sphere<double>({9, 9, 9}, Cutoff{.squared = -1})); }, "0 or more");
  fails([&] { Plan(world, kept_box<double>({9, 9, 9}, {9, 10, 9})); }, "from 1 to the grid's");
  fails([&] { Plan(world, kept_box<double>({9, 9, 9}, {9, 9})); }, "three extents");
  fails([&] { Plan(world, kept_box<double>({9, 9, 9}, Box{{0, 5, 0}, {9, 10, 9}})); }, "give one inside");
  fails([&] { Plan(world, kept_box<double>({9, 9, 9}, Box{{0, 5, 0}, {9, 5, 9}})); }, "from 1 to the grid's");
  fails(
      [&] {
        Plan(world, sphere<double>({9, 9, 9}, Cutoff{.squared = 1, .metric = {{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}}}));
      },
      "positive definite");
  fails([&] { Plan(world, gamma_sphere<double>({9, 9, 9}, Cutoff{.squared = 1, .k = {0.5, 0, 0}})); }, "k = 0");
  fails(
      [&] {
        Plan(world, sphere<double>({9, 9, 9}, Cutoff{.squared = 1}, "fairly"));
      },
      "\"coefficients\" and \"columns\"");
  Plan waves(world, sphere<double>({6, 7, 5}, good), {.effort = "estimate"});
  std::vector<Complex> few, enough(static_cast<std::size_t>(std::max(waves.input_elements(), waves.output_elements())));
  if (waves.output_elements() > 0) {
    EXPECT_THROW(waves.backward(few, enough), Error);
  }
  EXPECT_THROW(waves.forward_map_backward(enough, enough, [](const Shape&, Complex&) {}), Error);
}

}  // namespace
}  // namespace weft

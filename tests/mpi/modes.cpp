// What the indices of transformed arrays stand for: derivatives of known functions, Parseval's
// sums, one wave at a time, and the walk over an array against its definition.
#include <gtest/gtest.h>

#include <cmath>

#include "mpi/communicator.hpp"
#include "support/allocations.hpp"
#include "support/fails.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Kind real_kinds[] = {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1,
                               Kind::dst2, Kind::dst3, Kind::dst4, Kind::r2hc, Kind::dht};
bool mirrors(Kind kind) { return kind < Kind::r2hc; }  // cosines and sines: their period has every line twice

double sum(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, world);
  return mine;
}

// The layouts that outputs can have, for a shape with room for them.
std::vector<Options> kinds_of_output(const Shape& shape) {
  const int ranks = ranks_of_world();
  Options plain, natural, fields, mixed, pencils, given;
  natural.natural_output = true;
  fields.batch = 2;
  mixed.components = 3;
  if (shape.size() > 2) pencils.grid = ranks % 2 == 0 ? Few<int>{ranks / 2, 2} : Few<int>{1, ranks};
  const Order order = shape.size() > 2 ? Order{2, 0, 1} : Order{1, 0};
  given.output = Layout::slab(shape, shape.size() - 1, ranks, Split::even(), order);
  std::vector<Options> all{plain, natural, fields, mixed, pencils, given};
  for (Options& o : all) o.effort = "estimate";
  return all;
}

// A sum of waves along all axes and its derivative along one: the first or the second. Waves of n/2
// are among them.
template <class In>
void derivatives(const Problem<In, Complex>& problem, const Options& options) {
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  const Shape& n = problem.shape;
  const int before = options.batch > 1;
  const auto wave = [&](const Shape& p, int along, int times) {
    double value = 0;
    double field = 1;
    if (before) field += static_cast<double>(p[0]);
    if (options.components > 1) field += 3 * static_cast<double>(p[p.size() - 1]);
    for (const Index m : {1, 2, 3}) {  // cos and sin of m periods on every axis, and their product
      double product = 1;
      for (int a = 0; a < n.size(); ++a) {
        const Index k = std::min(m + a, n[a] / 2);
        const double factor = 2 * pi * static_cast<double>(k) / static_cast<double>(n[a]);
        const double x = factor * static_cast<double>(p[a + before]);
        const bool alternates = 2 * k == n[a];  // its sine is zero at every point, and so is its slope
        const double c = std::cos(x) + (alternates ? 0 : 0.5 * std::sin(x));
        if (a != along)
          product *= c;
        else if (times == 0)
          product *= c;
        else if (times == 1)
          product *= alternates ? 0 : factor * (-std::sin(x) + 0.5 * std::cos(x));
        else
          product *= -factor * factor * c;
      }
      value += product / static_cast<double>(m);
    }
    return field * value;
  };
  for (int along = 0; along < n.size(); ++along)
    for (const int times : {1, 2}) {
      auto u = fft.make_input(), slope = fft.make_input();
      auto u_hat = fft.make_output();
      u.fill([&](const Shape& p) { return In(wave(p, along, 0)); });
      fft.forward(u, u_hat);
      const double unit = 2 * pi / static_cast<double>(n[along]);
      fft.modes().for_each(u_hat, [&](const Mode& k, Complex& v) {
        v *= fft.scale() * (times == 1 ? Complex(0, unit * k.odd[along]) : Complex(-unit * unit * k[along] * k[along]));
      });
      fft.backward(u_hat, slope);
      double error = 0;
      slope.for_each(
          [&](const Shape& p, const In& v) { error = std::max(error, std::abs(v - wave(p, along, times))); });
      EXPECT_LT(error, 1e-11) << "axis " << along << ", derivative " << times;
    }
}

TEST(ModesTiny, Derivatives) {
  for (const Shape& shape : {Shape{6, 8, 5}, Shape{5, 6, 8}, Shape{7, 4}})
    for (const Options& options : kinds_of_output(shape)) derivatives(c2c<double>(shape), options);
  for (const Shape& shape : {Shape{6, 5, 8}, Shape{4, 6, 7}, Shape{8, 9}})
    for (Options options : kinds_of_output(shape)) {
      Shape halved = shape;
      halved[shape.size() - 1] = shape[shape.size() - 1] / 2 + 1;
      if (options.output) options.output = Layout::slab(halved, 0, ranks_of_world());
      derivatives(r2c<double>(shape), options);
    }
  derivatives(r2c<double>({6, 5, 8}, {1, 2, 0}), {.effort = "estimate"});
}

// The sums of squares in both spaces. `times` tells how often a point of real space stands in the
// period.
using Times = std::function<double(const Shape&)>;
template <class In, class Out>
void parseval(
    const Problem<In, Out>& problem, const Options& options, const Times& times = [](const Shape&) { return 1.0; }) {
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  auto u = fft.make_input();
  auto u_hat = fft.make_output();
  u.fill([&](const Shape& p) {
    const Index k = position(p, fft.input_layout().shape());
    if constexpr (std::is_floating_point_v<In>)
      return value(k);
    else
      return In(value(k), value(k + 5));
  });
  fft.forward(u, u_hat);
  if (problem.waves) {  // what the array holds, and no more
    fft.backward(u_hat, u);
    for (In& v : u.span()) v *= fft.scale();
  }
  double here = 0, there = 0;
  u.for_each([&](const Shape& p, const In& v) { here += times(p) * std::norm(v); });
  fft.modes().for_each(u_hat, [&](const Mode& k, const Out& v) { there += k.weight * std::norm(v); });
  here = sum(here), there = sum(there) * fft.scale();
  EXPECT_NEAR(here, there, 1e-12 * here);
}

TEST(ModesTiny, Parseval) {
  for (const Shape& shape : {Shape{5, 4, 6}, Shape{4, 3, 5}, Shape{6, 8}, Shape{6}, Shape{2, 3, 2}, Shape{3, 4, 1}}) {
    parseval(c2c<double>(shape), {.effort = "estimate"});
    parseval(r2c<double>(shape), {.effort = "estimate"});
    parseval(r2c<double>(shape), {.effort = "estimate", .natural_output = true, .batch = 3});
    parseval(r2c<double>(shape), {.effort = "estimate", .components = 2});
  }
  parseval(r2c<double>({6, 5, 4}, {1, 0}), {.effort = "estimate"});
  parseval(kept_box<double>({8, 7, 9}, {4, 5, 6}), {.effort = "estimate", .batch = 2});
  parseval(kept_box<double>({8, 7, 9}, Box{{-2, 3, 0}, {2, 6, 4}}), {.effort = "estimate"});
  parseval(real_kept_box<double>({8, 7, 9}, {5, 5, 7}), {.effort = "estimate"});
  parseval(real_kept_box<double>({8, 7, 8}, {5, 7, 8}), {.effort = "estimate"});   // the grid's n/2 is kept
  parseval(real_kept_box<double>({8, 7, 10}, {5, 7, 8}), {.effort = "estimate"});  // the box's n/2 is not the grid's
  parseval(sphere<double>({8, 7, 9}, Cutoff{.squared = 8}), {.effort = "estimate", .batch = 2});
  parseval(gamma_sphere<double>({8, 7, 9}, Cutoff{.squared = 8}), {.effort = "estimate", .batch = 2});
  for (const Kind kind : real_kinds) {
    const Shape shape{4, 5};
    SCOPED_TRACE(to_string(kind));
    parseval(r2r<double>(shape, {kind}), {.effort = "estimate"}, [&](const Shape& p) {
      double times = 1;
      for (int a = 0; a < 2; ++a) {
        const bool first = p[a] == 0, last = p[a] == shape[a] - 1;
        const bool once = kind == Kind::dct1 ? first || last : kind == Kind::dct3 ? first : kind == Kind::dst3 && last;
        times *= once || !mirrors(kind) ? 1 : 2;
      }
      return times;
    });
  }
  const auto walls_twice = [](const Shape&) { return 2.0; };
  for (const Kind kind : {Kind::dct2, Kind::dst2}) {
    parseval(mixed<double, Complex>({4, 5, 6}, {Kind::c2c, kind, Kind::r2c}), {.effort = "estimate"}, walls_twice);
    parseval(mixed<double, Complex>({5, 6, 4}, {Kind::r2c, kind, Kind::c2c}), {.effort = "estimate", .batch = 2},
             walls_twice);
    parseval(mixed<Complex, Complex>({4, 5}, {kind, Kind::c2c}), {.effort = "estimate"}, walls_twice);
  }
}

// A wave of wavenumber k has one value that is not zero, at the index of that wavenumber.
TEST(ModesTiny, OneWaveAtATime) {
  for (const Kind kind : real_kinds) {
    const bool sine = kind >= Kind::dst1 && mirrors(kind);
    const bool half = kind == Kind::dct2 || kind == Kind::dct4 || kind == Kind::dst2 || kind == Kind::dst4;
    const double shift = half ? 0.5 : sine ? 1 : 0;
    const Shape n{5, 4};
    Plan fft(world, r2r<double>(n, {kind}), {.effort = "estimate"});
    auto u = fft.input(), u_hat = fft.output();
    for (const Shape& wanted : {Shape{0, 0}, Shape{1, 3}, Shape{4, 2}, Shape{3, 0}}) {
      u.fill([&](const Shape& p) {
        double product = 1;
        for (int a = 0; a < 2; ++a) {
          const double periods = fft.wavenumber(a, wanted[a]) / static_cast<double>(logical_size(kind, n[a]));
          const double x = 2 * pi * periods * (static_cast<double>(p[a]) + shift);
          const bool behind = kind == Kind::r2hc && 2 * wanted[a] > n[a];  // imaginary parts
          product *= kind == Kind::dht ? std::cos(x) + std::sin(x) : sine || behind ? std::sin(x) : std::cos(x);
        }
        return product;
      });
      fft.forward(u, u_hat);
      double others = 0, there = 0;
      u_hat.for_each([&](const Shape& p, double v) { (p == wanted ? there : others) += std::abs(v); });
      EXPECT_GT(sum(there), 0.5) << to_string(kind) << " " << wanted;
      EXPECT_LT(sum(others), 1e-12) << to_string(kind) << " " << wanted;
    }
  }
  // of boxes and spheres, every mode that is there
  const auto waves = [](auto&& fft, const Shape& n) {
    auto u = fft.input();
    auto u_hat = fft.output();
    const Shape all = fft.output_layout().shape();
    for (Index number = 0; number < volume(all); ++number) {
      double k[3] = {0, 0, 0};
      bool mine = false;
      fft.modes().for_each(u_hat, [&](const Mode& mode, Complex&) {
        if (position(mode.at, all) != number) return;
        mine = true;
        for (int a = 0; a < 3; ++a) k[a] = mode[a];
      });
      MPI_Allreduce(MPI_IN_PLACE, k, 3, MPI_DOUBLE, MPI_SUM, world);
      using In = std::remove_reference_t<decltype(u.data()[0])>;
      u.fill([&](const Shape& p) {
        double x = 0;
        for (int a = 0; a < 3; ++a) x += 2 * pi * k[a] * static_cast<double>(p[a]) / static_cast<double>(n[a]);
        if constexpr (std::is_floating_point_v<In>)
          return std::cos(x);
        else
          return std::polar(1.0, x);
      });
      fft.forward(u, u_hat);
      double others = 0, there = 0;
      fft.modes().for_each(u_hat, [&](const Mode& mode, const Complex& v) {
        double far = 0, image = 0;
        for (int a = 0; a < 3; ++a) {
          far += std::abs(mode[a] - k[a]);
          const double apart = std::abs(mode[a] + k[a]);
          image += std::min(apart, std::abs(apart - static_cast<double>(n[a])));
        }
        EXPECT_EQ(far == 0, position(mode.at, all) == number);
        if (far == 0)
          there += std::abs(v);
        else if (!std::is_floating_point_v<In> || image > 0)
          others += std::abs(v);
      });
      const bool two = std::is_floating_point_v<In> && (k[0] != 0 || k[1] != 0 || k[2] != 0);  // half a cosine each
      EXPECT_NEAR(sum(mine ? there * fft.scale() : 0), two ? 0.5 : 1, 1e-12);
      EXPECT_LT(sum(others), 1e-10);
      if (testing::Test::HasFailure()) return;
    }
  };
  const Options estimate{.effort = "estimate"};
  waves(Plan(world, kept_box<double>({6, 5, 7}, {4, 3, 2}), estimate), {6, 5, 7});
  waves(Plan(world, kept_box<double>({6, 5, 8}, Box{{-4, 2, 3}, {0, 5, 6}}), estimate), {6, 5, 8});
  waves(Plan(world, real_kept_box<double>({7, 6, 9}, {3, 3, 5}), estimate), {7, 6, 9});
  waves(Plan(world, sphere<double>({6, 5, 7}, Cutoff{.squared = 3}), estimate), {6, 5, 7});
  waves(Plan(world, gamma_sphere<double>({6, 5, 7}, Cutoff{.squared = 3}), estimate), {6, 5, 7});
}

// Every point once, in whatever order it lies, and what is said of it agrees with what is said of
// the point alone.
TEST(ModesTiny, TheWalkIsThatOfThePoints) {
  const auto walk = [](auto&& fft) {
    SCOPED_TRACE(fft.describe());
    auto u_hat = fft.make_output();
    const Modes& modes = fft.modes();
    Index count = 0;
    std::ptrdiff_t last = -1;
    bool ascending = true;
    modes.for_each(u_hat, [&](const Mode& mode, Complex& v) {
      EXPECT_EQ(&v, &u_hat[mode.at]);
      ascending = ascending && &v - u_hat.data() > last;
      last = &v - u_hat.data();
      const Mode alone = modes.at(mode.at);
      EXPECT_EQ(mode.k, alone.k);
      EXPECT_EQ(mode.odd, alone.odd);
      EXPECT_EQ(mode.weight, alone.weight);
      v += 1;
      ++count;
    });
    EXPECT_TRUE(ascending);
    EXPECT_EQ(count, u_hat.box().volume());
    u_hat.for_each([&](const Shape&, const Complex& v) { EXPECT_EQ(v, Complex(1)); });
  };
  for (const Shape& shape : {Shape{5, 4, 6}, Shape{1, 3, 2}, Shape{2, 1, 1}, Shape{7, 2}})
    for (Options options : kinds_of_output(shape)) {
      walk(Plan(world, c2c<double>(shape), options));
      options.output.reset();
      options.batch = 3, options.components = 2;
      walk(Plan(world, r2c<double>(shape), options));
    }
  walk(Plan(world, sphere<double>({6, 5, 7}, Cutoff{.squared = 3}), {.effort = "estimate", .batch = 2}));
  walk(Plan(world, real_kept_box<double>({6, 5, 7}, {4, 3, 6}), {.effort = "estimate", .batch = 2}));
}

TEST(ModesTiny, ConventionsAtTheMiddle) {
  Plan fft(world, r2c<double>({4, 5, 6}), {.effort = "estimate"});
  std::vector<double> k[3], odd;
  for (int a = 0; a < 3; ++a)
    for (Index i = 0; i < (a == 2 ? 4 : fft.problem().shape[a]); ++i) k[a].push_back(fft.wavenumber(a, i));
  EXPECT_EQ(k[0], (std::vector<double>{0, 1, -2, -1}));
  EXPECT_EQ(k[1], (std::vector<double>{0, 1, 2, -2, -1}));
  EXPECT_EQ(k[2], (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(fft.modes().at({2, 3, 3}).odd, (Few<double>{0, -2, 0}));
  EXPECT_EQ(fft.modes().at({2, 3, 3}).weight, 1);
  EXPECT_EQ(fft.modes().at({2, 3, 2}).weight, 2);
  EXPECT_EQ(fft.modes().at({2, 3, 2}).square(), 12);
}

// Of kinds that are Fourier's in reals.
TEST(ModesTiny, HalfComplexAndHartley) {
  const auto numbers = [](Kind kind, Index n) {
    const Plan<double, double> fft(world, r2r<double>({n, 3}, {kind}), {.effort = "estimate"});
    std::vector<double> k;
    for (Index i = 0; i < n; ++i) k.push_back(fft.wavenumber(0, i));
    return k;
  };
  EXPECT_EQ(numbers(Kind::r2hc, 6), (std::vector<double>{0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(numbers(Kind::r2hc, 5), (std::vector<double>{0, 1, 2, 2, 1}));
  EXPECT_EQ(numbers(Kind::dht, 6), (std::vector<double>{0, 1, 2, -3, -2, -1}));
  const Plan<double, double> fft(world, r2r<double>({6, 5}, {Kind::r2hc, Kind::dht}), {.effort = "estimate"});
  EXPECT_EQ(fft.modes().at({3, 4}).weight, 1);
  EXPECT_EQ(fft.modes().at({4, 4}).weight, 2);
  EXPECT_EQ(fft.modes().at({3, 4}).odd, (Few<double>{0, -1}));
}

TEST(ModesTiny, MapsOfModes) {
  for (const int threads : {1, 2}) {
    Plan fft(world, r2c<double>({6, 5, 8}), {.effort = "estimate", .threads = threads, .batch = 2});
    auto u = fft.make_input(), by_modes = fft.make_input(), by_points = fft.make_input(), by_lines = fft.make_input();
    u.fill([&](const Shape& p) { return value(position(p, fft.input_layout().shape())); });
    const auto filter = [](const Mode& k, auto& v) { v *= 1 / (1 + k.square()) * k.weight; };
    fft.forward_map_backward(u, by_modes, filter);
    const auto before = allocations();
    fft.forward_map_backward(u, by_modes, filter);
    EXPECT_EQ(allocations(), before);
    fft.forward_map_backward(u, by_points, [&](const Shape& p, Complex& v) { filter(fft.modes().at(p), v); });
    // the form that is given lines is not hidden, and takes pointers
    fft.forward_map_backward(u.data(), by_lines.data(), [&](const Line& line) {
      fft.modes().for_line(line.first, line.axis, line.count, static_cast<Complex*>(line.values), filter);
    });
    for (Index i = 0; i < u.size(); ++i) {
      EXPECT_EQ(by_modes.data()[i], by_points.data()[i]);
      EXPECT_EQ(by_modes.data()[i], by_lines.data()[i]);
    }
    double most = 0;
    for (const double v : by_modes.span()) most = std::max(most, std::abs(v));
    if (u.size() > 0) {
      EXPECT_GT(most, 0.1);
    }
  }
  Plan waves(world, sphere<double>({6, 5, 7}, Cutoff{.squared = 3}), {.effort = "estimate"});
  auto c = waves.make_output(), by_points = waves.make_output(), by_lines = waves.make_output();
  c.fill([](const Shape& p) { return Complex(value(p[0]), value(p[0] + 7)); });
  const auto potential = [](const Shape& r, Complex& v) { v *= static_cast<double>(r[0] + 2 * r[1] + 3 * r[2]); };
  waves.backward_map_forward(c, by_points, potential);
  waves.backward_map_forward(c.data(), by_lines.data(), [&](const Line& line) {
    Shape r = line.first;
    for (Index i = 0; i < line.count; ++i, ++r[line.axis]) potential(r, static_cast<Complex*>(line.values)[i]);
  });
  for (Index i = 0; i < c.size(); ++i) {
    EXPECT_EQ(by_points.data()[i], by_lines.data()[i]);
    EXPECT_NE(by_points.data()[i], Complex());
  }
}

TEST(ModesTiny, BadIndicesAreErrors) {
  const auto says = [](auto&& f, const std::string& words) {
    try {
      f();
      ADD_FAILURE() << "no error that says " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  Plan fft(world, r2c<double>({6, 5, 8}), {.effort = "estimate"});
  says([&] { fft.wavenumber(3, 0); }, "give one from 0 to 2");
  says([&] { fft.wavenumber(-1, 0); }, "axis -1");
  says([&] { fft.wavenumber(2, 5); }, "indices go from 0 to 4");
  says([&] { fft.wavenumber(0, -1); }, "indices go from 0 to 5");
  says([&] { fft.modes().at({0, 0}); }, "2 axes; the transformed array of this plan has 3");
  says([&] { fft.modes().at({0, 5, 0}); }, "axis 1");
  if (auto u = fft.make_input(); u.size() > 0)
    says([&] { fft.modes().for_each(u, [](const Mode&, double&) {}); }, "index 7");  // an array of the other space
  Plan waves(world, sphere<double>({6, 5, 7}, Cutoff{.squared = 3}), {.effort = "estimate"});
  says([&] { waves.wavenumber(0, waves.output_view().box.hi[0]); },
       waves.output_elements() > 0 ? "coefficient of this rank" : "no coefficient");
}

}  // namespace
}  // namespace weft

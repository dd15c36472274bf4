// Several kinds in one plan, against the definition of each, over kinds, axes, options and strategies.
#include <gtest/gtest.h>

#include "mpi/dense.hpp"

namespace weft {
namespace {

using Long = std::complex<long double>;

// What a point j of a line of n contributes to the point k, as FFTW's manual defines the kind.
Long weight(Kind kind, Index n, Index j, Index k) {
  const long double pi = std::numbers::pi_v<long double>;
  const auto x = static_cast<long double>(j), y = static_cast<long double>(k), N = static_cast<long double>(n);
  const long double sign = k % 2 ? -1 : 1;
  switch (kind) {
    case Kind::c2c:
    case Kind::r2c: return std::polar(1.0L, -2 * pi * static_cast<long double>(j * k % n) / N);
    case Kind::c2r: break;
    case Kind::dct1: return j == 0 ? 1 : j == n - 1 ? sign : 2 * std::cos(pi * x * y / (N - 1));
    case Kind::dct2: return 2 * std::cos(pi * (x + 0.5L) * y / N);
    case Kind::dct3: return j == 0 ? 1 : 2 * std::cos(pi * x * (y + 0.5L) / N);
    case Kind::dct4: return 2 * std::cos(pi * (x + 0.5L) * (y + 0.5L) / N);
    case Kind::dst1: return 2 * std::sin(pi * (x + 1) * (y + 1) / (N + 1));
    case Kind::dst2: return 2 * std::sin(pi * (x + 0.5L) * (y + 1) / N);
    case Kind::dst3: return j == n - 1 ? sign : 2 * std::sin(pi * (x + 1) * (y + 0.5L) / N);
    case Kind::dst4: return 2 * std::sin(pi * (x + 0.5L) * (y + 0.5L) / N);
    case Kind::r2hc:  // the real part of mode k, and minus its sine for mode n - k
      return 2 * k <= n ? std::cos(2 * pi * x * y / N) : -std::sin(2 * pi * x * (N - y) / N);
    case Kind::hc2r: {  // Hermitian: every mode but the first and the middle one counts with its mirror image
      if (j == 0 || 2 * j == n) return std::cos(2 * pi * x * y / N);
      return 2 * j < n ? 2 * std::cos(2 * pi * x * y / N) : -2 * std::sin(2 * pi * (N - x) * y / N);
    }
    case Kind::dht: return std::cos(2 * pi * x * y / N) + std::sin(2 * pi * x * y / N);
  }
  throw Error("not a kind of forward");
}

// The transform of a whole array; what r2c does not store is there, too.
std::vector<Complex> defined(const std::vector<Complex>& given, const Shape& shape, const Order& axes, const std::vector<Kind>& kinds) {
  std::vector<Long> x(given.begin(), given.end());
  for (int a = 0; a < axes.size(); ++a) {
    const Index n = shape[axes[a]];
    Index inner = 1;
    for (int b = axes[a] + 1; b < shape.size(); ++b) inner *= shape[b];
    std::vector<Long> line(static_cast<std::size_t>(n));
    for (Index l = 0; l < volume(shape) / n; ++l) {
      Long* const first = x.data() + l / inner * n * inner + l % inner;
      for (Index k = 0; k < n; ++k) {
        line[static_cast<std::size_t>(k)] = 0;
        for (Index j = 0; j < n; ++j) line[static_cast<std::size_t>(k)] += first[j * inner] * weight(kinds[static_cast<std::size_t>(a)], n, j, k);
      }
      for (Index k = 0; k < n; ++k) first[k * inner] = line[static_cast<std::size_t>(k)];
    }
  }
  std::vector<Complex> result;
  for (const Long& v : x) result.emplace_back(v);
  return result;
}

template <class In, class Out>
std::vector<std::byte> verify_mixed(const Problem<In, Out>& problem, const Options& options, double tolerance) {
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  const Shape& shape = fft.input_layout().shape();
  std::vector<Complex> whole;
  for (Index k = 0; k < volume(shape); ++k) whole.emplace_back(Filler<In>::at(k));
  Order axes;
  double size = 1;
  for (int k = 0; k < problem.axes.size(); ++k) {
    axes.push_back(problem.axes[k] + (options.batch > 1));
    size *= static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  }
  const std::vector<Complex> expected = defined(whole, shape, axes, problem.kinds);
  const auto before = [&](const Shape& p) { return whole[static_cast<std::size_t>(position(p, shape))]; };
  const double scale = options.scale == "full" ? 1 / size : 1;
  EXPECT_NEAR(fft.scale() * size, options.scale == "full" ? size : 1, 1e-12 * size);

  auto u = fft.input();
  auto u_hat = fft.output();
  std::vector<std::byte> bits;
  for (int round = 0; round < 2; ++round) {
    u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
    fft.forward(u, u_hat);
    EXPECT_LT(worst<Out>(u_hat, [&](const Shape& p) { return expected[static_cast<std::size_t>(position(p, shape))] * scale; }), tolerance) << "forward";
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
  const double twice = 2 * (options.scale == "full" ? 1 : fft.scale());
  fft.forward_map_backward(u.span(), u.span(), [&](const Shape&, Out& x) { x *= static_cast<real_of<Out>>(twice); });
  EXPECT_LT(worst<In>(u, [&](const Shape& p) { return 2.0 * before(p); }), tolerance) << "forward_map_backward";
  return bits;
}

// Options that put stages together in other ways.
std::vector<Change> changes() {
  const int ranks = ranks_of_world();
  return {unchanged,
          [](Options& o) { o.in_place = true; },
          [](Options& o) { o.overwrite_input = true, o.scale = "full"; },
          [](Options& o) { o.batch = 2, o.natural_output = true; },
          [](Options& o) { o.components = 2; },
          [ranks](Options& o) { o.grid = ranks % 2 ? Few<int>{1, ranks} : Few<int>{2, ranks / 2}; },
          [](Options& o) { o.threads = 2; }};
}

template <class In, class Out>
void over_mixed(const Problem<In, Out>& problem, double tolerance, const std::vector<std::string>& names) {
  for (const Change& change : changes()) {
    Options plain{.effort = "estimate"};
    change(plain);
    const AnyPlan lines = lines_of(problem, plain);
    std::vector<std::byte> first;
    for (const std::string& name : names)
      for (const ScheduleOptions& schedule : {ScheduleOptions(), ScheduleOptions{"gathered", 2, 1, 0}, ScheduleOptions{"kept", 2, 2, 1}}) {
        Options o{.strategy = name, .effort = "estimate", .schedule = schedule};
        change(o);
        try {
          const auto bits = verify_mixed(problem, o, tolerance);
          if (first.empty()) first = bits;
          EXPECT_TRUE(bits == first) << "not the same bits as the first way: " << name << " " << schedule.tiles;
        } catch (const Declined&) {
        }
        if (testing::Test::HasFailure()) return;
      }
  }
}

const std::vector<std::string> few_names{"isend", "direct"};
constexpr Kind real_kinds[] = {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4, Kind::r2hc, Kind::hc2r, Kind::dht};

TEST(MixedTiny, ChannelsWithWallsAlongAnyAxis) {
  const Shape shape{4, 5, 6};
  over_mixed(mixed<double, Complex>(shape, {Kind::c2c, Kind::dst2, Kind::r2c}), 1e-12, few_names);
  over_mixed(mixed<double, Complex>(shape, {Kind::dct2, Kind::r2c, Kind::c2c}), 1e-12, few_names);
  over_mixed(mixed<double, Complex>(shape, {Kind::r2c, Kind::c2c, Kind::dct1}), 1e-12, few_names);
  over_mixed(mixed<Complex, Complex>(shape, {Kind::c2c, Kind::c2c, Kind::dct3}), 1e-12, few_names);
  over_mixed(mixed<Complex, Complex>(shape, {Kind::dst1, Kind::c2c, Kind::dht}), 1e-12, few_names);
}

TEST(MixedTiny, EveryStrategy) {
  std::vector<std::string> names;
  for (const Strategy* s : strategies()) names.emplace_back(s->name());
  if (crowded()) names.resize(4);
  over_mixed(mixed<double, Complex>({4, 3, 6}, {Kind::c2c, Kind::dct2, Kind::r2c}), 1e-12, names);
}

TEST(Mixed, EveryRealKindBesideFourier) {
  for (const Kind kind : real_kinds) {
    SCOPED_TRACE(to_string(kind));
    verify_mixed(mixed<double, Complex>({3, 6, 4}, {kind, Kind::c2c, Kind::r2c}), {.effort = "estimate"}, 1e-12);
    verify_mixed(mixed<double, Complex>({3, 6, 4}, {Kind::r2c, kind, kind}), {.effort = "estimate"}, 1e-12);
    verify_mixed(mixed<Complex, Complex>({3, 6, 5}, {kind, kind, Kind::c2c}), {.effort = "estimate"}, 1e-12);
    verify_mixed(mixed<Complex, Complex>({4, 5}, {Kind::c2c, kind}), {.effort = "estimate", .in_place = true}, 1e-12);
    verify_mixed(r2r<double>({3, 6, 5}, {kind}), {.effort = "estimate"}, 1e-12);
    verify_mixed(mixed<float, std::complex<float>>({6, 8}, {kind, Kind::r2c}), {.effort = "estimate"}, 1e-4);
    for (const Index n : {1, 2}) {  // as short as the definition allows
      if (kind == Kind::dct1 && n == 1) continue;
      verify_mixed(r2r<double>({n, 3}, {kind, Kind::dht}), {.effort = "estimate"}, 1e-13);
      verify_mixed(mixed<double, Complex>({n, 3}, {kind, Kind::r2c}), {.effort = "estimate"}, 1e-13);
    }
  }
}

TEST(Mixed, EveryRealKindBesideAnother) {
  for (const Kind one : real_kinds)
    for (const Kind other : real_kinds) verify_mixed(r2r<double>({3, 4, 5}, {one, other, one}, {2, 0, 1}), {.effort = "estimate"}, 1e-12);
}

TEST(Mixed, EveryOrderOfAxesAndEngine) {
  std::vector<int> order{0, 1, 2};
  do {
    const Order axes(order.begin(), order.end());
    for (const auto& [name, summary] : engine_list()) {
      SCOPED_TRACE(name);
      const Options o{.engine = name, .effort = "estimate"};
      verify_mixed(mixed<double, Complex>({6, 5, 4}, {Kind::c2c, Kind::r2c, Kind::dst3}, axes), o, 1e-12);
      verify_mixed(mixed<double, Complex>({6, 5, 4}, {Kind::r2c, Kind::hc2r}, {axes[0], axes[1]}), o, 1e-12);
      verify_mixed(mixed<Complex, Complex>({6, 5, 4}, {Kind::r2hc, Kind::c2c, Kind::dct4}, axes), o, 1e-12);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  verify_mixed(mixed<double, Complex>({12, 16, 8}, {Kind::c2c, Kind::dct2, Kind::r2c}), {.effort = "measure"}, 1e-11);
}

TEST(Mixed, SaysWhatCannotBe) {
  const auto message = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto has = [](const std::string& text, const char* part) { EXPECT_NE(text.find(part), std::string::npos) << text; };
  has(message([] { mixed<double, double>({4, 4}, {Kind::r2c, Kind::dct2}); }), "real numbers to complex ones, and real to real");
  has(message([] { mixed<double, Complex>({4, 4}, {Kind::c2c, Kind::dct2}); }), "complex numbers to complex ones");
  has(message([] { AnyPlan(world, problem(Precision::double_, {Kind::r2c, Kind::r2c}, {4, 4})); }), "only one axis can be halved");
  has(message([] { AnyPlan(world, r2r<double>({4, 1}, {Kind::dct1})); }), "dct1 needs at least 2");
  has(message([] { AnyPlan(world, problem(Precision::double_, {Kind::dct2, Kind::c2r}, {4, 4})); }), "c2r is backward");
}

}  // namespace
}  // namespace weft

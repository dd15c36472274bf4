// Several kinds in one plan, against the definition of each, over kinds, axes, options and
// strategies.
#include <gtest/gtest.h>

#include "mpi/dense.hpp"
#include "support/message.hpp"

namespace weft {
namespace {

// Options that put stages together in other ways.
std::vector<Change> changes() {
  const int ranks = ranks_of_world();
  return {unchanged,
          [](Options& o) { o.placement = "in_place"; },
          [](Options& o) { o.placement = "overwrite", o.scale = "full"; },
          [](Options& o) { o.batch = 2, o.natural_output = true; },
          [](Options& o) { o.components = 2; },
          [ranks](Options& o) {
            o.grid = ranks % 2 ? Few<int>{1, ranks} : Few<int>{2, ranks / 2};
          },
          [](Options& o) { o.threads = 2; }};
}

template <class In, class Out>
void over_changes(const Problem<In, Out>& problem, bool few, const std::function<bool(const Strategy&)>& wanted) {
  for (const Change& change : changes()) over_all(problem, 1e-12, change, few, wanted);
}

constexpr Kind real_kinds[] = {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2,
                               Kind::dst3, Kind::dst4, Kind::r2hc, Kind::hc2r, Kind::dht};

TEST(MixedTiny, ChannelsWithWallsAlongAnyAxis) {
  const Shape shape{4, 5, 6};
  const auto over = [](const auto& problem) {
    over_changes(problem, true, [](const Strategy& s) { return s.name() == "isend" || s.name() == "direct"; });
  };
  over(mixed<double, Complex>(shape, {Kind::c2c, Kind::dst2, Kind::r2c}));
  over(mixed<double, Complex>(shape, {Kind::dct2, Kind::r2c, Kind::c2c}));
  over(mixed<double, Complex>(shape, {Kind::r2c, Kind::c2c, Kind::dct1}));
  over(mixed<Complex, Complex>(shape, {Kind::c2c, Kind::c2c, Kind::dct3}));
  over(mixed<Complex, Complex>(shape, {Kind::dst1, Kind::c2c, Kind::dht}));
}

TEST(MixedTiny, EveryStrategy) {
  over_changes(mixed<double, Complex>({4, 3, 6}, {Kind::c2c, Kind::dct2, Kind::r2c}), true,
               [](const Strategy&) { return true; });
}

TEST(Mixed, EveryRealKindBesideFourier) {
  for (const Kind kind : real_kinds) {
    SCOPED_TRACE(to_string(kind));
    verify(mixed<double, Complex>({3, 6, 4}, {kind, Kind::c2c, Kind::r2c}), {.effort = "estimate"}, 1e-12);
    verify(mixed<double, Complex>({3, 6, 4}, {Kind::r2c, kind, kind}), {.effort = "estimate"}, 1e-12);
    verify(mixed<Complex, Complex>({3, 6, 5}, {kind, kind, Kind::c2c}), {.effort = "estimate"}, 1e-12);
    verify(mixed<Complex, Complex>({4, 5}, {Kind::c2c, kind}), {.effort = "estimate", .placement = "in_place"}, 1e-12);
    verify(r2r<double>({3, 6, 5}, {kind}), {.effort = "estimate"}, 1e-12);
    verify(mixed<float, std::complex<float>>({6, 8}, {kind, Kind::r2c}), {.effort = "estimate"}, 1e-4);
    for (const Index n : {1, 2}) {  // as short as the definition allows
      if (kind == Kind::dct1 && n == 1) continue;
      verify(r2r<double>({n, 3}, {kind, Kind::dht}), {.effort = "estimate"}, 1e-13);
      verify(mixed<double, Complex>({n, 3}, {kind, Kind::r2c}), {.effort = "estimate"}, 1e-13);
    }
  }
}

TEST(Mixed, EveryRealKindBesideAnother) {
  for (const Kind one : real_kinds)
    for (const Kind other : real_kinds)
      verify(r2r<double>({3, 4, 5}, {one, other, one}, {2, 0, 1}), {.effort = "estimate"}, 1e-12);
}

TEST(Mixed, EveryOrderOfAxesAndEngine) {
  std::vector<int> order{0, 1, 2};
  do {
    const Order axes(order.begin(), order.end());
    for (const auto& [name, summary] : engine_list()) {
      SCOPED_TRACE(name);
      const Options o{.engine = name, .effort = "estimate"};
      verify(mixed<double, Complex>({6, 5, 4}, {Kind::c2c, Kind::r2c, Kind::dst3}, axes), o, 1e-12);
      verify(mixed<double, Complex>({6, 5, 4}, {Kind::r2c, Kind::hc2r}, {axes[0], axes[1]}), o, 1e-12);
      verify(mixed<Complex, Complex>({6, 5, 4}, {Kind::r2hc, Kind::c2c, Kind::dct4}, axes), o, 1e-12);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  verify(mixed<double, Complex>({12, 16, 8}, {Kind::c2c, Kind::dct2, Kind::r2c}), {.effort = "measure"}, 1e-11);
}

TEST(Mixed, SaysWhatCannotBe) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message([] {
        mixed<double, double>({4, 4}, {Kind::r2c, Kind::dct2});
      }),
      "real numbers to complex ones, and real to real");
  has(message([] { mixed<double, Complex>({4, 4}, {Kind::c2c, Kind::dct2}); }), "complex numbers to complex ones");
  has(message([] {
        AnyPlan(world, problem(Precision::double_, {Kind::r2c, Kind::r2c}, {4, 4}));
      }),
      "only one axis can be halved");
  has(message([] { AnyPlan(world, r2r<double>({4, 1}, {Kind::dct1})); }), "dct1 needs at least 2");
  has(message([] { AnyPlan(world, problem(Precision::double_, {Kind::dct2, Kind::c2r}, {4, 4})); }), "c2r is backward");
}

}  // namespace
}  // namespace weft

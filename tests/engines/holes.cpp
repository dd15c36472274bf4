// Lines with a hole: what is not wanted is not written, what is zero anyway is not looked at, and
// all else is as without a hole.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <weft/error.hpp>

#include "engines/engine.hpp"
#include "engines/lanes.hpp"
#include "support/engines.hpp"

namespace weft {
namespace {

constexpr Index lengths[] = {8, 12, 16, 30, 32, 60, 64, 67, 68, 72, 74, 96, 100, 120, 128, 192, 200, 204, 256, 272};

template <class Real>
struct Panel {  // lines or columns, in the elements of a spec
  std::vector<std::complex<Real>> values;
  Index step, stride;
  std::complex<Real>& at(Index line, Index point) {
    return values[static_cast<std::size_t>(line * step + point * stride)];
  }
};

// `make` gives lines of a spec, or none.
template <class Real, class Make>
void check(Make make, Index longest) {
  constexpr Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  constexpr auto nothing = std::numeric_limits<Real>::quiet_NaN();
  std::mt19937 random(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (const Index n : lengths)
    for (const bool columns : {false, true})
      for (const Direction direction : {Direction::forward, Direction::backward})
        for (const auto& [first, last] : {std::pair(n / 4 + 1, n - n / 4), std::pair(n / 3, n - n / 3),
                                          std::pair(n / 8, n - 1), std::pair(n / 2, n / 2 + 1)})
          for (const Index count : {Index{1}, Index{11}, Index{16}}) {
            if (n > longest) continue;
            LineSpec whole{Kind::c2c, direction, precision, n};
            if (columns) whole.in_stride = whole.out_stride = count + 5, whole.in_distance = whole.out_distance = 1;
            LineSpec spec = whole;
            spec.hole_first = first, spec.hole_last = last;
            const std::shared_ptr<const Lines> lines = make(spec), expecting = make(whole);
            if (!lines) continue;
            const auto [from, to] = lines->untouched();
            ASSERT_TRUE(from == to || (from >= first && to <= last))
                << to_string(spec) << " leaves out " << from << " to " << to;
            const auto untouched = [from = from, to = to](Index k) { return k >= from && k < to; };

            const auto panel = [&] {
              return Panel<Real>{std::vector<std::complex<Real>>(static_cast<std::size_t>(spec.in_span(count))),
                                 spec.in_step(), spec.in_stride};
            };
            auto in = panel(), out = panel(), zeros = panel(), expected = panel();
            for (Index line = 0; line < count; ++line)
              for (Index k = 0; k < n; ++k) {
                const bool empty = direction == Direction::backward && k >= first && k < last;
                zeros.at(line, k) = empty ? std::complex<Real>() : std::complex<Real>(uniform(random), uniform(random));
                in.at(line, k) = empty && untouched(k) ? std::complex<Real>(nothing, nothing) : zeros.at(line, k);
                out.at(line, k) = 7;
              }
            const auto bytes = [](Panel<Real>& p) { return reinterpret_cast<std::byte*>(p.values.data()); };
            (*lines)(bytes(in), bytes(out), count);
            (*expecting)(bytes(zeros), bytes(expected), count);
            double difference = 0, norm = 0;
            for (Index line = 0; line < count; ++line)
              for (Index k = 0; k < n; ++k) {
                ASSERT_TRUE(direction == Direction::backward || !untouched(k) ||
                            out.at(line, k) == std::complex<Real>(7))
                    << to_string(spec) << " writes point " << k;
                if (direction == Direction::forward && k >= first && k < last) continue;
                difference += std::norm(out.at(line, k) - expected.at(line, k)),
                    norm += std::norm(expected.at(line, k));
              }
            ASSERT_LT(std::sqrt(difference / norm),
                      (sizeof(Real) == 8 ? 1e-15 : 6e-7) * (1 + std::log2(static_cast<double>(n))))
                << to_string(spec) << ", " << count << " lines";
          }
}

TEST(Holes, OfEveryEngine) {
  for (const Engine* engine : engines()) {
    const auto make = [&](const LineSpec& spec) { return engine->plan(spec, "estimate"); };
    check<double>(make, 32);
    check<float>(make, 32);
  }
}

TEST(Holes, OfKernels) {
  if (kernel_sets().empty()) GTEST_SKIP() << "this processor has no kernels";
  for (const std::string& set : kernel_sets()) {
    const auto make = [&](const LineSpec& spec) { return fits_lanes(spec) ? in_lanes(spec, set) : nullptr; };
    check<double>(make, 256);
    check<float>(make, 256);
  }
  // the middle of a sphere's lines is left out, in parts of the largest radix: this is what they
  // are for
  for (const auto& [n, from, to] : {std::tuple{64, 24, 48}, std::tuple{96, 32, 72}, std::tuple{100, 30, 70}}) {
    if (kernel_sets().front() == "avx2" && n != 64) continue;  // too few registers for radices 10 and 12
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      LineSpec spec{Kind::c2c, direction, Precision::double_, n};
      spec.hole_first = n / 4 + 1, spec.hole_last = n - n / 4;
      EXPECT_EQ(in_lanes(spec, kernel_sets().front())->untouched(), (std::pair<Index, Index>(from, to)))
          << to_string(spec);
    }
  }
}

TEST(Holes, LieInsideComplexLines) {
  const auto declined = [](Kind kind, Index first, Index last) {
    LineSpec spec{kind, Direction::forward, Precision::double_, 64};
    spec.hole_first = first, spec.hole_last = last;
    return !engines().front()->declines(spec).empty();
  };
  EXPECT_FALSE(declined(Kind::c2c, 17, 48));
  EXPECT_TRUE(declined(Kind::c2c, -1, 48));
  EXPECT_TRUE(declined(Kind::c2c, 48, 17));
  EXPECT_TRUE(declined(Kind::c2c, 17, 65));
  EXPECT_TRUE(declined(Kind::r2c, 17, 30));
}

// Wisdom tells lines with a hole from those without.
TEST(Holes, AreKnownToWisdom) {
  const Engine& engine = *engines().front();
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 48};
  const auto whole = engine.plan(spec, "measure");
  spec.hole_first = 13, spec.hole_last = 36;
  const auto lines = engine.plan(spec, "measure");
  EXPECT_NE(lines, whole);
  const std::string wisdom = engine.export_wisdom();
  EXPECT_NE(wisdom.find("c2c forward double 48 measure"), std::string::npos);
  EXPECT_NE(wisdom.find("c2c forward double 48:1:0:0:1:13:36 measure"), std::string::npos);
  engine.import_wisdom(wisdom);
  EXPECT_EQ(engine.export_wisdom(), wisdom);
}

}  // namespace
}  // namespace weft

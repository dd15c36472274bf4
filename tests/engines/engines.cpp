// Every engine of the list keeps the promises of engine.hpp, for every kind, precision and a choice
// of awkward lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <thread>

#include <weft/error.hpp>

#include "support/message.hpp"

#include "cases.hpp"
#include "support/engines.hpp"
#include "support/heap.hpp"

namespace weft {
namespace {

class Engines : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(cases()), name_of);

TEST_P(Engines, AgreeWithTheDefinition) {
  for (const Index n : lengths) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    const auto exact = engine("naive").plan({GetParam().kind, GetParam().direction, Precision::double_, n}, "estimate");
    const Values in = random_lines(lines->spec(), 3);
    EXPECT_LT(distance(transform(*lines, in), transform(*exact, in)), tolerance(lines->spec()))
        << to_string(lines->spec());
  }
}

TEST_P(Engines, LongLinesAgreeWithOthers) {
  if (!GetParam().kernels()) return;
  for (const Index n : {Index{5000}, Index{8000}, Index{32768}}) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    LineSpec spec = lines->spec();
    const Values in = random_lines(spec, 2), out = transform(*lines, in);
    spec.precision = Precision::double_;
    EXPECT_LT(distance(out, transform(*engines().front()->plan(spec, "estimate"), in)), tolerance(lines->spec()))
        << to_string(spec);
  }
}

// The promise that lets strategies, schedules and tiles agree to the last bit.
TEST_P(Engines, GiveBitsThatDependOnTheLineAlone) {
  constexpr Index most = 17;
  for (const Index n : lengths) {
    if (!GetParam().defined(n) || (GetParam().engine->name() == "naive" && n > 64)) continue;
    const auto lines = GetParam().plan(n);
    const auto& spec = lines->spec();
    const Values values = random_lines(spec, most);
    const Storage in(most * spec.in_bytes(), 0), alone(most * spec.out_bytes(), 0);
    store(values, spec, in.begin);
    for (Index k = 0; k < most; ++k) {
      const Storage line(spec.in_bytes(), 0), result(spec.out_bytes(), 0);
      std::memcpy(line.begin, in.begin + static_cast<std::size_t>(k) * spec.in_bytes(), line.bytes);
      (*lines)(line.begin, result.begin, 1);
      std::memcpy(alone.begin + static_cast<std::size_t>(k) * spec.out_bytes(), result.begin, result.bytes);
    }
    const auto element_in = element_bytes(spec.precision, complex_input(spec.kind)),
               element_out = element_bytes(spec.precision, complex_output(spec.kind));
    for (Index count = 0; count <= most; ++count)
      for (const std::size_t shift : {0, 1, 2}) {
        const auto bytes = static_cast<std::size_t>(count) * spec.out_bytes();
        const Storage from(static_cast<std::size_t>(count) * spec.in_bytes(), shift * element_in),
            to(bytes + 8, shift / 2 * element_out);
        std::memcpy(from.begin, in.begin, from.bytes);
        std::memset(to.begin, 0x5a, to.bytes);
        (*lines)(from.begin, to.begin, count);
        ASSERT_EQ(std::memcmp(to.begin, alone.begin, bytes), 0)
            << to_string(spec) << ", " << count << " lines, shifted by " << shift;
        ASSERT_EQ(std::memcmp(from.begin, in.begin, from.bytes), 0) << to_string(spec) << " destroys its input";
        ASSERT_EQ(to.begin[bytes], std::byte{0x5a}) << to_string(spec) << " writes beyond its output";
        if (complex_input(spec.kind) != complex_output(spec.kind)) continue;
        (*lines)(from.begin, from.begin, count);
        ASSERT_EQ(std::memcmp(from.begin, alone.begin, bytes), 0)
            << to_string(spec) << " in place, " << count << " lines, shifted by " << shift;
      }
  }
}

TEST_P(Engines, AreUndoneByTheInverse) {
  const auto& c = GetParam();
  for (const Index n : lengths) {
    if (!c.defined(n)) continue;
    const auto lines = c.plan(n);
    const Kind kind = inverse(c.kind);
    const Direction direction = kind != Kind::c2c                   ? direction_of(kind)
                                : c.direction == Direction::forward ? Direction::backward
                                                                    : Direction::forward;
    const auto back = c.engine->plan({kind, direction, c.precision, n}, "estimate");
    const Values in = random_lines(lines->spec(), 2);
    Values twice = transform(*back, transform(*lines, in));
    for (auto& v : twice) v /= static_cast<double>(logical_size(c.kind, n));
    EXPECT_LT(distance(twice, in), 2 * tolerance(lines->spec())) << to_string(lines->spec());
  }
}

TEST_P(Engines, AreLinear) {
  for (const Index n : lengths) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    const Values x = random_lines(lines->spec(), 1, 1), y = random_lines(lines->spec(), 1, 2);
    Values sum(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = x[i] - 0.5 * y[i];
    const Values fx = transform(*lines, x), fy = transform(*lines, y);
    Values expected(fx.size());
    for (std::size_t i = 0; i < fx.size(); ++i) expected[i] = fx[i] - 0.5 * fy[i];
    EXPECT_LT(distance(transform(*lines, sum), expected), 2 * tolerance(lines->spec())) << to_string(lines->spec());
  }
}

// The first and, of an even length, the last coefficient of a real line are real: whatever stands
// where their imaginary parts would be, the result is the same, to the last bit.
TEST_P(Engines, LookAtNoImaginaryPartOfWhatIsReal) {
  if (GetParam().kind != Kind::c2r) return;
  for (const Index n : lengths) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    const Values in = random_lines(lines->spec(), 5), expected = transform(*lines, in);
    const std::size_t reals = in.size() / 5;
    Values marked = in;
    for (std::size_t line = 0; line < marked.size(); line += reals) {
      marked[line + 1] = 1e30;
      if (n % 2 == 0) marked[line + reals - 1] = std::numeric_limits<double>::quiet_NaN();
    }
    EXPECT_EQ(transform(*lines, marked), expected) << to_string(lines->spec());
  }
}

// An impulse at j becomes the wave exp(-+2 pi i jk/n), a shift by j becomes a product with it, and
// the norm grows by sqrt(n).
TEST_P(Engines, TurnShiftsIntoWaves) {
  if (GetParam().kind != Kind::c2c) return;
  const double sign = GetParam().direction == Direction::forward ? -1 : 1;
  for (const Index length : lengths) {
    if (!GetParam().defined(length)) continue;
    const auto lines = GetParam().plan(length);
    const auto n = static_cast<std::size_t>(length), j = n / 3;
    Values wave(2 * n), impulse(2 * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const double angle = sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      wave[2 * k] = std::cos(angle);
      wave[2 * k + 1] = std::sin(angle);
    }
    impulse[2 * j] = 1;
    EXPECT_LT(distance(transform(*lines, impulse), wave), tolerance(lines->spec())) << to_string(lines->spec());

    const Values in = random_lines(lines->spec(), 1), out = transform(*lines, in);
    Values shifted(in), expected(out);
    std::rotate(shifted.begin(), shifted.end() - static_cast<std::ptrdiff_t>(2 * j), shifted.end());
    for (std::size_t k = 0; k < n; ++k) {
      expected[2 * k] = out[2 * k] * wave[2 * k] - out[2 * k + 1] * wave[2 * k + 1];
      expected[2 * k + 1] = out[2 * k] * wave[2 * k + 1] + out[2 * k + 1] * wave[2 * k];
    }
    EXPECT_LT(distance(transform(*lines, shifted), expected), 2 * tolerance(lines->spec())) << to_string(lines->spec());
    EXPECT_NEAR(norm(out) / norm(in) / std::sqrt(static_cast<double>(n)), 1, tolerance(lines->spec()))
        << to_string(lines->spec());
  }
}

TEST_P(Engines, RunOnTwoThreadsAtOnce) {
  for (const Index n : {Index{16}, Index{135}}) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    const Values in = random_lines(lines->spec(), 11), expected = transform(*lines, in);
    Values results[2];
    const auto work = [&](Values& result) {
      lines->prepare();
      for (int round = 0; round < 20; ++round) result = transform(*lines, in);
    };
    std::thread other(work, std::ref(results[0]));
    work(results[1]);
    other.join();
    EXPECT_EQ(results[0], expected);
    EXPECT_EQ(results[1], expected);
  }
}

TEST_P(Engines, AllocateNothingWhileExecuting) {
  if (!heap()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const auto& c = GetParam();
#ifndef __x86_64__
  if (c.engine->name() == "weft" && has_fftw()) GTEST_SKIP() << "FFTW's own allocations look like ours here";
#endif
  for (const Index n : lengths) {
    if (!c.defined(n)) continue;
    const auto lines = c.plan(n);
    const Storage in(9 * lines->in_bytes(), 0), out(9 * lines->out_bytes(), 0);
    store(random_lines(lines->spec(), 9), lines->spec(), in.begin);
    const auto before = *heap();
    (*lines)(in.begin, out.begin, 9);
    const auto after = *heap();
    const long fftws_own = c.engine->name() == "weft" && has_fftw() ? after.by_memalign - before.by_memalign : 0;
    EXPECT_EQ(after.all - before.all, fftws_own) << to_string(lines->spec());
  }
}

TEST_P(Engines, DeclineWhatMeansNothing) {
  const auto& c = GetParam();
  if (!c.kernels()) {
    EXPECT_EQ(c.engine->declines(c.spec(16)), "");
  }
  for (const Index n : {Index{0}, Index{-4}, Index{1} << 60}) {
    EXPECT_NE(c.engine->declines(c.spec(n)).find(std::to_string(n)), std::string::npos);
    EXPECT_THROW(c.plan(n), Error);
  }
  EXPECT_EQ(c.engine->declines(c.spec(1)).empty(), c.defined(1));
  if (c.kind == Kind::c2c) return;
  auto wrong = c.spec(16);
  wrong.direction = c.direction == Direction::forward ? Direction::backward : Direction::forward;
  EXPECT_NE(c.engine->declines(wrong).find(to_string(inverse(c.kind))), std::string::npos);
  EXPECT_THROW(c.engine->plan(wrong, "estimate"), Error);
}

TEST(Engine, PlansAnewOnlyWhatNobodyHolds) {
  for (const Engine* e : engines()) {
    const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 23};
    const auto lines = e->plan(spec, "estimate");
    EXPECT_EQ(e->plan(spec, "estimate"), lines) << e->name();
    EXPECT_NE(e->plan(spec, "measure"), lines) << e->name();
    LineSpec other = spec;
    other.direction = Direction::backward;
    std::weak_ptr<const Lines> seen = e->plan(other, "estimate");
    EXPECT_FALSE(seen.expired()) << e->name() << " holds the last lines";
    e->let_go();
    EXPECT_TRUE(seen.expired()) << e->name();
    auto kept = e->keep();
    seen = e->plan(other, "estimate");
    e->let_go();
    EXPECT_FALSE(seen.expired()) << e->name();
    EXPECT_EQ(e->keep(), kept) << e->name();
    kept.reset();
    EXPECT_TRUE(seen.expired()) << e->name();
  }
}

TEST(Engine, HoldsOnlySoManyLinesAndPoints) {
  for (const Engine* e : engines()) {
    const auto of = [](Index length) { return LineSpec{Kind::c2c, Direction::forward, Precision::single_, length}; };
    constexpr Index shortest = 25;  // beyond it an engine that serves another one has lines of one kind
    const std::weak_ptr<const Lines> first = e->plan(of(shortest), "estimate");
    for (std::size_t k = 1; k < Engine::most_held; ++k) {
      EXPECT_FALSE(first.expired()) << e->name() << ' ' << k;
      Index length = shortest;  // with small factors alone
      for (std::size_t j = k; j > 0; --j) {
        const auto smooth = [](Index n) {
          for (const Index p : {2, 3, 5, 7})
            while (n % p == 0) n /= p;
          return n == 1;
        };
        do ++length;
        while (!smooth(length));
      }
      e->plan(of(length), "estimate");
    }
    e->plan(of(1024), "estimate");
    EXPECT_TRUE(first.expired()) << e->name();
    if (e->declines(of(Engine::points_held)).empty()) {
      const std::weak_ptr<const Lines> shorter = e->plan(of(shortest), "estimate");
      EXPECT_FALSE(shorter.expired()) << e->name();
      const std::weak_ptr<const Lines> longest = e->plan(of(Engine::points_held), "estimate");
      EXPECT_FALSE(longest.expired()) << e->name();
      EXPECT_TRUE(shorter.expired()) << e->name();
      const std::weak_ptr<const Lines> too_long = e->plan(of(2 * Engine::points_held), "estimate");
      EXPECT_TRUE(too_long.expired()) << e->name();
    }
    e->let_go();
  }
}

TEST(Engine, UnknownNamesAreErrorsThatListTheKnownOnes) {
  for (const auto* e : engines()) {
    EXPECT_EQ(&engine(e->name()), e);
    EXPECT_FALSE(e->summary().empty());
    EXPECT_NE(message([] { engine("no such engine"); }).find(e->name()), std::string::npos);
    for (const auto& effort : efforts())
      EXPECT_NE(message([&] { e->plan({}, "haste"); }).find(effort), std::string::npos);
  }
  EXPECT_NE(message([] { kind_from_string("dct5"); }).find("dct4"), std::string::npos);
  EXPECT_NE(message([] { precision_from_string("half"); }).find("double"), std::string::npos);
  EXPECT_NE(message([] { direction_from_string("sideways"); }).find("backward"), std::string::npos);
}

TEST(Kind, NamesGoThereAndBack) {
  for (const Kind kind : all_kinds) {
    EXPECT_EQ(kind_from_string(to_string(kind)), kind);
    EXPECT_EQ(inverse(inverse(kind)), kind);
  }
  for (const Precision precision : {Precision::single_, Precision::double_})
    EXPECT_EQ(precision_from_string(to_string(precision)), precision);
  EXPECT_EQ(precision_from_string("float"), Precision::single_);
  for (const Direction direction : {Direction::forward, Direction::backward})
    EXPECT_EQ(direction_from_string(to_string(direction)), direction);
}

}  // namespace
}  // namespace weft

// Every engine of the list keeps the promises of engine.hpp, for every kind, precision and a choice of awkward lengths.
#include "engines/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <weft/error.hpp>

#include "engines/convolved.hpp"
#include "engines/lanes.hpp"
#include "support/heap.hpp"

namespace weft {
namespace {

constexpr Kind all_kinds[] = {Kind::c2c,  Kind::r2c,  Kind::c2r,  Kind::dct1, Kind::dct2, Kind::dct3,
                              Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4};
constexpr Index lengths[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 32, 61, 64, 67, 96, 98, 100, 120, 128, 135, 181, 192, 256, 360, 384};

// What planning takes where it measures well, kept to the same promises whatever it measures today.
class LanesAlone final : public Engine {
 public:
  std::string_view name() const override { return "lanes"; }
  std::string_view summary() const override { return "lines in the lanes of vector registers"; }

 private:
  std::string limits(const LineSpec& spec) const override { return fits_lanes(spec) ? "" : "no kernels here"; }
  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string&) const override { return in_lanes(spec); }
};

Direction direction_of(Kind kind) { return kind == Kind::c2r ? Direction::backward : Direction::forward; }

// Memory for lines, aligned or as misaligned as its element type allows.
struct Memory {
  Memory(std::size_t size, std::size_t offset) : storage(size + offset + 64), bytes(size) {
    void* p = storage.data();
    std::size_t space = storage.size();
    begin = static_cast<std::byte*>(std::align(64, size + offset, p, space)) + offset;
  }
  std::vector<std::byte> storage;
  std::byte* begin;
  std::size_t bytes;
};

// Lines of reals (complex numbers are two), as doubles.
using Values = std::vector<double>;

std::size_t real_bytes(const LineSpec& spec) { return element_bytes(spec.precision, false); }

void store(const Values& values, const LineSpec& spec, std::byte* to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (spec.precision == Precision::single_)
      reinterpret_cast<float*>(to)[i] = static_cast<float>(values[i]);
    else
      reinterpret_cast<double*>(to)[i] = values[i];
  }
}

Values load(const std::byte* from, std::size_t bytes, const LineSpec& spec) {
  Values values(bytes / real_bytes(spec));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = spec.precision == Precision::single_ ? static_cast<double>(reinterpret_cast<const float*>(from)[i])
                                                     : reinterpret_cast<const double*>(from)[i];
  return values;
}

// Random input in [-1, 1], representable in single precision. What c2r takes from a real signal: its first and (even n) last coefficient are real.
Values random_lines(const LineSpec& spec, Index count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const std::size_t reals = spec.in_bytes() / real_bytes(spec);
  Values values(static_cast<std::size_t>(count) * reals);
  for (auto& v : values) v = uniform(generator);
  if (spec.kind == Kind::c2r)
    for (std::size_t line = 0; line < values.size(); line += reals) {
      values[line + 1] = 0;
      if (spec.length % 2 == 0) values[line + reals - 1] = 0;
    }
  return values;
}

Values transform(const Lines& lines, const Values& in) {
  const auto& spec = lines.spec();
  const auto count = in.size() * real_bytes(spec) / spec.in_bytes();
  const Memory from(count * spec.in_bytes(), 0), to(count * spec.out_bytes(), 0);
  store(in, spec, from.begin);
  lines(from.begin, to.begin, static_cast<Index>(count));
  return load(to.begin, to.bytes, spec);
}

double norm(const Values& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

// |a - b| / |b|, and the most an FFT of these lengths may have of it.
double distance(Values a, const Values& b) {
  const double scale = norm(b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a) / (scale > 0 ? scale : 1);
}

double tolerance(const LineSpec& spec) {
  return (spec.precision == Precision::single_ ? 3e-7 : 6e-16) * (1 + std::log2(static_cast<double>(spec.length)));
}

struct Case {
  const Engine* engine;
  Kind kind;
  Direction direction;
  Precision precision;
  LineSpec spec(Index length) const { return {kind, direction, precision, length}; }
  bool defined(Index length) const { return (kind != Kind::dct1 || length > 1) && (engine->name() != "lanes" || fits_lanes(spec(length))); }
  std::shared_ptr<const Lines> plan(Index length) const { return engine->plan(spec(length), "estimate"); }
};

std::vector<Case> cases() {
  std::vector<Case> list;
  static const LanesAlone lanes;
  std::vector<const Engine*> tried;
  for (const auto* e : engines())
    if (e->name() != "fftw_alone") tried.push_back(e);  // which differs from "fftw" in what it measures, not in its lines
  tried.push_back(&lanes);
  for (const auto* e : tried)
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const Kind kind : all_kinds) {
        if (e == &lanes && real_to_real(kind)) continue;
        list.push_back({e, kind, direction_of(kind), precision});
        if (kind == Kind::c2c) list.push_back({e, kind, Direction::backward, precision});
      }
  return list;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [e, kind, direction, precision] = info.param;
  return std::string(e->name()) + "_" + std::string(to_string(kind)) + "_" + std::string(to_string(direction)) + "_" +
         std::string(to_string(precision));
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.engine->name() << " " << to_string(c.spec(0)); }

class Engines : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(cases()), name_of);

// Columns of a panel, left as columns too, in place and not, and lines that are left apart: the same transform wherever the points lie, and nothing written
// between them.
TEST_P(Engines, StridedColumnsAndLinesApart) {
  const auto& [engine, kind, direction, precision] = GetParam();
  enum class Form { lines, columns_to_lines, columns, columns_in_place };
  for (const Index n : {Index{1}, Index{6}, Index{64}, Index{131}})
    for (const Index count : {Index{3}, Index{8}, Index{19}})
      for (const Form form : {Form::lines, Form::columns_to_lines, Form::columns, Form::columns_in_place}) {
        if (!GetParam().defined(n) || (kind != Kind::c2c && form != Form::lines)) continue;
        const LineSpec plain = GetParam().spec(n);
        LineSpec spec = plain;
        spec.out_distance = plain.out_length() + 3;
        if (form != Form::lines) spec.in_stride = count + 5, spec.in_distance = 1, spec.out_distance += spec.out_distance % 2;
        if (form >= Form::columns) spec.out_stride = spec.in_stride, spec.out_distance = 1;
        const auto values = random_lines(plain, count);
        const auto expected = transform(*engine->plan(plain, "estimate"), values);
        const auto lines = engine->plan(spec, "estimate");
        const std::size_t in_point = plain.in_bytes() / static_cast<std::size_t>(plain.in_length()), out_point = plain.out_bytes() / static_cast<std::size_t>(plain.out_length());
        const auto at = [](const Memory& memory, Index line, Index step, Index point, Index stride, std::size_t bytes) {
          return memory.begin + static_cast<std::size_t>(line * step + point * stride) * bytes;
        };
        const Memory packed(static_cast<std::size_t>(count) * plain.in_bytes(), 0), result(static_cast<std::size_t>(count) * plain.out_bytes(), 0);
        const Memory in(static_cast<std::size_t>(spec.in_span(count)) * in_point, 0), apart(static_cast<std::size_t>(spec.out_span(count)) * out_point, 0);
        const Memory& out = form == Form::columns_in_place ? in : apart;
        store(values, plain, packed.begin);
        std::memset(in.begin, 0x5a, in.bytes);
        std::memset(apart.begin, 0x5a, apart.bytes);
        for (Index k = 0; k < count; ++k)
          for (Index j = 0; j < plain.in_length(); ++j)
            std::memcpy(at(in, k, spec.in_step(), j, spec.in_stride, in_point), at(packed, k, plain.in_length(), j, 1, in_point), in_point);
        (*lines)(in.begin, out.begin, count);
        for (Index k = 0; k < count; ++k)
          for (Index j = 0; j < plain.out_length(); ++j) {
            std::byte* const point = at(out, k, spec.out_step(), j, spec.out_stride, out_point);
            std::memcpy(at(result, k, plain.out_length(), j, 1, out_point), point, out_point);
            std::memset(point, 0x5a, out_point);
          }
        for (std::size_t byte = 0; byte < out.bytes; ++byte) ASSERT_EQ(out.begin[byte], std::byte{0x5a}) << to_string(spec) << " writes between lines";
        EXPECT_LT(distance(load(result.begin, result.bytes, plain), expected), tolerance(plain)) << to_string(spec) << ", " << count << " lines";
      }
}

// Rows in any order and of any alignment, of fewer columns than lanes and more, in place and not, past the caches and not: the bits of the columns where they were planned,
// and nothing written beside them.
TEST_P(Engines, RowsThatLieAnywhere) {
  if (GetParam().kind != Kind::c2c) return;
  for (const Index n : {Index{6}, Index{32}, Index{64}, Index{120}, Index{192}})
    for (const Index columns : {Index{3}, Index{8}, Index{16}, Index{43}}) {
      if (!GetParam().defined(n)) continue;
      LineSpec spec = GetParam().spec(n);
      spec.in_stride = spec.out_stride = columns + 5, spec.in_distance = spec.out_distance = 1;
      const auto lines = GetParam().engine->plan(spec, "estimate");
      if (!lines->takes_rows()) continue;
      const std::size_t point = spec.in_bytes() / static_cast<std::size_t>(n), row = static_cast<std::size_t>(columns) * point;
      const Memory planned(static_cast<std::size_t>(spec.in_span(columns)) * point, 0), expected(planned.bytes, 0);
      std::memset(planned.begin, 0, planned.bytes);
      store(random_lines(GetParam().spec(n), columns), GetParam().spec(n), planned.begin);
      (*lines)(planned.begin, expected.begin, columns);
      for (const bool aligned : {true, false})
        for (const bool in_place : {true, false})
          for (const bool streams : {true, false})
            for (const double scale : {1.0, 0.3}) {
              const std::size_t apart = (row + 63) / 64 * 64 + (aligned ? 64 : point), shift = aligned ? 0 : point;
              const Memory in(static_cast<std::size_t>(n) * apart, shift), out(in.bytes, shift);
              std::vector<const std::byte*> from;
              std::vector<std::byte*> to;
              std::memset(out.begin, 0x5a, out.bytes);
              for (Index k = 0; k < n; ++k) {
                from.push_back(in.begin + static_cast<std::size_t>(k * (n % 7 ? 7 : 11) % n) * apart);
                to.push_back(in_place ? in.begin + (from.back() - in.begin) : out.begin + static_cast<std::size_t>(n - 1 - k) * apart);
                std::memcpy(in.begin + (from.back() - in.begin), planned.begin + static_cast<std::size_t>(k * spec.in_stride) * point, row);
              }
              lines->rows({from.data(), to.data(), columns, scale, streams});
              for (Index k = 0; k < n; ++k) {
                std::vector<std::byte> want(expected.begin + static_cast<std::size_t>(k * spec.out_stride) * point, expected.begin + static_cast<std::size_t>(k * spec.out_stride) * point + row);
                const auto times = [&](auto* values, auto by) {
                  for (std::size_t v = 0; v < row / sizeof(*values); ++v) values[v] *= by;
                };
                spec.precision == Precision::double_ ? times(reinterpret_cast<double*>(want.data()), scale) : times(reinterpret_cast<float*>(want.data()), static_cast<float>(scale));
                ASSERT_EQ(std::memcmp(to[static_cast<std::size_t>(k)], want.data(), row), 0) << to_string(spec) << ", " << columns << " columns, row " << k;
                std::memset(to[static_cast<std::size_t>(k)], 0x5a, row);
              }
              for (std::size_t byte = 0; byte < out.bytes; ++byte) ASSERT_EQ(out.begin[byte], std::byte{0x5a}) << to_string(spec) << " writes beside rows";
            }
    }
}

// Contiguous lines past the caches, where they begin cache lines and where not, one, a few and many: the same bits, and nothing written between them.
TEST_P(Engines, LinesPastTheCaches) {
  for (const Index n : {Index{16}, Index{64}, Index{66}, Index{96}, Index{128}, Index{192}})
    for (const Index apart : {Index{0}, Index{8}, Index{3}}) {
      if (!GetParam().defined(n)) continue;
      LineSpec spec = GetParam().spec(n);
      spec.out_distance = spec.out_length() + apart;
      const auto lines = GetParam().engine->plan(spec, "estimate");
      if (!lines->streams()) continue;
      const std::size_t point = spec.out_bytes() / static_cast<std::size_t>(spec.out_length());
      for (const Index count : {Index{1}, Index{3}, Index{17}})
        for (const std::size_t shift : {std::size_t{0}, point}) {
          const std::size_t bytes = static_cast<std::size_t>(spec.out_span(count)) * point;
          const Memory in(static_cast<std::size_t>(count) * spec.in_bytes(), 0), expected(bytes, 0), out(bytes, shift);
          store(random_lines(GetParam().spec(n), count), GetParam().spec(n), in.begin);
          std::memset(expected.begin, 0x5a, bytes), std::memset(out.begin, 0x5a, bytes);
          (*lines)(in.begin, expected.begin, count);
          lines->stream(in.begin, out.begin, count);
          ASSERT_EQ(std::memcmp(out.begin, expected.begin, bytes), 0) << to_string(spec) << ", " << count << " lines";
        }
    }
}

// Lines that lie farther apart, on either side, than where they were planned, past the caches and not: the same bits, nothing else read, and nothing written between them.
TEST_P(Engines, LinesAnyDistanceApart) {
  for (const Index n : {Index{16}, Index{60}, Index{64}, Index{96}, Index{128}}) {
    if (!GetParam().defined(n)) continue;
    const LineSpec spec = GetParam().spec(n);
    const auto lines = GetParam().engine->plan(spec, "estimate");
    if (!lines->takes_steps()) continue;
    const auto in_bytes = static_cast<Index>(spec.in_bytes()), out_bytes = static_cast<Index>(spec.out_bytes());
    for (const Index count : {Index{1}, Index{8}, Index{17}})
      for (const auto& [in_step, out_step] : {std::pair(in_bytes + 64, out_bytes), std::pair(in_bytes, out_bytes + 128), std::pair(8 * in_bytes, 3 * out_bytes + 48)})
        for (const bool streams : {false, true}) {
          const auto room = [&](Index step) { return static_cast<std::size_t>(count * step); };
          const Memory packed(room(in_bytes), 0), dense(room(out_bytes), 0), in(room(in_step), 0), out(room(out_step), 0), expected(room(out_step), 0);
          store(random_lines(spec, count), spec, packed.begin);
          (*lines)(packed.begin, dense.begin, count);
          std::memset(in.begin, 0xff, in.bytes), std::memset(out.begin, 0x5a, out.bytes), std::memset(expected.begin, 0x5a, out.bytes);  // 0xff..: no number
          for (Index k = 0; k < count; ++k) {
            std::memcpy(in.begin + k * in_step, packed.begin + k * in_bytes, static_cast<std::size_t>(in_bytes));
            std::memcpy(expected.begin + k * out_step, dense.begin + k * out_bytes, static_cast<std::size_t>(out_bytes));
          }
          lines->apart(in.begin, in_step, out.begin, out_step, count, streams);
          ASSERT_EQ(std::memcmp(out.begin, expected.begin, out.bytes), 0) << to_string(spec) << ", " << count << " lines " << in_step << " and " << out_step << " bytes apart";
        }
  }
}

TEST_P(Engines, AgreeWithTheDefinition) {
  for (const Index n : lengths) {
    if (!GetParam().defined(n)) continue;
    const auto lines = GetParam().plan(n);
    const auto exact = engine("naive").plan({GetParam().kind, GetParam().direction, Precision::double_, n}, "estimate");
    const Values in = random_lines(lines->spec(), 3);
    EXPECT_LT(distance(transform(*lines, in), transform(*exact, in)), tolerance(lines->spec())) << to_string(lines->spec());
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
    const Memory in(most * spec.in_bytes(), 0), alone(most * spec.out_bytes(), 0);
    store(values, spec, in.begin);
    for (Index k = 0; k < most; ++k) {
      const Memory line(spec.in_bytes(), 0), result(spec.out_bytes(), 0);
      std::memcpy(line.begin, in.begin + static_cast<std::size_t>(k) * spec.in_bytes(), line.bytes);
      (*lines)(line.begin, result.begin, 1);
      std::memcpy(alone.begin + static_cast<std::size_t>(k) * spec.out_bytes(), result.begin, result.bytes);
    }
    const auto element_in = element_bytes(spec.precision, complex_input(spec.kind)),
               element_out = element_bytes(spec.precision, complex_output(spec.kind));
    for (Index count = 0; count <= most; ++count)
      for (const std::size_t shift : {0, 1, 2}) {
        const auto bytes = static_cast<std::size_t>(count) * spec.out_bytes();
        const Memory from(static_cast<std::size_t>(count) * spec.in_bytes(), shift * element_in), to(bytes + 8, shift / 2 * element_out);
        std::memcpy(from.begin, in.begin, from.bytes);
        std::memset(to.begin, 0x5a, to.bytes);
        (*lines)(from.begin, to.begin, count);
        ASSERT_EQ(std::memcmp(to.begin, alone.begin, bytes), 0) << to_string(spec) << ", " << count << " lines, shifted by " << shift;
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

// The first and, of an even length, the last coefficient of a real line are real: whatever stands where their imaginary parts would be, the result is the same, to the last bit.
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

// An impulse at j becomes the wave exp(-+2 pi i jk/n), a shift by j becomes a product with it, and the norm grows by sqrt(n).
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
    EXPECT_NEAR(norm(out) / norm(in) / std::sqrt(static_cast<double>(n)), 1, tolerance(lines->spec())) << to_string(lines->spec());
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
  for (const Index n : lengths) {
    const auto& c = GetParam();
    if (!c.defined(n)) continue;
    const auto lines = c.plan(n);
    const Memory in(9 * lines->in_bytes(), 0), out(9 * lines->out_bytes(), 0);
    store(random_lines(lines->spec(), 9), lines->spec(), in.begin);
    const auto before = *heap();
    (*lines)(in.begin, out.begin, 9);
    const auto after = *heap();
    const long fftws_own = c.engine->name() == "fftw" ? after.by_memalign - before.by_memalign : 0;
    EXPECT_EQ(after.all - before.all, fftws_own) << to_string(lines->spec());
  }
}

TEST_P(Engines, DeclineWhatMeansNothing) {
  const auto& c = GetParam();
  if (c.engine->name() != "lanes") {
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

TEST_P(Engines, PlanAlikeFromWisdom) {
  const auto& c = GetParam();
  for (const Index n : {Index{64}, Index{135}, Index{181}}) {
    if (!c.defined(n)) continue;
    if (n == 181 && c.kind != Kind::dct4) continue;  // FFTW's plans of large primes depend on those alive; one kind shows it
    auto lines = c.engine->plan(c.spec(n), "measure");
    EXPECT_EQ(lines, c.engine->plan(c.spec(n), "measure")) << "the same spec and effort must give the same lines";
    const Values in = random_lines(c.spec(n), 5), out = transform(*lines, in);
    const bool out_of_place = lines->prefers_out_of_place();
    const auto wisdom = c.engine->export_wisdom();
    c.engine->import_wisdom(wisdom);
    EXPECT_EQ(lines, c.engine->plan(c.spec(n), "measure")) << "one's own wisdom changes nothing";
    lines.reset();
    lines = c.engine->plan(c.spec(n), "measure");
    EXPECT_EQ(transform(*lines, in), out);
    EXPECT_EQ(lines->prefers_out_of_place(), out_of_place);
    EXPECT_EQ(c.engine->export_wisdom(), wisdom);
  }
  EXPECT_THROW(c.engine->import_wisdom("not wisdom at all"), Error);
}

TEST(Fftw, ObeysTheWisdomOfAnotherProcess) {
  if (engines().front()->name() != "fftw") GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("fftw_alone");
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 48};
  const auto mine = fftw.plan(spec, "measure");
  auto wisdom = fftw.export_wisdom();
  const auto entry = wisdom.find(to_string(spec) + " measure");
  ASSERT_NE(entry, std::string::npos);
  const std::string from = mine->prefers_out_of_place() ? "out_of_place" : "in_place",
                    to = mine->prefers_out_of_place() ? "in_place" : "out_of_place";
  wisdom.replace(wisdom.find(from, entry), from.size(), to);
  fftw.import_wisdom(wisdom);
  const auto theirs = fftw.plan(spec, "measure");
  EXPECT_NE(mine, theirs);
  EXPECT_NE(mine->prefers_out_of_place(), theirs->prefers_out_of_place());
  for (const auto cut : {wisdom.size() - 3, entry + 10}) EXPECT_THROW(fftw.import_wisdom(wisdom.substr(0, cut)), Error) << cut;
}

// Wisdom of another processor, or of the engine that has kernels: it is left out, and the line planned anew.
TEST(Fftw, LeavesOutKernelsThatItLacks) {
  if (engines().front()->name() != "fftw") GTEST_SKIP() << "this build is without FFTW";
  for (const auto& [name, length] : {std::pair("fftw", Index{26}), std::pair("fftw_alone", Index{40})}) {  // 13 is no factor of any kernel's
    const Engine& fftw = engine(name);
    const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, length};
    ASSERT_TRUE(fftw.name() == "fftw_alone" || !fits_lanes(spec));
    fftw.import_wisdom("weft fftw wisdom 1\n" + to_string(spec) + " measure lanes 0\n\n");
    EXPECT_EQ(fftw.export_wisdom().find(to_string(spec) + " measure"), std::string::npos);
    const Values in = random_lines(spec, 3);
    EXPECT_LT(distance(transform(*fftw.plan(spec, "measure"), in), transform(*engine("naive").plan(spec, "estimate"), in)), tolerance(spec));
    EXPECT_EQ(fftw.export_wisdom().find(to_string(spec) + " measure lanes"), std::string::npos);
  }
}

// Whatever planning may prefer on the day: both convolutions, over lengths that are odd, even, prime and not.
TEST(Convolved, AgreesWithTheDefinition) {
  const Engine &smooth = *engines().front(), &exact = engine("naive");
  if (smooth.name() != "fftw") GTEST_SKIP() << "only FFTW's lines do without scratch, as convolutions need; this build is without FFTW";
  EXPECT_EQ(rader_length(181), 180);
  for (const Index n : {7, 180, 217, 227}) EXPECT_EQ(rader_length(n), 0) << n;  // small, not prime, not prime, 226 = 2 113
  for (const Index n : {181, 217, 1009}) EXPECT_GE(bluestein_length(n), 2 * n - 1);
  for (const Precision precision : {Precision::single_, Precision::double_})
    for (const auto& [kind, direction] : {std::pair(Kind::c2c, Direction::forward), std::pair(Kind::c2c, Direction::backward),
                                          std::pair(Kind::r2c, Direction::forward), std::pair(Kind::c2r, Direction::backward)})
      for (const Index n : {100, 181, 211, 217, 1009}) {
        const LineSpec spec{kind, direction, precision, n};
        const Values in = random_lines(spec, 3), expected = transform(*exact.plan(spec, "estimate"), in);
        const auto inner = [&](Index length) { return smooth.plan({Kind::c2c, Direction::forward, precision, length}, "estimate"); };
        EXPECT_LT(distance(transform(*bluestein(spec, inner(bluestein_length(n))), in), expected), tolerance(spec)) << to_string(spec);
        if (const Index m = rader_length(n)) {
          EXPECT_LT(distance(transform(*rader(spec, inner(m)), in), expected), tolerance(spec)) << to_string(spec);
        }
      }
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
    EXPECT_TRUE(seen.expired()) << e->name();
    auto kept = e->keep();
    seen = e->plan(other, "estimate");
    EXPECT_FALSE(seen.expired()) << e->name();
    EXPECT_EQ(e->keep(), kept) << e->name();
    kept.reset();
    EXPECT_TRUE(seen.expired()) << e->name();
  }
}

TEST(Engine, UnknownNamesAreErrorsThatListTheKnownOnes) {
  const auto message = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  for (const auto* e : engines()) {
    EXPECT_EQ(&engine(e->name()), e);
    EXPECT_FALSE(e->summary().empty());
    EXPECT_NE(message([] { engine("no such engine"); }).find(e->name()), std::string::npos);
    for (const auto& effort : efforts()) EXPECT_NE(message([&] { e->plan({}, "haste"); }).find(effort), std::string::npos);
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

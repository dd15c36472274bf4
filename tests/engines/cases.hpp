// Lines of every engine, kind and precision, and what tests compare of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "engines/engine.hpp"
#include "engines/lanes.hpp"

namespace weft {

inline constexpr Kind all_kinds[] = {Kind::c2c,  Kind::r2c,  Kind::c2r,  Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4,
                                     Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4, Kind::r2hc, Kind::hc2r, Kind::dht};
inline constexpr Index lengths[] = {1,   2,   3,   4,   5,   7,   8,   9,   13,  16,  32,  49,
                                    61,  64,  67,  68,  74,  83,  96,  98,  100, 105, 120, 127,
                                    128, 135, 181, 192, 217, 256, 272, 360, 384, 437, 493};

// What planning takes where it measures well, kept to the same promises whatever it measures today:
// the kernels of one instruction set.
class LanesAlone final : public Engine {
 public:
  explicit LanesAlone(std::string set) : set_(std::move(set)) {}
  std::string_view name() const override { return set_; }
  std::string_view summary() const override { return "lines in the lanes of vector registers"; }

 private:
  std::string limits(const LineSpec& spec) const override { return fits_lanes(spec) ? "" : "no kernels here"; }
  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string&) const override {
    return in_lanes(spec, set_);
  }

  std::string set_;
};

inline Direction direction_of(Kind kind) { return kind == Kind::c2r ? Direction::backward : Direction::forward; }

// Storage for lines, aligned or as misaligned as its element type allows.
struct Storage {
  Storage(std::size_t size, std::size_t offset) : storage(size + offset + 64), bytes(size) {
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

inline std::size_t real_bytes(const LineSpec& spec) { return element_bytes(spec.precision, false); }

inline void store(const Values& values, const LineSpec& spec, std::byte* to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (spec.precision == Precision::single_)
      reinterpret_cast<float*>(to)[i] = static_cast<float>(values[i]);
    else
      reinterpret_cast<double*>(to)[i] = values[i];
  }
}

inline Values load(const std::byte* from, std::size_t bytes, const LineSpec& spec) {
  Values values(bytes / real_bytes(spec));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = spec.precision == Precision::single_ ? static_cast<double>(reinterpret_cast<const float*>(from)[i])
                                                     : reinterpret_cast<const double*>(from)[i];
  return values;
}

// Random input in [-1, 1], representable in single precision. What c2r takes from a real signal:
// its first and (even n) last coefficient are real.
inline Values random_lines(const LineSpec& spec, Index count, unsigned seed = 1) {
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

inline Values transform(const Lines& lines, const Values& in) {
  const auto& spec = lines.spec();
  const auto count = in.size() * real_bytes(spec) / spec.in_bytes();
  const Storage from(count * spec.in_bytes(), 0), to(count * spec.out_bytes(), 0);
  store(in, spec, from.begin);
  lines(from.begin, to.begin, static_cast<Index>(count));
  return load(to.begin, to.bytes, spec);
}

inline double norm(const Values& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

// |a - b| / |b|, and the most an FFT of these lengths may have of it.
inline double distance(Values a, const Values& b) {
  const double scale = norm(b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a) / (scale > 0 ? scale : 1);
}

inline double tolerance(const LineSpec& spec) {
  return (spec.precision == Precision::single_ ? 3e-7 : 6e-16) * (1 + std::log2(static_cast<double>(spec.length)));
}

struct Case {
  const Engine* engine;
  Kind kind;
  Direction direction;
  Precision precision;
  LineSpec spec(Index length) const { return {kind, direction, precision, length}; }
  bool kernels() const { return dynamic_cast<const LanesAlone*>(engine); }
  bool defined(Index length) const {
    return (kind != Kind::dct1 || length > 1) && (!kernels() || fits_lanes(spec(length)));
  }
  std::shared_ptr<const Lines> plan(Index length) const { return engine->plan(spec(length), "estimate"); }
};

inline std::vector<Case> cases() {
  std::vector<Case> list;
  static const std::vector<std::unique_ptr<const LanesAlone>> lanes = [] {
    std::vector<std::unique_ptr<const LanesAlone>> all;
    for (const std::string& set : kernel_sets()) all.push_back(std::make_unique<LanesAlone>(set));
    return all;
  }();
  std::vector<const Engine*> tried;
  for (const auto* e : engines())
    if (e->name() != "fftw") tried.push_back(e);  // whose lines "weft" hands on
  for (const auto& set : lanes) tried.push_back(set.get());
  for (const auto* e : tried)
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const Kind kind : all_kinds) {
        const Case c{e, kind, direction_of(kind), precision};
        if (c.kernels() && real_to_real(kind)) continue;
        list.push_back(c);
        if (kind == Kind::c2c) list.push_back({e, kind, Direction::backward, precision});
      }
  return list;
}

inline std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [e, kind, direction, precision] = info.param;
  return std::string(e->name()) + "_" + std::string(to_string(kind)) + "_" + std::string(to_string(direction)) + "_" +
         std::string(to_string(precision));
}

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.engine->name() << " " << to_string(c.spec(0)); }

}  // namespace weft

#include "lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "aligned.hpp"
#include "convolved.hpp"
#include "lanes/kernels.hpp"

namespace weft {
namespace {

constexpr Index longest = 32768;  // beyond it they are no faster than others, out of the second-level cache

// The kernels for one instruction set. The wisdom of its lines has `manner` for them.
struct Set {
  std::string_view name, manner;
  bool here;  // whether this processor has it
  lanes::Kernels<double> doubles;
  lanes::Kernels<float> floats;
};

// Those in this build, best first.
const std::vector<Set>& sets() {
  using namespace lanes;
  static const std::vector<Set> all{
#ifdef WEFT_HAVE_AVX512
      {"avx512",
       "lanes",
       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"),
       {avx512_complex_double, avx512_real_double, avx512_rows_forward_double, avx512_rows_backward_double},
       {avx512_complex_float, avx512_real_float, avx512_rows_forward_float, avx512_rows_backward_float}},
#endif
#ifdef WEFT_HAVE_AVX2
      {"avx2",
       "lanes-avx2",
       __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
       {avx2_complex_double, avx2_real_double, avx2_rows_forward_double, avx2_rows_backward_double},
       {avx2_complex_float, avx2_real_float, avx2_rows_forward_float, avx2_rows_backward_float}},
#endif
#ifdef WEFT_HAVE_NEON
      {"neon",
       "lanes-neon",
       true,
       {neon_complex_double, neon_real_double, neon_rows_forward_double, neon_rows_backward_double},
       {neon_complex_float, neon_real_float, neon_rows_forward_float, neon_rows_backward_float}},
#endif
  };
  return all;
}

// The set of that name on this processor. Without a name the best one, or null where there is none.
const Set* find(std::string_view name) {
  if (name == "none") return nullptr;
  for (const Set& set : sets())
    if (set.here && (name.empty() || name == set.name)) return &set;
  if (name.empty()) return nullptr;
  std::string names;
  for (const std::string& known : kernel_sets()) names += known + ", ";
  throw Error("WEFT_KERNELS=" + std::string(name.substr(0, 100)) + ": this build and processor have " + names +
              "none; give one of these, or unset it for the best one");
}

const Set* chosen() {
  static const Set* const set = [] {
    const char* const name = std::getenv("WEFT_KERNELS");
    return find(name ? name : "");
  }();
  return set;
}

bool is_odd(const LineSpec& spec) { return spec.kind != Kind::c2c && spec.length % 2 != 0; }

Index complex_points(const LineSpec& spec) {
  return spec.kind == Kind::c2c || is_odd(spec) ? spec.length : spec.length / 2;
}

// The radices of the passes, small ones first: as few as can be but at least so many, and of those
// the ones of the least sum. Empty where there are none; that does not depend on the composite
// ones.
std::vector<int> radices(Index n, std::size_t at_least = 1, int registers = 32) {
  constexpr int all[] = {31, 29, 23, 19, 17, 13, 12, 11, 10, 8, 7, 6, 5, 4, 3, 2};
  std::vector<int> known;
  for (const int radix : all)
    if (radix % 2 != 0 || radix <= lanes::largest_composite(registers)) known.push_back(radix);
  std::vector<int> best, list;
  const auto sum = [](const std::vector<int>& of) { return std::accumulate(of.begin(), of.end(), 0); };
  const auto extend = [&](const auto& self, Index left) -> void {
    if (left == 1 && list.size() >= at_least &&
        (best.empty() || std::pair(list.size(), sum(list)) < std::pair(best.size(), sum(best))))
      best = list;
    for (const int radix : known)
      if (left > 1 && left % radix == 0 && (list.empty() || radix <= list.back())) {
        list.push_back(radix);
        self(self, left / radix);
        list.pop_back();
      }
  };
  extend(extend, n);
  std::reverse(best.begin(), best.end());
  return best;
}

// Points of the transforms that make a convolution of a line which has no radices of its own; 0
// where it needs none, or none are known.
Index convolution_points(const LineSpec& spec) {
  constexpr Index shortest = 37;  // what is shorter FFTW has code of its own for
  const Index n = spec.length;
  if (n < shortest || !radices(complex_points(spec), 2).empty()) return 0;
  const Index points = is_prime(n) && !radices(n - 1, 2).empty() ? n - 1 : bluestein_length(n);
  return points <= longest ? points : 0;
}

using lanes::combined, lanes::few_combined, lanes::few_first, lanes::few_last;
constexpr Index few_rest = few_first * few_last;

template <class Real>
class LanesLines final : public Lines {
 public:
  LanesLines(const LineSpec& spec, const lanes::Kernels<Real>& kernels)
      : Lines(spec, static_cast<std::size_t>(2 * (std::max(complex_points(spec), convolution_points(spec)) + 2) * 2 *
                                             kernels.complex.lanes) *
                        sizeof(Real)),
        registers_(kernels.complex.registers),
        width_(kernels.complex.lanes),
        run_(spec.kind == Kind::r2c                 ? kernels.real.r2c
             : spec.kind == Kind::c2r               ? kernels.real.c2r
             : spec.direction == Direction::forward ? kernels.complex.forward
                                                    : kernels.complex.backward) {
    const Index n = complex_points(spec);
    if (spec.in_stride > 1 && spec.out_stride > 1)
      rows_ = spec.direction == Direction::forward ? kernels.rows_forward : kernels.rows_backward;
    if (const Index points = convolution_points(spec); points > 0) {
      convolve(points, kernels);
      return;
    }
    program_.points = n;
    if (const int parts = by_rows()) {
      rest_.points = n / parts;
      if (!in_registers())
        set_passes(rest_, parts == few_combined ? std::vector{few_first, few_last}
                                                : in_order(radices(rest_.points, 1, registers_)));
      if (spec.direction == Direction::backward)
        program_.zero = leaves_out(parts);
      else
        (in_registers() ? program_ : rest_).unwanted =
            leaves_out(in_registers() ? static_cast<int>(rest_.points) : rest_.radix[rest_.passes - 1]);
      std::vector<Real> across;
      const Index some = in_registers() ? width_ / 2 : width_;
      for (Index block = 0; block < rest_.points; block += some)
        for (Index k = 1; k < parts; ++k)
          for (const bool imaginary : {false, true})
            for (Index lane = 0; lane < width_; ++lane) {
              const Index point = in_registers() ? block + lane / 2
                                                 : std::min(block, std::max<Index>(rest_.points - width_, 0)) +
                                                       kernels.complex.point[lane] % rest_.points;
              const auto [re, im] = root(point * k, n);
              across.push_back(!imaginary                                                                    ? re
                               : in_registers() && (lane % 2 == 0) == (spec.direction == Direction::forward) ? -im
                                                                                                             : im);
            }
      program_.across = kept(std::move(across));
      program_.rest = &rest_;
      if (spec.kind != Kind::c2c) set_turns();
      return;
    }
    set_passes(program_, in_order(radices(n, 2, registers_)));
    if (spec.kind == Kind::c2c) {
      const bool reads = spec.direction == Direction::backward;
      (reads ? program_.zero : program_.unwanted) = leaves_out(program_.radix[reads ? 0 : program_.passes - 1]);
      program_.hole_first = untouched_.first, program_.hole_last = untouched_.second;
    }
    if (spec.kind == Kind::c2c || is_odd(spec)) return;
    std::vector<Real> halves;
    for (Index k = 0; 2 * k <= n; ++k) push(halves, k, spec.length);
    program_.halves = kept(std::move(halves));
  }

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    run(in, in_step_bytes(), out, out_step_bytes(), count, false);
  }
  bool streams() const override { return spec().out_stride == 1; }
  void stream(const std::byte* in, std::byte* out, Index count) const override {
    run(in, in_step_bytes(), out, out_step_bytes(), count, true);
  }
  bool takes_steps() const override { return spec().in_stride == 1 && spec().out_stride == 1; }
  void apart(const Apart& lines) const override {
    run(lines.in, lines.in_step, lines.out, lines.out_step, lines.count, lines.streams, memory(lines.reads),
        memory(lines.writes));
  }
  bool asks() const override { return spec().kind == Kind::c2c && by_rows() > 0 && !in_registers(); }
  bool takes_rows() const override { return rows_; }
  void rows(const Lines::Rows& rows) const override {
    rows_(program_,
          {reinterpret_cast<const Real* const*>(rows.in), reinterpret_cast<Real* const*>(rows.out), rows.columns,
           static_cast<Real>(rows.scale), rows.streams && std::all_of(rows.out, rows.out + spec().length, aligned),
           rows.kept.first, rows.kept.second - rows.kept.first, memory(rows.reads), memory(rows.writes),
           reinterpret_cast<Real*>(scratch())});
  }
  bool reads_ahead() const override { return spec().in_stride == 1 && spec().direction == Direction::forward; }
  std::pair<Index, Index> untouched() const override { return untouched_; }
  Index batch() const override { return in_registers() ? 1 : width_ / std::max(by_rows(), 1); }
  bool prefers_out_of_place() const override { return !spec().in_place(); }

 private:
  static constexpr Index line = Aligned::alignment;  // of a cache
  static bool aligned(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % line == 0; }
  static lanes::Memory memory(const Ahead& of) { return {of.rows, of.count, of.bytes, of.near}; }
  void run(const std::byte* in, Index in_step, std::byte* out, Index out_step, Index count, bool streams,
           const lanes::Memory& reads = {}, const lanes::Memory& writes = {}) const {
    constexpr Index real = sizeof(Real);
    run_(program_,
         {reinterpret_cast<const Real*>(in), 2 * spec().in_stride, in_step / real, reinterpret_cast<Real*>(out),
          2 * spec().out_stride, out_step / real, count, reinterpret_cast<Real*>(scratch()),
          streams && aligned(out) && (count < 2 || out_step % line == 0), reads, writes});
  }

  // Whether rows go through registers alone.
  bool in_registers() const {
    return sizeof(Real) == 8 && by_rows() > 0 && complex_points(spec()) / by_rows() <= combined;
  }
  // How many parts a row has where rows are not put in lanes: eighths are whole numbers of
  // registers, or rows are long; quarters are for rows that registers or the first-level cache
  // hold.
  int by_rows() const {
    constexpr Index long_line = 160;
    const Index points = complex_points(spec()), eighth = points / combined, quarter = points / few_combined;
    const auto bytes = width_ * static_cast<Index>(sizeof(Real));
    if (spec().in_stride != 1 || spec().out_stride != 1 || program_.convolution) return 0;
    if (!lanes::keeps_rows(registers_, bytes)) {
      if (!lanes::keeps_short_rows(bytes) || sizeof(Real) != 8 || spec().kind != Kind::c2c) return 0;
      return points == combined * combined                                                ? combined
             : points == few_combined * few_combined || points == few_combined * combined ? few_combined
                                                                                          : 0;
    }
    if (points % (spec().kind == Kind::c2c ? combined : width_) != 0) return 0;
    if (eighth >= width_ && (eighth % width_ == 0 || points >= long_line)) return combined;
    if (width_ == combined &&
        (quarter == few_combined || quarter == combined || (quarter == few_rest && !spec().has_hole())))
      return few_combined;
    return 0;
  }
  // Where there is a hole, the pass that can leave it out has the largest radix that has one: of a
  // large one more can be. The first pass of odd real lines leaves nearly half of its results out.
  std::vector<int> in_order(std::vector<int> list) const {
    if (is_odd(spec())) std::reverse(list.begin(), list.end());
    const auto largest =
        std::find_if(list.rbegin(), list.rend(), [](int radix) { return lanes::hole_of(radix).last > 0; });
    if (!spec().has_hole() || largest == list.rend()) return list;
    spec().direction == Direction::forward ? std::rotate(largest.base() - 1, largest.base(), list.end())
                                           : std::rotate(list.begin(), largest.base() - 1, largest.base());
    return list;
  }
  // Whether a pass of that radix can leave part of the hole out, which then stays untouched.
  bool leaves_out(int radix) {
    const lanes::Hole hole = lanes::hole_of(radix);
    const Index part = spec().length / radix;
    if (hole.last == 0 || hole.first * part < spec().hole_first || hole.last * part > spec().hole_last) return false;
    untouched_ = {hole.first * part, hole.last * part};
    return true;
  }
  static std::pair<Real, Real> root(Index k, Index n) {  // exp(-2 pi i k / n)
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    return {static_cast<Real>(std::cos(angle)), static_cast<Real>(-std::sin(angle))};
  }
  static void push(std::vector<Real>& list, Index k, Index n) {
    const auto [re, im] = root(k, n);
    list.push_back(re);
    list.push_back(im);
  }
  // All kernels turn the same way, forward.
  void convolve(Index points, const lanes::Kernels<Real>& kernels) {
    const Index n = spec().length;
    program_.points = points;
    set_passes(program_, radices(points, 2, registers_));
    std::vector<Real> chirp, kernel;
    convolution_.points = n;
    if (points == n - 1) {
      order_ = powers(n);
      for (const int k : order_.back) push(kernel, k, n);
      convolution_.from = order_.there.data(), convolution_.to = order_.back.data();
    } else {
      for (Index j = 0; j < n; ++j) push(chirp, j * j % (2 * n), 2 * n);
      kernel.resize(static_cast<std::size_t>(2 * points));
      for (Index j = 0; j < n; ++j)
        for (const Index at : {j, (points - j) % points}) {
          kernel[static_cast<std::size_t>(2 * at)] = chirp[static_cast<std::size_t>(2 * j)];
          kernel[static_cast<std::size_t>(2 * at + 1)] = -chirp[static_cast<std::size_t>(2 * j + 1)];
        }
      convolution_.chirp = kept(std::move(chirp));
    }
    std::vector<Real> spectrum(kernel.size());
    kernels.complex.forward(program_, {kernel.data(), 2, 2 * points, spectrum.data(), 2, 2 * points, 1,
                                       reinterpret_cast<Real*>(scratch()), false});
    for (Real& value : spectrum) value /= static_cast<Real>(points);
    convolution_.kernel = kept(std::move(spectrum));
    convolution_.run = kernels.real.convolve;
    program_.convolution = &convolution_;
  }
  const Real* kept(std::vector<Real> table) { return tables_.emplace_back(std::move(table)).data(); }
  void set_turns() {
    std::vector<Real> turns;
    const bool backward = spec().direction == Direction::backward;
    for (Index block = 0; 2 * block < program_.points; block += width_ / 2)
      for (const bool imaginary : {false, true})
        for (Index k = block; k < block + width_ / 2; ++k) {
          const auto [re, im] = root(k, spec().length);
          turns.insert(turns.end(), 2, backward ? (imaginary ? re : im) : (imaginary ? -re : im) / 2);
        }
    program_.turns = kept(std::move(turns));
  }
  void set_passes(lanes::Program<Real>& program, const std::vector<int>& list) {
    Index left = program.points;
    for (const int radix : list) {
      std::vector<Real> twiddles;
      for (Index p = 0; p < left / radix; ++p)
        for (int k = 1; k < radix; ++k) push(twiddles, p * k, left);
      program.radix[program.passes] = radix;
      program.twiddles[program.passes++] = kept(std::move(twiddles));
      left /= radix;
    }
    // passes between the first and the last leave the digits of what they find from behind
    std::vector<Index> block{0};
    for (std::size_t k = 1; k + 1 < list.size(); ++k) {
      std::vector<Index> finer;
      for (int digit = 0; digit < list[k]; ++digit)
        for (const Index at : block) finer.push_back(at * list[k] + digit);
      block = std::move(finer);
    }
    program.block = blocks_.emplace_back(std::move(block)).data();
  }

  lanes::Program<Real> program_, rest_;
  lanes::Convolution<Real> convolution_;
  Powers order_;
  std::vector<std::vector<Real>> tables_;
  std::vector<std::vector<Index>> blocks_;
  int registers_;
  Index width_;
  std::pair<Index, Index> untouched_{0, 0};
  void (*run_)(const lanes::Program<Real>&, lanes::Batch<Real>);
  void (*rows_)(const lanes::Program<Real>&, lanes::Rows<Real>) = nullptr;
};

}  // namespace

bool fits_lanes(const LineSpec& spec) {
  if (real_to_real(spec.kind) || spec.length > longest) return false;
  if ((spec.in_stride > 1 && spec.in_step() != 1) || (spec.out_stride > 1 && spec.out_step() != 1))
    return false;  // columns lie side by side
  return chosen() && (!radices(complex_points(spec), 2).empty() || convolution_points(spec) > 0);
}

std::shared_ptr<const Lines> in_lanes(const LineSpec& spec, std::string_view name) {
  const Set& set = name.empty() ? *chosen() : *find(name);
  if (spec.precision == Precision::double_) return std::make_shared<LanesLines<double>>(spec, set.doubles);
  return std::make_shared<LanesLines<float>>(spec, set.floats);
}

std::vector<std::string> kernel_sets() {
  std::vector<std::string> names;
  for (const Set& set : sets())
    if (set.here) names.emplace_back(set.name);
  return names;
}

std::string_view kernel_set() { return chosen() ? chosen()->name : "none"; }

std::string_view lanes_manner() { return chosen() ? chosen()->manner : "lanes"; }

}  // namespace weft

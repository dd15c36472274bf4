#include "lanes.hpp"

#include <cmath>
#include <numbers>

#include "aligned.hpp"
#include "lanes_kernels.hpp"

namespace weft {
namespace {

constexpr Index longest = 4096;  // beyond it a batch leaves the second-level cache

template <class Real>
const lanes::Kernels<Real>* kernels() {
#ifdef WEFT_HAVE_AVX512
  static const bool can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if constexpr (std::is_same_v<Real, double>) return can ? &lanes::avx512_double : nullptr;
  else return can ? &lanes::avx512_float : nullptr;
#else
  return nullptr;
#endif
}

Index complex_points(const LineSpec& spec) { return spec.kind == Kind::c2c ? spec.length : spec.length / 2; }

// The radices of the passes, large ones first; empty where there are none or less than two.
std::vector<int> radices(const Index points) {
  std::vector<int> list;
  Index n = points;
  for (const int radix : {8, 4, 2, 7, 5, 3})
    for (; n % radix == 0 && radix < points && !(radix == 8 && n == 16); n /= radix) list.push_back(radix);  // 16 = 4 x 4
  if (n > 1 || list.size() < 2) list.clear();
  return list;
}

template <class Real>
class LanesLines final : public Lines {
 public:
  LanesLines(const LineSpec& spec, const lanes::Kernels<Real>& kernels)
      : Lines(spec, static_cast<std::size_t>(2 * (complex_points(spec) + 1) * 2 * kernels.lanes) * sizeof(Real)),
        width_(kernels.lanes),
        run_(spec.kind == Kind::r2c ? kernels.r2c : spec.kind == Kind::c2r ? kernels.c2r : spec.direction == Direction::forward ? kernels.forward : kernels.backward) {
    program_.points = complex_points(spec);
    const auto list = radices(program_.points);
    std::vector<std::size_t> first;  // of each pass among the twiddles
    Index left = program_.points;
    for (const int radix : list) {
      first.push_back(twiddles_.size());
      for (Index p = 0; p < left / radix; ++p)
        for (int k = 1; k < radix; ++k) push(p * k, left);
      left /= radix;
    }
    const std::size_t halves = twiddles_.size();
    if (spec.kind != Kind::c2c)
      for (Index k = 0; 2 * k <= program_.points; ++k) push(k, spec.length);
    for (std::size_t k = 0; k < list.size(); ++k) {
      program_.radix[k] = list[k];
      program_.twiddles[k] = twiddles_.data() + first[k];
    }
    program_.passes = static_cast<int>(list.size());
    program_.halves = twiddles_.data() + halves;
  }

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    const Index reals_in = complex_input(spec().kind) ? 2 : 1, reals_out = complex_output(spec().kind) ? 2 : 1;
    run_(program_, {reinterpret_cast<const Real*>(in), 2 * spec().in_stride, reals_in * spec().in_step(), reinterpret_cast<Real*>(out), 2 * spec().out_stride,
                    reals_out * spec().out_step(), count, reinterpret_cast<Real*>(scratch())});
  }
  Index batch() const override { return width_; }
  bool prefers_out_of_place() const override { return !spec().in_place(); }

 private:
  void push(Index k, Index n) {  // exp(-2 pi i k / n)
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    twiddles_.push_back(static_cast<Real>(std::cos(angle)));
    twiddles_.push_back(static_cast<Real>(-std::sin(angle)));
  }

  lanes::Program<Real> program_;
  std::vector<Real> twiddles_;
  Index width_;
  void (*run_)(const lanes::Program<Real>&, lanes::Batch<Real>);
};

}  // namespace

bool fits_lanes(const LineSpec& spec) {
  if (real_to_real(spec.kind) || spec.length > longest || (spec.kind != Kind::c2c && spec.length % 2 != 0)) return false;
  return (spec.precision == Precision::double_ ? kernels<double>() != nullptr : kernels<float>() != nullptr) && !radices(complex_points(spec)).empty();
}

std::shared_ptr<const Lines> in_lanes(const LineSpec& spec) {
  if (spec.precision == Precision::double_) return std::make_shared<LanesLines<double>>(spec, *kernels<double>());
  return std::make_shared<LanesLines<float>>(spec, *kernels<float>());
}

}  // namespace weft

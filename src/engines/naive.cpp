// The definitions, summed directly in long double: O(n^2) a line, exact to the last bits of the
// result. For tests. Every kind is one sum: y_k = sum_j w_j x_j e((2j + a)(2k + b) / period) with e
// = exp(+-2 pi i ...), its cosine or its sine, and weights w of 2 except at ends that the extended
// sequence holds once. Source: "What FFTW Really Computes", FFTW 3.3 manual.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "engines.hpp"

namespace weft {
namespace {

struct Sum {
  Index a, b;                      // offsets of the input and output index, in half points
  Index period;                    // of the phase (2j + a)(2k + b)
  long double inner, first, last;  // weights
};

Sum sum_of(Kind kind, Index n) {
  switch (kind) {
    case Kind::c2c:
    case Kind::r2c:
      return {0, 0, 4 * n, 1, 1, 1};
    case Kind::c2r:
      return {0, 0, 4 * n, 2, 1, n % 2 ? 2.0L : 1.0L};
    case Kind::dct1:
      return {0, 0, 8 * (n - 1), 2, 1, 1};
    case Kind::dct2:
      return {1, 0, 8 * n, 2, 2, 2};
    case Kind::dct3:
      return {0, 1, 8 * n, 2, 1, 2};
    case Kind::dct4:
      return {1, 1, 8 * n, 2, 2, 2};
    case Kind::dst1:
      return {2, 2, 8 * (n + 1), 2, 2, 2};
    case Kind::dst2:
      return {1, 2, 8 * n, 2, 2, 2};
    case Kind::dst3:
      return {2, 1, 8 * n, 2, 2, 1};
    case Kind::dst4:
      return {1, 1, 8 * n, 2, 2, 2};
    case Kind::r2hc:
    case Kind::dht:
      return {0, 0, 4 * n, 1, 1, 1};
    case Kind::hc2r:
      return {0, 0, 4 * n, 2, 1, 2};
  }
  throw Error("a kind without a definition");
}

template <class Real>
class NaiveLines final : public Lines {
  using Complex = std::complex<long double>;

 public:
  explicit NaiveLines(const LineSpec& spec)
      : Lines(spec, static_cast<std::size_t>(spec.length) * sizeof(Complex)),
        sum_(sum_of(spec.kind, spec.length)),
        waves_(static_cast<std::size_t>(sum_.period)) {
    const long double sign = complex_output(spec.kind) && spec.direction == Direction::forward ? -1 : 1;
    const bool half = spec.kind == Kind::r2hc || spec.kind == Kind::hc2r,
               sine = spec.kind >= Kind::dst1 && spec.kind <= Kind::dst4;
    for (Index m = 0; m < sum_.period; ++m) {
      const auto angle =
          2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(sum_.period);
      const Complex wave(std::cos(angle), sign * std::sin(angle));
      waves_[static_cast<std::size_t>(m)] = sine                               ? wave.imag()
                                            : spec.kind == Kind::dht           ? wave.real() + wave.imag()
                                            : real_to_real(spec.kind) && !half ? wave.real()
                                                                               : wave;
    }
  }

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    for (Index line = 0; line < count; ++line, in += in_step_bytes(), out += out_step_bytes()) transform(in, out);
  }

 private:
  void transform(const std::byte* in, std::byte* out) const {
    auto* x = reinterpret_cast<Complex*>(scratch());
    for (Index j = 0; j < in_length(); ++j) {
      long double weight = std::min(j == 0 ? sum_.first : sum_.inner, j == in_length() - 1 ? sum_.last : sum_.inner);
      if (spec().kind == Kind::hc2r && 2 * j == spec().length) weight = 1;
      x[j] = weight * read(in, j);
      if (spec().kind == Kind::c2r && 2 * j % spec().length == 0) x[j] = x[j].real();
    }
    for (Index k = 0; k < out_length(); ++k) {
      long double re = 0, im = 0;  // not std::complex's product, which is slow for its care about infinities
      // The phase (2j + a)(2k + b), modulo its period: divisions would take longer than the sum.
      const Index step = 2 * (2 * k + sum_.b) % sum_.period;
      Index phase = sum_.a * (2 * k + sum_.b) % sum_.period;
      for (Index j = 0; j < in_length(); ++j) {
        Complex e = waves_[static_cast<std::size_t>(phase)];
        if ((phase += step) >= sum_.period) phase -= sum_.period;
        // real parts belong to cosines, imaginary ones, which lie behind them from the last to the
        // first, to sines
        if (spec().kind == Kind::r2hc) e = 2 * k <= spec().length ? e.real() : e.imag();
        if (spec().kind == Kind::hc2r) e = 2 * j <= spec().length ? e.real() : e.imag();
        re += x[j].real() * e.real() - x[j].imag() * e.imag();
        im += x[j].real() * e.imag() + x[j].imag() * e.real();
      }
      write(out, k, re, im);
    }
  }

  Complex read(const std::byte* in, Index j) const {
    Real value[2] = {0, 0};
    const auto bytes = element_bytes(spec().precision, complex_input(spec().kind));
    std::memcpy(value, in + static_cast<std::size_t>(j * spec().in_stride) * bytes, bytes);
    return {value[0], value[1]};
  }

  void write(std::byte* out, Index k, long double re, long double im) const {
    const Real value[2] = {static_cast<Real>(re), static_cast<Real>(im)};
    const auto bytes = element_bytes(spec().precision, complex_output(spec().kind));
    std::memcpy(out + static_cast<std::size_t>(k * spec().out_stride) * bytes, value, bytes);
  }

  Sum sum_;
  std::vector<Complex> waves_;
};

class Naive final : public Engine {
 public:
  std::string_view name() const override { return "naive"; }
  std::string_view summary() const override {
    return "the definition of each transform, summed in long double; for tests";
  }

 private:
  std::string limits(const LineSpec& spec) const override {
    return spec.length > 65536 ? "direct sums are for lengths up to 65536" : "";
  }
  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string&) const override {
    if (spec.precision == Precision::single_) return std::make_shared<NaiveLines<float>>(spec);
    return std::make_shared<NaiveLines<double>>(spec);
  }
};

}  // namespace

std::unique_ptr<const Engine> naive_engine() { return std::make_unique<Naive>(); }

}  // namespace weft

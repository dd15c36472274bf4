// DUCC0's FFT (BSD licence, header-only source): a way round FFTW's GPL, and fast for lengths with
// prime factors that FFTW has no code for.
//
// Always one way: as many lines as the vector registers have lanes are interleaved in scratch, one
// line a lane, and transformed at once; a remainder is filled up with copies of a line. So lanes
// never meet, the bits depend on nothing else, and DUCC's scalar path, which allocates, is never
// taken.
//
// DUCC is compiled into a namespace of our own, its few non-template functions included, so that it
// cannot meet a program's own DUCC.
#define DUCC0_NAMESPACE weft_ducc0
#define DUCC0_NO_LOWLEVEL_THREADING  // we thread over lines, not inside them
#include <ducc0/fft/fft1d_impl.h>
#include <ducc0/infra/string_utils.cc>
#include <ducc0/infra/threading.cc>

#include <algorithm>
#include <functional>

#include "aligned.hpp"
#include "engines.hpp"

namespace weft {
namespace {

namespace ducc = weft_ducc0::detail_fft;

template <class Real>
class DuccLines final : public Lines {
  using Vector = weft_ducc0::native_simd<Real>;
  using Complex = weft_ducc0::Cmplx<Vector>;
  static constexpr auto lanes = static_cast<Index>(Vector::size());
  // Interleaved lines in the first argument, in place; the second is work space.
  using Transform = std::function<void(std::byte*, std::byte*)>;

 public:
  static std::shared_ptr<const Lines> plan(const LineSpec& spec) {
    const auto n = static_cast<std::size_t>(spec.length);
    const int type = 1 + (static_cast<int>(spec.kind) - static_cast<int>(Kind::dct1)) % 4;  // 1..4
    const bool forward = spec.direction == Direction::forward && spec.kind != Kind::hc2r,
               cosine = spec.kind < Kind::dst1;
    const auto fourier = [&](auto plan, auto* element) {
      return make(spec, sizeof *element * plan->bufsize(), [plan, forward](std::byte* line, std::byte* work) {
        plan->exec_copyback(reinterpret_cast<decltype(element)>(line), reinterpret_cast<decltype(element)>(work),
                            Real(1), forward, 1);
      });
    };
    const auto trigonometric = [&](auto plan) {
      return make(spec, sizeof(Vector) * plan->bufsize(), [plan, type, cosine](std::byte* line, std::byte* work) {
        plan->exec_copyback(reinterpret_cast<Vector*>(line), reinterpret_cast<Vector*>(work), Real(1), false, type,
                            cosine, 1);
      });
    };
    if (spec.kind == Kind::c2c)
      return fourier(std::make_shared<ducc::pocketfft_c<Real>>(n), static_cast<Complex*>(nullptr));
    if (!real_to_real(spec.kind) || spec.kind >= Kind::r2hc)
      return fourier(std::make_shared<ducc::pocketfft_r<Real>>(n), static_cast<Vector*>(nullptr));
    if (type == 4) return trigonometric(std::make_shared<ducc::T_dcst4<Real>>(n));
    if (type != 1) return trigonometric(std::make_shared<ducc::T_dcst23<Real>>(n));
    if (cosine) return trigonometric(std::make_shared<ducc::T_dct1<Real>>(n));
    return trigonometric(std::make_shared<ducc::T_dst1<Real>>(n));
  }

  DuccLines(const LineSpec& spec, std::size_t work_bytes, Transform transform)
      : Lines(spec, line_size(spec) + work_bytes), transform_(std::move(transform)) {}

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    auto* line = reinterpret_cast<Real*>(scratch());
    for (Index first = 0; first < count; first += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) {
        const Index source = first + lane < count ? first + lane : first;
        gather(reinterpret_cast<const Real*>(in + source * in_step_bytes()), line + lane);
      }
      transform_(scratch(), scratch() + line_size(spec()));
      for (Index lane = 0; lane < std::min(lanes, count - first); ++lane)
        scatter(line + lane, reinterpret_cast<Real*>(out + (first + lane) * out_step_bytes()));
    }
  }
  Index batch() const override { return lanes; }

 private:
  static std::shared_ptr<const Lines> make(const LineSpec& spec, std::size_t work_bytes, Transform transform) {
    return std::make_shared<DuccLines>(spec, work_bytes, std::move(transform));
  }
  static Index reals(const LineSpec& spec) { return spec.kind == Kind::c2c ? 2 * spec.length : spec.length; }
  static std::size_t line_size(const LineSpec& spec) {
    return Aligned::padded(static_cast<std::size_t>(reals(spec)) * sizeof(Vector));
  }

  // DUCC's half-complex lines, r0 r1 i1 r2 i2 ..., are complex lines without the imaginary parts
  // that are zero.
  void gather(const Real* in, Real* line) const {
    if (spec().in_stride > 1) {
      for (Index j = 0; j < spec().length; ++j)
        for (Index part = 0; part < 2; ++part) line[(2 * j + part) * lanes] = in[2 * j * spec().in_stride + part];
      return;
    }
    const Index shift = spec().kind == Kind::c2r ? 1 : 0;
    line[0] = in[0];
    if (spec().kind == Kind::hc2r) {  // real parts ahead, imaginary ones behind, from the last to the first
      const Index n = spec().length;
      for (Index j = 1; j < n; ++j) line[j * lanes] = in[j % 2 == 1 ? (j + 1) / 2 : n - j / 2];
      return;
    }
    for (Index j = 1; j < reals(spec()); ++j) line[j * lanes] = in[j + shift];
  }
  void scatter(const Real* line, Real* out) const {
    if (spec().out_stride > 1) {
      for (Index j = 0; j < spec().length; ++j)
        for (Index part = 0; part < 2; ++part) out[2 * j * spec().out_stride + part] = line[(2 * j + part) * lanes];
      return;
    }
    const Index shift = spec().kind == Kind::r2c ? 1 : 0, n = reals(spec());
    out[0] = line[0];
    if (spec().kind >= Kind::r2hc && spec().kind != Kind::hc2r) {
      const bool hartley = spec().kind == Kind::dht;
      for (Index k = 1; 2 * k <= n; ++k) {
        const Real re = line[(2 * k - 1) * lanes], im = 2 * k < n ? line[2 * k * lanes] : Real(0);
        out[k] = hartley ? re - im : re;
        if (2 * k < n) out[n - k] = hartley ? re + im : im;
      }
      return;
    }
    for (Index j = 1; j < n; ++j) out[j + shift] = line[j * lanes];
    if (shift) out[1] = 0;
    if (shift && n % 2 == 0) out[n + 1] = 0;
  }

  Transform transform_;
};

class Ducc final : public Engine {
 public:
  std::string_view name() const override { return "ducc"; }
  std::string_view summary() const override { return "DUCC0: permissive licence; every length, large primes too"; }

 private:
  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string&) const override {
    return spec.precision == Precision::single_ ? DuccLines<float>::plan(spec) : DuccLines<double>::plan(spec);
  }
};

}  // namespace

std::unique_ptr<const Engine> ducc_engine() { return std::make_unique<Ducc>(); }

}  // namespace weft

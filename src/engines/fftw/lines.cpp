#include "lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engines/aligned.hpp"
#include "engines/convolved.hpp"

namespace weft::fftw {
namespace {

unsigned flags_of(std::string_view effort) {
  return effort == "estimate"  ? FFTW_ESTIMATE
         : effort == "measure" ? FFTW_MEASURE
         : effort == "patient" ? FFTW_PATIENT
                               : FFTW_EXHAUSTIVE;
}

fftw_r2r_kind r2r_kind(Kind kind) {
  constexpr std::array<fftw_r2r_kind, 11> kinds{FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                                FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11,
                                                FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT};
  return kinds[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::dct1)];
}

// Bytes of a batch, the next thing on a cache line of its own.
std::size_t in_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.in_span(batch)) *
                         element_bytes(spec.precision, complex_input(spec.kind)));
}
std::size_t out_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.out_span(batch)) *
                         element_bytes(spec.precision, complex_output(spec.kind)));
}

template <class Real>
class FftwLines final : public Lines {
  using F = Library<Real>;

 public:
  FftwLines(const LineSpec& spec, Manner manner, Index batch, unsigned flags)
      : Lines(spec, in_size(spec, batch) + (manner == Manner::in_place ? 0 : out_size(spec, batch))),
        manner_(manner),
        batch_(batch),
        in_size_(in_size(spec, batch)),
        shares_(is_awkward(spec)) {
    const Aligned in(in_size_), out(out_size(spec, batch));
    std::byte* target = manner == Manner::in_place ? in.data() : out.data();
    const typename F::Dim points{spec.length, spec.in_stride, spec.out_stride},
        lines{batch, spec.in_step(), spec.out_step()};
    flags |= manner == Manner::from_scratch ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
    const std::lock_guard lock(planner());
    switch (spec.kind) {
      case Kind::c2c:
        plan_ = F::plan_c2c(1, &points, 1, &lines, complex(in.data()), complex(target),
                            spec.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
        break;
      case Kind::r2c:
        plan_ = F::plan_r2c(1, &points, 1, &lines, real(in.data()), complex(target), flags);
        break;
      case Kind::c2r:
        plan_ = F::plan_c2r(1, &points, 1, &lines, complex(in.data()), real(target), flags);
        break;
      default: {
        const auto kind = r2r_kind(spec.kind);
        plan_ = F::plan_r2r(1, &points, 1, &lines, real(in.data()), real(target), &kind, flags);
      }
    }
    if (!plan_) throw Error("FFTW found no plan for " + to_string(spec));
  }
  ~FftwLines() override {
    const std::lock_guard lock(planner());
    F::destroy(plan_);
  }

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    for (; count > 0; count -= batch_, in += batch_ * in_step_bytes(), out += batch_ * out_step_bytes()) {
      const Index lines = std::min(count, batch_);
      const bool whole = lines == batch_;
      std::byte* write = whole && aligned(out) ? out : scratch() + (manner_ == Manner::in_place ? 0 : in_size_);
      std::byte* read = manner_ == Manner::in_place ? write
                        : manner_ == Manner::out_of_place && whole && aligned(in) && in != out
                            ? const_cast<std::byte*>(in)
                            : scratch();
      if (read != in) fill(read, in, lines);
      execute(read, write);
      if (write == out) continue;
      copy(write, out, lines, out_length(), spec().out_stride, out_step_bytes(), out_bytes());
    }
  }

  Index batch() const override { return batch_; }
  bool prefers_out_of_place() const override { return manner_ != Manner::in_place; }
  bool may_be_held() const override { return !shares_; }

 private:
  static typename F::Complex* complex(std::byte* p) { return reinterpret_cast<typename F::Complex*>(p); }
  static Real* real(std::byte* p) { return reinterpret_cast<Real*>(p); }
  static bool aligned(const std::byte* p) { return F::alignment_of(real(const_cast<std::byte*>(p))) == 0; }
  // A whole batch from `lines` lines: the missing ones are copies, so that no strange value slows
  // the arithmetic down.
  void fill(std::byte* batch, const std::byte* in, Index lines) const {
    copy(in, batch, lines, in_length(), spec().in_stride, in_step_bytes(), in_bytes());
    for (Index k = lines; k < batch_; ++k)
      copy(in, batch + k * in_step_bytes(), 1, in_length(), spec().in_stride, in_step_bytes(), in_bytes());
  }
  // Lines of so many points and bytes that lie alike in both places, `step` bytes apart, their
  // points `stride` points apart.
  static void copy(const std::byte* from, std::byte* to, Index lines, Index points, Index stride, Index step,
                   std::size_t bytes) {
    if (stride == 1) {
      for (Index k = 0; k < lines; ++k) std::memcpy(to + k * step, from + k * step, bytes);
      return;
    }
    const std::size_t point = bytes / static_cast<std::size_t>(points);
    point == sizeof(Real) ? copy_points<sizeof(Real)>(from, to, lines, points, stride, step)
                          : copy_points<2 * sizeof(Real)>(from, to, lines, points, stride, step);
  }
  template <std::size_t point>
  static void copy_points(const std::byte* from, std::byte* to, Index lines, Index points, Index stride, Index step) {
    const Index apart = stride * static_cast<Index>(point);
    for (Index j = 0; j < points; ++j)
      for (Index k = 0; k < lines; ++k) std::memcpy(to + j * apart + k * step, from + j * apart + k * step, point);
  }

  void execute(std::byte* in, std::byte* out) const {
    switch (spec().kind) {
      case Kind::c2c:
        return F::c2c(plan_, complex(in), complex(out));
      case Kind::r2c:
        return F::r2c(plan_, real(in), complex(out));
      case Kind::c2r:
        return F::c2r(plan_, complex(in), real(out));
      default:
        return F::r2r(plan_, real(in), real(out));
    }
  }

  Manner manner_;
  Index batch_;
  std::size_t in_size_;
  bool shares_;  // tables with FFTW's other plans that are alive, and so bits
  typename F::Plan plan_ = nullptr;
};

// Whether equal lines of a batch give equal bits wherever they stand in it. FFTW promises nothing
// of the kind.
template <class Real>
bool uniform(const Lines& lines) {
  const LineSpec& spec = lines.spec();
  if (lines.batch() == 1) return true;
  const Aligned in(in_size(spec, lines.batch())), out(out_size(spec, lines.batch()));
  const Index parts = complex_input(spec.kind) ? 2 : 1;
  auto* values = reinterpret_cast<Real*>(in.data());
  for (Index k = 0; k < lines.batch(); ++k)
    for (Index j = 0; j < parts * lines.in_length(); ++j)
      values[parts * (k * spec.in_step() + j / parts * spec.in_stride) + j % parts] =
          static_cast<Real>(std::sin(1.0 + static_cast<double>(j)));
  lines(in.data(), out.data(), lines.batch());
  const Index points = lines.out_length();
  const std::size_t point = lines.out_bytes() / static_cast<std::size_t>(points);
  for (Index k = 1; k < lines.batch(); ++k)
    for (Index j = 0; j < points; ++j) {
      const std::byte* first = out.data() + static_cast<std::size_t>(j * spec.out_stride) * point;
      if (std::memcmp(first, first + k * lines.out_step_bytes(), point) != 0) return false;
    }
  return true;
}

}  // namespace

template <class Real>
std::shared_ptr<const Lines> plan_lines(Planner<Real>& planner, const LineSpec& spec, std::string_view effort,
                                        Choice& choice, bool learn) {
  planner.know(choice.wisdom);
  const unsigned flags = flags_of(choice.unfinished ? "estimate" : effort);
  if (convolves(choice.manner)) {
    auto transform = std::make_shared<FftwLines<Real>>(inner_of(spec, choice.manner), Manner::out_of_place, 1, flags);
    if (learn) choice.wisdom = planner.known();
    return choice.manner == Manner::rader ? rader(spec, std::move(transform)) : bluestein(spec, std::move(transform));
  }
  Index aligned = 1;  // the smallest batch after which the next one is aligned again
  const auto apart = [&](Index elements, bool is_complex) {
    return aligned * elements * static_cast<Index>(element_bytes(spec.precision, is_complex));
  };
  while (apart(spec.in_step(), complex_input(spec.kind)) % 16 != 0 ||
         apart(spec.out_step(), complex_output(spec.kind)) % 16 != 0)
    aligned *= 2;
  const auto planned = [&](Index batch) {
    return std::make_shared<FftwLines<Real>>(spec, choice.manner, batch, flags);
  };
  auto lines = planned(spec.length <= small_line || spec.in_stride > 1 || spec.out_stride > 1 ? 8 : aligned);
  if (!uniform<Real>(*lines)) lines = planned(1);
  if (learn) choice.wisdom = planner.known();
  return lines;
}

template std::shared_ptr<const Lines> plan_lines(Planner<float>&, const LineSpec&, std::string_view, Choice&, bool);
template std::shared_ptr<const Lines> plan_lines(Planner<double>&, const LineSpec&, std::string_view, Choice&, bool);

}  // namespace weft::fftw

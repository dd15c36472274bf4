// FFTW 3 (single and double), planned so that the bits of a line never depend on the company it is in.
//
// A line transform has one plan, for one batch of contiguous lines, run in one manner: in place, out of place or, for c2r (which is faster when it
// may destroy its input), from scratch. A call in another manner, a remainder of a batch (filled up with copies of a line) and memory that is not
// aligned as FFTW wants it go through scratch, with the same plan. Measured with c2c on an AVX-512 Xeon: batches of 8 are 1.5 to 1.8
// times faster than single lines up to 128 points and no faster beyond; in place wins by up to 1.2 up to 128 points, out of place by 1.2 to 1.4 beyond.
//
// Planning sees the wisdom of the line in question alone, never what the process has gathered: so it repeats from process to process, and a program's
// own FFTW wisdom is left as it was. (For large prime factors, FFTW's plans take tables over from plans alive in the process: there the last bit
// may depend on what else is planned.) FFTW's planner is not thread-safe: a program that also plans by itself must not do so while weft plans.
// Lengths with a large prime factor are also tried as convolutions (convolved.hpp) over FFTW's transforms of smooth lengths: prime lengths
// with a smooth predecessor take 0.2 to 0.5 of the time so, others 0.5 to 0.9, where they win.
// FFTW itself allocates a buffer at execution for real-to-real kinds, large prime factors and some other plans.
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>

#include "aligned.hpp"
#include "convolved.hpp"
#include "engine.hpp"
#include "lanes.hpp"

namespace weft {
namespace {

template <class Real>
struct Fftw;  // FFTW's calls for one precision

#define WEFT_FFTW(Real, X)                                               \
  template <>                                                            \
  struct Fftw<Real> {                                                    \
    using Plan = X##_plan;                                               \
    using Dim = X##_iodim64;                                             \
    using Complex = X##_complex;                                         \
    static constexpr auto plan_c2c = X##_plan_guru64_dft;                \
    static constexpr auto plan_r2c = X##_plan_guru64_dft_r2c;            \
    static constexpr auto plan_c2r = X##_plan_guru64_dft_c2r;            \
    static constexpr auto plan_r2r = X##_plan_guru64_r2r;                \
    static constexpr auto c2c = X##_execute_dft;                         \
    static constexpr auto r2c = X##_execute_dft_r2c;                     \
    static constexpr auto c2r = X##_execute_dft_c2r;                     \
    static constexpr auto r2r = X##_execute_r2r;                         \
    static constexpr auto destroy = X##_destroy_plan;                    \
    static constexpr auto alignment_of = X##_alignment_of;               \
    static constexpr auto export_wisdom = X##_export_wisdom_to_string;   \
    static constexpr auto import_wisdom = X##_import_wisdom_from_string; \
    static constexpr auto forget_wisdom = X##_forget_wisdom;             \
  };
WEFT_FFTW(float, fftwf)
WEFT_FFTW(double, fftw)
#undef WEFT_FFTW

enum class Manner { in_place, out_of_place, from_scratch, rader, bluestein, lanes };
constexpr std::array<std::string_view, 6> manner_names{"in_place", "out_of_place", "from_scratch", "rader",
                                                       "bluestein", "lanes"};  // in the order of the enumerators

// What a line's plan depends on besides its spec and effort.
struct Choice {
  Manner manner;
  std::string wisdom;  // FFTW's, of this line alone
  bool operator==(const Choice&) const = default;
};

// Guards FFTW's planner. Recursive because a plan that is not kept is destroyed while another is made.
std::recursive_mutex& planner() {
  static std::recursive_mutex mutex;
  return mutex;
}

// While it lives, FFTW's planner knows the given wisdom and nothing else.
template <class Real>
class OnlyWisdom {
  using F = Fftw<Real>;

 public:
  explicit OnlyWisdom(const std::string& wisdom) : others_(text()) {
    F::forget_wisdom();
    accepted_ = wisdom.empty() || F::import_wisdom(wisdom.c_str());
  }
  ~OnlyWisdom() {
    F::forget_wisdom();
    F::import_wisdom(others_.c_str());
  }
  OnlyWisdom(const OnlyWisdom&) = delete;
  OnlyWisdom& operator=(const OnlyWisdom&) = delete;

  bool accepted() const { return accepted_; }
  static std::string text() {
    const std::unique_ptr<char, void (*)(void*)> wisdom(F::export_wisdom(), std::free);
    return wisdom.get();
  }

 private:
  std::lock_guard<std::recursive_mutex> lock_{planner()};
  std::string others_;
  bool accepted_ = false;
};

unsigned flags_of(std::string_view effort) {
  return effort == "estimate" ? FFTW_ESTIMATE : effort == "measure" ? FFTW_MEASURE : effort == "patient" ? FFTW_PATIENT : FFTW_EXHAUSTIVE;
}

fftw_r2r_kind r2r_kind(Kind kind) {
  constexpr std::array<fftw_r2r_kind, 8> kinds{FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                               FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::dct1)];
}

// Bytes of a batch, the next thing on a cache line of its own.
std::size_t in_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.in_span(batch)) * element_bytes(spec.precision, complex_input(spec.kind)));
}
std::size_t out_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.out_span(batch)) * element_bytes(spec.precision, complex_output(spec.kind)));
}

template <class Real>
class FftwLines final : public Lines {
  using F = Fftw<Real>;

 public:
  FftwLines(const LineSpec& spec, Manner manner, Index batch, unsigned flags)
      : Lines(spec, in_size(spec, batch) + (manner == Manner::in_place ? 0 : out_size(spec, batch))),
        manner_(manner),
        batch_(batch),
        in_size_(in_size(spec, batch)) {
    const Aligned in(in_size_), out(out_size(spec, batch));
    std::byte* target = manner == Manner::in_place ? in.data() : out.data();
    const typename F::Dim points{spec.length, spec.in_stride, spec.out_stride}, lines{batch, spec.in_step(), spec.out_step()};
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
      std::byte* read = manner_ == Manner::in_place                                            ? write
                        : manner_ == Manner::out_of_place && whole && aligned(in) && in != out ? const_cast<std::byte*>(in)
                                                                                               : scratch();
      if (read != in) fill(read, in, lines);
      execute(read, write);
      if (write == out) continue;
      copy(write, out, lines, out_length(), spec().out_stride, out_step_bytes(), out_bytes());
    }
  }

  Index batch() const override { return batch_; }
  bool prefers_out_of_place() const override { return manner_ != Manner::in_place; }

 private:
  static typename F::Complex* complex(std::byte* p) { return reinterpret_cast<typename F::Complex*>(p); }
  static Real* real(std::byte* p) { return reinterpret_cast<Real*>(p); }
  static bool aligned(const std::byte* p) { return F::alignment_of(real(const_cast<std::byte*>(p))) == 0; }
  // A whole batch from `lines` lines: the missing ones are copies, so that no strange value slows the arithmetic down.
  void fill(std::byte* batch, const std::byte* in, Index lines) const {
    copy(in, batch, lines, in_length(), spec().in_stride, in_step_bytes(), in_bytes());
    for (Index k = lines; k < batch_; ++k) copy(in, batch + k * in_step_bytes(), 1, in_length(), spec().in_stride, in_step_bytes(), in_bytes());
  }
  // Lines of so many points and bytes that lie alike in both places, `step` bytes apart, their points `stride` points apart.
  static void copy(const std::byte* from, std::byte* to, Index lines, Index points, Index stride, Index step, std::size_t bytes) {
    if (stride == 1) {
      for (Index k = 0; k < lines; ++k) std::memcpy(to + k * step, from + k * step, bytes);
      return;
    }
    const std::size_t point = bytes / static_cast<std::size_t>(points);
    point == sizeof(Real) ? copy_points<sizeof(Real)>(from, to, lines, points, stride, step) : copy_points<2 * sizeof(Real)>(from, to, lines, points, stride, step);
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
  typename F::Plan plan_ = nullptr;
};

constexpr Index small = 128;  // points up to which batches and working in place are faster

// Whether equal lines of a batch give equal bits wherever they stand in it. FFTW promises nothing of the kind.
template <class Real>
bool uniform(const Lines& lines) {
  const LineSpec& spec = lines.spec();
  const Aligned in(in_size(spec, lines.batch())), out(out_size(spec, lines.batch()));
  const Index parts = complex_input(spec.kind) ? 2 : 1;
  auto* values = reinterpret_cast<Real*>(in.data());
  for (Index k = 0; k < lines.batch(); ++k)
    for (Index j = 0; j < parts * lines.in_length(); ++j)
      values[parts * (k * spec.in_step() + j / parts * spec.in_stride) + j % parts] = static_cast<Real>(std::sin(1.0 + static_cast<double>(j)));
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

// Lines planned from the choice's wisdom alone, to which the planner adds what it had to find out.
template <class Real>
std::shared_ptr<const Lines> plan_lines(const LineSpec& spec, std::string_view effort, Choice& choice) {
  if (choice.manner == Manner::lanes) return in_lanes(spec);
  const OnlyWisdom<Real> wisdom(choice.wisdom);
  if (const bool prime = choice.manner == Manner::rader; prime || choice.manner == Manner::bluestein) {
    const LineSpec inner{Kind::c2c, Direction::forward, spec.precision, prime ? rader_length(spec.length) : bluestein_length(spec.length)};
    auto transform = std::make_shared<FftwLines<Real>>(inner, Manner::out_of_place, 1, flags_of(effort));
    choice.wisdom = wisdom.text();
    return prime ? rader(spec, std::move(transform)) : bluestein(spec, std::move(transform));
  }
  Index aligned = 1;  // the smallest batch after which the next one is aligned again
  const auto apart = [&](Index elements, bool is_complex) { return aligned * elements * static_cast<Index>(element_bytes(spec.precision, is_complex)); };
  while (apart(spec.in_step(), complex_input(spec.kind)) % 16 != 0 || apart(spec.out_step(), complex_output(spec.kind)) % 16 != 0) aligned *= 2;
  const auto planned = [&](Index batch) { return std::make_shared<FftwLines<Real>>(spec, choice.manner, batch, flags_of(effort)); };
  auto lines = planned(spec.length <= small || spec.in_stride > 1 || spec.out_stride > 1 ? 8 : aligned);
  if (!uniform<Real>(*lines)) lines = planned(1);
  choice.wisdom = wisdom.text();
  return lines;
}

// The least seconds of as many lines for every manner, in the one that they prefer, on zeros, which stay zeros however often they are transformed.
double seconds(const Lines& lines) {
  using Clock = std::chrono::steady_clock;
  const Index count = std::clamp<Index>(65536 / lines.spec().length, 1, 16);  // whole batches where any are made
  const Aligned in(in_size(lines.spec(), count)), out(out_size(lines.spec(), count));
  std::memset(in.data(), 0, in.bytes());
  std::memset(out.data(), 0, out.bytes());
  std::byte* target = lines.prefers_out_of_place() ? out.data() : in.data();
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 10; ++round) {
    const auto start = Clock::now();
    std::chrono::duration<double> elapsed{};
    int runs = 0;
    for (; elapsed.count() < 2e-5; elapsed = Clock::now() - start, ++runs) lines(in.data(), target, count);
    least = std::min(least, elapsed.count() / runs);
  }
  return least;
}

// By measurement: from this prime factor on a convolution may win, and from this prime on Rader's does, whatever the kind.
constexpr Index awkward = 37, certain = 61;

Index largest_prime(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

std::vector<Manner> fftws_own(const LineSpec& spec) {
  if (spec.kind == Kind::c2r) return {Manner::from_scratch};
  if (!spec.in_place()) return {Manner::out_of_place};
  if (spec.in_stride > 1) return {Manner::in_place};  // asked for where nothing else will do
  return spec.length <= small ? std::vector{Manner::in_place, Manner::out_of_place} : std::vector{Manner::out_of_place, Manner::in_place};
}

// The manners worth trying, the one that "estimate" takes first.
std::vector<Manner> manners_of(const LineSpec& spec, bool lanes) {
  std::vector<Manner> manners = fftws_own(spec);
  if (lanes && fits_lanes(spec)) manners.push_back(Manner::lanes);
  if (real_to_real(spec.kind) || largest_prime(spec.length) < awkward || spec.length > longest_convolved) return manners;
  manners.push_back(Manner::bluestein);
  if (rader_length(spec.length) > 0) manners.insert(spec.length >= certain ? manners.begin() : manners.end(), Manner::rader);
  return manners;
}

// Kernels of our own are taken where they are hardly slower in cache: they ask memory for the lines behind, and read and write where others copy. With FFTW's rows, which chance chose where
// both were as fast, c2c 64^3 and 128^3 on two ranks took 1.15 to 1.24 of the time forward.
constexpr double of_lanes = 0.9;

// The fastest manner and its wisdom. The plans made on the way are all gone when it returns, because FFTW's plans of large prime factors share
// tables with those alive, and so bits. FFTW's first replay of a search may differ from it: replays go on until they find nothing to add.
template <class Real>
Choice search(const LineSpec& spec, std::string_view effort, bool lanes) {
  Choice best{};
  double least = std::numeric_limits<double>::infinity();
  for (const auto manner : manners_of(spec, lanes)) {
    Choice choice{manner, ""}, before = choice;
    double time = least;
    for (int replays = 0; replays < 5 && (replays == 0 || choice != before); ++replays) {
      before = choice;
      time = seconds(*plan_lines<Real>(spec, effort, choice)) * (manner == Manner::lanes ? of_lanes : 1);
    }
    if (time < least) {
      best = choice;
      least = time;
    }
  }
  return best;
}

class FftwEngine final : public Engine {
 public:
  explicit FftwEngine(bool lanes) : lanes_(lanes) {}
  std::string_view name() const override { return lanes_ ? "fftw" : "fftw_alone"; }
  std::string_view summary() const override {
    return lanes_ ? "FFTW 3, and weft's own kernels where they are faster on this processor (AVX-512); GPL" : "FFTW 3 for every line; GPL";
  }

  // "weft fftw wisdom 1", then for each line "KIND DIRECTION PRECISION LENGTH EFFORT MANNER BYTES" and as many bytes of FFTW's own wisdom.
  std::string export_wisdom() const override {
    const std::lock_guard lock(planning_);
    std::ostringstream text;
    text << header << '\n';
    for (const auto& [key, choice] : choices_)
      text << to_string(key.first) << ' ' << key.second << ' ' << manner_names[static_cast<std::size_t>(choice.manner)] << ' '
           << choice.wisdom.size() << '\n'
           << choice.wisdom << '\n';
    return text.str();
  }

  // Entries that this FFTW or processor refuses (another version or another processor wrote them), or this engine, are left out.
  void import_wisdom(const std::string& wisdom) const override {
    if (wisdom.empty()) return;
    auto imported = parse(wisdom);
    const std::lock_guard lock(planning_);
    for (auto& [key, choice] : imported) {
      if (const auto known = choices_.find(key); known != choices_.end() && known->second == choice) continue;
      const bool accepted = key.first.precision == Precision::single_ ? OnlyWisdom<float>(choice.wisdom).accepted()
                                                                      : OnlyWisdom<double>(choice.wisdom).accepted();
      if (!accepted) continue;
      forget(key);
      choices_[key] = std::move(choice);
    }
  }

 private:
  using Choices = std::map<Key, Choice>;
  // FFTW 3.3.10's single-precision codelets for columns store whole registers of two lines, and fault where those are not aligned.
  std::string limits(const LineSpec& spec) const override {
    const bool odd = spec.precision == Precision::single_ && spec.in_stride > 1 && spec.out_stride == 1 && spec.out_step() % 2 != 0;
    return odd ? "strided lines in single precision must be written an even number of elements apart" : "";
  }
  static constexpr const char* header = "weft fftw wisdom 1";

  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string& effort) const override {
    return spec.precision == Precision::single_ ? make<float>(spec, effort) : make<double>(spec, effort);
  }

  template <class Real>
  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string& effort) const {
    if (effort == "estimate") {
      Choice choice{manners_of(spec, false).front(), ""};
      return plan_lines<Real>(spec, effort, choice);
    }
    const auto known = choices_.find({spec, effort});
    auto choice = known == choices_.end() ? search<Real>(spec, effort, lanes_) : known->second;
    choices_[{spec, effort}] = choice;
    return plan_lines<Real>(spec, effort, choice);
  }

  Choices parse(const std::string& wisdom) const {
    std::istringstream text(wisdom);
    const auto check = [](bool good) {
      if (!good) throw Error("this is not wisdom of engine fftw: it must begin with \"" + std::string(header) + "\" and be whole");
    };
    Choices choices;
    std::string line;
    check(std::getline(text, line) && line == header);
    while (std::getline(text, line)) {
      std::istringstream words(line);
      std::string kind, direction, precision, length, effort, manner;
      std::size_t bytes = 0;
      check(static_cast<bool>(words >> kind >> direction >> precision >> length >> effort >> manner >> bytes));
      LineSpec spec{kind_from_string(kind), direction_from_string(direction), precision_from_string(precision)};
      std::replace(length.begin(), length.end(), ':', ' ');
      std::istringstream numbers(length);
      check(static_cast<bool>(numbers >> spec.length));
      if (numbers >> spec.in_stride) check(static_cast<bool>(numbers >> spec.in_distance >> spec.out_distance >> spec.out_stride));
      else spec.in_stride = 1;
      if (numbers >> spec.hole_first) check(static_cast<bool>(numbers >> spec.hole_last));
      else spec.hole_first = 0;
      const auto found = std::find(manner_names.begin(), manner_names.end(), manner);
      check(found != manner_names.end() && bytes < wisdom.size());
      std::string own(bytes, ' ');
      check(text.read(own.data(), static_cast<std::streamsize>(bytes)) && text.get() == '\n');
      const auto chosen = static_cast<Manner>(found - manner_names.begin());
      if (chosen == Manner::lanes && !(lanes_ && fits_lanes(spec))) continue;
      const auto allowed = manners_of(spec, lanes_);
      check(std::find(allowed.begin(), allowed.end(), chosen) != allowed.end());
      choices[{spec, effort}] = {chosen, own};
    }
    return choices;
  }

  bool lanes_;               // whether kernels of our own are tried
  mutable Choices choices_;  // of every line planned with more effort than "estimate", guarded by `planning_`
};

}  // namespace

const Engine& fftw_engine() {
  static const FftwEngine engine(true);
  return engine;
}

const Engine& fftw_alone_engine() {
  static const FftwEngine engine(false);
  return engine;
}

}  // namespace weft

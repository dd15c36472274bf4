// FFTW 3 (single and double), planned so that the bits of a line never depend on the company it is in.
//
// A line transform has one plan, for one batch of contiguous lines, run in one manner: in place, out of place or, for
// c2r (which is faster when it may destroy its input), from scratch. A call in another manner, a remainder of a batch
// (filled up with copies of a line) and memory that is not aligned as FFTW wants it go through scratch, with the same
// plan. Measured with c2c on an AVX-512 Xeon: batches of 8 are 1.5 to 1.8 times faster than single lines up to 128
// points and no faster beyond; in place wins by up to 1.2 up to 128 points, out of place by 1.2 to 1.4 beyond.
//
// Planning sees the wisdom of the line in question alone, never what the process has gathered: so it repeats from
// process to process, and a program's own FFTW wisdom is left as it was; its time limit for planning
// (fftw_set_timelimit) is not, where long lines are searched: it cannot be asked for. (For large prime factors, FFTW's
// plans take tables over from plans alive in the process: there the last bit may depend on what else is planned.)
// FFTW's planner is not thread-safe: a program that also plans by itself must not do so while weft plans. Lengths with
// a large prime factor are also tried as convolutions (convolved.hpp) over FFTW's transforms of smooth lengths: prime
// lengths with a smooth predecessor take 0.2 to 0.5 of the time so, others 0.5 to 0.9, where they win. FFTW itself
// allocates a buffer at execution for real-to-real kinds, large prime factors and some other plans.
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <set>
#include <sstream>
#include <utility>

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
    static constexpr auto export_wisdom = X##_export_wisdom;             \
    static constexpr auto import_wisdom = X##_import_wisdom_from_string; \
    static constexpr auto forget_wisdom = X##_forget_wisdom;             \
    static constexpr auto set_timelimit = X##_set_timelimit;             \
  };
WEFT_FFTW(float, fftwf)
WEFT_FFTW(double, fftw)
#undef WEFT_FFTW

enum class Manner { in_place, out_of_place, from_scratch, rader, bluestein, lanes };
constexpr std::array<std::string_view, 6> manner_names{"in_place", "out_of_place", "from_scratch", "rader",
                                                       "bluestein", "lanes"};  // in the order of the enumerators

// What a line's plan depends on besides its spec and effort.
struct Choice {
  Manner manner{};
  std::string wisdom;       // FFTW's, of this line alone
  bool unfinished = false;  // the search ended before its time: what the wisdom does not say is estimated
  bool operator==(const Choice&) const = default;
};

// Guards FFTW's planner. Recursive because a plan that is not kept is destroyed while another is made.
std::recursive_mutex& planner() {
  static std::recursive_mutex mutex;
  return mutex;
}

// FFTW's planner, borrowed: while it lives, that knows what it is told here and nothing else; then again what it knew.
// Every text that FFTW reads or writes is signed with the names of all its solvers, which takes longer than most plans:
// so the program's own wisdom is read once, when the planner is first needed, and written back only where there was
// any.
template <class Real>
class Planner {
  using F = Fftw<Real>;

 public:
  Planner() = default;
  ~Planner() {
    if (!borrowed_) return;
    F::forget_wisdom();
    if (others_.find('(', 1) != std::string::npos)
      F::import_wisdom(others_.c_str());  // the first opens the text, others open entries
  }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // False where FFTW refuses this wisdom.
  bool know(const std::string& wisdom) {
    if (!std::exchange(borrowed_, true)) others_ = text();
    F::forget_wisdom();
    return wisdom.empty() || F::import_wisdom(wisdom.c_str());
  }
  // What it knows now, its entries in order: FFTW writes them in an order that changes from reading to writing.
  static std::string known() {
    std::istringstream lines(text());
    std::vector<std::string> entries;
    std::string first, all;
    std::getline(lines, first);
    for (std::string line; std::getline(lines, line);) entries.push_back(line + "\n");
    std::sort(entries.begin(), entries.end());  // they are indented, what closes the text is not: it comes last
    for (const std::string& entry : entries) all += entry;
    return first + "\n" + all;
  }

 private:
  static std::string text() {
    // what fails must not leave through FFTW, which is written in C
    struct Text {
      std::string all;
      std::exception_ptr failure;
    } text;
    const auto add = [](char c, void* to) {
      Text& so_far = *static_cast<Text*>(to);
      try {
        so_far.all.push_back(c);
      } catch (const std::bad_alloc&) {
        so_far.failure = std::current_exception();
      }
    };
    F::export_wisdom(add, &text);
    if (text.failure) std::rethrow_exception(text.failure);
    return std::move(text.all);
  }

  std::lock_guard<std::recursive_mutex> lock_{planner()};
  std::string others_;
  bool borrowed_ = false;
};

unsigned flags_of(std::string_view effort) {
  return effort == "estimate" ? FFTW_ESTIMATE : effort == "measure" ? FFTW_MEASURE : effort == "patient" ? FFTW_PATIENT : FFTW_EXHAUSTIVE;
}

fftw_r2r_kind r2r_kind(Kind kind) {
  constexpr std::array<fftw_r2r_kind, 11> kinds{FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT10,
                                                FFTW_RODFT01, FFTW_RODFT11, FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT};
  return kinds[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::dct1)];
}

// Bytes of a batch, the next thing on a cache line of its own.
std::size_t in_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.in_span(batch)) * element_bytes(spec.precision, complex_input(spec.kind)));
}
std::size_t out_size(const LineSpec& spec, Index batch) {
  return Aligned::padded(static_cast<std::size_t>(spec.out_span(batch)) * element_bytes(spec.precision, complex_output(spec.kind)));
}

// By measurement: from this prime factor on a convolution may win, and from this prime on Rader's does, whatever the
// kind.
constexpr Index awkward = 37, certain = 61;

Index largest_prime(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

template <class Real>
class FftwLines final : public Lines {
  using F = Fftw<Real>;

 public:
  FftwLines(const LineSpec& spec, Manner manner, Index batch, unsigned flags)
      : Lines(spec, in_size(spec, batch) + (manner == Manner::in_place ? 0 : out_size(spec, batch))),
        manner_(manner),
        batch_(batch),
        in_size_(in_size(spec, batch)),
        shares_(largest_prime(logical_size(spec.kind, spec.length)) >= awkward) {
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
  bool may_be_held() const override { return !shares_; }

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
  bool shares_;  // tables with FFTW's other plans that are alive, and so bits
  typename F::Plan plan_ = nullptr;
};

constexpr Index small = 128;  // points up to which batches and working in place are faster

// Whether equal lines of a batch give equal bits wherever they stand in it. FFTW promises nothing of the kind.
template <class Real>
bool uniform(const Lines& lines) {
  const LineSpec& spec = lines.spec();
  if (lines.batch() == 1) return true;
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

// Of lines that are convolutions: the transform of which they consist.
LineSpec inner_of(const LineSpec& spec, Manner manner) {
  return {Kind::c2c, Direction::forward, spec.precision,
          manner == Manner::rader ? rader_length(spec.length) : bluestein_length(spec.length)};
}
bool convolves(Manner manner) { return manner == Manner::rader || manner == Manner::bluestein; }

// Lines planned from the choice's wisdom alone, to which the planner adds what it had to find out, if that is to be
// learned.
template <class Real>
std::shared_ptr<const Lines> plan_lines(Planner<Real>& planner, const LineSpec& spec, std::string_view effort,
                                        Choice& choice, bool learn) {
  if (choice.manner == Manner::lanes) return in_lanes(spec);
  planner.know(choice.wisdom);
  const unsigned flags = flags_of(choice.unfinished ? "estimate" : effort);
  if (convolves(choice.manner)) {
    auto transform = std::make_shared<FftwLines<Real>>(inner_of(spec, choice.manner), Manner::out_of_place, 1, flags);
    if (learn) choice.wisdom = planner.known();
    return choice.manner == Manner::rader ? rader(spec, std::move(transform)) : bluestein(spec, std::move(transform));
  }
  Index aligned = 1;  // the smallest batch after which the next one is aligned again
  const auto apart = [&](Index elements, bool is_complex) { return aligned * elements * static_cast<Index>(element_bytes(spec.precision, is_complex)); };
  while (apart(spec.in_step(), complex_input(spec.kind)) % 16 != 0 || apart(spec.out_step(), complex_output(spec.kind)) % 16 != 0) aligned *= 2;
  const auto planned = [&](Index batch) {
    return std::make_shared<FftwLines<Real>>(spec, choice.manner, batch, flags);
  };
  auto lines = planned(spec.length <= small || spec.in_stride > 1 || spec.out_stride > 1 ? 8 : aligned);
  if (!uniform<Real>(*lines)) lines = planned(1);
  if (learn) choice.wisdom = planner.known();
  return lines;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The least seconds of as many lines for every manner, in the one that they prefer, on zeros, which stay zeros however often they are transformed.
double seconds(const Lines& lines) {
  const Index count = std::clamp<Index>(65536 / lines.spec().length, 1, 16);  // whole batches where any are made
  const Aligned in(in_size(lines.spec(), count)), out(out_size(lines.spec(), count));
  std::memset(in.data(), 0, in.bytes());
  std::memset(out.data(), 0, out.bytes());
  std::byte* target = lines.prefers_out_of_place() ? out.data() : in.data();
  double least = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  for (int round = 0; round < 3 || (round < 10 && seconds_since(begin) < 0.2); ++round) {
    const auto start = Clock::now();
    std::chrono::duration<double> elapsed{};
    int runs = 0;
    for (; elapsed.count() < 2e-5; elapsed = Clock::now() - start, ++runs) lines(in.data(), target, count);
    least = std::min(least, elapsed.count() / runs);
  }
  return least;
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

// Of lines beyond this many points FFTW's search takes from half a second to minutes. With effort "measure" all of a
// plan's together get so many seconds, and those beyond the longest none, for one measurement takes seconds.
constexpr Index long_line = 4096, longest_searched = Index{1} << 21;
constexpr double search_seconds = 6;

// What a search tries, the most promising first: of long lines less, where FFTW takes long to plan what seldom wins.
std::vector<Manner> candidates(const LineSpec& spec, bool lanes) {
  constexpr Index short_prime = 1024, in_place_first = 65536;
  std::vector<Manner> manners = manners_of(spec, lanes);
  const auto has = [&](Manner manner) { return std::find(manners.begin(), manners.end(), manner) != manners.end(); };
  if (manners.front() == Manner::rader && spec.length > short_prime)
    for (const Manner own : fftws_own(spec)) std::erase(manners, own);
  if (has(Manner::in_place) && has(Manner::out_of_place)) {
    if (has(Manner::bluestein) && spec.length > long_line)
      std::erase(manners, Manner::in_place);
    else if (spec.length > in_place_first)
      std::swap(manners[0], manners[1]);
  }
  return manners;
}

// The fastest of these manners, and its wisdom. The plans made on the way are all gone when it returns, because FFTW's
// plans of large prime factors share tables with those alive, and so bits. FFTW's first replay of a search may differ
// from it: replays go on until they find nothing to add. `inner`: what was found of transforms inside convolutions.
// `limit`: seconds after which FFTW takes the best that it has come upon, and no further manner is tried that might
// take as long as those before.
template <class Real>
Choice search(Planner<Real>& planner, const LineSpec& spec, std::string_view effort, const std::vector<Manner>& manners,
              std::map<LineSpec, Choice>& inner, double limit) {
  const bool limited = limit < std::numeric_limits<double>::infinity();
  if (limited && spec.length > longest_searched) return {manners.front(), "", true};
  const auto start = Clock::now();
  Choice best{};
  double least = std::numeric_limits<double>::infinity(), longest = 0;
  for (const auto manner : manners) {
    const double left = limit - seconds_since(start);
    if (longest > left) continue;
    Choice choice{manner, ""}, before;
    const bool convolution = convolves(manner);
    if (convolution)
      if (const auto known = inner.find(inner_of(spec, manner)); known != inner.end())
        choice = known->second, choice.manner = manner;
    std::shared_ptr<const Lines> lines;
    for (int replays = 0; replays < 5 && (replays == 0 || choice != before); ++replays) {
      before = choice;
      lines.reset();
      const auto began = Clock::now();
      if (limited) Fftw<Real>::set_timelimit(std::max(left, 1e-3));
      lines = plan_lines<Real>(planner, spec, effort, choice, true);
      if (limited) Fftw<Real>::set_timelimit(FFTW_NO_TIMELIMIT);
      const double took = seconds_since(began);
      if (took >= left) choice.unfinished = true;
      longest = std::max(longest, took);
    }
    if (convolution) inner[inner_of(spec, manner)] = choice;
    const double time = manners.size() > 1 ? seconds(*lines) * (manner == Manner::lanes ? of_lanes : 1) : 0;
    if (time < least) {
      best = choice;
      least = time;
    }
  }
  return best;
}

class FftwEngine final : public Engine {
 public:
  explicit FftwEngine(bool lanes) : lanes_(lanes) { planner(); }  // which outlives the lines that the engine holds
  std::string_view name() const override { return lanes_ ? "fftw" : "fftw_alone"; }
  std::string_view summary() const override {
    return lanes_ ? "FFTW 3, and weft's own kernels where they are faster on this processor (AVX-512); GPL" : "FFTW 3 for every line; GPL";
  }

  // "weft fftw wisdom 1", then for each line "KIND DIRECTION PRECISION LENGTH EFFORT MANNER BYTES" and as many bytes of FFTW's own wisdom.
  std::string export_wisdom() const override {
    const std::lock_guard lock(planning_);
    std::string text = std::string(header) + '\n';
    for (const auto& [key, choice] : choices_) text += entry(key, choice);
    return text;
  }
  std::string export_wisdom(const std::vector<LineSpec>& specs, std::string_view effort) const override {
    const std::lock_guard lock(planning_);
    std::string text = std::string(header) + '\n';
    std::set<LineSpec> planned;
    for (const LineSpec& spec : specs) planned.insert(spec.both_parts ? spec.one_part() : spec);
    for (const LineSpec& spec : planned)
      if (const auto known = choices_.find({spec, std::string(effort)}); known != choices_.end())
        text += entry(known->first, known->second);
    return text;
  }

  // Entries that this FFTW or processor refuses (another version or another processor wrote them), or this engine, are left out.
  void import_wisdom(const std::string& wisdom) const override {
    if (wisdom.empty()) return;
    auto imported = parse(wisdom);
    const std::lock_guard lock(planning_);
    Planner<float> single;
    Planner<double> twice;
    for (auto& [key, choice] : imported) {
      if (const auto known = choices_.find(key); known != choices_.end() && known->second == choice) continue;
      if (!choice.wisdom.empty() &&
          !(key.first.precision == Precision::single_ ? single.know(choice.wisdom) : twice.know(choice.wisdom)))
        continue;
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
  static constexpr std::string_view unfinished = "/unfinished";  // behind the manner

  static std::string entry(const Key& key, const Choice& choice) {
    std::string text = to_string(key.first) + ' ' + key.second + ' ' +
                       std::string(manner_names[static_cast<std::size_t>(choice.manner)]);
    if (choice.unfinished) text += unfinished;
    return text + ' ' + std::to_string(choice.wisdom.size()) + '\n' + choice.wisdom + '\n';
  }

  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string& effort) const override {
    return make_all({spec}, effort).front();
  }
  std::vector<std::shared_ptr<const Lines>> make_all(const std::vector<LineSpec>& specs,
                                                     const std::string& effort) const override {
    Planner<float> single;
    Planner<double> twice;
    const auto limited = [&](const LineSpec& spec) {
      return effort == "measure" && spec.length > long_line && !choices_.contains({spec, effort});
    };
    auto searches = std::count_if(specs.begin(), specs.end(), limited);
    const auto start = Clock::now();
    std::vector<std::shared_ptr<const Lines>> lines;
    for (const LineSpec& spec : specs) {
      const double limit = limited(spec)
                               ? std::max(0.0, search_seconds - seconds_since(start)) / static_cast<double>(searches--)
                               : std::numeric_limits<double>::infinity();
      lines.push_back(spec.precision == Precision::single_ ? make(single, spec, effort, limit)
                                                           : make(twice, spec, effort, limit));
    }
    return lines;
  }

  template <class Real>
  std::shared_ptr<const Lines> make(Planner<Real>& planner, const LineSpec& spec, const std::string& effort,
                                    double limit) const {
    if (effort == "estimate") {
      Choice choice{manners_of(spec, false).front(), ""};
      return plan_lines<Real>(planner, spec, effort, choice, false);
    }
    const auto known = choices_.find({spec, effort});
    auto choice = known == choices_.end()
                      ? search<Real>(planner, spec, effort, manners_to_search(spec, effort), inner_[effort], limit)
                      : known->second;
    choices_[{spec, effort}] = choice;
    return plan_lines<Real>(planner, spec, effort, choice, false);
  }

  // Long lines go back in the manner in which they came.
  std::vector<Manner> manners_to_search(const LineSpec& spec, const std::string& effort) const {
    std::vector<Manner> manners = candidates(spec, lanes_);
    if (spec.kind != Kind::c2c || spec.length <= long_line) return manners;
    LineSpec opposite = spec;
    opposite.direction = spec.direction == Direction::forward ? Direction::backward : Direction::forward;
    std::swap(opposite.in_stride, opposite.out_stride);
    std::swap(opposite.in_distance, opposite.out_distance);
    const auto known = choices_.find({opposite, effort});
    if (known != choices_.end() && std::find(manners.begin(), manners.end(), known->second.manner) != manners.end())
      return {known->second.manner};
    return manners;
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
      const bool cut_short = manner.ends_with(unfinished);
      if (cut_short) manner.resize(manner.size() - unfinished.size());
      const auto found = std::find(manner_names.begin(), manner_names.end(), manner);
      check(found != manner_names.end() && bytes < wisdom.size());
      std::string own(bytes, ' ');
      check(text.read(own.data(), static_cast<std::streamsize>(bytes)) && text.get() == '\n');
      const auto chosen = static_cast<Manner>(found - manner_names.begin());
      if (chosen == Manner::lanes && !(lanes_ && fits_lanes(spec))) continue;
      const auto allowed = manners_of(spec, lanes_);
      check(std::find(allowed.begin(), allowed.end(), chosen) != allowed.end());
      choices[{spec, effort}] = {chosen, own, cut_short};
    }
    return choices;
  }

  bool lanes_;               // whether kernels of our own are tried
  mutable Choices choices_;  // of every line planned with more effort than "estimate", guarded by `planning_`
  mutable std::map<std::string, std::map<LineSpec, Choice>>
      inner_;  // likewise, by effort: of transforms inside convolutions
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

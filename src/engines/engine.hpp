// A local FFT behind one small interface: an Engine plans Lines, and Lines transforms contiguous
// lines lying back to back. Always true: the bits of a line's result depend on its Lines and its
// values alone: not on how many lines are transformed at once, where the line stands among them,
// alignment, in or out of place, or the thread. Executing changes nothing that another thread sees.
#pragma once

#include <compare>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/kind.hpp>

namespace weft {

/// One line transform: logical length `length` (n) is the number of points of the transform, reals
/// in the case of r2c and c2r. What it reads and writes may be strided (c2c only), so that columns
/// need not be gathered first, and lines may lie apart; by default they are contiguous and back to
/// back.
struct LineSpec {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;
  Precision precision = Precision::double_;
  Index length = 1;
  Index in_stride = 1;     ///< elements from one point of a line to the next, where it is read
  Index in_distance = 0;   ///< elements from one line to the next, where it is read; 0: back to back
  Index out_distance = 0;  ///< the same where it is written
  Index out_stride = 1;    ///< elements from one point to the next, where it is written
  /// C2c: points [hole_first, hole_last) are zero where a line is read backward, and may become
  /// anything where one is written forward
  Index hole_first = 0;
  Index hole_last = 0;
  bool both_parts = false;  ///< real to real, of complex values: real and imaginary parts are transformed alike

  /// Elements (real or complex, as the kind has them) a line: r2c n -> n/2+1, c2r n/2+1 -> n, every
  /// other kind n -> n.
  Index in_length() const { return kind == Kind::c2r ? length / 2 + 1 : length; }
  Index out_length() const { return kind == Kind::r2c ? length / 2 + 1 : length; }
  bool complex_in() const { return both_parts || complex_input(kind); }
  bool complex_out() const { return both_parts || complex_output(kind); }
  /// Bytes a line.
  std::size_t in_bytes() const {
    return static_cast<std::size_t>(in_length()) * element_bytes(precision, complex_in());
  }
  std::size_t out_bytes() const {
    return static_cast<std::size_t>(out_length()) * element_bytes(precision, complex_out());
  }
  /// Elements from one line to the next.
  Index in_step() const { return in_distance ? in_distance : in_length(); }
  Index out_step() const { return out_distance ? out_distance : out_length(); }
  /// Elements from the first of `lines` lines to one past the last.
  Index in_span(Index lines) const { return (in_length() - 1) * in_stride + (lines - 1) * in_step() + 1; }
  Index out_span(Index lines) const { return (out_length() - 1) * out_stride + (lines - 1) * out_step() + 1; }
  bool has_hole() const { return hole_last > hole_first; }
  /// Contiguous lines, back to back.
  bool plain() const {
    return in_stride == 1 && out_stride == 1 && in_step() == in_length() && out_step() == out_length();
  }
  /// What is read and what is written lie alike, and may be the same memory.
  bool in_place() const { return in_stride == out_stride && in_step() == out_step() && complex_in() == complex_out(); }
  /// The same transform of plain lines.
  LineSpec as_plain() const {
    LineSpec plain{kind, direction, precision, length};
    plain.both_parts = both_parts;
    return plain;
  }

  /// The way back: the other direction, from where this one writes to where it reads.
  LineSpec opposite() const {
    LineSpec back = *this;
    back.direction = direction == Direction::forward ? Direction::backward : Direction::forward;
    std::swap(back.in_stride, back.out_stride);
    std::swap(back.in_distance, back.out_distance);
    return back;
  }

  /// Of both parts: the real transform of one of them, of plain lines.
  LineSpec one_part() const { return {kind, direction, precision, length}; }

  auto operator<=>(const LineSpec&) const = default;
};

/// "c2c forward double 64"; where anything else is not as by default "c2c forward double
/// 64:in_stride:in_distance:out_distance:out_stride", and with a hole ":hole_first:hole_last" after
/// that. Different specs have different texts: wisdom knows them by these.
std::string to_string(const LineSpec&);

/// A planned transform of contiguous lines; immutable, and safe to execute from many threads at
/// once.
class Lines {
 public:
  virtual ~Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  const LineSpec& spec() const { return spec_; }
  Index in_length() const { return spec_.in_length(); }
  Index out_length() const { return spec_.out_length(); }
  std::size_t in_bytes() const { return spec_.in_bytes(); }
  std::size_t out_bytes() const { return spec_.out_bytes(); }
  Index in_step_bytes() const { return spec_.in_step() * static_cast<Index>(in_bytes()) / in_length(); }
  Index out_step_bytes() const { return spec_.out_step() * static_cast<Index>(out_bytes()) / out_length(); }

  /// Transforms `count` >= 0 lines: line k is read from `in + k * in_step_bytes()` and written at
  /// `out + k * out_step_bytes()`. Any alignment of the element type. `in == out` is allowed where
  /// the spec says `in_place()`; else the two must not overlap, and the input is preserved (c2r
  /// included). Allocates nothing on a thread that has called `prepare` (FFTW underneath may, for a
  /// buffer of its own).
  virtual void operator()(const std::byte* in, std::byte* out, Index count) const = 0;

  /// Whether its contiguous lines can leave it past the caches; others are copied by who wants
  /// that.
  virtual bool streams() const { return false; }
  /// As above, but what is written goes past the caches where every line begins a cache line and it
  /// `streams()`.
  virtual void stream(const std::byte* in, std::byte* out, Index count) const { (*this)(in, out, count); }

  /// What memory is to bring while lines are transformed: so many addresses, each with so many
  /// bytes behind it.
  struct Ahead {
    const std::byte* const* rows = nullptr;
    Index count = 0, bytes = 0;
    bool near = false;  ///< into the first-level cache, else the second
  };
  /// Contiguous lines: line k is read from `in + k * in_step` and written at `out + k * out_step`,
  /// in bytes.
  struct Apart {
    const std::byte* in;
    Index in_step;
    std::byte* out;
    Index out_step, count;
    bool streams;  ///< past the caches, as `stream`
    /// What will be read and written after these lines; as much of it is asked for as there is time
    /// for
    Ahead reads = Ahead(), writes = Ahead();
  };
  /// Whether its contiguous lines may be read and written any distance apart, whatever the spec
  /// says.
  virtual bool takes_steps() const { return false; }
  /// Does so, if it `takes_steps()`, with the same bits; out of place, or in place where the steps
  /// are equal and the spec's own lines may be.
  virtual void apart(const Apart&) const;
  /// Whether it asks for what lines apart are told to; else that is without effect.
  virtual bool asks() const { return false; }

  /// Columns of rows that lie anywhere: point k of column j is read j elements after `in[k]`, and
  /// written, times `scale`, as many after `out[k]`.
  struct Rows {
    const std::byte* const* in;
    std::byte* const* out;
    Index columns;
    double scale;
    bool streams;  ///< what is written goes past the caches where every `out[k]` begins a cache line
    std::pair<Index, Index> kept = {0, 0};  ///< points, half-open, of which it does not in any case
    /// What will be read and written after these columns; where nothing will be read, it may ask
    /// for what lies beside the rows
    Ahead reads = Ahead(), writes = Ahead();
  };
  /// Whether it transforms them; only where the spec's own lines are columns.
  virtual bool takes_rows() const { return false; }
  /// Does so, if it `takes_rows()`, with the same bits as its own lines. `in[k]` and `out[k]` may
  /// be the same for all k; else what is read and what is written must not overlap.
  virtual void rows(const Rows&) const;

  /// Points of the spec's hole, half-open, that it never looks at, so that they need not be zero
  /// where it reads; nor does it write them.
  virtual std::pair<Index, Index> untouched() const { return {0, 0}; }

  /// Whether it asks memory for lines that lie behind those it transforms, so that nobody else
  /// need.
  virtual bool reads_ahead() const { return false; }
  /// Whether no bits of other lines may depend on this being alive, so that it can be held for who
  /// plans it again.
  virtual bool may_be_held() const { return true; }
  /// Counts that are multiples of this cost least: other counts are filled up with copies of a
  /// line.
  virtual Index batch() const { return 1; }
  /// Whether out of place is the faster manner, for callers who can choose.
  virtual bool prefers_out_of_place() const { return true; }

  /// Makes the calling thread's scratch large enough. The thread that plans is prepared; every
  /// other thread calls this once (or allocates at its first use).
  void prepare() const { scratch(); }
  /// Bytes of scratch a thread needs: a thread's scratch is shared by all its Lines, so it is the
  /// maximum over them, not the sum.
  std::size_t scratch_bytes() const { return scratch_bytes_; }

 protected:
  Lines(const LineSpec& spec, std::size_t scratch_bytes) : spec_(spec), scratch_bytes_(scratch_bytes) {}
  /// The calling thread's scratch: at least `scratch_bytes()`, on a cache line. Its content is
  /// anything.
  std::byte* scratch() const;

 private:
  LineSpec spec_;
  std::size_t scratch_bytes_;
};

/// A local FFT library, known by name. Planning is safe from many threads: each engine plans one
/// line at a time.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  ///< one line for lists

  /// Why this engine cannot plan `spec`; empty if it can. Lengths, kinds and directions that mean
  /// nothing are declined by every engine.
  std::string declines(const LineSpec& spec) const;

  /// How long planning may look for the fastest way: "estimate" (looks not at all, and gives the
  /// same bits in every process on processors of one kind), "measure", "patient", "exhaustive". The
  /// same spec and effort give the same Lines as long as anyone holds it. Throws `Error` for an
  /// unknown effort (naming the allowed ones) and a declined spec (with the reason).
  std::shared_ptr<const Lines> plan(const LineSpec& spec, std::string_view effort) const;

  /// The same for several specs at once, in their order, which costs least: the library underneath
  /// is asked once for what a program taught it.
  std::vector<std::shared_ptr<const Lines>> plan_all(const std::vector<LineSpec>& specs, std::string_view effort) const;

  /// While anyone holds what it returns, whatever is planned is held too: for who makes, drops and
  /// makes again plans of the same lines.
  std::shared_ptr<const void> keep() const;
  /// Lets go of the lines that it holds by itself for who plans them again: the last `most_held`,
  /// of `points_held` points together.
  virtual void let_go() const;
  static constexpr std::size_t most_held = 64;
  static constexpr Index points_held = Index{1} << 18;

  /// Whether it has chosen how to do this line, or has nothing to choose: planning it searches
  /// nothing.
  virtual bool knows(const LineSpec&, const std::string& /*effort*/) const { return true; }

  /// Everything this process's choices depend on, so that a process that imports it plans alike, to
  /// the last bit: the plan broadcasts rank 0's.
  virtual std::string export_wisdom() const { return {}; }
  /// Of these lines alone.
  virtual std::string export_wisdom(const std::vector<LineSpec>&, std::string_view /*effort*/) const { return {}; }
  /// Takes the choices of `wisdom` over its own. Lines planned otherwise before stay as they are
  /// but are not handed out again. Throws `Error` for text that is not this engine's wisdom.
  virtual void import_wisdom(const std::string& wisdom) const;

 protected:
  using Key = std::pair<LineSpec, std::string>;               // spec and effort
  void forget(const Key& key) const { planned_.erase(key); }  // with `planning_` held
  mutable std::mutex planning_;                               // held while `make` runs

 private:
  // What this engine declines beyond what means nothing
  virtual std::string limits(const LineSpec&) const { return {}; }
  virtual std::shared_ptr<const Lines> make(const LineSpec&, const std::string& effort) const = 0;
  /// Of different specs, none of which it declines.
  virtual std::vector<std::shared_ptr<const Lines>> make_all(const std::vector<LineSpec>&,
                                                             const std::string& effort) const;
  void hold(const std::shared_ptr<const Lines>&) const;
  using Kept = std::set<std::shared_ptr<const Lines>>;
  mutable std::map<Key, std::weak_ptr<const Lines>> planned_;
  mutable std::weak_ptr<Kept> kept_;
  mutable std::deque<std::shared_ptr<const Lines>> held_;  // the last planned first
};

/// The efforts `Engine::plan` knows, cheapest first.
const std::vector<std::string>& efforts();

/// All engines of this build; the first is the default.
const std::vector<const Engine*>& engines();

/// The engine of that name. Throws `Error` naming the engines there are.
const Engine& engine(std::string_view name);

}  // namespace weft

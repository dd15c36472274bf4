// Plans: a distributed transform, made once, executed any number of times without allocating.
//
//     weft::Plan fft(comm, weft::c2c<double>({256, 256, 256}), {.strategy = "alltoallv"});
//     auto u = fft.input();  auto u_hat = fft.output();
//     u.fill([](const weft::Shape& i) { return wave(i); });
//     fft.forward(u, u_hat);  fft.backward(u_hat, u);      // unnormalised: multiply by fft.scale()
//     std::cout << fft;
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>

#include <weft/exchange.hpp>
#include <weft/kind.hpp>
#include <weft/modes.hpp>
#include <weft/options.hpp>
#include <weft/sphere.hpp>
#include <weft/trace.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// What is transformed, run-time form. Make it with `c2c`, `r2c`, `r2r`, `mixed`, `sphere` or
/// `gamma_sphere`.
struct AnyProblem {
  Precision precision = Precision::double_;
  Shape shape;  ///< global extents (of the real array for r2c), slowest axis first
  /// The axes to transform; one whose kind is r2c is halved to n/2+1, before the others are
  /// transformed
  Order axes;
  std::vector<Kind> kinds;  ///< one for every entry of `axes`, r2c at most once
  /// The transformed space is a sphere of plane waves; null: all of it
  std::shared_ptr<const PlaneWaves> waves = nullptr;
};

/// A problem with its element types: In in real space, Out in the transformed space.
template <class In, class Out>
struct Problem : AnyProblem {};

/// The run-time form of the four below. One kind is that of all axes, but r2c is that of the last
/// and c2c that of the others; else one an axis, in any mixture. Empty `axes`: all.
AnyProblem problem(Precision precision, std::vector<Kind> kinds, Shape shape, Order axes = {});

/// Whether the values before forward are complex: with a c2c axis and none of r2c.
bool complex_input(const AnyProblem& problem);
/// Whether the values after forward are complex: with an axis of c2c or r2c.
bool complex_output(const AnyProblem& problem);
/// The problem, or an Error when its values before and after forward are not what is expected of
/// them.
AnyProblem checked_types(AnyProblem problem, bool complex_in, bool complex_out);

/// Plane waves on a grid of three axes, run-time form: complex fields, or real ones when `waves`
/// (or its cutoff) is half a sphere or says so.
AnyProblem problem(Precision precision, Shape grid, PlaneWaves waves);

template <class Real>
inline constexpr Precision precision_of = sizeof(Real) == sizeof(float) ? Precision::single_ : Precision::double_;

/// Complex to complex over `axes` (empty: all). Real is float or double.
template <class Real>
Problem<std::complex<Real>, std::complex<Real>> c2c(Shape shape, Order axes = {}) {
  return {problem(precision_of<Real>, {Kind::c2c}, shape, axes)};
}
/// Real to half-complex: `axes`' last (by default the last axis) becomes n/2+1 long. backward is
/// c2r.
template <class Real>
Problem<Real, std::complex<Real>> r2c(Shape shape, Order axes = {}) {
  return {problem(precision_of<Real>, {Kind::r2c}, shape, axes)};
}
/// Real to real, one kind an axis (one kind given: the same on all). backward uses the inverse
/// kinds (dct2 <-> dct3 ...).
template <class Real>
Problem<Real, Real> r2r(Shape shape, std::vector<Kind> kinds, Order axes = {}) {
  return {problem(precision_of<Real>, std::move(kinds), shape, axes)};
}

/// A kind for each axis, in any mixture: Fourier along some, walls along others. In and Out are the
/// types of the values before and after forward: real to complex where an axis is r2c, complex to
/// complex where one is c2c and none r2c, else real to real; anything else is an Error. A
/// real-to-real kind transforms complex values as two real ones. `scale()` is 1 over the product of
/// the axes' `logical_size`. `shape` has the extents before forward.
///
///     weft::mixed<double, std::complex<double>>({nx, ny, nz}, {Kind::c2c, Kind::dst2, Kind::r2c})  // walls along y
template <class In, class Out>
Problem<In, Out> mixed(Shape shape, std::vector<Kind> kinds, Order axes = {}) {
  using Real = decltype(std::abs(In()));
  static_assert(std::is_same_v<Real, decltype(std::abs(Out()))>, "values before and after are of one precision");
  return {checked_types(problem(precision_of<Real>, std::move(kinds), shape, axes), !std::is_same_v<In, Real>,
                        !std::is_same_v<Out, Real>)};
}

/// Plane waves: real space is the grid, cut into slabs of planes along axis 0 (a process grid cuts
/// it into pencils); transformed space is the coefficients of this rank's G-vectors, in their
/// order. All G-vectors of a stick (one g1 and g2) belong to one rank. Nothing but the sphere's
/// columns is transformed, and no zero is moved.
template <class Real>
Problem<std::complex<Real>, std::complex<Real>> sphere(Shape grid, std::vector<GVector> mine) {
  return {problem(precision_of<Real>, grid, {.mine = std::move(mine)})};
}
/// The same of a cutoff, shared by a rule of `share_sticks`; `plan.vectors()` tells which are this
/// rank's.
template <class Real>
Problem<std::complex<Real>, std::complex<Real>> sphere(Shape grid, const Cutoff& cutoff,
                                                       const std::string& balance = "coefficients") {
  if (cutoff.half) throw Error("half a sphere belongs to real functions; plan gamma_sphere, or give the whole cutoff");
  return {problem(precision_of<Real>, grid, {.cutoff = cutoff, .balance = balance})};
}
/// Real functions, c(-G) = conj(c(G)): of every pair +-G one is given, either of them.
template <class Real>
Problem<Real, std::complex<Real>> gamma_sphere(Shape grid, std::vector<GVector> mine) {
  return {problem(precision_of<Real>, grid, {.mine = std::move(mine), .half = true})};
}
template <class Real>
Problem<Real, std::complex<Real>> gamma_sphere(Shape grid, Cutoff cutoff, const std::string& balance = "coefficients") {
  cutoff.half = true;
  return {problem(precision_of<Real>, grid, {.cutoff = cutoff, .balance = balance, .half = true})};
}

/// The spectrum of a smaller grid `kept` on a grid: 2/3-rule dealiasing, padding by 3/2. Nothing of
/// the grid's spectrum but that box is transformed, moved or stored: backward fills the rest with
/// zeros, forward drops it. The output is an array of the box as slabs of c2c(kept) have it: cut
/// along axis 1, in memory order (1, 0, 2).
template <class Real>
Problem<std::complex<Real>, std::complex<Real>> kept_box(Shape grid, Shape kept) {
  return {problem(precision_of<Real>, grid, {.box = kept})};
}
/// Any box of the spectrum's indices, from -n on: pruned output forward, pruned input backward. The
/// output is an array of it, ordered by index and cut in the same way.
template <class Real>
Problem<std::complex<Real>, std::complex<Real>> kept_box(Shape grid, const Box& kept) {
  return {problem(precision_of<Real>, grid, {.box = kept.shape(), .low = kept.lo})};
}
/// A smaller grid's spectrum of real functions; the output is ordered as that of r2c(kept).
template <class Real>
Problem<Real, std::complex<Real>> real_kept_box(Shape grid, Shape kept) {
  return {problem(precision_of<Real>, grid, {.box = kept, .real = true})};
}

/// A strategy that "auto" looked at for an exchange: what the model says of it, or why it declines.
struct Considered {
  std::string strategy;
  Cost cost;
  double seconds = 0;
  std::string declined;  ///< empty: it does not
};

/// A handle on an array of one rank that knows which global box it is. Copies share memory.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::shared_ptr<std::byte> memory, const View& view, Index elements)
      : memory_(std::move(memory)), view_(view), elements_(elements) {}

  T* data() const { return reinterpret_cast<T*>(memory_.get()); }
  const std::shared_ptr<std::byte>& memory() const { return memory_; }
  /// Global box; with batch or components their axes come first and last.
  const Box& box() const { return view_.box; }
  const Shape& strides() const { return view_.strides; }
  Index size() const { return elements_; }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(elements_)}; }
  operator std::span<T>() const { return span(); }
  operator std::span<const T>() const { return span(); }

  /// Element at a global point inside box().
  T& operator[](const Shape& point) const { return data()[view_.at(point)]; }
  /// Calls f(point, value&) for every point of the box.
  template <class F>
  void for_each(F&& f) const {
    if (view_.box.empty()) return;
    Shape p = view_.box.lo;
    for (;;) {
      f(static_cast<const Shape&>(p), (*this)[p]);
      int a = p.size() - 1;
      while (a >= 0 && ++p[a] == view_.box.hi[a]) p[a] = view_.box.lo[a], --a;
      if (a < 0) return;
    }
  }
  /// value = f(point) everywhere.
  template <class F>
  void fill(F&& f) const {
    for_each([&](const Shape& p, T& value) { value = f(p); });
  }

 private:
  std::shared_ptr<std::byte> memory_;
  View view_;
  Index elements_ = 0;
};

/// A line of the transformed array on its way between forward and backward (of real space between
/// backward and forward): `values` holds `count` elements at the global points `first`, `first` + 1
/// along `axis`, ...
struct Line {
  Shape first;
  int axis = 0;
  Index count = 0;
  void* values = nullptr;
};

/// Whose the memory is that a plan works in. Alike on all ranks.
enum class Memory {
  own,      ///< the plan's own, allocated when it is made
  callers,  ///< the workspace is the caller's: give it with `use_workspace` before the first execution
  none,     ///< nobody's: the plan says what would be done and how much memory that takes, and cannot execute
};

class AnyPlan;
class [[gnu::visibility("hidden")]] Chooser;
namespace check {
struct Program;
/// What every rank does in a plan, as data. Collective.
std::vector<Program> programs(const AnyPlan& plan);
}  // namespace check

/// A plan whose element types are known at run time. Creation is collective over `comm`, which is
/// duplicated; the user initialises MPI. Every error that planning finds is thrown alike on every
/// rank.
class AnyPlan {
 public:
  AnyPlan(MPI_Comm comm, const AnyProblem& problem, const Options& options = {}, Memory memory = Memory::own);
  ~AnyPlan();
  AnyPlan(AnyPlan&&) noexcept;
  AnyPlan& operator=(AnyPlan&&) noexcept;

  /// Collective. `in` and `out` are this rank's arrays in input_layout() and output_layout(), or,
  /// for backward, the reverse; they must not overlap, or be the same pointer when the plan is in
  /// place. The input is preserved unless the options allow otherwise. Executions are not const:
  /// they use the plan's buffers and flags, and some try how stages had better write. One plan
  /// executes once at a time; all functions that are const may be called by several threads
  /// meanwhile.
  void forward(const void* in, void* out);
  void backward(const void* in, void* out);
  /// Forward, f on every line of the transformed array, backward, without storing the transformed
  /// array: filters, Poisson solvers, convolutions. f may run on several threads at once
  /// (options.threads). in and out are both in input_layout(): the same pointer, in place or not,
  /// or arrays that do not overlap. What f throws is thrown here when the execution has ended, on
  /// the rank where it arose and no other. Lines that follow on that rank are not mapped, so the
  /// output is of no use anywhere; the plan is as good as before.
  void forward_map_backward(const void* in, void* out, const std::function<void(const Line&)>& f);
  /// Plane waves only: backward, f on every line of real space, forward, without storing real
  /// space: a plane is worked on while it is in cache. in and out are coefficients and may be the
  /// same array. The application of a local potential; not scaled but for the options' scale. What
  /// f throws is treated as in forward_map_backward.
  void backward_map_forward(const void* in, void* out, const std::function<void(const Line&)>& f);

  /// Product of the logical lengths, inverted: backward(forward(u)) * scale() = u (1 when the
  /// options scale fully or symmetrically).
  double scale() const;
  const Layout& input_layout() const;  ///< batch and component axes included
  const Layout& output_layout() const;
  /// This rank's arrays: box and strides.
  View input_view() const;
  View output_view() const;
  /// Elements that this rank's arrays have room for, padding behind the last point included.
  Index input_elements() const;
  Index output_elements() const;
  /// The least that arrays must have: elements from the first point to one past the last (in place
  /// as many as above).
  Index input_reach() const;
  Index output_reach() const;
  const AnyProblem& problem() const;
  /// Plane waves only: the planes that this rank's backward_map_forward maps, without the batch, in
  /// C order. That is input_view() unless the caller's real space is cut otherwise.
  View map_view() const;
  /// Plane waves only: this rank's G-vectors in the order of its coefficients.
  const std::vector<GVector>& vectors() const;
  /// The signed wavenumber of a global index of the transformed array along an axis of the
  /// problem's shape, which has no batch and component axes. See `Mode::k` for n/2 and for cosines
  /// and sines.
  double wavenumber(int axis, Index index) const;
  /// All wavenumbers and weights of the transformed array, and a walk over it. Made at the first
  /// call; local.
  const Modes& modes() const;
  const Options& requested() const;
  const Options& effective() const;  ///< what is done where it differs from what was requested
  /// Bytes that the plan owns on this rank: exchange buffers, work arrays, scratch, arrays handed
  /// out.
  Index bytes_owned() const;
  /// Bytes of the plan's workspace on this rank: its work arrays and the scratch memory of its
  /// threads, which hold nothing between executions. Exchange buffers, into which peers may write
  /// at any time, and arrays handed out are no part of it.
  Index workspace_bytes() const;
  /// From now on the plan works in `memory`, which has room for `bytes`, at least
  /// workspace_bytes(), and begins anywhere. Plans that do not execute at the same time may share
  /// it, and the caller may use it between executions. It must stay until the last execution, or
  /// until another one is given. Local. Throws Error where the plan was not made with
  /// Memory::callers, where `memory` is null or where it is too small.
  void use_workspace(void* memory, Index bytes);
  /// Whether executions to come are among the first, at most some hundred, in which a plan finds
  /// out how its stages should write, past the caches or not: some of them take longer, with the
  /// same results. It looks again when executions have come to take clearly more or less. Alike on
  /// all ranks.
  bool trying() const;

  /// What this rank did since recording began: seconds in local work and in exchanges, MPI calls
  /// that move data, messages to other ranks, their bytes.
  struct Spent {
    double work_seconds = 0, exchange_seconds = 0;
    Index calls = 0, messages = 0, bytes = 0;
  };
  /// Lines of each axis of input_layout() that one forward transforms on this rank; backward as
  /// many. Of plane waves only those that are not all zero.
  std::vector<Index> lines() const;
  /// Records every execution from now on: a clock read a step, and nothing is allocated then.
  /// Local; on all ranks, or the trace lacks some.
  void record(Trace& trace);
  /// Recording for this plan alone: seconds and counts from now on, and the times of the last
  /// execution. Off ends also `record`.
  void measure(bool on);
  Spent spent() const;

  /// Stages, exchanges, strategy, schedule, bytes and messages, memory: many lines. Collective only
  /// when made.
  std::string describe() const;
  /// How the strategy, the schedule and what else was left open came to be as they are: candidates
  /// with predicted and measured times, the winner and the reason, bytes and imbalance. Many lines,
  /// or one JSON object with "problem", "choice", "reason" and "candidates". Local.
  std::string explain(bool json = false) const;
  /// For every exchange of forward: what "auto" considered, the cheapest first; empty where a
  /// strategy was named.
  std::vector<std::vector<Considered>> considered() const;

  /// The derived datatypes by which this rank sends and receives, forward and backward, as MPI has
  /// them, each checked against the pieces that it stands for. Strategies that send packed memory
  /// make none.
  struct Datatypes {
    std::string text;             ///< many lines
    int made = 0, different = 0;  ///< of `made` types so many are not what they should be
  };
  Datatypes datatypes() const;
  /// Whether all that ranks read and write is ordered by the plan's steps and by what its exchanges
  /// promise, whatever the timing: in executions of every kind, three in a row and mixed. Executes
  /// nothing. Collective.
  struct Ordering {
    Index compared = 0;   ///< pairs of accesses that may meet, one of them a write
    Index unordered = 0;  ///< of these, those that do and have no order
    bool hangs = false;   ///< some step waits for what never comes
    std::string text;     ///< the first of them; empty: there are none
  };
  Ordering ordering() const;
  /// Every step of forward's schedule, one a line; after a forward that was recorded with when it
  /// began and how long it took, in microseconds (where a thread of its own does the exchanges,
  /// work by the clock of the first of the others).
  std::string steps() const;

  /// Memory of the plan's own: allocated at the first call, as fast for this plan as memory can be
  /// (a strategy's own segment where it has one).
  std::shared_ptr<std::byte> input_memory();
  std::shared_ptr<std::byte> output_memory();
  /// Memory of the caller's own for one more array, zeroed: another one at every call. It may
  /// outlive the plan.
  std::shared_ptr<std::byte> make_input_memory() const;
  std::shared_ptr<std::byte> make_output_memory() const;

 protected:
  /// What options leave open is up to `chooser` (weft's own tuner in the constructor above).
  AnyPlan(MPI_Comm comm, const AnyProblem& problem, const Options& options, Memory memory, const Chooser& chooser);

 private:
  struct [[gnu::visibility("hidden")]] Body;
  friend std::vector<check::Program> check::programs(const AnyPlan& plan);
  std::unique_ptr<Body> body_;
};

/// The real type of an element.
template <class T>
struct RealOf {
  using type = T;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type = Real;
};
template <class T>
using real_of = typename RealOf<T>::type;

/// A plan with its element types: complex data cannot be given to a real plan.
template <class In, class Out>
class Plan : public AnyPlan {
 public:
  Plan(MPI_Comm comm, const Problem<In, Out>& problem, const Options& options = {}, Memory memory = Memory::own)
      : AnyPlan(comm, problem, options, memory) {}

  /// The plan's own arrays, one of each: every call returns the same memory. In place, input and
  /// output are the same.
  Array<In> input() { return {input_memory(), input_view(), input_elements()}; }
  Array<Out> output() { return {output_memory(), output_view(), output_elements()}; }
  /// As many arrays as you want: every call returns another one, zeroed.
  Array<In> make_input() const { return {make_input_memory(), input_view(), input_elements()}; }
  Array<Out> make_output() const { return {make_output_memory(), output_view(), output_elements()}; }
  /// In place only: the same memory as the other side of the transform sees it.
  Array<Out> as_output(const Array<In>& array) const { return {same(array), output_view(), output_elements()}; }
  Array<In> as_input(const Array<Out>& array) const { return {same(array), input_view(), input_elements()}; }
  /// This rank's part where it lies inside a larger array of the caller's, with ghost layers or
  /// padding around it. `extents` are those of the larger array, one for each axis of
  /// input_layout(); `first` is the part's first point counted in it; the memory order is the
  /// layout's. The plan must have been made for such strides: with options.input (or output) a
  /// layout that is padded on every axis a by extents[a] minus the extent of this rank's part.
  /// Throws Error when the strides are not the plan's, or the part is not inside the array, or the
  /// array not inside `memory`. Local. The memory stays the caller's; nothing but the part is read
  /// or written.
  Array<In> input_in(std::span<In> memory, const Shape& extents, const Shape& first) const {
    return part_of(memory, input_layout(), input_view(), extents, first, "input_in");
  }
  Array<Out> output_in(std::span<Out> memory, const Shape& extents, const Shape& first) const {
    return part_of(memory, output_layout(), output_view(), extents, first, "output_in");
  }

  void forward(const In* in, Out* out) { AnyPlan::forward(in, out); }
  void backward(const Out* in, In* out) { AnyPlan::backward(in, out); }
  /// As above; throws Error when a span is too short.
  void forward(std::span<const In> in, std::span<Out> out) {
    check(in.size(), input_reach(), "forward's input");
    check(out.size(), output_reach(), "forward's output");
    AnyPlan::forward(in.data(), out.data());
  }
  void backward(std::span<const Out> in, std::span<In> out) {
    check(in.size(), output_reach(), "backward's input");
    check(out.size(), input_reach(), "backward's output");
    AnyPlan::backward(in.data(), out.data());
  }
  void forward(const Array<In>& in, const Array<Out>& out) { forward(std::span<const In>(in), std::span<Out>(out)); }
  void backward(const Array<Out>& in, const Array<In>& out) { backward(std::span<const Out>(in), std::span<In>(out)); }
  /// The forms that are given lines.
  using AnyPlan::backward_map_forward;
  using AnyPlan::forward_map_backward;
  /// f(global point, value&) or f(mode, value&), where a `Mode` has the wavenumbers, on every
  /// element of the transformed array, between forward and backward.
  template <class F>
  void forward_map_backward(std::span<const In> in, std::span<In> out, F&& f) {
    check(in.size(), input_reach(), "the input");
    check(out.size(), input_reach(), "the output");
    if constexpr (std::is_invocable_v<F&, const Shape&, Out&>) {
      AnyPlan::forward_map_backward(in.data(), out.data(), [&f](const Line& line) { on_points<Out>(line, f); });
    } else {
      const Modes& all = modes();
      AnyPlan::forward_map_backward(in.data(), out.data(), [&f, &all](const Line& line) {
        all.for_line(line.first, line.axis, line.count, static_cast<Out*>(line.values), f);
      });
    }
  }
  /// Plane waves only: f(global point, value&) on every element of real space, between backward and
  /// forward.
  template <class F>
  void backward_map_forward(std::span<const Out> in, std::span<Out> out, F&& f) {
    check(in.size(), output_reach(), "the coefficients");
    check(out.size(), output_reach(), "the result");
    AnyPlan::backward_map_forward(in.data(), out.data(), [&f](const Line& line) { on_points<In>(line, f); });
  }
  /// Applies a local potential: out = forward(potential * backward(in)) * scale(). `potential` has
  /// an element for every point of this rank's box of map_view(), in its order; with a batch all
  /// fields share it.
  void apply(std::span<const real_of<In>> potential, std::span<const Out> in, std::span<Out> out) {
    const View view = map_view();
    check(potential.size(), view.box.volume(), "the potential");
    check(in.size(), output_reach(), "the coefficients");
    check(out.size(), output_reach(), "the result");
    const auto factor = static_cast<real_of<In>>(scale());
    const auto multiply = [&](const Line& line) {
      Shape first = line.first;
      if (first.size() > 3) first = {first[1], first[2], first[3]};
      const real_of<In>* v = potential.data() + view.at(first);
      auto* values = static_cast<In*>(line.values);
      for (Index k = 0; k < line.count; ++k) values[k] *= factor * v[k];
    };
    AnyPlan::backward_map_forward(in.data(), out.data(), std::cref(multiply));
  }

 private:
  template <class T, class F>
  static void on_points(const Line& line, F& f) {
    Shape p = line.first;
    auto* values = static_cast<T*>(line.values);
    for (Index k = 0; k < line.count; ++k, ++p[line.axis]) f(static_cast<const Shape&>(p), values[k]);
  }
  template <class T>
  std::shared_ptr<std::byte> same(const Array<T>& array) const {
    if (!requested().in_place())
      throw Error(
          "as_output, as_input: the plan is not in place, and its two arrays are different memory; "
          "plan with placement \"in_place\"");
    return array.memory();
  }
  template <class T>
  static Array<T> part_of(std::span<T> memory, const Layout& layout, const View& part, const Shape& extents,
                          const Shape& first, const char* what) {
    const auto size = static_cast<Index>(memory.size());
    const Index offset = offset_in(part, layout.order(), extents, first, size, what);
    auto* begin = reinterpret_cast<std::byte*>(memory.data() + offset);
    return {std::shared_ptr<std::byte>(std::shared_ptr<void>(), begin), part, size - offset};
  }
  static void check(std::size_t given, Index needed, const char* what) {
    if (static_cast<Index>(given) < needed)
      throw Error(std::string(what) + " has " + std::to_string(given) + " elements; this plan needs " +
                  std::to_string(needed) + " (plan.input_elements(), plan.output_elements())");
  }
};

template <class In, class Out>
Plan(MPI_Comm, const Problem<In, Out>&, const Options&, Memory) -> Plan<In, Out>;
template <class In, class Out>
Plan(MPI_Comm, const Problem<In, Out>&, const Options&) -> Plan<In, Out>;
template <class In, class Out>
Plan(MPI_Comm, const Problem<In, Out>&) -> Plan<In, Out>;

std::ostream& operator<<(std::ostream& out, const AnyPlan& plan);

}  // namespace weft
#pragma GCC visibility pop

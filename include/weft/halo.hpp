// Halo exchange: every rank's array has ghost points, which are filled with the values of the ranks
// that own them, or added to these.
//
//     auto parts = weft::Layout::grid({64, 64, 64}, {2, 2, 1});
//     weft::Halo halo(comm, parts, sizeof(double), {.width = {1, 1, 1}, .periodic = {1, 1, 1}});
//     std::vector<double> u(halo.elements());
//     halo.start(u.data());
//     ...                                       // what needs no ghost point: own points may be read
//     halo.finish();
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/exchange.hpp>
#include <weft/trace.hpp>

#pragma GCC visibility push(default)
namespace weft {

struct HaloOptions {
  Shape width = Shape();   ///< ghost points at both ends of every axis: one number an axis, 0 or more
  Shape behind = Shape();  ///< at the upper ends, where these have not as many as the lower ones (empty: as `width`)
  bool corners = true;     ///< false: points that are ghosts on more than one axis are left as they are
  /// periodic[a] = 1: what lies beyond the global shape on axis a is the other end, as often as it
  /// takes (empty: no axis is periodic). On other axes what lies beyond is left as it is.
  Few<int> periodic = Few<int>();
  int fields = 1;     ///< arrays exchanged at once: as many messages as for one
  bool adds = false;  ///< whether `add` will be called, which needs an exchange of its own
  /// A name as in RedistributionOptions; or two with + between them, of filling and of adding,
  /// which some decline.
  std::string strategy = "auto";
  std::vector<int> nodes = std::vector<int>();  ///< as in Options
  bool wisdom = true;                           ///< as in RedistributionOptions
};

/// Adds strided elements of `numbers` numbers each to others. Strides are in bytes.
using Adding = void (*)(const std::byte* from, Index from_stride, std::byte* to, Index to_stride, Index count,
                        Index numbers);
template <class T>
void adding(const std::byte* from, Index from_stride, std::byte* to, Index to_stride, Index count, Index numbers) {
  for (Index i = 0; i < count; ++i, from += from_stride, to += to_stride)
    for (Index k = 0; k < numbers; ++k) reinterpret_cast<T*>(to)[k] += reinterpret_cast<const T*>(from)[k];
}

/// The arrays of a call: one, or as many as a halo has fields. `u.data()`, `{u.data(), v.data()}`,
/// or a vector or span of pointers.
class Fields {
 public:
  Fields(void* array) : one_(array), all_(&one_, 1) {}
  Fields(std::initializer_list<void*> arrays) : all_(arrays.begin(), arrays.size()) {}
  Fields(const std::vector<void*>& arrays) : all_(arrays) {}
  Fields(std::span<void* const> arrays) : all_(arrays) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  std::span<void* const> all() const { return all_; }

 private:
  void* one_ = nullptr;
  std::span<void* const> all_;
};

class Halo;
namespace check {
struct Program;
/// What every rank does in a halo exchange, filling and adding, as data. Collective.
std::vector<Program> programs(const Halo& halo);
}  // namespace check

/// A halo exchange, ready to run any number of times. Making one is collective, and so is every
/// call but `test`; executing allocates nothing. The strategies are those of redistributions.
class Halo {
 public:
  /// Of boxes: a rank's array holds its box of `layout` with the ghost points around it, in the
  /// layout's memory order, its padding behind the ghost points. A halo may be wider than the
  /// neighbours' parts, and than the whole array where that is periodic. Ranks without points have
  /// no ghost points. Throws Error alike on all ranks: where they do not give the same, where
  /// points belong to several ranks, or where numbers do not fit `layout`.
  Halo(MPI_Comm comm, const Layout& layout, Index element_bytes, const HaloOptions& options);
  /// Of any layouts: a rank's array holds its points of `layout`, and behind them those of
  /// `ghosts`, which belong to whichever rank. So ghost points are any lists of indices, in any
  /// order: see `Layout::runs` and `checkerboard_ghosts`. `options` says nothing of widths, corners
  /// and periodic axes.
  Halo(MPI_Comm comm, const Layout& layout, const Layout& ghosts, Index element_bytes, const HaloOptions& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  /// Elements of this rank's array, ghost points and padding included.
  Index elements() const;
  /// Where this rank's own points lie in its array. Throws Error unless the layout has boxes.
  View inside() const;

  /// Fills the ghost points.
  void operator()(const Fields& arrays) { start(arrays), finish(); }
  /// Begins to fill them. Until `finish` returns own points may be read, not written, and ghost
  /// points neither.
  void start(const Fields& arrays);
  /// Adds the value of every ghost point to the point that it is a copy of, in an order that
  /// depends on the layouts alone: the adjoint of filling. Ghost points keep their values. An
  /// element is one T, or an array of them. Throws Error unless the options say `adds`.
  template <class T>
  void add(const Fields& arrays) {
    start_add<T>(arrays), finish();
  }
  /// Begins to add. Until `finish` returns ghost points may be read, not written, and own points
  /// neither.
  template <class T>
  void start_add(const Fields& arrays) {
    start_add(arrays, adding<T>, sizeof(T));
  }
  /// Lets what was started progress; true when all that comes has come. Local.
  bool test();
  /// Ends what was started.
  void finish();

  /// Records every execution from now on, as plans do. Local; on all ranks, or the trace lacks
  /// some.
  void record(Trace& trace);
  /// The strategy that fills.
  const std::string& strategy() const;
  /// Strategies, bytes and messages, memory.
  std::string describe() const;

 private:
  struct [[gnu::visibility("hidden")]] Body;
  friend std::vector<check::Program> check::programs(const Halo& halo);
  void start_add(const Fields& arrays, Adding adding, std::size_t number_bytes);
  std::unique_ptr<Body> body_;
};

/// Ghost points of boxes as lists, for `Halo` beside `Layout::checkerboard` of the same boxes: of
/// every rank the points whose global index sum is even, then the odd ones, or only those of one
/// `parity` (0: even, 1: odd). Of each parity axis after axis, the lower side before the upper one,
/// each side in C order of where its points lie; corners are with the first axis on which they are
/// ghosts. So what comes from one side lies together. Points beyond an axis that is not periodic
/// are left out. `options` says how wide, with which corners, and what is periodic. Throws Error
/// where a periodic axis has an odd extent: neighbours would be of the same parity there.
Layout checkerboard_ghosts(const Layout& layout, const HaloOptions& options, int parity = -1);

}  // namespace weft
#pragma GCC visibility pop

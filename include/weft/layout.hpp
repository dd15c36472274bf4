// Layouts: which part of a global array each rank owns, and how that part lies in its memory. No
// MPI.
#pragma once

#include <memory>

#include <weft/view.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// How one axis of n indices is cut into consecutive parts. Every rule gives `parts + 1` bounds
/// from 0 to n.
class Split {
 public:
  /// Parts differ by at most one; the longer ones come first.
  static Split even();
  /// Blocks of ceil(n / parts), later parts shorter or empty: FFTW's rule.
  static Split blocks();
  /// Blocks of `size`; an error when parts * size < n.
  static Split blocks(Index size);
  /// The given bounds (parts + 1 of them, non-decreasing, from 0 to n).
  static Split given(std::vector<Index> bounds);

  /// The split of such a text: "even", "blocks", "blocks:8", or bounds as "0,3,8". Throws Error for
  /// any other.
  static Split from(const std::string& text);

  std::vector<Index> bounds(Index n, int parts) const;
  /// What `from` reads.
  std::string text() const;

 private:
  enum class Rule { even, blocks, given };
  Rule rule_ = Rule::even;
  Index size_ = 0;
  std::vector<Index> bounds_;
};

/// Consecutive global indices [first, first + count) in C order of the global shape.
struct Run {
  Index first = 0, count = 0;
  bool operator==(const Run&) const = default;
};

/// A column of the last axis: its global position on the other axes and the half-open range it
/// covers.
struct Stick {
  Shape at;  ///< one index for every axis but the last
  Index lo = 0, hi = 0;
};

/// A global shape and what each rank owns of it: a box with a memory order (slab, pencil, brick,
/// custom), or a list of runs that lie one behind the other in memory (ragged sticks,
/// checkerboards, any index list). Cheap to copy.
class Layout {
 public:
  /// One box a rank, anywhere (empty, overlapping or beyond [0, shape) allowed: see
  /// `check_partition`). `order` is the memory order, slowest axis first (empty: C order);
  /// `padding[axis]` elements are added to an axis' allocated length (empty: none).
  Layout(Shape shape, std::vector<Box> boxes, Order order = {}, Shape padding = {});
  /// One list of runs a rank; local memory holds them in the order given (consecutive runs are
  /// joined, empty ones dropped).
  static Layout runs(Shape shape, std::vector<std::vector<Run>> runs);
  /// Ragged sticks along the last axis; local memory holds them in the order given.
  static Layout sticks(Shape shape, const std::vector<std::vector<Stick>>& sticks);

  /// Cut along one axis.
  static Layout slab(Shape shape, int axis, int ranks, const Split& split = Split::even(), Order order = {});
  /// Cut along every axis a with grid[a] > 1 (slab, pencil or brick); ranks in C order of the grid,
  /// as MPI_Cart_create.
  static Layout grid(Shape shape, const Few<int>& grid, const Split& split = Split::even(), Order order = {});
  static Layout grid(Shape shape, const Few<int>& grid, const std::vector<Split>& split_per_axis, Order order = {});
  /// Everything on every rank.
  static Layout replicated(Shape shape, int ranks);
  /// The points of each box whose global index sum is even, then those whose sum is odd, each in C
  /// order: an even/odd lattice.
  static Layout checkerboard(Shape shape, const std::vector<Box>& boxes);

  /// The same boxes grown by `width[a]` points at both ends of every axis a (beyond the global
  /// shape too: periodic halos); empty ones stay empty.
  Layout grown(const Shape& width) const;
  /// The same boxes in another memory order / padding.
  Layout ordered(const Order& order, const Shape& padding = {}) const;

  const Shape& shape() const;
  int axes() const { return shape().size(); }
  int ranks() const;
  bool has_boxes() const;
  const Box& box(int rank) const;                ///< only when has_boxes()
  const std::vector<Run>& runs(int rank) const;  ///< only when !has_boxes()
  const Order& order() const;
  const Shape& padding() const;
  /// Elements that a rank's array must have room for, padding included.
  Index elements(int rank) const;
  /// Points that a rank owns.
  Index points(int rank) const;
  /// A rank's whole array (only when has_boxes()).
  View view(int rank, int slot = -1) const;

  /// Throws Error, naming the ranks and the region, when parts overlap or lie outside [0, shape):
  /// what a source must not do. `what` begins the message.
  void check_owned_once(const std::string& what) const;
  /// The same, and throws when some points belong to no rank.
  void check_partition(const std::string& what) const;
  /// One line: kind, shape, ranks, order. Two layouts are equal exactly when describe(true) (every
  /// part) is: how they were made does not count.
  std::string describe(bool every_part = false) const;
  bool operator==(const Layout& other) const;

 private:
  struct [[gnu::visibility("hidden")]] Data;
  explicit Layout(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace weft
#pragma GCC visibility pop

// Patterns: what goes and what comes for one rank when data moves from one layout to another. A
// redistribution is data.
#pragma once

#include <functional>

#include <weft/layout.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// Something that one peer gets or gives, and where it lies in the local array of the layout it
/// belongs to. The view's box is in the coordinates of the destination (a periodic halo's source
/// lies elsewhere by the shift), or, when a layout is a list of runs, the 1-D position in the
/// sequence of elements between the two ranks, in ascending global C order.
struct Piece {
  int peer = 0;  ///< number in `Pattern::members()`
  View at;       ///< slot -1; offset and strides in the layout's own memory
};

/// How a pattern is cut into tiles: every rank's own from-box in steps of `size` on one axis; axis
/// -1: one tile, the only choice when a layout is a list of runs. An adjoint keeps the tiles of its
/// original.
struct Cut {
  int axis = -1;
  Index size = 0;
};

/// The ghost points of boxes that have grown: their outermost `before[a]` and `behind[a]` on each
/// axis a.
struct Ghosts {
  Shape before = Shape(), behind = Shape();  ///< 0 or more, one number an axis; both empty: boxes are wanted whole
  bool corners = true;                       ///< false: without points that are ghosts on more than one axis
  bool operator==(const Ghosts&) const = default;
};

/// For one rank: for every peer and tile, what leaves and what arrives. Built from the layouts
/// alone, without communication. A source owns each element once; destinations may overlap, leave
/// holes or be empty.
class Pattern {
 public:
  struct Tile {
    /// Sorted by peer, then by position. A pair of ranks has the same boxes in the same order on
    /// both sides; between runs it has the same sequence of elements, which each side cuts as its
    /// own memory allows.
    std::vector<Piece> gives, takes;
  };

  /// `periodic[a]`: a destination that reaches beyond [0, shape) on axis a wraps, as often as it
  /// takes (empty: none does, and what lies beyond is a hole). With `ghosts`, `to` has boxes and
  /// only their ghost points are wanted. Throws Error unless both layouts have the same shape and
  /// ranks, `from` owns each point at most once, and every box of `to` that is not empty has as
  /// many points as it has ghosts.
  Pattern(const Layout& from, const Layout& to, int rank, Cut cut = {}, const Few<int>& periodic = {},
          const Ghosts& ghosts = {});

  /// The ranks this one is connected to, directly or through others, itself included, ascending:
  /// the smallest group that can do the exchange among itself. `piece.peer`, `rank()` and `ranks()`
  /// count inside this group.
  const std::vector<int>& members() const { return members_; }
  int ranks() const { return static_cast<int>(members_.size()); }
  int rank() const { return rank_; }

  const Layout& from() const { return from_; }
  const Layout& to() const { return to_; }
  const Cut& cut() const { return cut_; }
  /// Number of tiles: the maximum over all ranks of the layouts; later ones may be empty here.
  int tiles() const { return static_cast<int>(tiles_.size()); }
  const Tile& tile(int t) const { return tiles_[static_cast<std::size_t>(t)]; }

  /// Elements that member `source` gives to member `target` in tile t, for any two members
  /// (computed when asked).
  Index count(int t, int source, int target) const;
  /// Calls f(source, target, count) for all pairs of members, in the direction of the original,
  /// until it returns false.
  void each_count(int t, const std::function<bool(int, int, Index)>& f) const;
  /// Calls f(source, target, box) for every piece between two members that is not empty, in the
  /// coordinates of the original's destination. Only where both layouts have boxes.
  void each_box(int t, const std::function<void(int, int, const Box&)>& f) const;
  /// The largest count over all pairs of different members in tile t. The same on all members.
  Index largest(int t) const;
  /// Whether all pairs of members, each with itself included, have the same count in tile t. The
  /// same on all members.
  bool even(int t) const;

  /// The way back: takes become gives, tile by tile, and boxes keep the coordinates of the
  /// original's destination. Where destinations overlapped, the values of the copies are to be
  /// accumulated.
  Pattern adjoint() const;
  bool is_adjoint() const { return adjoint_; }
  /// Whether some element of this rank's to-array comes more than once, as the copies do that an
  /// adjoint is to add up.
  bool accumulates() const;

 private:
  /// Where the data comes from and goes to in the original when this is an adjoint.
  const Layout& source() const { return adjoint_ ? to_ : from_; }
  const Layout& target() const { return adjoint_ ? from_ : to_; }

  Layout from_, to_;
  Cut cut_;
  Few<int> periodic_;
  Ghosts ghosts_;
  std::vector<int> members_;
  int rank_ = 0;
  std::vector<Tile> tiles_;
  bool adjoint_ = false;
};

/// Elements of all pieces for one peer.
Index elements(const std::vector<Piece>& pieces, int peer);

}  // namespace weft
#pragma GCC visibility pop

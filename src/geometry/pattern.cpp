// What moves between two layouts. Between boxes, pieces are intersections; as soon as a list of
// runs is involved, both sides become stretches of the global C order, which are intersected as
// sorted lists. Whatever one rank computes for a pair of ranks, the other computes alike from the
// same layouts.
#include <weft/pattern.hpp>

#include <numeric>

#include "geometry/boxes.hpp"
#include "geometry/ghosts.hpp"

namespace weft {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ---- boxes

constexpr Index most_wraps = Index{1} << 20;  // of one box: each is a piece of its own

/// A part of a rank's destination box that wraps nowhere: it gets the points of `box`, and belongs
/// at `box` + `shift`.
struct Wrapped {
  Box box;
  Shape shift;
};

/// Appends what a rank gets of a box, cut where it wraps.
void wrap(const Box& box, const Layout& to, int rank, const Few<int>& periodic, std::vector<Wrapped>& parts) {
  const Shape& shape = to.shape();
  const auto times = [&](int a, Index i) { return i / shape[a] - (i % shape[a] < 0); };  // floor(i / shape)
  Box wraps = Box::whole(Shape::filled(box.axes(), 1));
  for (int a = 0; a < box.axes(); ++a)
    if (!periodic.empty() && periodic[a]) wraps.lo[a] = times(a, box.lo[a]), wraps.hi[a] = times(a, box.hi[a] - 1) + 1;
  if (wraps.volume() > most_wraps)
    throw Error("rank " + std::to_string(rank) + " gets " + to_string(box) + " of a periodic array of shape " +
                to_string(shape) + ", which wraps " + std::to_string(wraps.volume()) +
                " times; a halo may wrap at most " + std::to_string(most_wraps) + " times");
  each_point(wraps, [&](const Shape& wrap) {
    Shape shift = wrap, back = wrap;
    for (int a = 0; a < box.axes(); ++a) shift[a] = wrap[a] * shape[a], back[a] = -shift[a];
    const Box part = box.shifted(back).intersect(Box::whole(shape));
    if (!part.empty()) parts.push_back({part, shift});
  });
}

/// What a rank wants of its destination box, cut where it wraps; in ascending order of where the
/// parts belong.
std::vector<Wrapped> wrapped(const Layout& to, int rank, const Few<int>& periodic, const Ghosts& ghosts) {
  std::vector<Wrapped> parts;
  if (to.box(rank).empty()) return parts;
  if (ghosts == Ghosts()) {
    wrap(to.box(rank), to, rank, periodic, parts);
    return parts;
  }
  for (const Box& box : ghost_boxes(to.box(rank), ghosts)) wrap(box, to, rank, periodic, parts);
  const auto first = [](const Wrapped& part) { return part.box.shifted(part.shift).lo; };
  std::sort(parts.begin(), parts.end(), [&](const Wrapped& a, const Wrapped& b) {
    const Shape x = first(a), y = first(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  return parts;
}

Index tile_count(const Layout& from, Cut cut) {
  Index tiles = 1;
  for (int r = 0; cut.axis >= 0 && r < from.ranks(); ++r)
    if (!from.box(r).empty()) tiles = std::max(tiles, (from.box(r).extent(cut.axis) - 1) / cut.size + 1);
  return tiles;
}

/// The part of a from-box in tile t.
Box tile_of(const Box& from, Cut cut, int t) {
  if (cut.axis < 0) return from;
  const Index lo = from.lo[cut.axis] + t * cut.size;
  return from.cut(cut.axis, lo, lo + std::min(cut.size, from.extent(cut.axis)));
}

/// Calls f(tile, part) for every tile of the box `from` that has a part of `box`, a box inside it.
template <class F>
void each_tile(const Box& from, Cut cut, const Box& box, F f) {
  if (box.empty()) return;
  if (cut.axis < 0) return f(0, box);
  const Index lo = from.lo[cut.axis];
  const Index first = (box.lo[cut.axis] - lo) / cut.size, last = (box.hi[cut.axis] - 1 - lo) / cut.size;
  for (Index t = first; t <= last; ++t) f(static_cast<int>(t), box.intersect(tile_of(from, cut, static_cast<int>(t))));
}

// ---- runs

/// Consecutive numbers [first, first + count), at offset, offset + stride, ... in a rank's memory.
/// The numbers are indices in global C order, or positions in the sequence of elements between two
/// ranks.
struct Stretch {
  Index first, count, offset, stride;

  Index end() const { return first + count; }
  Stretch part(Index lo, Index hi) const { return {lo, hi - lo, offset + (lo - first) * stride, stride}; }
};

/// Appends a stretch, as part of the last one where numbers and memory go on there.
void append(std::vector<Stretch>& all, const Stretch& next) {
  if (!all.empty() && all.back().end() == next.first) {
    Stretch& last = all.back();
    const Index step = next.offset - (last.offset + (last.count - 1) * last.stride);
    if ((last.count == 1 || last.stride == step) && (next.count == 1 || next.stride == step)) {
      last.stride = step;
      last.count += next.count;
      return;
    }
  }
  all.push_back(next);
}

/// What a rank owns as stretches of the global C order, ascending. Those of a destination may
/// overlap.
std::vector<Stretch> stretches(const Layout& layout, int rank, const Few<int>& periodic, const Ghosts& ghosts) {
  std::vector<Stretch> all, joined;
  if (!layout.has_boxes()) {
    Index offset = 0;
    for (const Run& run : layout.runs(rank)) {
      all.push_back({run.first, run.count, offset, 1});
      offset += run.count;
    }
  } else {
    const View here = layout.view(rank);
    const int last = layout.axes() - 1;
    for (const auto& [box, shift] : wrapped(layout, rank, periodic, ghosts))
      each_point(box.cut(last, box.lo[last], box.lo[last] + 1),
                 [&, extent = box.extent(last), by = shift](Shape point) {
                   Index index = 0;
                   for (int a = 0; a <= last; ++a) {
                     index = index * layout.shape()[a] + point[a];
                     point[a] += by[a];
                   }
                   all.push_back({index, extent, here.at(point), here.strides[last]});
                 });
  }
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) {
    return a.first != b.first ? a.first < b.first : a.offset < b.offset;
  });
  for (const Stretch& s : all) append(joined, s);
  return joined;
}

struct Owned {
  Stretch part;
  int rank;
};

/// What all ranks own, ascending; no two overlap.
std::vector<Owned> owned(const Layout& from) {
  std::vector<Owned> all;
  for (int r = 0; r < from.ranks(); ++r)
    for (const Stretch& s : stretches(from, r, {}, {})) all.push_back({s, r});
  std::sort(all.begin(), all.end(), [](const Owned& a, const Owned& b) { return a.part.first < b.part.first; });
  return all;
}

/// Calls f(rank, in the source's memory, in the target's memory) for all that `sources` own of a
/// target's stretches, ascending.
template <class F>
void each_common(const std::vector<Owned>& sources, const std::vector<Stretch>& target, F f) {
  for (const Stretch& to : target) {
    auto from =
        std::partition_point(sources.begin(), sources.end(), [&](const Owned& s) { return s.part.end() <= to.first; });
    for (; from != sources.end() && from->part.first < to.end(); ++from) {
      const Index lo = std::max(from->part.first, to.first), hi = std::min(from->part.end(), to.end());
      f(from->rank, from->part.part(lo, hi), to.part(lo, hi));
    }
  }
}

/// The sequences between a rank and all others as pieces. Each stretch comes with a global index
/// and leaves with a position.
class Sequences {
 public:
  explicit Sequences(int ranks) : of_(at(ranks)) {}
  void add(int peer, Stretch s) {
    s.first = of_[at(peer)].empty() ? 0 : of_[at(peer)].back().end();
    append(of_[at(peer)], s);
  }
  std::vector<Piece> pieces() const {
    std::vector<Piece> all;
    for (std::size_t peer = 0; peer < of_.size(); ++peer)
      for (const Stretch& s : of_[peer])
        all.push_back({static_cast<int>(peer), {{{s.first}, {s.end()}}, -1, s.offset, {s.stride}}});
    return all;
  }

 private:
  std::vector<std::vector<Stretch>> of_;
};

// ---- who is connected

/// The ranks connected to `rank`, ascending. each_source(target, f) calls f(source) for the sources
/// of a target. Ranks without points are connected to none; as soon as all others are known to hang
/// together no more need be looked at.
template <class EachSource>
std::vector<int> connected(int rank, const Layout& from, const Layout& to, EachSource each_source) {
  const int ranks = from.ranks();
  std::vector<int> towards(at(ranks));
  std::iota(towards.begin(), towards.end(), 0);
  const auto root = [&](int r) {
    while (towards[at(r)] != r) r = towards[at(r)] = towards[at(towards[at(r)])];
    return r;
  };
  int groups = 0;
  for (int r = 0; r < ranks; ++r) groups += from.points(r) > 0 || to.points(r) > 0;
  for (int i = 0; i < ranks && groups > 1; ++i) {
    const int target = (rank + i) % ranks;
    each_source(target, [&](int source) {
      const int a = root(source), b = root(target);
      if (a == b) return;
      towards[at(std::max(a, b))] = std::min(a, b);
      --groups;
    });
  }
  std::vector<int> members;
  for (int r = 0; r < ranks; ++r)
    if (root(r) == root(rank)) members.push_back(r);
  return members;
}

}  // namespace

Pattern::Pattern(const Layout& from, const Layout& to, int rank, Cut cut, const Few<int>& periodic,
                 const Ghosts& ghosts)
    : from_(from), to_(to), cut_(cut), periodic_(periodic), ghosts_(ghosts) {
  const bool boxes = from.has_boxes() && to.has_boxes();
  const auto both = [&] { return "a pattern from " + from.describe() + " to " + to.describe(); };
  if (from.shape() != to.shape() || from.ranks() != to.ranks())
    throw Error(both() + ": both must have the same shape and ranks");
  if (rank < 0 || rank >= from.ranks())
    throw Error(both() + " for rank " + std::to_string(rank) + ": ranks count from 0 to " +
                std::to_string(from.ranks() - 1));
  if (!periodic.empty() && periodic.size() != from.axes())
    throw Error(both() + ", periodic on " + std::to_string(periodic.size()) +
                " axes: say of every axis whether it is, or of none");
  if (cut.axis < -1 || cut.axis >= from.axes() || (cut.axis >= 0 && cut.size < 1))
    throw Error(both() + ", in tiles of " + std::to_string(cut.size) + " on axis " + std::to_string(cut.axis) +
                ": tiles of at least 1 on an axis from 0 to " + std::to_string(from.axes() - 1) +
                ", or axis -1 for one tile");
  if (cut.axis >= 0 && !boxes)
    throw Error(both() + ", in tiles on axis " + std::to_string(cut.axis) +
                ": lists of runs travel in one tile, axis -1");
  if (ghosts != Ghosts()) {
    if (!to.has_boxes())
      throw Error(both() + ", of ghost points alone: only boxes have ghost points, so give a destination of boxes");
    for (int r = 0; r < to.ranks(); ++r) check_ghosts(to.box(r), r, ghosts);
  }
  from.check_owned_once("the source of a pattern");

  tiles_.resize(static_cast<std::size_t>(boxes ? tile_count(from, cut) : 1));
  if (boxes) {
    std::vector<std::vector<Wrapped>> targets;
    for (int d = 0; d < to.ranks(); ++d) targets.push_back(wrapped(to, d, periodic, ghosts));
    const View gives = from.view(rank), takes = to.view(rank);
    for (int d = 0; d < to.ranks(); ++d)
      for (const auto& [box, shift] : targets[at(d)])
        each_tile(gives.box, cut, gives.box.intersect(box), [&, &by = shift](int t, const Box& part) {
          View piece = gives.cut(part);
          piece.box = part.shifted(by);
          tiles_[at(t)].gives.push_back({d, piece});
        });
    for (int s = 0; s < from.ranks(); ++s)
      for (const auto& [box, shift] : targets[at(rank)])
        each_tile(from.box(s), cut, from.box(s).intersect(box), [&, &by = shift](int t, const Box& part) {
          tiles_[at(t)].takes.push_back({s, takes.cut(part.shifted(by))});
        });
    std::vector<Box> sources;
    for (int s = 0; s < from.ranks(); ++s) sources.push_back(from.box(s));
    const BoxTree tree(sources);
    members_ = connected(rank, from, to, [&](int target, auto f) {
      for (const Wrapped& part : targets[at(target)]) tree.meeting(part.box, f);
    });
  } else {
    const std::vector<Owned> sources = owned(from);
    std::vector<Owned> mine;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(mine),
                 [&](const Owned& s) { return s.rank == rank; });
    std::vector<std::vector<Stretch>> targets;
    for (int d = 0; d < to.ranks(); ++d) targets.push_back(stretches(to, d, periodic, ghosts));
    Sequences gives(from.ranks()), takes(from.ranks());
    for (int d = 0; d < to.ranks(); ++d)
      each_common(mine, targets[at(d)], [&](int, const Stretch& source, const Stretch&) { gives.add(d, source); });
    each_common(sources, targets[at(rank)],
                [&](int s, const Stretch&, const Stretch& target) { takes.add(s, target); });
    tiles_[0] = {gives.pieces(), takes.pieces()};
    members_ = connected(rank, from, to, [&](int target, auto f) {
      each_common(sources, targets[at(target)], [&](int s, const Stretch&, const Stretch&) { f(s); });
    });
  }

  std::vector<int> number(at(from.ranks()), -1);
  for (std::size_t i = 0; i < members_.size(); ++i) number[at(members_[i])] = static_cast<int>(i);
  rank_ = number[at(rank)];
  for (Tile& tile : tiles_)
    for (auto* pieces : {&tile.gives, &tile.takes})
      for (Piece& piece : *pieces) piece.peer = number[at(piece.peer)];
}

Index Pattern::count(int t, int s, int d) const {
  const int giver = members_[at(adjoint_ ? d : s)], taker = members_[at(adjoint_ ? s : d)];
  Index sum = 0;
  if (source().has_boxes() && target().has_boxes()) {
    const Box tile = tile_of(source().box(giver), cut_, t);
    for (const Wrapped& part : wrapped(target(), taker, periodic_, ghosts_)) sum += common_points(tile, part.box);
    return sum;
  }
  std::vector<Owned> given;
  for (const Stretch& stretch : stretches(source(), giver, {}, {})) given.push_back({stretch, giver});
  each_common(given, stretches(target(), taker, periodic_, ghosts_),
              [&](int, const Stretch& part, const Stretch&) { sum += part.count; });
  return sum;
}

void Pattern::each_count(int t, const std::function<bool(int, int, Index)>& f) const {
  const bool boxes = source().has_boxes() && target().has_boxes();
  const std::vector<Owned> all = boxes ? std::vector<Owned>{} : owned(source());
  std::vector<Box> tile_boxes;
  for (int m : members_)
    if (boxes) tile_boxes.push_back(tile_of(source().box(m), cut_, t));
  for (int d = 0; d < ranks(); ++d) {
    std::vector<Index> counts(members_.size(), 0);
    if (boxes) {
      for (const Wrapped& part : wrapped(target(), members_[at(d)], periodic_, ghosts_))
        for (std::size_t s = 0; s < counts.size(); ++s) counts[s] += common_points(tile_boxes[s], part.box);
    } else {
      std::vector<Index> by_rank(at(from_.ranks()), 0);
      each_common(all, stretches(target(), members_[at(d)], periodic_, ghosts_),
                  [&](int s, const Stretch& part, const Stretch&) { by_rank[at(s)] += part.count; });
      for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = by_rank[at(members_[s])];
    }
    for (int s = 0; s < ranks(); ++s)
      if (!(adjoint_ ? f(d, s, counts[at(s)]) : f(s, d, counts[at(s)]))) return;
  }
}

void Pattern::each_box(int t, const std::function<void(int, int, const Box&)>& f) const {
  std::vector<Box> tile_boxes;
  for (int m : members_) tile_boxes.push_back(tile_of(source().box(m), cut_, t));
  for (int d = 0; d < ranks(); ++d)
    for (const Wrapped& part : wrapped(target(), members_[at(d)], periodic_, ghosts_))
      for (int s = 0; s < ranks(); ++s)
        if (const Box box = tile_boxes[at(s)].intersect(part.box); !box.empty()) adjoint_ ? f(d, s, box) : f(s, d, box);
}

Index Pattern::largest(int t) const {
  Index most = 0;
  each_count(t, [&](int s, int d, Index count) {
    if (s != d) most = std::max(most, count);
    return true;
  });
  return most;
}

bool Pattern::even(int t) const {
  Index first = -1;
  bool same = true;
  each_count(t, [&](int, int, Index count) {
    if (first < 0) first = count;
    return same = count == first;
  });
  return same;
}

Pattern Pattern::adjoint() const {
  Pattern back = *this;
  std::swap(back.from_, back.to_);
  for (Tile& tile : back.tiles_) std::swap(tile.gives, tile.takes);
  back.adjoint_ = !adjoint_;
  return back;
}

bool Pattern::accumulates() const {
  if (!adjoint_) return false;
  std::vector<bool> taken(static_cast<std::size_t>(to_.elements(members_[static_cast<std::size_t>(rank_)])));
  bool twice = false;
  for (const Tile& tile : tiles_)
    for (const Piece& piece : tile.takes)
      each_point(piece.at.box, [&](const Shape& point) {
        auto element = taken[static_cast<std::size_t>(piece.at.at(point))];
        twice = twice || element;
        element = true;
      });
  return twice;
}

Index elements(const std::vector<Piece>& pieces, int peer) {
  Index sum = 0;
  for (const Piece& piece : pieces)
    if (piece.peer == peer) sum += piece.at.box.volume();
  return sum;
}

}  // namespace weft

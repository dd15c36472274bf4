// The global-index oracle: all ranks in one process, every element holds its own global index, and
// a reference copier moves the pieces pair by pair. Where elements lie is computed here a second
// time, by counting, and never asked of the library.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <weft/pattern.hpp>

namespace weft {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The message of the Error that f throws ("" when it throws none).
template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
inline ::testing::AssertionResult holds(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
  return ::testing::AssertionSuccess();
}

/// All points of a box, the last axis of `order` fastest.
inline std::vector<Shape> points(const Box& box, const Order& order) {
  std::vector<Shape> all;
  if (box.empty()) return all;
  const Index count = box.volume();
  for (Index i = 0; i < count; ++i) {
    Shape point = box.lo;
    Index rest = i;
    for (int k = box.axes() - 1; k >= 0; --k) {
      point[order[k]] += rest % box.extent(order[k]);
      rest /= box.extent(order[k]);
    }
    all.push_back(point);
  }
  return all;
}

constexpr Index beyond = -1, unset = -2;

struct Element {
  Index global, offset;
};

/// Whether a point of a box is a ghost point that is wanted; of boxes that have none every point is
/// wanted.
inline bool wanted(const Shape& point, const Box& box, const Ghosts& ghosts) {
  if (ghosts.before.empty()) return true;
  int axes = 0;
  for (int a = 0; a < box.axes(); ++a)
    axes += point[a] < box.lo[a] + ghosts.before[a] || point[a] >= box.hi[a] - ghosts.behind[a];
  return axes == 1 || (axes > 1 && ghosts.corners);
}

/// What a rank owns: global index (or beyond the shape) and place in memory.
inline std::vector<Element> owned_elements(const Layout& layout, int rank, const Few<int>& periodic = {},
                                           const Ghosts& ghosts = {}) {
  std::vector<Element> all;
  if (!layout.has_boxes()) {
    for (const Run& run : layout.runs(rank))
      for (Index i = 0; i < run.count; ++i) all.push_back({run.first + i, static_cast<Index>(all.size())});
    return all;
  }
  const Box& box = layout.box(rank);
  const Shape& shape = layout.shape();
  for (const Shape& point : points(box, layout.order())) {
    if (!wanted(point, box, ghosts)) continue;
    Index offset = 0, global = 0;
    for (int k = 0; k < box.axes(); ++k) {
      const int a = layout.order()[k];
      offset = offset * (box.extent(a) + layout.padding()[a]) + point[a] - box.lo[a];
    }
    for (int a = 0; a < box.axes(); ++a) {
      Index i = point[a];
      if (!periodic.empty() && periodic[a]) i = ((i % shape[a]) + shape[a]) % shape[a];
      if (i < 0 || i >= shape[a]) {
        global = beyond;
        break;
      }
      global = global * shape[a] + i;
    }
    all.push_back({global, offset});
  }
  return all;
}

/// Where the sequence of elements for a peer lies in memory.
inline std::vector<Index> places(const std::vector<Piece>& pieces, int peer) {
  std::vector<Index> all;
  for (const Piece& piece : pieces) {
    if (piece.peer != peer) continue;
    for (const Shape& point : points(piece.at.box, c_order(piece.at.box.axes()))) {
      Index offset = piece.at.offset;
      for (int a = 0; a < point.size(); ++a) offset += (point[a] - piece.at.box.lo[a]) * piece.at.strides[a];
      all.push_back(offset);
    }
  }
  return all;
}

inline std::vector<Box> boxes(const std::vector<Piece>& pieces, int peer) {
  std::vector<Box> all;
  for (const Piece& piece : pieces)
    if (piece.peer == peer) all.push_back(piece.at.box);
  return all;
}

using Arrays = std::vector<std::vector<Index>>;

inline Arrays arrays(const Layout& layout, Index value) {
  Arrays all;
  for (int r = 0; r < layout.ranks(); ++r) all.emplace_back(at(layout.elements(r)), value);
  return all;
}

/// Moves everything and checks every element; then that counts, tiles, members and the two sides
/// agree, and that the adjoint is one: <A x, y> = <x, A* y> for all sorts of x and y.
inline void expect_right(const Layout& from, const Layout& to, Cut cut = {}, const Few<int>& periodic = {},
                         const Ghosts& ghosts = {}) {
  SCOPED_TRACE(from.describe(true) + " -> " + to.describe(true) + ", tiles of " + std::to_string(cut.size) +
               " on axis " + std::to_string(cut.axis) + ", periodic " +
               point_string(Shape(periodic.begin(), periodic.end())) + ", ghosts " + point_string(ghosts.before) +
               " and " + point_string(ghosts.behind) + (ghosts.corners ? "" : " without corners"));
  const int ranks = from.ranks();
  std::vector<Pattern> patterns, back;
  for (int r = 0; r < ranks; ++r) patterns.emplace_back(from, to, r, cut, periodic, ghosts);
  for (const Pattern& pattern : patterns) back.push_back(pattern.adjoint());

  std::set<Index> given;
  Arrays source = arrays(from, unset), target = arrays(to, unset), x = source, adjoint_x = arrays(from, 0);
  for (int r = 0; r < ranks; ++r)
    for (const Element& e : owned_elements(from, r)) {
      given.insert(e.global);
      source[at(r)][at(e.offset)] = e.global;
      x[at(r)][at(e.offset)] = e.global * 7 % 13 - 5;
    }
  const auto y = [](int r, Index offset) { return (offset * 5 + r * 3) % 11 - 4; };

  Index forward_product = 0, backward_product = 0;
  std::vector<int> group(at(ranks));
  for (int r = 0; r < ranks; ++r) group[at(r)] = r;
  const int tiles = patterns[0].tiles();
  for (int t = 0; t < tiles; ++t) {
    std::map<std::pair<int, int>, Index> counts;
    for (int s = 0; s < ranks; ++s) {
      const Pattern& giver = patterns[at(s)];
      ASSERT_EQ(giver.tiles(), tiles);
      ASSERT_EQ(giver.members()[at(giver.rank())], s);
      for (int i = 0; i + 1 < static_cast<int>(giver.tile(t).gives.size()); ++i)
        ASSERT_LE(giver.tile(t).gives[at(i)].peer, giver.tile(t).gives[at(i + 1)].peer);
      for (int peer = 0; peer < giver.ranks(); ++peer) {
        const int d = giver.members()[at(peer)];
        const Pattern& taker = patterns[at(d)];
        ASSERT_EQ(giver.members(), taker.members());
        const auto& gives = giver.tile(t).gives;
        const auto& takes = taker.tile(t).takes;
        if (from.has_boxes() && to.has_boxes()) {
          const auto sequence = boxes(gives, peer);
          ASSERT_EQ(sequence, boxes(takes, giver.rank()));
          for (std::size_t i = 1; i < sequence.size(); ++i)
            ASSERT_TRUE(std::lexicographical_compare(sequence[i - 1].lo.begin(), sequence[i - 1].lo.end(),
                                                     sequence[i].lo.begin(), sequence[i].lo.end()));
        }
        for (const auto* pieces : {&gives, &takes})
          for (const Piece& piece : *pieces) ASSERT_FALSE(piece.at.box.empty());
        const auto read = places(gives, peer), write = places(takes, giver.rank());
        ASSERT_EQ(read.size(), write.size()) << "from rank " << s << " to rank " << d << " in tile " << t;
        const Index count = static_cast<Index>(read.size());
        ASSERT_EQ(elements(gives, peer), count);
        ASSERT_EQ(giver.count(t, giver.rank(), peer), count);
        ASSERT_EQ(back[at(d)].count(t, peer, giver.rank()), count);
        counts[{s, d}] = count;
        for (std::size_t i = 0; i < read.size(); ++i) {
          Index& written = target[at(d)].at(at(write[i]));
          ASSERT_EQ(written, unset) << "written twice";
          written = source[at(s)].at(at(read[i]));
          group[at(d)] = group[at(s)] = std::min(group[at(s)], group[at(d)]);
          forward_product += x[at(s)][at(read[i])] * y(d, write[i]);
        }
        const auto home = places(back[at(s)].tile(t).takes, peer),
                   away = places(back[at(d)].tile(t).gives, giver.rank());
        ASSERT_EQ(home.size(), away.size());
        for (std::size_t i = 0; i < home.size(); ++i) adjoint_x[at(s)].at(at(home[i])) += y(d, away[i]);
      }
    }
    for (int r = 0; r < ranks; ++r) {
      Index most = 0;
      std::set<Index> different;
      for (int s : patterns[at(r)].members())
        for (int d : patterns[at(r)].members()) {
          const Index count = counts[{s, d}];
          different.insert(count);
          if (s != d) most = std::max(most, count);
        }
      ASSERT_EQ(patterns[at(r)].largest(t), most);
      ASSERT_EQ(patterns[at(r)].even(t), different.size() == 1);
      ASSERT_EQ(back[at(r)].largest(t), most);
      ASSERT_EQ(back[at(r)].even(t), different.size() == 1);
    }
    if (cut.axis >= 0)
      for (int r = 0; r < ranks; ++r)
        for (const Piece& piece : patterns[at(r)].tile(t).gives) {
          Index first = source[at(r)].at(at(piece.at.offset)), lo = from.box(r).lo[cut.axis] + t * cut.size;
          for (int a = from.axes() - 1; a > cut.axis; --a) first /= from.shape()[a];
          first %= from.shape()[cut.axis];
          ASSERT_GE(first, lo);
          ASSERT_LE(first + piece.at.box.extent(cut.axis), lo + cut.size);
        }
  }

  for (int r = 0; r < ranks; ++r) {
    std::vector<Index> expected(target[at(r)].size(), unset);
    for (const Element& e : owned_elements(to, r, periodic, ghosts))
      if (given.count(e.global)) expected.at(at(e.offset)) = e.global;
    ASSERT_EQ(target[at(r)], expected) << "on rank " << r;
    for (std::size_t i = 0; i < x[at(r)].size(); ++i) backward_product += x[at(r)][i] * adjoint_x[at(r)][i];
  }
  ASSERT_EQ(forward_product, backward_product);

  for (bool changed = true; changed;) {
    changed = false;
    for (int s = 0; s < ranks; ++s)
      for (int t = 0; t < tiles; ++t)
        for (const Piece& piece : patterns[at(s)].tile(t).gives) {
          const int d = patterns[at(s)].members()[at(piece.peer)];
          const int least = std::min(group[at(s)], group[at(d)]);
          changed |= group[at(s)] != least || group[at(d)] != least;
          group[at(s)] = group[at(d)] = least;
        }
  }
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> members;
    for (int s = 0; s < ranks; ++s)
      if (group[at(s)] == group[at(r)]) members.push_back(s);
    ASSERT_EQ(patterns[at(r)].members(), members);
  }
}

}  // namespace weft

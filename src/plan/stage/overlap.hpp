// Whether work in one memory destroys what it has still to read: pure arithmetic over views, exact
// to the byte.
//
// A stage reads an array, transforms it and writes an array. Where both are the same memory but
// laid out differently, what it writes for one point may lie where another point is still to be
// read.
#pragma once

#include <vector>

#include <weft/view.hpp>

namespace weft {

/// A part of a stage's work. All of it is read before any of it is written.
struct Portion {
  Box from, to;  ///< what it reads and what it writes, in the coordinates of either side
};

/// One side of a stage: views whose slots say which of them share memory, and bytes an element.
struct Placed {
  std::vector<View> views;
  Index bytes = 0;
};

/// Whether the views put every point that both have at the same bytes.
bool same_places(const View& a, Index a_bytes, const View& b, Index b_bytes);

/// A part of `box` that stands for all of it: one point along every axis of `across` whose points
/// read and write apart from one another, whatever the other axes do. `across` names axes that have
/// the same coordinates on both sides.
Box representative(Box box, const Order& across, const Placed& from, const Placed& to);

/// Whether some portion writes bytes that another one still has to read. The portions are worked on
/// in the given order, or, unless `in_order`, in any order and at the same time. Portions do not
/// read the same point twice.
bool disturbs(const Placed& from, const Placed& to, const std::vector<Portion>& portions, bool in_order);

}  // namespace weft

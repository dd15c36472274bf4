// Process grids: which axes are cut into how many parts, and how many ranks that keeps busy on the
// way from there. Index arithmetic alone: no layouts, no MPI.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// One dimension of a process grid: the axis that it cuts, and where. Part k is [bounds[k],
/// bounds[k+1]).
struct Dimension {
  int axis = 0;
  std::vector<Index> bounds;
  int parts() const { return static_cast<int>(bounds.size()) - 1; }
};
/// Ranks are in C order of the dimensions, of which no two cut the same axis.
using Dimensions = std::vector<Dimension>;

/// All of the axis is in one part, wherever it is at all.
bool local(const Dimensions& dimensions, int axis);
/// No dimension is on the axis, so that one can move there.
bool uncut(const Dimensions& dimensions, int axis);

/// What is to be transformed on so many ranks. Axes are those of the layouts, batch and components
/// included.
struct GridProblem {
  Shape real, transformed;  ///< before and after the halved axis is transformed
  int halved = -1;          ///< the axis that r2c halves, which is transformed before all others; -1: none
  bool batch = false;       ///< axis 0 is a batch
  int ranks = 1;

  const Shape& shape(const Order& remaining) const {
    return std::find(remaining.begin(), remaining.end(), halved) != remaining.end() ? real : transformed;
  }
};

/// The next exchange of a route: the last distributed axis that is left is gathered, and in its
/// stead a local one is cut that keeps most ranks busy; -1: there is none, and one part has it all.
struct Turn {
  std::size_t dimension = 0;
  int gathered = -1, scattered = -1;
};
Turn next_turn(const GridProblem& problem, const Dimensions& dimensions, const Order& remaining);
/// From one grid to another by a turn alone; gathered is -1 where more than one axis changes.
Turn turn_between(const Dimensions& from, const Dimensions& to);
/// The grid after it.
Dimensions turned(const GridProblem& problem, Dimensions dimensions, const Turn& turn, const Order& remaining,
                  const Split& split);

/// A grid that keeps at least half as many ranks again busy as `grid` does while the `remaining`
/// axes are transformed: in the stage that has fewest, or else in the next one. None where there is
/// no such grid: a few ranks more are not worth another layout. At least one of the axes is local
/// there, and the halved one is if it is among them. Only axes [first, last) are cut. Of several
/// grids the busiest, of those one that needs fewest exchanges, of those one that leaves the batch
/// whole.
std::optional<Dimensions> busier(const GridProblem& problem, const Dimensions& grid, const Order& remaining, int first,
                                 int last, const Split& split);

}  // namespace weft

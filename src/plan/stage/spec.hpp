// What a stage is: where it reads, what it does to lines, where it writes. Nothing here depends on
// a machine.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <weft/view.hpp>

#include "engines/engine.hpp"
#include "sphere/table.hpp"

namespace weft {

/// What happens to every line of one axis: `first`, then the plan's map when `map`, then `second`,
/// then `scale`. Empty pointers: nothing.
struct Operation {
  int axis = 0;
  std::shared_ptr<const Lines> first, second;
  bool map = false;
  double scale = 1;
  /// Whether lines are columns, transformed where rows leave them.
  bool strided() const { return first && first->spec().in_stride > 1; }
};

/// Where one side of a stage lies: views that cover its box, neighbours merged, and bytes an
/// element there. With a table the views are of other axes than the box (see Table).
struct Side {
  Box box;
  std::vector<View> views;
  Index bytes = 0;
  std::shared_ptr<const Table> table = nullptr;
  /// True when all rows begin cache lines if the first does.
  bool begins_lines(Index cache_line) const {
    return std::all_of(views.begin(), views.end(), [&](const View& view) {
      for (int a = 0; a < view.box.axes(); ++a)
        if (view.box.extent(a) > 1 && view.strides[a] != 1 && view.strides[a] * bytes % cache_line != 0) return false;
      return true;
    });
  }
};

struct StageSpec {
  Side from, to;
  std::vector<Operation> operations;  ///< in order; none: a copy
  Precision precision = Precision::double_;
  std::vector<int> tile_axes;                 ///< axes along which blocks must follow one another, outermost first
  std::vector<std::vector<Index>> bounds;     ///< an entry for each of tile_axes: where a block must not straddle
  int retained_slot = -1;                     ///< a later stage reads what this one writes there; -1: none
  Index threads = 1;                          ///< that have a workspace each
  std::pair<int, int> one_memory = {-1, -1};  ///< slots of source and destination that may be the same array
  bool descending = false;                    ///< the last block first
  /// A block is read whole, and transformed along its first axis, before any of it is written; not
  /// of copies.
  bool by_blocks = false;

  /// True when `axis` is transformed, so that every block reaches over all of it.
  bool transforms(int axis) const {
    return std::any_of(operations.begin(), operations.end(), [&](const Operation& o) { return o.axis == axis; });
  }
  /// Columns of several axes are transformed first, into a block where the others find them.
  bool columns_first() const {
    return operations.size() > 1 && !from.table && operations.front().first &&
           operations.front().first->spec().out_stride > 1;
  }
  /// The table whose kept ranges are all that a block holds between its passes; null: there is
  /// none. Where columns are transformed in place it holds whole rows.
  const Table* kept_table() const {
    if (std::any_of(operations.begin(), operations.end(), [](const Operation& o) { return o.strided(); }))
      return nullptr;
    for (const Side* side : {&from, &to})
      if (side->table && !side->table->kept.empty()) return side->table.get();
    return nullptr;
  }
  Index bytes_read() const { return from.box.volume() * from.bytes; }
  Index bytes_written() const { return to.box.volume() * to.bytes; }
};

}  // namespace weft

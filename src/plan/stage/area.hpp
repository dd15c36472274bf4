// Memory that a block reads or writes, as somebody asks for it before.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <weft/view.hpp>

namespace weft {

struct Area {
  /// Runs of memory, alike and evenly apart along some axes.
  struct Rows {
    int slot = -1;
    Index offset = 0, bytes = 0;                 // of each; where the block begins at the origin
    Shape strides;                               // bytes, by which the block's low corner moves them
    std::vector<std::pair<Index, Index>> loops;  // how many, how far apart; fastest first
    Index count() const {
      Index rows = 1;
      for (const auto& loop : loops) rows *= loop.first;
      return rows;
    }
  };
  std::vector<Rows> parts;
  Index rows = 0, retained = 0;  // of all parts, and of the first ones, which are in the retained slot
  bool to_l1 = false;            // wanted in the first-level cache
};

/// An area of the block whose low corner is there; null: none.
struct PlacedArea {
  const Area* area = nullptr;
  Shape at;
};

/// Some rows of an area.
struct AreaShare {
  const Area* area = nullptr;
  const Shape* at = nullptr;
  Index first = 0, count = 0;
  /// The k-th of so many parts.
  AreaShare part(Index k, Index of) const {
    return {area, at, first + count * k / of, count * (k + 1) / of - count * k / of};
  }
  /// Calls visit(address, bytes) for each.
  template <class Visit>
  void each_row(const Slots& slots, Visit visit) const {
    Index from = first, last = first + count;
    if (count == 0) return;
    for (const Area::Rows& rows : area->parts) {
      const Index many = rows.count(), end = std::min(last, many);
      Index begin = rows.offset;
      for (int a = 0; from < end && a < rows.strides.size(); ++a) begin += rows.strides[a] * (*at)[a];
      for (Index k = from; k < end; ++k) {
        Index rest = k, offset = begin;
        for (const auto& [times, apart] : rows.loops) offset += rest % times * apart, rest /= times;
        visit(slots[static_cast<std::size_t>(rows.slot)] + offset, rows.bytes);
      }
      from = std::max<Index>(from - many, 0);
      if ((last -= many) <= 0) return;
    }
  }
};

}  // namespace weft

// Views: a box of global indices and where it lies in memory, relative to a slot of a memory table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// Base addresses that views refer to by number. A plan owns one: user arrays, exchange buffers,
/// peers' segments and scratch are slots; only the user's slots change between executions.
using Slots = std::vector<std::byte*>;

/// A box and where it lies: element `p` of the box is at `slot base + element_bytes * at(p)`.
/// Offsets and strides count elements. Views never dereference: only engines, movers and stage
/// loops touch values.
struct View {
  Box box;
  int slot = -1;
  Index offset = 0;  ///< of the element box.lo
  Shape strides;     ///< one an axis

  /// Offset of a point of the box.
  Index at(const Shape& point) const;
  /// Elements from the first point of the box to one past the last, without padding behind it; 0
  /// when it is empty.
  Index reach() const;
  /// The same memory, restricted to a box inside this one.
  View cut(const Box& part) const;
  bool operator==(const View&) const = default;
};

/// A dense view of `box` in memory order `order` (slowest axis first; empty: C order), each axis
/// allocated `padding[axis]` elements longer than its extent (padding may be empty). The slowest
/// axis is never padded.
View dense_view(const Box& box, const Order& order, const Shape& padding = {}, int slot = -1, Index offset = 0);
/// Elements from the first to one past the last element of a dense view's allocation, padding
/// included.
Index dense_elements(const Box& box, const Order& order, const Shape& padding = {});

/// Where the first element of `part` lies in a larger array that begins at 0, has these extents,
/// the memory order `order` and `elements` elements, when the part's first point is `first` in it.
/// Throws Error, which `what` begins, when the part or the array reaches beyond what holds it, or
/// lies there with other strides than the part has.
Index offset_in(const View& part, const Order& order, const Shape& extents, const Shape& first, Index elements,
                const std::string& what);

/// True when both name the same memory for the same points (strides of axes with one point do not
/// count).
bool same_memory(const View& a, const View& b);
/// Joins neighbours that one view can describe, until none is left to join; drops empty ones. Keeps
/// first-seen order.
std::vector<View> merge(std::vector<View> views);

}  // namespace weft
#pragma GCC visibility pop

// Walking two views of equal extents at once.
#pragma once

#include <cstddef>

#include <weft/view.hpp>

namespace weft {

/// Calls visit(source, target) at every point of two views of equal extents, but for the axes `i`
/// and `j`, along which it is up to the visitor (-1: none). `to` is not empty; elements of either
/// have so many bytes.
template <class Visit>
void walk(const View& from, const Slots& from_slots, const View& to, const Slots& to_slots, Index bytes, int i, int j,
          Visit visit) {
  const std::byte* source = from_slots[static_cast<std::size_t>(from.slot)] + from.offset * bytes;
  std::byte* target = to_slots[static_cast<std::size_t>(to.slot)] + to.offset * bytes;
  const int axes = to.box.axes();
  Shape at = Shape::filled(axes, 0);
  for (;;) {
    visit(source, target);
    int a = axes - 1;
    for (; a >= 0; --a) {
      if (a == i || a == j) continue;
      source += from.strides[a] * bytes;
      target += to.strides[a] * bytes;
      if (++at[a] < to.box.extent(a)) break;
      source -= at[a] * from.strides[a] * bytes;
      target -= at[a] * to.strides[a] * bytes;
      at[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace weft

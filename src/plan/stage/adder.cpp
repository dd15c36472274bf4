#include "plan/stage/adder.hpp"

#include <cstdlib>

namespace weft {

void add(const View& from, const View& to, const Slots& slots, Index bytes, Adding adding, Index numbers) {
  const int axes = to.box.axes();
  if (to.box.empty()) return;
  int row = axes - 1;  // the innermost loop: the axis that is fastest in `to`
  for (int a = 0; a < axes; ++a)
    if (to.box.extent(a) > 1 && (to.box.extent(row) == 1 || std::abs(to.strides[a]) < std::abs(to.strides[row])))
      row = a;
  const std::byte* source = slots[static_cast<std::size_t>(from.slot)] + from.offset * bytes;
  std::byte* target = slots[static_cast<std::size_t>(to.slot)] + to.offset * bytes;
  Shape at = Shape::filled(axes, 0);
  for (;;) {
    adding(source, from.strides[row] * bytes, target, to.strides[row] * bytes, to.box.extent(row), numbers);
    int a = axes - 1;
    for (; a >= 0; --a) {
      if (a == row) continue;
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

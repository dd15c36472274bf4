#include "plan/stage/adder.hpp"

#include <cstdlib>

#include "plan/stage/walk.hpp"

namespace weft {

void add(const View& from, const View& to, const Slots& slots, Index bytes, Adding adding, Index numbers) {
  const int axes = to.box.axes();
  if (to.box.empty()) return;
  int row = axes - 1;  // the innermost loop: the axis that is fastest in `to`
  for (int a = 0; a < axes; ++a)
    if (to.box.extent(a) > 1 && (to.box.extent(row) == 1 || std::abs(to.strides[a]) < std::abs(to.strides[row])))
      row = a;
  walk(from, slots, to, slots, bytes, row, -1, [&](const std::byte* source, std::byte* target) {
    adding(source, from.strides[row] * bytes, target, to.strides[row] * bytes, to.box.extent(row), numbers);
  });
}

}  // namespace weft

#include "lattice.hpp"

#include <algorithm>

namespace staggered {

weft::Layout of_parity(const weft::Layout& parts, int parity) {
  std::vector<std::vector<weft::Run>> runs(static_cast<std::size_t>(parts.ranks()));
  for (int r = 0; r < parts.ranks(); ++r)
    each_site(parts.box(r), [&](const weft::Shape& at) {
      if (parity_of(at) == parity) runs[static_cast<std::size_t>(r)].push_back({number_of(parts.shape(), at), 1});
    });
  return weft::Layout::runs(parts.shape(), std::move(runs));
}

weft::Shape ghost_width(const weft::Layout& parts, weft::Index farthest) {
  weft::Shape width;
  for (int a = 0; a < directions; ++a) {
    bool whole = true;
    for (int r = 0; r < parts.ranks(); ++r)
      whole = whole && (parts.box(r).empty() || parts.box(r).extent(a) == parts.shape()[a]);
    width.push_back(whole ? 0 : farthest);
  }
  return width;
}

weft::Box ghosts_at(const weft::Box& box, const weft::Shape& width, int axis, bool upper) {
  weft::Box side = box;
  if (box.empty()) return side;
  side.lo[axis] = upper ? box.hi[axis] : box.lo[axis] - width[axis];
  side.hi[axis] = side.lo[axis] + width[axis];
  return side;
}

void check_parities(const weft::Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](weft::Index n) { return n % 2 != 0; }))
    throw weft::Error(
        "a lattice of " + to_string(extents(shape)) +
        " sites has no two parities: neighbours across an odd extent would have the same; give even extents");
}

}  // namespace staggered

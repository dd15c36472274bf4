#include "plan/route/grid_layout.hpp"

#include <algorithm>
#include <cmath>

namespace weft {

Layout layout_of(const Dimensions& dimensions, const Shape& shape, int ranks, const Order& order) {
  std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box::whole(shape));
  for (int rank = 0; rank < ranks; ++rank) {
    int rest = rank;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
      const auto part = static_cast<std::size_t>(rest % d->parts());
      rest /= d->parts();
      Box& box = boxes[static_cast<std::size_t>(rank)];
      // a halved axis is whole wherever it is at all
      const bool whole = d->bounds[part + 1] - d->bounds[part] == d->bounds.back();
      box.lo[d->axis] = d->bounds[part];
      box.hi[d->axis] = whole ? shape[d->axis] : std::min(d->bounds[part + 1], shape[d->axis]);
      box.lo[d->axis] = std::min(box.lo[d->axis], box.hi[d->axis]);
    }
  }
  return Layout(shape, boxes, order);
}

std::optional<Dimensions> recognise(const Layout& layout) {
  Dimensions dimensions;
  const Shape& shape = layout.shape();
  int ranks = 1;
  for (int a = 0; a < layout.axes(); ++a) {
    std::vector<Index> bounds{0};
    bool cut = false;
    std::vector<std::pair<Index, Index>> ranges;
    for (int r = 0; r < layout.ranks(); ++r) {
      const Box& box = layout.box(r);
      if (!box.empty()) ranges.emplace_back(box.lo[a], box.hi[a]), cut = cut || box.extent(a) != shape[a];
    }
    if (!cut) continue;
    std::sort(ranges.begin(), ranges.end());
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    for (const auto& range : ranges) bounds.push_back(range.second);
    dimensions.push_back({a, bounds});
    ranks *= static_cast<int>(ranges.size());
  }
  if (dimensions.size() == 1)  // ranks beyond the planes own nothing
    while (dimensions[0].parts() < layout.ranks()) dimensions[0].bounds.push_back(dimensions[0].bounds.back());
  else if (ranks != layout.ranks())
    return std::nullopt;
  const Layout same = layout_of(dimensions, shape, layout.ranks(), {});
  for (int r = 0; r < layout.ranks(); ++r)
    if (!(same.box(r).empty() && layout.box(r).empty()) && !(same.box(r) == layout.box(r))) return std::nullopt;
  return dimensions;
}

bool same_boxes(const Layout& a, const Layout& b) {
  for (int r = 0; r < a.ranks(); ++r)
    if (!(a.box(r).empty() && b.box(r).empty()) && !(a.box(r) == b.box(r))) return false;
  return a.shape() == b.shape();
}

std::string to_text(const Few<int>& grid) {
  std::string s;
  for (const int v : grid) s += (s.empty() ? "" : "x") + std::to_string(v);
  return s;
}

Few<int> default_grid(const Shape& shape, int ranks) {
  if (shape.size() < 3 || ranks <= std::min(shape[0], shape[1])) return {ranks};
  for (int p = static_cast<int>(std::sqrt(ranks)); p > 1; --p)
    if (ranks % p == 0) return {p, ranks / p};
  return {ranks};
}

void check_layout(const Layout& given, const Shape& expected, int ranks, const std::string& the,
                  const std::string& whose, const std::string& needs) {
  if (!(given.shape() == expected))
    throw Error(the + " has shape " + to_string(given.shape()) + ", " + whose + " " + to_string(expected) +
                "; give both the same shape");
  if (given.ranks() != ranks)
    throw Error(the + " is for " + std::to_string(given.ranks()) + " ranks, but the communicator has " +
                std::to_string(ranks) + "; give one part a rank");
  if (!given.has_boxes()) throw Error(the + " is a list of runs; " + needs);
  given.check_partition(the);
}

}  // namespace weft

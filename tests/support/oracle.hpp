// The global-index oracle: every element holds its own global index, so that wherever it is found
// one can see where it came from.
#pragma once

#include <functional>
#include <vector>

#include <weft/layout.hpp>

namespace weft::oracle {

/// Calls visit(point) in C order.
inline void each_point(const Box& box, const std::function<void(const Shape&)>& visit) {
  if (box.empty()) return;
  for (Shape point = box.lo;;) {
    visit(point);
    int axis = box.axes() - 1;
    while (axis >= 0 && ++point[axis] == box.hi[axis]) point[axis] = box.lo[axis], --axis;
    if (axis < 0) return;
  }
}

/// The global index, in C order, of every element of a rank's array; -1 in its padding. What lies
/// beyond the shape wraps on periodic axes, and is -1 on others.
inline std::vector<Index> global_indices(const Layout& layout, int rank, const Few<int>& periodic = {}) {
  std::vector<Index> indices(static_cast<std::size_t>(layout.elements(rank)), -1);
  if (!layout.has_boxes()) {
    indices.clear();
    for (const Run& run : layout.runs(rank))
      for (Index i = 0; i < run.count; ++i) indices.push_back(run.first + i);
    return indices;
  }
  const View view = layout.view(rank);
  each_point(view.box, [&](const Shape& point) {
    Index index = 0;
    for (int a = 0; a < layout.axes(); ++a) {
      const Index n = layout.shape()[a];
      if ((point[a] < 0 || point[a] >= n) && (periodic.empty() || !periodic[a])) return;
      index = index * n + (point[a] % n + n) % n;
    }
    indices[static_cast<std::size_t>(view.at(point))] = index;
  });
  return indices;
}

}  // namespace weft::oracle

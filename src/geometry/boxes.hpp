// Walking boxes: every point of one, and of many those that meet a given one.
#pragma once

#include <vector>

#include <weft/box.hpp>

namespace weft {

/// Calls f(point) for every point of the box in C order.
template <class F>
void each_point(const Box& box, F&& f) {
  if (box.empty()) return;
  for (Shape point = box.lo;;) {
    f(point);
    int axis = box.axes() - 1;
    while (axis >= 0 && ++point[axis] >= box.hi[axis]) {
      point[axis] = box.lo[axis];
      --axis;
    }
    if (axis < 0) return;
  }
}

/// Number of points that two boxes share; a loop over millions of pairs wants no third box.
inline Index common_points(const Box& a, const Box& b) {
  Index points = a.axes() > 0;
  for (int i = 0; i < a.axes() && points > 0; ++i)
    points *= std::max<Index>(std::min(a.hi[i], b.hi[i]) - std::max(a.lo[i], b.lo[i]), 0);
  return points;
}

/// Boxes in a binary tree of bounding boxes. Empty ones meet nothing.
class BoxTree {
 public:
  explicit BoxTree(const std::vector<Box>& boxes) : boxes_(boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (!boxes[i].empty()) numbers_.push_back(static_cast<int>(i));
    if (!numbers_.empty()) build(0, 0, numbers_.size());
  }
  /// The tree refers to the boxes: they must outlive it.
  explicit BoxTree(std::vector<Box>&&) = delete;

  /// Calls f(i) for every box i that shares a point with `box`, in no particular order.
  template <class F>
  void meeting(const Box& box, F&& f) const {
    if (!numbers_.empty() && !box.empty()) visit(0, 0, numbers_.size(), box, f);
  }

 private:
  static constexpr std::size_t leaf = 8;

  const Box& at(std::size_t i) const { return boxes_[static_cast<std::size_t>(numbers_[i])]; }

  // The node of [begin, end) has its halves at 2 node + 1 and 2 node + 2.
  void build(std::size_t node, std::size_t begin, std::size_t end) {
    Box bounds = at(begin), centres = bounds;  // of twice the centres, which need not be halved
    for (int a = 0; a < bounds.axes(); ++a) {
      centres.lo[a] = centres.hi[a] = bounds.lo[a] + bounds.hi[a];
      for (std::size_t i = begin; i < end; ++i) {
        const Box& box = at(i);
        bounds.lo[a] = std::min(bounds.lo[a], box.lo[a]);
        bounds.hi[a] = std::max(bounds.hi[a], box.hi[a]);
        centres.lo[a] = std::min(centres.lo[a], box.lo[a] + box.hi[a]);
        centres.hi[a] = std::max(centres.hi[a], box.lo[a] + box.hi[a]);
      }
    }
    if (node >= bounds_.size()) bounds_.resize(node + 1);
    bounds_[node] = bounds;
    if (end - begin <= leaf) return;
    int axis = 0;
    for (int a = 1; a < bounds.axes(); ++a)
      if (centres.extent(a) > centres.extent(axis)) axis = a;
    const auto centre = [&](int i) {
      return boxes_[static_cast<std::size_t>(i)].lo[axis] + boxes_[static_cast<std::size_t>(i)].hi[axis];
    };
    const std::size_t middle = (begin + end) / 2;
    const auto first = numbers_.begin();
    std::nth_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(middle),
                     first + static_cast<std::ptrdiff_t>(end), [&](int i, int j) { return centre(i) < centre(j); });
    build(2 * node + 1, begin, middle);
    build(2 * node + 2, middle, end);
  }

  template <class F>
  void visit(std::size_t node, std::size_t begin, std::size_t end, const Box& box, F& f) const {
    if (common_points(bounds_[node], box) == 0) return;
    if (end - begin <= leaf) {
      for (std::size_t i = begin; i < end; ++i)
        if (common_points(at(i), box) > 0) f(numbers_[i]);
      return;
    }
    const std::size_t middle = (begin + end) / 2;
    visit(2 * node + 1, begin, middle, box, f);
    visit(2 * node + 2, middle, end, box, f);
  }

  const std::vector<Box>& boxes_;
  std::vector<int> numbers_;
  std::vector<Box> bounds_;
};

}  // namespace weft

// Where boxes lie in memory. Two views are joined only when one offset and one stride an axis give
// every element of both.
#include <weft/view.hpp>

#include <tuple>

#include "geometry/checked.hpp"

namespace weft {

namespace {

/// The order as given or C order; throws unless order and padding fit the box.
Order slowest_first_of(const Box& box, const Order& order, const Shape& padding) {
  const Order every_axis = c_order(box.axes()), wanted = order.empty() ? every_axis : order;
  if (!std::is_permutation(wanted.begin(), wanted.end(), every_axis.begin(), every_axis.end()))
    throw Error("memory order " + point_string(Shape(wanted.begin(), wanted.end())) + " for " +
                std::to_string(box.axes()) + " axes: name every axis from 0 to " + std::to_string(box.axes() - 1) +
                " once, slowest first");
  if ((!padding.empty() && padding.size() != box.axes()) ||
      std::any_of(padding.begin(), padding.end(), [](Index n) { return n < 0; }))
    throw Error("padding " + point_string(padding) + " for " + std::to_string(box.axes()) +
                " axes: give one number of elements an axis, 0 or more, or none at all");
  return wanted;
}

/// Makes `a` the view of both where `b` follows it on `axis` and one rule of strides covers them;
/// all else about the boxes is equal.
bool join(View& a, const View& b, int axis) {
  for (int i = 0; i < a.box.axes(); ++i)
    if (i != axis && a.box.extent(i) > 1 && a.strides[i] != b.strides[i]) return false;
  const Index here = a.box.extent(axis);
  const Index step = b.offset - (a.offset + (here - 1) * a.strides[axis]);  // from the last of a to the first of b
  if ((here > 1 && a.strides[axis] != step) || (b.box.extent(axis) > 1 && b.strides[axis] != step)) return false;
  a.strides[axis] = step;
  a.box.hi[axis] = b.box.hi[axis];
  return true;
}

/// One pass over neighbours along `axis`: once sorted, a view can only follow one of the few that
/// end where it begins.
bool join_along(int axis, std::vector<View>& views) {
  const auto row_before = [axis](const View& a, const View& b) {  // a row: one slot and one range on all other axes
    if (a.slot != b.slot) return a.slot < b.slot;
    if (a.box.axes() != b.box.axes()) return a.box.axes() < b.box.axes();
    for (int i = 0; i < a.box.axes(); ++i)
      if (i != axis && (a.box.lo[i] != b.box.lo[i] || a.box.hi[i] != b.box.hi[i]))
        return std::tie(a.box.lo[i], a.box.hi[i]) < std::tie(b.box.lo[i], b.box.hi[i]);
    return false;
  };
  std::vector<std::size_t> sorted;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (axis < views[i].box.axes()) sorted.push_back(i);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t i, std::size_t j) {
    const View &a = views[i], &b = views[j];
    return row_before(a, b) || (!row_before(b, a) && a.box.lo[axis] < b.box.lo[axis]);
  });

  bool joined = false;
  std::vector<std::size_t> open;  // views of this row that may still be followed
  for (std::size_t i : sorted) {
    if (!open.empty() && row_before(views[open.front()], views[i])) open.clear();
    const Index lo = views[i].box.lo[axis];
    std::erase_if(open, [&](std::size_t k) { return views[k].box.hi[axis] < lo; });
    const auto before = std::find_if(open.begin(), open.end(), [&](std::size_t k) {
      return views[k].box.hi[axis] == lo && join(views[k], views[i], axis);
    });
    if (before == open.end()) {
      open.push_back(i);
      continue;
    }
    const std::size_t last = std::max(i, *before);
    if (i < *before) std::swap(views[i], views[*before]);
    *before = std::min(i, *before);
    views[last].box.hi = views[last].box.lo;  // empty now, dropped below
    joined = true;
  }
  std::erase_if(views, [](const View& v) { return v.box.empty(); });
  return joined;
}

}  // namespace

Index View::at(const Shape& point) const {
  if (point.size() != box.axes()) [[unlikely]]
    throw Error("a point with " + std::to_string(point.size()) + (point.size() == 1 ? " axis" : " axes") +
                " for an array with " + std::to_string(box.axes()) +
                ": give an index for every axis, those of batch and components included");
  Index where = offset;
  for (int a = 0; a < box.axes(); ++a) where += (point[a] - box.lo[a]) * strides[a];
  return where;
}

Index View::reach() const {
  Index last = 0;
  for (int a = 0; a < box.axes(); ++a) last += (box.extent(a) - 1) * strides[a];
  return box.empty() ? 0 : last + 1;
}

View View::cut(const Box& part) const { return {part, slot, at(part.lo), strides}; }

View dense_view(const Box& box, const Order& order, const Shape& padding, int slot, Index offset) {
  const Order slowest_first = slowest_first_of(box, order, padding);
  View view{box, slot, offset, Shape::filled(box.axes(), 1)};
  Index stride = 1;
  for (int i = box.axes() - 1; i >= 0; --i) {
    const int axis = slowest_first[i];
    view.strides[axis] = stride;
    if (i > 0) stride *= box.extent(axis) + (padding.empty() ? 0 : padding[axis]);  // of the slowest nothing is told
  }
  return view;
}

Index dense_elements(const Box& box, const Order& order, const Shape& padding) {
  const Order slowest_first = slowest_first_of(box, order, padding);
  if (box.empty()) return 0;
  Shape allocated = box.shape();
  for (int i = 1; i < box.axes() && !padding.empty(); ++i)
    allocated[slowest_first[i]] =
        checked::sum(allocated[slowest_first[i]], padding[slowest_first[i]], "the padded length of an axis");
  return volume(allocated);
}

Index offset_in(const View& part, const Order& order, const Shape& extents, const Shape& first, Index elements,
                const std::string& what) {
  const auto text = [](Index n) { return std::to_string(n); };
  const int axes = part.box.axes();
  if (extents.size() != axes || first.size() != axes)
    throw Error(what + ": " + text(extents.size()) + " extents and a first point of " + text(first.size()) +
                " indices are given for an array of " + text(axes) +
                " axes; give one of each an axis, batch and components included");
  for (int a = 0; a < axes; ++a)
    if (extents[a] < 0 || first[a] < 0 || first[a] > extents[a] || part.box.extent(a) > extents[a] - first[a])
      throw Error(what + ": the part has " + text(part.box.extent(a)) + " points along axis " + text(a) +
                  " and begins at " + text(first[a]) + " of an array that is " + text(extents[a]) +
                  " long there; give extents that hold the part");
  if (volume(extents) > elements)
    throw Error(what + ": an array of " + to_string(extents) + " has " + text(volume(extents)) +
                " elements, but the memory has " + text(elements) + "; give all of the array, or its true extents");
  const View whole = dense_view(Box::whole(extents), order);
  for (int a = 0; a < axes && !part.box.empty(); ++a)
    if (part.box.extent(a) > 1 && part.strides[a] != whole.strides[a])
      throw Error(what + ": along axis " + text(a) + " elements lie " + text(whole.strides[a]) +
                  " apart in an array of " + to_string(extents) + ", and " + text(part.strides[a]) +
                  " in this plan's; plan with a layout that is padded like the array: layout.ordered(order, padding)");
  return part.box.empty() ? 0 : whole.at(first);
}

bool same_memory(const View& a, const View& b) {
  if (a.box.empty() && b.box.empty()) return true;
  if (a.box != b.box || a.slot != b.slot || a.offset != b.offset) return false;
  for (int i = 0; i < a.box.axes(); ++i)
    if (a.box.extent(i) > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

std::vector<View> merge(std::vector<View> views) {
  std::erase_if(views, [](const View& v) { return v.box.empty(); });
  for (bool joined = true; joined;) {
    joined = false;
    for (int axis = max_axes - 1; axis >= 0; --axis) joined |= views.size() > 1 && join_along(axis, views);
  }
  return views;
}

}  // namespace weft

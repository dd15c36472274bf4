// Points, extents and boxes. Whatever returns a box returns one with hi >= lo on every axis, also
// when it is empty.
#include <weft/box.hpp>

#include <limits>
#include <numeric>

#include "geometry/checked.hpp"

namespace weft {

namespace {

template <class T, class Text>
std::string joined(const T& values, const char* between, Text text) {
  std::string out;
  for (int a = 0; a < values.size(); ++a) out += (a ? between : "") + text(a);
  return out;
}

void same_axes(int wanted, int given, const char* what) {
  if (given != wanted)
    throw Error(std::string(what) + " with " + std::to_string(given) + (given == 1 ? " axis" : " axes") +
                " for a box with " + std::to_string(wanted) + ": give an entry for every axis");
}

}  // namespace

Order c_order(int axes) {
  Order order = Order::filled(axes, 0);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Index volume(const Shape& extents) {
  constexpr Index limit = std::numeric_limits<Index>::max();
  Index product = 1;
  for (Index n : extents)
    if (n < 0)
      throw Error("extents " + to_string(extents) + ": " + std::to_string(n) + " is negative; extents are 0 or more");
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  for (Index n : extents) {
    if (product > limit / n)
      throw Error("extents " + to_string(extents) + " hold more points than can be counted (at most " +
                  std::to_string(limit) + ")");
    product *= n;
  }
  return product;
}

Shape Box::shape() const {
  Shape extents;
  for (int a = 0; a < axes(); ++a) extents.push_back(hi[a] > lo[a] ? checked::distance(lo[a], hi[a]) : 0);
  return extents;
}

bool Box::empty() const {
  for (int a = 0; a < axes(); ++a)
    if (hi[a] <= lo[a]) return true;
  return axes() == 0;
}

Index Box::volume() const { return empty() ? 0 : weft::volume(shape()); }

bool Box::contains(const Shape& point) const {
  same_axes(axes(), point.size(), "a point");
  for (int a = 0; a < axes(); ++a)
    if (point[a] < lo[a] || point[a] >= hi[a]) return false;
  return axes() > 0;
}

bool Box::contains(const Box& other) const {
  if (other.empty()) return true;
  if (other.axes() != axes()) return false;
  for (int a = 0; a < axes(); ++a)
    if (other.lo[a] < lo[a] || other.hi[a] > hi[a]) return false;
  return axes() > 0;
}

Box Box::intersect(const Box& other) const {
  Box common = *this;
  for (int a = 0; a < axes(); ++a) {
    common.lo[a] = std::max(lo[a], other.lo[a]);
    common.hi[a] = std::max(common.lo[a], std::min(hi[a], other.hi[a]));
  }
  return common;
}

Box Box::shifted(const Shape& by) const {
  same_axes(axes(), by.size(), "a shift");
  Box moved = *this;
  for (int a = 0; a < axes(); ++a) {
    moved.lo[a] = checked::sum(lo[a], by[a], "the lower bound of a shifted box");
    moved.hi[a] = checked::sum(hi[a], by[a], "the upper bound of a shifted box");
  }
  return moved;
}

Box Box::cut(int axis, Index from, Index to) const {
  Box part = *this;
  part.lo[axis] = std::max(lo[axis], from);
  part.hi[axis] = std::max(part.lo[axis], std::min(hi[axis], to));
  return part;
}

Box Box::whole(const Shape& extents) { return {Shape::filled(extents.size(), 0), extents}; }

Box Box::inclusive(const Shape& lo, const Shape& last) {
  Box box{lo, last};
  for (Index& end : box.hi) end = checked::sum(end, 1, "the upper bound of a box");
  return box;
}

std::string to_string(const Shape& extents) {
  return joined(extents, "x", [&](int a) { return std::to_string(extents[a]); });
}

std::string point_string(const Shape& point) {
  return "(" + joined(point, ", ", [&](int a) { return std::to_string(point[a]); }) + ")";
}

std::string to_string(const Box& box) {
  return joined(box.lo, " x ",
                [&](int a) { return "[" + std::to_string(box.lo[a]) + ", " + std::to_string(box.hi[a]) + ")"; });
}

}  // namespace weft

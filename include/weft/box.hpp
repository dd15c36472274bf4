// Index arithmetic: points, extents and half-open boxes of global indices. No memory, no MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include <weft/error.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// Every count, extent, index and offset: 64 bits, signed.
using Index = std::int64_t;

/// The most axes a shape can have, batch and component axes included.
inline constexpr int max_axes = 8;

/// A short sequence (at most `max_axes` entries) without heap memory.
template <class T>
class Few {
 public:
  Few() = default;
  Few(std::initializer_list<T> values) : Few(values.begin(), values.end()) {}
  Few(const std::vector<T>& values) : Few(values.begin(), values.end()) {}
  template <class It>
  Few(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  /// `count` copies of `value`.
  static Few filled(int count, T value) {
    Few f;
    for (int i = 0; i < count; ++i) f.push_back(value);
    return f;
  }

  void push_back(T value) {
    if (count_ == max_axes)
      throw Error("more than " + std::to_string(max_axes) + " axes given; at most that many are allowed");
    values_[static_cast<std::size_t>(count_++)] = value;
  }
  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](int i) { return values_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return values_[static_cast<std::size_t>(i)]; }
  T* begin() { return values_.data(); }
  T* end() { return values_.data() + count_; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + count_; }
  bool operator==(const Few& o) const { return std::equal(begin(), end(), o.begin(), o.end()); }

 private:
  std::array<T, max_axes> values_{};
  int count_ = 0;
};

/// Extents, a point or strides: one entry an axis.
using Shape = Few<Index>;
/// A permutation of axes, slowest in memory first. {0, 1, 2} is C order.
using Order = Few<int>;

/// C order of `axes` axes: {0, 1, ..., axes-1}.
Order c_order(int axes);
/// Product of the extents; throws Error when one is negative or the product overflows 63 bits.
Index volume(const Shape& extents);

/// Half-open region [lo, hi) of global indices. Empty when any hi <= lo, or when it has no axes.
struct Box {
  Shape lo, hi;

  int axes() const { return lo.size(); }
  Index extent(int axis) const { return std::max<Index>(hi[axis] - lo[axis], 0); }
  Shape shape() const;
  bool empty() const;
  /// Number of points (0 when empty).
  Index volume() const;
  bool contains(const Shape& point) const;
  /// True when every point of `other` lies inside; an empty box lies in every box, and no other one
  /// with another number of axes.
  bool contains(const Box& other) const;
  /// The points of both; hi >= lo on every axis also when there are none.
  Box intersect(const Box& other) const;
  Box shifted(const Shape& by) const;
  /// The box cut down to [lo, hi) on one axis.
  Box cut(int axis, Index from, Index to) const;
  bool operator==(const Box&) const = default;

  /// The box [0, extents).
  static Box whole(const Shape& extents);
  /// For people who come from inclusive upper bounds: [lo, last] as a half-open box.
  static Box inclusive(const Shape& lo, const Shape& last);
};

/// "3x4x5" of extents, "(3, 4, 5)" of a point and "[0, 4) x [2, 7)" of a box, as all messages print
/// them.
std::string to_string(const Shape& extents);
std::string point_string(const Shape& point);
std::string to_string(const Box& box);
inline std::ostream& operator<<(std::ostream& out, const Box& box) { return out << to_string(box); }
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

}  // namespace weft
#pragma GCC visibility pop

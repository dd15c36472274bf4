// A box in parts, cut along each axis. Parts that are alike are described together: a description
// grows with how many sorts of parts there are, not with how many parts.
#pragma once

#include <functional>
#include <vector>

#include <weft/box.hpp>

namespace weft {

class Parts {
 public:
  struct Part {
    Box box;
    std::size_t sort = 0;  ///< the same for parts that are alike
  };

  Parts() = default;
  /// All of `box`; `cut` names the axes that may be cut, slowest first. `descending`: the last part
  /// comes first.
  Parts(const Box& box, const Order& cut, bool descending);
  /// Cuts one of these axes every `step` points between neighbouring `bounds`, which begin and end
  /// it.
  void cut(int axis, const std::vector<Index>& bounds, Index step);
  /// Parts are alike whose ranges have the same traits on every axis. Extents always count among
  /// them.
  void sort(const std::function<std::vector<Index>(int axis, Index lo, Index hi)>& traits);

  int count() const { return count_; }
  Part operator[](int number) const;
  std::size_t sorts() const { return sorts_; }
  /// Some part of a sort.
  Box example(std::size_t sort) const;
  /// The extent of the thickest part along an axis.
  Index thickness(int axis) const;
  /// Calls visit(lo, hi) for every range of an axis.
  template <class Visit>
  void each_range(int axis, Visit visit) const {
    for (const Axis& of : axes_)
      if (of.axis == axis) {
        for (const Run& run : of.runs)
          for (int k = 0; k < run.count; ++k) visit(run.lo + k * run.extent, run.lo + (k + 1) * run.extent);
        return;
      }
    visit(box_.lo[axis], box_.hi[axis]);
  }

 private:
  struct Run {  // equally long ranges of one sort, one behind the other
    Index lo, extent;
    int first, count;  // their numbers on the axis
    std::size_t sort;
  };
  struct Axis {
    int axis;
    int count = 1;
    std::size_t sorts = 1;
    std::vector<Run> runs;
  };
  static void append(std::vector<Run>& runs, Index lo, Index extent, std::size_t sort);

  Box box_;
  std::vector<Axis> axes_;  // that have several parts, fastest first
  int count_ = 1;
  std::size_t sorts_ = 1;
  bool descending_ = false;
};

}  // namespace weft

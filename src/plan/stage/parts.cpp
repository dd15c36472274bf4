#include "plan/stage/parts.hpp"

#include <map>
#include <utility>

namespace weft {

Parts::Parts(const Box& box, const Order& cut, bool descending) : box_(box), descending_(descending) {
  for (int k = cut.size() - 1; k >= 0; --k)
    axes_.push_back({cut[k], 1, 1, {{box.lo[cut[k]], box.extent(cut[k]), 0, 1, 0}}});
}

void Parts::append(std::vector<Run>& runs, Index lo, Index extent, std::size_t sort) {
  if (!runs.empty() && runs.back().extent == extent && runs.back().sort == sort)
    ++runs.back().count;
  else
    runs.push_back({lo, extent, runs.empty() ? 0 : runs.back().first + runs.back().count, 1, sort});
}

void Parts::cut(int axis, const std::vector<Index>& bounds, Index step) {
  for (Axis& of : axes_) {
    if (of.axis != axis) continue;
    count_ /= of.count;
    of.runs.clear(), of.count = 0;
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k)
      for (Index lo = bounds[k]; lo < bounds[k + 1]; lo += step, ++of.count)
        append(of.runs, lo, std::min(step, bounds[k + 1] - lo), 0);
    count_ *= of.count;
  }
}

void Parts::sort(const std::function<std::vector<Index>(int, Index, Index)>& traits) {
  std::erase_if(axes_, [](const Axis& of) { return of.count == 1; });
  sorts_ = 1;
  for (Axis& of : axes_) {
    std::map<std::pair<Index, std::vector<Index>>, std::size_t> known;
    std::vector<Run> sorted;
    for (const Run& run : of.runs)
      for (int k = 0; k < run.count; ++k) {
        const Index lo = run.lo + k * run.extent;
        append(sorted, lo, run.extent,
               known.try_emplace({run.extent, traits(of.axis, lo, lo + run.extent)}, known.size()).first->second);
      }
    of.runs = std::move(sorted);
    of.sorts = known.size();
    sorts_ *= of.sorts;
  }
}

Parts::Part Parts::operator[](int number) const {
  Part part{box_};
  if (descending_) number = count_ - 1 - number;
  std::size_t stride = 1;
  for (const Axis& of : axes_) {
    const int at = number % of.count;
    number /= of.count;
    const auto run =
        std::upper_bound(of.runs.begin(), of.runs.end(), at, [](int n, const Run& r) { return n < r.first; }) - 1;
    part.box.lo[of.axis] = run->lo + (at - run->first) * run->extent;
    part.box.hi[of.axis] = part.box.lo[of.axis] + run->extent;
    part.sort += run->sort * stride;
    stride *= of.sorts;
  }
  return part;
}

Box Parts::example(std::size_t sort) const {
  Box box = box_;
  for (const Axis& of : axes_) {
    const std::size_t wanted = sort % of.sorts;
    sort /= of.sorts;
    const auto run = std::find_if(of.runs.begin(), of.runs.end(), [&](const Run& r) { return r.sort == wanted; });
    box.lo[of.axis] = run->lo;
    box.hi[of.axis] = run->lo + run->extent;
  }
  return box;
}

Index Parts::thickness(int axis) const {
  Index extent = 0;
  for (const Axis& of : axes_)
    if (of.axis == axis)
      for (const Run& run : of.runs) extent = std::max(extent, run.extent);
  return extent > 0 ? extent : box_.extent(axis);
}

}  // namespace weft

// Parts of a box: as many and where nested loops over the same cuts have them, and described by
// their sorts alone.
#include "plan/stage/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace weft {
namespace {

/// A range's place beside one bound: 0 behind it, 1 across, 2 before it.
std::vector<Index> beside(Index bound, Index lo, Index hi) { return {(lo < bound) + (hi <= bound)}; }

/// The ranges that cuts of every `step` between bounds make.
std::vector<std::pair<Index, Index>> ranges(const std::vector<Index>& bounds, Index step) {
  std::vector<std::pair<Index, Index>> all;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k)
    for (Index lo = bounds[k]; lo < bounds[k + 1]; lo += step) all.emplace_back(lo, std::min(lo + step, bounds[k + 1]));
  return all;
}

TEST(Parts, AreThoseOfNestedLoops) {
  const Box box{{2, 0, 5}, {19, 7, 6}};
  const std::vector<Index> bounds{2, 9, 19};
  for (const bool descending : {false, true})
    for (const Index step : {1, 3, 4, 20}) {
      Parts parts(box, {1, 0}, descending);  // axis 0 is the faster one, axis 2 stays whole
      parts.cut(0, bounds, step);
      parts.cut(1, {0, 7}, 2);
      parts.sort([](int axis, Index lo, Index hi) { return axis == 0 ? beside(11, lo, hi) : std::vector<Index>(); });
      std::vector<Box> expected;
      for (const auto& [y, y_end] : ranges({0, 7}, 2))
        for (const auto& [x, x_end] : ranges(bounds, step)) expected.push_back({{x, y, 5}, {x_end, y_end, 6}});
      if (descending) std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(parts.count(), static_cast<int>(expected.size()));
      std::map<std::size_t, std::pair<Shape, std::vector<Index>>> sorts;
      for (int k = 0; k < parts.count(); ++k) {
        const Parts::Part part = parts[k];
        EXPECT_EQ(part.box, expected[static_cast<std::size_t>(k)]);
        ASSERT_LT(part.sort, parts.sorts());
        const std::pair traits(part.box.shape(), beside(11, part.box.lo[0], part.box.hi[0]));
        EXPECT_EQ(sorts.try_emplace(part.sort, traits).first->second, traits) << "alike, but of different traits";
      }
      EXPECT_EQ(sorts.size(), parts.sorts());
      for (const auto& [sort, traits] : sorts) {
        const Box example = parts.example(sort);
        EXPECT_EQ(std::pair(example.shape(), beside(11, example.lo[0], example.hi[0])), traits);
      }
      EXPECT_EQ(parts.thickness(0), std::min<Index>(step, 10));
      EXPECT_EQ(parts.thickness(1), 2);
      EXPECT_EQ(parts.thickness(2), 1);
    }
}

TEST(Parts, ManyAreDescribedOnce) {
  Parts parts(Box{{0, 0}, {10'000'019, 4}}, {0}, false);
  parts.cut(0, {0, 10'000'019}, 128);
  parts.sort([](int, Index, Index) { return std::vector<Index>(); });
  EXPECT_EQ(parts.count(), 78'126);
  EXPECT_EQ(parts.sorts(), 2u) << "all but the last have 128";
  EXPECT_EQ(parts[78'125].box, (Box{{10'000'000, 0}, {10'000'019, 4}}));
}

}  // namespace
}  // namespace weft

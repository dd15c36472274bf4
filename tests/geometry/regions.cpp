// Regions of memory, as checks of orders compare them, against their bytes one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "check/region.hpp"

namespace weft {
namespace {

TEST(Regions, OverlapExactly) {
  std::minstd_rand random(1);
  const auto any = [&](int n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  int met = 0;
  constexpr int tries = 3000;
  for (int k = 0; k < tries; ++k) {
    const auto make = [&] {
      check::Region r{{}, any(40), 1 + any(4), {}};
      for (Index step : {Index{40}, Index{12}, Index{5}})
        if (any(2)) r.loops.push_back({2 + any(3), step + any(4)});
      std::sort(r.loops.begin(), r.loops.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
      return r;
    };
    const auto bytes = [](const check::Region& r) {
      std::vector<bool> all(500, false);
      std::vector<Index> begins{r.first};
      for (const auto& [count, step] : r.loops) {
        std::vector<Index> more;
        for (const Index b : begins)
          for (Index i = 0; i < count; ++i) more.push_back(b + i * step);
        begins = more;
      }
      for (const Index b : begins)
        for (Index i = 0; i < r.run; ++i) all[static_cast<std::size_t>(b + i)] = true;
      return all;
    };
    const check::Region a = make(), b = make();
    const auto x = bytes(a), y = bytes(b);
    bool expected = false;
    for (std::size_t i = 0; i < x.size(); ++i) expected = expected || (x[i] && y[i]);
    ASSERT_EQ(check::overlap(a, b), expected) << k;
    met += expected;
  }
  EXPECT_TRUE(met > tries / 10 && met < tries * 9 / 10) << met;
}

}  // namespace
}  // namespace weft

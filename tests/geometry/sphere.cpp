// Cutoffs against counting every vector of a large enough box, and how their sticks are shared.
#include <weft/sphere.hpp>

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace weft {
namespace {

std::set<GVector> counted(const Cutoff& c, Index reach) {
  std::set<GVector> inside;
  for (Index x = -reach; x <= reach; ++x)
    for (Index y = -reach; y <= reach; ++y)
      for (Index z = -reach; z <= reach; ++z) {
        const std::array<double, 3> q{static_cast<double>(x) + c.k[0], static_cast<double>(y) + c.k[1],
                                      static_cast<double>(z) + c.k[2]};
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) sum += q[i] * c.metric[i][j] * q[j];
        const bool upper = z > 0 || (z == 0 && (y > 0 || (y == 0 && x >= 0)));
        if (sum <= c.squared && (upper || !c.half)) inside.insert({x, y, z});
      }
  return inside;
}

TEST(Sphere, SticksHoldEveryVectorOnce) {
  const std::array<std::array<double, 3>, 3> skew{{{1.1, 0.4, -0.3}, {0.4, 0.8, 0.5}, {-0.3, 0.5, 1.9}}},
      long_cell{{{0.1, 0, 0}, {0, 1, 0}, {0, 0, 4}}};
  for (const Cutoff& c :
       {Cutoff{.squared = 0}, Cutoff{.squared = 20}, Cutoff{.squared = 20, .half = true},
        Cutoff{.squared = 11.3, .metric = skew, .k = {0.5, -0.25, 0.1}},
        Cutoff{.squared = 9, .metric = skew, .half = true},
        Cutoff{.squared = 4.2, .metric = long_cell, .k = {2.7, 0, -1.5}}, Cutoff{.squared = 0.01, .k = {0.5, 0, 0}}}) {
    const std::vector<SphereStick> sticks = sphere_sticks(c);
    const std::vector<GVector> all = vectors(sticks);
    EXPECT_EQ(std::set<GVector>(all.begin(), all.end()), counted(c, 13));
    EXPECT_EQ(all.size(), counted(c, 13).size());
    EXPECT_EQ(smallest_grid(all), smallest_grid(sticks));
    EXPECT_EQ(smallest_grid(all, 2), smallest_grid(sticks, 2));
    EXPECT_TRUE(std::is_sorted(sticks.begin(), sticks.end(), [](const SphereStick& a, const SphereStick& b) {
      return std::pair(a.g2, a.g1) < std::pair(b.g2, b.g1);
    }));
  }
  EXPECT_EQ(smallest_grid(sphere_sticks({.squared = 16, .metric = long_cell})), (Shape{25, 9, 5}));
  EXPECT_EQ(smallest_grid(sphere_sticks({.squared = 16, .metric = long_cell}), 2), (Shape{49, 17, 9}));
  EXPECT_THROW(smallest_grid(std::vector<GVector>{}, 0), Error);
}

TEST(Sphere, EveryStickIsSharedOnce) {
  const std::vector<SphereStick> sticks = sphere_sticks({.squared = 14});
  for (const char* rule : {"coefficients", "columns"})
    for (const int ranks : {1, 2, 3, 7, 100}) {
      std::vector<SphereStick> all;
      for (const auto& share : share_sticks(sticks, ranks, rule)) {
        EXPECT_TRUE(std::is_sorted(share.begin(), share.end(), [](const SphereStick& a, const SphereStick& b) {
          return std::pair(a.g2, a.g1) < std::pair(b.g2, b.g1);
        }));
        all.insert(all.end(), share.begin(), share.end());
      }
      std::sort(all.begin(), all.end(), [](const SphereStick& a, const SphereStick& b) {
        return std::pair(a.g2, a.g1) < std::pair(b.g2, b.g1);
      });
      EXPECT_EQ(all, sticks);
    }
  EXPECT_THROW(share_sticks(sticks, 0), Error);
  EXPECT_THROW(share_sticks(sticks, 2, "luck"), Error);
}

TEST(Sphere, PencilsHaveSticksOfOneColumnOfRanks) {
  const std::vector<SphereStick> sticks = sphere_sticks({.squared = 30});
  for (const char* rule : {"coefficients", "columns"})
    for (const auto& [planes, rows] : {std::pair{1, 1}, {3, 2}, {1, 5}, {4, 40}}) {
      const auto shares = share_sticks(sticks, planes, rows, rule);
      ASSERT_EQ(static_cast<int>(shares.size()), planes * rows);
      std::map<Index, int> column;
      Index most = 0, all = 0;
      std::size_t count = 0;
      for (int r = 0; r < planes * rows; ++r) {
        Index mine = 0;
        for (const SphereStick& s : shares[static_cast<std::size_t>(r)]) {
          EXPECT_EQ(column.emplace(s.g2, r % rows).first->second, r % rows);
          mine += s.size();
          ++count;
        }
        most = std::max(most, mine), all += mine;
      }
      EXPECT_EQ(count, sticks.size());
      if (rows == 2 && std::string(rule) == "coefficients") {  // 11 values of g2 in two ranges
        EXPECT_LT(static_cast<double>(most * planes * rows), 1.2 * static_cast<double>(all)) << "not balanced";
      }
    }
  EXPECT_EQ(share_sticks(sticks, 4, 1), share_sticks(sticks, 4));
  EXPECT_THROW(share_sticks(sticks, 2, 0), Error);
}

// Bethune, dCSE report on Quantum ESPRESSO / GWW, 2010: CNT40 on 16 ranks. The report's split is by
// columns; the greedy rule's figures are ours.
TEST(Sphere, PublishedSharesOfCnt40) {
  const std::vector<SphereStick> sticks = sphere_sticks({.squared = 205});
  ASSERT_EQ(sticks.size(), 657u);
  const auto coefficients = [](const std::vector<SphereStick>& share) {
    return std::accumulate(share.begin(), share.end(), Index{0},
                           [](Index sum, const SphereStick& s) { return sum + s.size(); });
  };
  EXPECT_EQ(coefficients(sticks), 12293);
  std::multiset<std::size_t> columns;
  for (const auto& share : share_sticks(sticks, 16, "columns")) columns.insert(share.size());
  EXPECT_EQ(columns.count(41), 15u);
  EXPECT_EQ(columns.count(42), 1u);
  for (const auto& share : share_sticks(sticks, 16, "coefficients")) {
    EXPECT_GE(share.size(), 40u);
    EXPECT_LE(share.size(), 42u);
    EXPECT_GE(coefficients(share), 768);
    EXPECT_LE(coefficients(share), 769);
  }
}

}  // namespace
}  // namespace weft

// Published message sizes, each with where it comes from: they follow from the layouts alone.
#include "geometry/oracle.hpp"

namespace weft {
namespace {

// Bethune, dCSE report on Quantum ESPRESSO / GWW, 2010: CNT40, coarse grid 30^3, 657 of 900 columns
// not zero, 16 ranks.
void expect_cnt40(const Layout& columns, const Layout& planes) {
  const Pattern pattern(columns, planes, 0);
  ASSERT_EQ(pattern.ranks(), 16);
  std::set<Index> sizes;
  Index sent = 0, kept = 0;
  for (int s = 0; s < 16; ++s)
    for (int d = 0; d < 16; ++d) {
      const Index size = pattern.count(0, s, d);
      sizes.insert(size);
      sent += size;
      kept += s == d ? size : 0;
    }
  EXPECT_EQ(sizes, (std::set<Index>{84, 82, 42, 41}));
  EXPECT_NEAR(static_cast<double>(sent) / 16, 1231.9, 0.05);
  EXPECT_NEAR(static_cast<double>(sent - kept) / 16, 1154.9, 0.05);
  EXPECT_EQ(16 * pattern.largest(0), 1344);  // a padded alltoall
  EXPECT_FALSE(pattern.even(0));
}

TEST(Published, columns_to_planes_of_cnt40) {
  std::vector<Stick> columns;
  for (Index i = -15; i < 15; ++i)
    for (Index j = -15; j < 15; ++j)
      if (i * i + j * j <= 205) columns.push_back({{(i + 30) % 30, (j + 30) % 30}, 0, 30});
  ASSERT_EQ(columns.size(), 657u);
  const std::vector<Index> cuts = Split::even().bounds(657, 16);
  std::vector<std::vector<Stick>> of_rank;
  for (std::size_t r = 0; r < 16; ++r) of_rank.emplace_back(columns.begin() + cuts[r], columns.begin() + cuts[r + 1]);
  EXPECT_EQ(of_rank[0].size(), 42u);
  EXPECT_EQ(of_rank[15].size(), 41u);
  const Layout sticks = Layout::sticks({30, 30, 30}, of_rank), planes = Layout::slab({30, 30, 30}, 2, 16);
  expect_cnt40(sticks, planes);
  expect_right(sticks, planes);
  expect_cnt40(Layout::slab({657, 30}, 0, 16), Layout::slab({657, 30}, 1, 16));
}

// Dubey and Tessera, "Redistribution strategies for portable parallel FFT": 256^3 on 128 ranks,
// plane by plane.
TEST(Published, plane_messages_of_the_redistribution_kernels) {
  const Index n = 256, ranks = 128;
  const Pattern pattern(Layout::slab({n, n, n}, 0, ranks), Layout::slab({n, n, n}, 1, ranks), 77, {0, 1});
  EXPECT_EQ(pattern.tiles(), 2);
  EXPECT_EQ(16 * pattern.count(0, 3, 120), 16 * n * n / ranks);
  EXPECT_EQ(16 * pattern.largest(1), 8 * 1024);
  EXPECT_TRUE(pattern.even(0));
  EXPECT_EQ((pattern.ranks() - 1) * pattern.tiles(), 254);
}

// Hoefler and Zerah, 3-D FFT in ABINIT: 128^3 on 16 ranks, dense and for a box of half the size.
TEST(Published, plane_messages_in_abinit) {
  const Index n = 128, ranks = 16, kib = 1024;
  const Pattern dense(Layout::slab({n, n, n}, 0, ranks), Layout::slab({n, n, n}, 1, ranks), 0, {0, 1});
  EXPECT_EQ(dense.tiles(), 8);
  EXPECT_EQ(16 * dense.largest(0), 16 * kib);
  const Layout lines = Layout::slab({n / 2, n / 2, n}, 1, ranks), planes = Layout::slab({n / 2, n / 2, n}, 2, ranks);
  const Pattern forward(planes, lines, 0, {2, 1}), backward(lines, planes, 0, {1, 1});
  EXPECT_EQ(forward.tiles(), 8);
  EXPECT_EQ(16 * forward.largest(0), 4 * kib);
  EXPECT_EQ(backward.tiles(), 4);
  EXPECT_EQ(16 * backward.largest(0), 8 * kib);
}

}  // namespace
}  // namespace weft

// Whether work in one memory destroys what is still to be read, over views and portions alone.
#include <gtest/gtest.h>

#include "plan/stage/overlap.hpp"

namespace weft {
namespace {

Placed array(const Shape& shape, Index bytes, const Order& order = {}, const Shape& padding = {}, int slot = 0) {
  return {{dense_view(Box::whole(shape), order, padding, slot)}, bytes};
}

/// The lines of the last axis, one by one.
std::vector<Portion> rows(Index count, Index from, Index to, bool backwards = false) {
  std::vector<Portion> list;
  for (Index k = 0; k < count; ++k) {
    const Index row = backwards ? count - 1 - k : k;
    list.push_back({{{row, 0}, {row + 1, from}}, {{row, 0}, {row + 1, to}}});
  }
  return list;
}

TEST(Overlap, rows_that_stay_where_they_are_disturb_nobody) {
  const auto c2c = array({4, 6}, 16);
  EXPECT_FALSE(disturbs(c2c, c2c, rows(4, 6, 6), false));
  const auto real = array({4, 6}, 8, {}, {0, 2}), half = array({4, 4}, 16);  // as r2c pads them
  EXPECT_FALSE(disturbs(real, half, rows(4, 6, 4), false));
  EXPECT_FALSE(disturbs(half, real, rows(4, 4, 6), false));
  const auto elsewhere = array({4, 4}, 16, {}, {}, 1);
  EXPECT_FALSE(disturbs(array({4, 6}, 8), elsewhere, rows(4, 6, 4), false));
}

TEST(Overlap, rows_that_move_need_an_order) {
  const auto dense = array({4, 6}, 16), padded = array({4, 6}, 16, {}, {0, 1});
  for (const bool backwards : {false, true}) {
    EXPECT_EQ(disturbs(padded, dense, rows(4, 6, 6, backwards), true), backwards);
    EXPECT_EQ(disturbs(dense, padded, rows(4, 6, 6, backwards), true), !backwards);
    EXPECT_TRUE(disturbs(dense, padded, rows(4, 6, 6, backwards), false));
  }
  const auto real = array({4, 6}, 8), half = array({4, 4}, 16);  // without padding half a spectrum is longer
  EXPECT_TRUE(disturbs(real, half, rows(4, 6, 4), true));
  EXPECT_FALSE(disturbs(real, half, rows(4, 6, 4, true), true));
}

TEST(Overlap, another_order_of_axes_disturbs_all_but_one_portion) {
  const auto rows_first = array({4, 6}, 16), columns_first = array({4, 6}, 16, {1, 0});
  EXPECT_TRUE(disturbs(rows_first, columns_first, rows(4, 6, 6), true));
  EXPECT_TRUE(disturbs(rows_first, columns_first, rows(4, 6, 6, true), true));
  EXPECT_FALSE(disturbs(rows_first, columns_first, {{Box::whole({4, 6}), Box::whole({4, 6})}}, false));
}

TEST(Overlap, what_repeats_is_looked_at_once) {
  // planes on their own, each with its axes exchanged
  const auto from = array({9, 4, 6}, 16), to = array({9, 4, 6}, 16, {0, 2, 1});
  EXPECT_EQ(representative(Box::whole({9, 4, 6}), {0}, from, to), Box::whole({1, 4, 6}));
  EXPECT_EQ(representative(Box::whole({9, 4, 6}), {1, 2}, from, to), Box::whole({9, 4, 6}));
  // planes that move
  EXPECT_EQ(representative(Box::whole({9, 4, 6}), {0}, from, array({9, 4, 6}, 16, {}, {0, 1, 0})),
            Box::whole({9, 4, 6}));
  // rows of half spectra, padded
  EXPECT_EQ(representative(Box::whole({9, 4, 6}), {0, 1}, array({9, 4, 6}, 8, {}, {0, 0, 2}), array({9, 4, 4}, 16)),
            Box::whole({1, 1, 6}));
}

}  // namespace
}  // namespace weft

// Boxes: half-open, possibly empty; volumes that cannot be counted are errors.
#include "geometry/oracle.hpp"

namespace weft {
namespace {

TEST(Box, is_half_open) {
  const Box box{{0, 2}, {4, 7}};
  EXPECT_EQ(box.volume(), 20);
  EXPECT_EQ(box.shape(), (Shape{4, 5}));
  EXPECT_TRUE(box.contains(Shape{0, 2}));
  EXPECT_FALSE(box.contains(Shape{4, 2}));
  EXPECT_FALSE(box.contains(Box{{0}, {1}})) << "another number of axes";
  EXPECT_EQ(Box::inclusive({0, 2}, {3, 6}), box);
  EXPECT_EQ(Box::whole({4, 5}).shifted({0, 2}), box);
  EXPECT_EQ(to_string(box), "[0, 4) x [2, 7)");
  EXPECT_EQ(to_string(box.shape()), "4x5");
  EXPECT_EQ(point_string(box.lo), "(0, 2)");
}

TEST(Box, may_be_empty) {
  const Box box{{0, 0}, {4, 4}}, empty{{3, 0}, {3, 4}}, turned{{3, 0}, {1, 4}};
  for (const Box& none : {empty, turned, Box{}}) {
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.volume(), 0);
    EXPECT_TRUE(box.contains(none));
    EXPECT_EQ(none.contains(box), false);
  }
  EXPECT_EQ(turned.extent(0), 0);
  EXPECT_TRUE(empty.intersect(turned).empty());
  EXPECT_TRUE(box.intersect({{6, 6}, {9, 9}}).empty());
  EXPECT_EQ(box.intersect({{6, 1}, {9, 2}}).extent(0), 0);
  EXPECT_EQ(box.intersect({{2, -3}, {9, 2}}), (Box{{2, 0}, {4, 2}}));
  EXPECT_EQ(box.cut(1, 1, 9), (Box{{0, 1}, {4, 4}}));
  EXPECT_TRUE(box.cut(1, 4, 9).empty());
}

TEST(Box, volume_says_what_cannot_be_counted) {
  const Index big = Index{1} << 32;
  EXPECT_EQ(volume({big, 0, big, big}), 0);
  EXPECT_EQ(volume({big, big / 4}), Index{1} << 62);
  EXPECT_TRUE(holds(message([&] { volume({big, big}); }), {"4294967296x4294967296", "9223372036854775807"}));
  EXPECT_TRUE(holds(message([] { volume({3, -2}); }), {"3x-2", "-2 is negative"}));
  EXPECT_TRUE(holds(message([] { Shape::filled(9, 1); }), {"8 axes"}));
}

}  // namespace
}  // namespace weft

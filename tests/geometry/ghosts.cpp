// Ghost points alone: what they are as boxes, and that a pattern brings them and nothing else.
#include "geometry/oracle.hpp"

#include "geometry/ghosts.hpp"

namespace weft {
namespace {

/// The boxes of a layout with ghost points around them.
Layout with_ghosts(const Layout& layout, const Ghosts& ghosts, const Order& order = {}, const Shape& padding = {}) {
  std::vector<Box> boxes;
  for (int r = 0; r < layout.ranks(); ++r) boxes.push_back(grown(layout.box(r), ghosts));
  return Layout(layout.shape(), boxes, order, padding);
}

TEST(Ghosts, AreTheirBoxesOnce) {
  const Box box{{-2, 3, 0}, {5, 7, 4}};
  for (const Ghosts& ghosts : {Ghosts{{1, 2, 0}, {3, 0, 1}}, Ghosts{{0, 0, 0}, {0, 0, 0}}, Ghosts{{3, 1, 1}, {4, 1, 1}},
                               Ghosts{{7, 4, 4}, {0, 0, 0}}})
    for (const bool corners : {true, false}) {
      Ghosts these = ghosts;
      these.corners = corners;
      std::map<std::string, int> covered;
      for (const Box& part : ghost_boxes(box, these)) {
        EXPECT_FALSE(part.empty());
        for (const Shape& point : points(part, c_order(3))) ++covered[point_string(point)];
      }
      std::map<std::string, int> expected;
      for (const Shape& point : points(box, c_order(3)))
        if (wanted(point, box, these)) expected[point_string(point)] = 1;
      EXPECT_EQ(covered, expected) << point_string(ghosts.before) << point_string(ghosts.behind) << corners;
    }
  EXPECT_TRUE(ghost_boxes({{3, 3}, {3, 5}}, {{1, 1}, {1, 1}}).empty());
}

TEST(Ghosts, ComeAloneFromWhoeverOwnsThem) {
  const Shape shape{5, 7, 4};
  const std::vector<Layout> layouts{Layout::slab(shape, 0, 3), Layout::slab(shape, 1, 9),
                                    Layout::grid(shape, {2, 3, 1}), Layout::grid(shape, {2, 2, 2}),
                                    Layout::slab(shape, 2, 1)};
  for (const Layout& layout : layouts)
    for (const Ghosts& ghosts :
         {Ghosts{{1, 1, 1}, {1, 1, 1}}, Ghosts{{2, 0, 1}, {0, 3, 1}}, Ghosts{{6, 9, 0}, {5, 8, 13}}})
      for (const Few<int>& periodic : {Few<int>{}, Few<int>{1, 1, 1}, Few<int>{0, 1, 0}})
        for (const bool corners : {true, false}) {
          const Ghosts these{ghosts.before, ghosts.behind, corners};
          expect_right(layout, with_ghosts(layout, these), {}, periodic, these);
          if (corners)
            expect_right(layout.ordered({2, 0, 1}, {1, 0, 3}), with_ghosts(layout, these, {1, 2, 0}, {0, 2, 1}), {1, 2},
                         periodic, these);
        }
}

TEST(Ghosts, OfOneAndFourAxes) {
  expect_right(Layout::slab({9}, 0, 4), with_ghosts(Layout::slab({9}, 0, 4), {{2}, {1}}), {}, {1}, {{2}, {1}});
  const Layout lattice = Layout::grid({4, 4, 6, 4}, {2, 1, 2, 2});
  for (const bool corners : {true, false}) {
    const Ghosts ghosts{{1, 1, 1, 1}, {1, 1, 1, 1}, corners};
    expect_right(lattice, with_ghosts(lattice, ghosts), {}, {1, 1, 1, 1}, ghosts);
  }
}

TEST(Ghosts, FromListsToBoxes) {
  const Shape shape{4, 6};
  std::vector<Box> boxes;
  const Layout slab = Layout::slab(shape, 0, 3);
  for (int r = 0; r < 3; ++r) boxes.push_back(slab.box(r));
  const Ghosts ghosts{{1, 2}, {2, 1}, false};
  expect_right(Layout::checkerboard(shape, boxes), with_ghosts(slab, ghosts), {}, {1, 1}, ghosts);
}

TEST(Ghosts, WrongOnesAreErrors) {
  const Layout slab = Layout::slab({4, 6}, 0, 2);
  const auto pattern = [&](const Layout& to, const Ghosts& ghosts) {
    return [&] { Pattern(slab, to, 0, {}, {}, ghosts); };
  };
  EXPECT_TRUE(holds(message(pattern(slab, {{1}, {1, 1}})), {"(1) before", "each axis"}));
  EXPECT_TRUE(holds(message(pattern(slab, {{1, -1}, {1, 1}})), {"(1, -1) before", "0 or more"}));
  EXPECT_TRUE(holds(message(pattern(slab, {{2, 0}, {1, 0}})), {"rank 0", "[0, 2) x [0, 6)", "fewer points", "axis 0"}));
  EXPECT_TRUE(holds(message(pattern(Layout::runs({4, 6}, {{{0, 3}}, {}}), {{1, 1}, {1, 1}})), {"only boxes"}));
}

}  // namespace
}  // namespace weft

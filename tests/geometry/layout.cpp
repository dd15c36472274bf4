// Layouts: split rules, who owns what, what a partition is, and messages that say what to do.
#include <limits>

#include "geometry/oracle.hpp"

namespace weft {
namespace {

using Bounds = std::vector<Index>;
using Runs = std::vector<Run>;  // `Run` alone is a member of every test

TEST(Split, rules) {
  EXPECT_EQ(Split::even().bounds(10, 4), (Bounds{0, 3, 6, 8, 10}));
  EXPECT_EQ(Split::even().bounds(2, 4), (Bounds{0, 1, 2, 2, 2}));
  EXPECT_EQ(Split::blocks().bounds(10, 4), (Bounds{0, 3, 6, 9, 10}));
  EXPECT_EQ(Split::blocks().bounds(9, 4), (Bounds{0, 3, 6, 9, 9}));
  EXPECT_EQ(Split::blocks().bounds(0, 2), (Bounds{0, 0, 0}));
  EXPECT_EQ(Split::blocks(4).bounds(10, 4), (Bounds{0, 4, 8, 10, 10}));
  EXPECT_EQ(Split::given({0, 0, 7, 10}).bounds(10, 3), (Bounds{0, 0, 7, 10}));
  const Index huge = std::numeric_limits<Index>::max();
  EXPECT_EQ(Split::blocks(huge).bounds(huge, 2), (Bounds{0, huge, huge}));
}

TEST(Split, errors_say_what_to_do) {
  EXPECT_TRUE(holds(message([] { Split::blocks(2).bounds(10, 4); }), {"4 blocks of 2", "10 indices", "at least 3"}));
  EXPECT_TRUE(holds(message([] { Split::blocks(0); }), {"blocks of 0", "at least 1"}));
  EXPECT_TRUE(holds(message([] {
                      Split::given({0, 5, 4, 10}).bounds(10, 3);
                    }),
                    {"{0, 5, 4, 10}", "10 indices", "3 parts", "4 of them"}));
  EXPECT_TRUE(holds(message([] { Split::given({0, 5}).bounds(10, 2); }), {"{0, 5}", "3 of them"}));
  EXPECT_TRUE(holds(message([] { Split::given({}).bounds(10, 2); }), {"{}"}));
  EXPECT_TRUE(holds(message([] { Split::even().bounds(10, 0); }), {"0 parts"}));
}

TEST(Layout, grids_count_ranks_in_c_order) {
  const Layout slab = Layout::slab({4, 6}, 1, 3);
  EXPECT_EQ(slab.box(1), (Box{{0, 2}, {4, 4}}));
  const Layout brick = Layout::grid({4, 6, 5}, {2, 3, 2});
  EXPECT_EQ(brick.ranks(), 12);
  EXPECT_EQ(brick.box(1), (Box{{0, 0, 3}, {2, 2, 5}}));
  EXPECT_EQ(brick.box(2), (Box{{0, 2, 0}, {2, 4, 3}}));
  EXPECT_EQ(brick.box(11), (Box{{2, 4, 3}, {4, 6, 5}}));
  const Layout mixed = Layout::grid({4, 6}, {2, 2}, {Split::given({0, 1, 4}), Split::blocks(4)}, {1, 0});
  EXPECT_EQ(mixed.box(3), (Box{{1, 4}, {4, 6}}));
  EXPECT_EQ(mixed.view(3).strides, (Shape{1, 3}));
  EXPECT_EQ(mixed.elements(3), 6);
  for (const Layout& layout : {slab, brick, mixed, Layout::slab({3, 5}, 0, 7)})
    EXPECT_EQ(message([&] { layout.check_partition("x"); }), "");
  EXPECT_EQ(Layout::slab({3, 5}, 0, 7).points(6), 0);
  EXPECT_EQ(slab.ordered({1, 0}, {2, 0}).elements(0), 2 * (4 + 2));
}

TEST(Layout, sticks_runs_and_checkerboards) {
  const Layout sticks =
      Layout::sticks({2, 3, 5}, {{{{1, 2}, 1, 4}, {{0, 0}, 0, 5}, {{0, 1}, 0, 2}}, {}, {{{1, 0}, 2, 2}}});
  EXPECT_EQ(sticks.runs(0), (Runs{{26, 3}, {0, 7}}));
  EXPECT_EQ(sticks.points(0), 10);
  EXPECT_TRUE(sticks.runs(1).empty() && sticks.runs(2).empty());
  const Layout board = Layout::checkerboard({3, 4}, {{{0, 0}, {3, 3}}, {{0, 3}, {3, 4}}});
  EXPECT_EQ(board.runs(0), (Runs{{0, 1}, {2, 1}, {5, 1}, {8, 1}, {10, 1}, {1, 1}, {4, 1}, {6, 1}, {9, 1}}));
  EXPECT_EQ(board.runs(1), (Runs{{7, 1}, {3, 1}, {11, 1}}));
  EXPECT_EQ(message([&] { board.check_partition("board"); }), "");
  EXPECT_EQ(Layout::sticks({7}, {{{{}, 1, 4}}, {{{}, 4, 7}, {{}, 0, 1}}}).runs(1), (Runs{{4, 3}, {0, 1}}));
}

TEST(Layout, equal_means_the_same_parts_in_the_same_memory) {
  const Layout slab = Layout::slab({4, 6}, 0, 2);
  const Layout custom({4, 6}, {slab.box(0), slab.box(1)}, {0, 1}, {0, 0});
  EXPECT_EQ(slab, custom);
  EXPECT_EQ(slab.describe(true), custom.describe(true));
  EXPECT_EQ(slab.describe(), "slab on a process grid 2x1 of 4x6 on 2 ranks");
  const std::vector<Layout> different{slab,
                                      slab.ordered({1, 0}),
                                      slab.ordered({0, 1}, {0, 1}),
                                      slab.grown({1, 0}),
                                      Layout::slab({4, 6}, 1, 2),
                                      Layout::slab({4, 6}, 0, 3),
                                      Layout::slab({4, 6, 1}, 0, 2),
                                      Layout::replicated({4, 6}, 2),
                                      Layout::runs({4, 6}, {{{0, 12}}, {{12, 12}}}),
                                      Layout::runs({4, 6}, {{{12, 12}}, {{0, 12}}}),
                                      Layout::checkerboard({4, 6}, {slab.box(0), slab.box(1)})};
  for (const Layout& a : different)
    for (const Layout& b : different) {
      EXPECT_EQ(a == b, &a == &b);
      EXPECT_EQ(a.describe(true) == b.describe(true), a == b);
    }
}

TEST(Layout, grows_beyond_the_shape) {
  const Layout halo = Layout::grid({4, 6}, {2, 3}).grown({1, 2});
  EXPECT_EQ(halo.box(0), (Box{{-1, -2}, {3, 4}}));
  EXPECT_TRUE(Layout::slab({1, 4}, 0, 2).grown({1, 1}).box(1).empty());
}

TEST(Layout, what_is_no_partition_is_named) {
  const auto problem = [](const Layout& layout) { return message([&] { layout.check_partition("input"); }); };
  EXPECT_TRUE(holds(problem({{4, 4}, {{{0, 0}, {3, 4}}, {{0, 0}, {0, 0}}, {{2, 1}, {4, 4}}}}),
                    {"input: ", "ranks 0 and 2", "[2, 3) x [1, 4)"}));
  EXPECT_TRUE(holds(problem({{4, 4}, {{{0, 0}, {2, 4}}, {{2, 1}, {4, 4}}}}),
                    {"input: ", "2 of the 16 points", "[0, 4) x [0, 4)"}));
  EXPECT_TRUE(holds(problem({{4, 4}, {{{0, 0}, {2, 4}}, {{2, 0}, {5, 4}}}}),
                    {"rank 1 owns [2, 5) x [0, 4)", "not inside [0, 4) x [0, 4)"}));
  EXPECT_TRUE(holds(problem(Layout::replicated({4, 4}, 2)), {"ranks 0 and 1", "[0, 4) x [0, 4)"}));
  EXPECT_TRUE(
      holds(problem(Layout::runs({4, 4}, {{{0, 9}}, {{8, 8}}})), {"ranks 0 and 1 both own indices [8, 9)", "(2, 0)"}));
  EXPECT_TRUE(holds(problem(Layout::runs({4, 4}, {{{0, 16}, {3, 1}}})), {"rank 0 twice owns indices [3, 4)"}));
  EXPECT_TRUE(
      holds(problem(Layout::runs({4, 4}, {{{0, 9}}, {{10, 6}}})), {"1 of the 16 points", "belongs to no rank"}));
  EXPECT_TRUE(holds(problem(Layout::runs({4, 4}, {{{0, 9}}, {{9, 8}}})), {"rank 1 owns indices [9, 17)", "[0, 16)"}));
}

TEST(Layout, errors_say_what_to_do) {
  EXPECT_TRUE(holds(message([] { Layout::grid({4, 4, 4}, {2, 3}); }), {"grid (2, 3)", "4x4x4", "3 numbers"}));
  EXPECT_TRUE(holds(message([] { Layout::grid({4, 4}, {2, 0}); }), {"grid (2, 0)", "at least 1"}));
  EXPECT_TRUE(holds(message([] { Layout::grid({4, 4}, {1 << 20, 1 << 20}); }), {"1048576x1048576", "at most"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4, 4}, 2, 2); }), {"axis 2", "0 to 1"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4, 0}, 0, 2); }), {"(4, 0)", "at least 1"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4, -3}, 1, 2); }), {"-3"}));
  EXPECT_TRUE(holds(message([] {
                      Layout::slab({Index{1} << 40, Index{1} << 40}, 0, 2);
                    }),
                    {"1099511627776x1099511627776"}));
  EXPECT_TRUE(holds(message([] { Layout({4, 4}, {}); }), {"no rank"}));
  EXPECT_TRUE(holds(message([] { Layout({4, 4}, {{{0}, {4}}}); }), {"rank 0", "[0, 4)", "4x4"}));
  EXPECT_TRUE(holds(message([] { Layout({4, 4}, {Box::whole({4, 4})}, {0, 2}); }), {"order (0, 2)"}));
  EXPECT_TRUE(holds(message([] {
                      Layout::sticks({4, 4, 4}, {{{{4, 0}, 0, 4}}});
                    }),
                    {"rank 0", "(4, 0)", "[0, 4) x [0, 4)"}));
  EXPECT_TRUE(holds(message([] { Layout::sticks({4, 4, 4}, {{}, {{{3, 0}, 2, 5}}}); }), {"rank 1", "[2, 5)"}));
  EXPECT_TRUE(holds(message([] { Layout::runs({4}, {{{0, -1}}}); }), {"run of -1"}));
  EXPECT_TRUE(holds(message([] {
                      Layout::checkerboard({4, 4}, {Box::whole({5, 4})});
                    }),
                    {"rank 0", "[0, 5) x [0, 4)"}));
  const Layout runs = Layout::runs({4}, {{{0, 4}}});
  EXPECT_TRUE(holds(message([&] { runs.box(0); }), {"runs of shape 4", "no boxes"}));
  EXPECT_TRUE(holds(message([&] { runs.grown({1}); }), {"only boxes"}));
  EXPECT_TRUE(holds(message([&] { runs.ordered({0}); }), {"only boxes"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4}, 0, 2).box(2); }), {"rank 2", "2 ranks"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4}, 0, 2).runs(0); }), {"no runs"}));
  EXPECT_TRUE(holds(message([] { Layout::slab({4}, 0, 2).grown({-1}); }), {"width (-1)"}));
}

}  // namespace
}  // namespace weft

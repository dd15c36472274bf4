// Views: dense memory in any order with padding, cutting, comparing and joining.
#include "geometry/oracle.hpp"

namespace weft {
namespace {

TEST(View, is_dense_in_any_order_with_padding) {
  const Box box{{1, 2, 3}, {3, 5, 8}};  // 2x3x5
  EXPECT_EQ(dense_view(box, {}).strides, (Shape{15, 5, 1}));
  EXPECT_EQ(dense_view(box, {2, 0, 1}).strides, (Shape{3, 1, 6}));
  EXPECT_EQ(dense_view(box, {2, 0, 1}, {1, 4, 7}).strides, (Shape{7, 1, 21}));
  EXPECT_EQ(dense_elements(box, {2, 0, 1}, {1, 4, 7}), 5 * 3 * 7);
  EXPECT_EQ(dense_elements(box, {}), 30);
  EXPECT_EQ(dense_elements(box.cut(1, 2, 2), {}, {9, 9, 9}), 0);
  const View view = dense_view(box, {1, 2, 0}, {}, 4, 100);
  EXPECT_EQ(view.at({1, 2, 3}), 100);
  EXPECT_EQ(view.at({2, 3, 4}), 100 + 10 + 2 + 1);
  const View part = view.cut({{2, 3, 4}, {3, 5, 6}});
  EXPECT_EQ(part.offset, 113);
  EXPECT_EQ(part.at({2, 4, 5}), view.at({2, 4, 5}));
  EXPECT_TRUE(holds(message([&] { dense_view(box, {0, 1, 1}); }), {"(0, 1, 1)", "3 axes", "slowest first"}));
  EXPECT_TRUE(holds(message([&] { dense_elements(box, {}, {0, -1, 0}); }), {"padding (0, -1, 0)"}));
}

TEST(View, memory_is_compared_where_it_matters) {
  const Box box{{0, 0}, {1, 4}};
  const View view{box, 0, 5, {9, 1}};
  EXPECT_TRUE(same_memory(view, {box, 0, 5, {77, 1}}));
  EXPECT_FALSE(same_memory(view, {box, 0, 5, {9, 2}}));
  EXPECT_FALSE(same_memory(view, {box, 1, 5, {9, 1}}));
  EXPECT_FALSE(same_memory(view, {box, 0, 6, {9, 1}}));
  EXPECT_TRUE(same_memory(view.cut(box.cut(1, 2, 2)), {box.cut(1, 0, 0), 3, 0, {1, 1}}));
}

/// Every point with its place, of all views.
std::map<std::pair<int, std::vector<Index>>, std::multiset<Index>> contents(const std::vector<View>& views) {
  std::map<std::pair<int, std::vector<Index>>, std::multiset<Index>> all;
  for (const View& view : views)
    for (const Shape& point : points(view.box, c_order(view.box.axes())))
      all[{view.slot, std::vector<Index>(point.begin(), point.end())}].insert(view.at(point));
  return all;
}

TEST(View, slivers_of_a_dense_view_merge_to_one) {
  const View whole = dense_view(Box{{0, -3, 2}, {20, 17, 22}}, {1, 2, 0}, {3, 0, 1}, 2, 50);
  std::vector<View> slivers;
  for (const Shape& p : points(whole.box, {2, 0, 1})) slivers.push_back(whole.cut({p, {p[0] + 1, p[1] + 1, p[2] + 1}}));
  ASSERT_EQ(slivers.size(), 8000u);
  const auto merged = merge(slivers);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_TRUE(same_memory(merged[0], whole));
}

TEST(View, merging_joins_only_what_one_rule_covers) {
  const auto line = [](Index lo, Index hi, Index offset, Index stride, int slot = 0) {
    return View{{{lo}, {hi}}, slot, offset, {stride}};
  };
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(2, 4, 2, 1)}), (std::vector<View>{line(0, 4, 0, 1)}));
  EXPECT_EQ(merge({line(2, 4, 2, 1), line(4, 4, 9, 1), line(0, 2, 0, 1)}), (std::vector<View>{line(0, 4, 0, 1)}));
  EXPECT_EQ(merge({line(0, 1, 7, 1), line(1, 2, 3, 1), line(2, 3, -1, 1)}), (std::vector<View>{line(0, 3, 7, -4)}));
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(2, 4, 3, 1)}).size(), 2u);
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(2, 4, 2, 2)}).size(), 2u);
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(2, 4, 2, 1, 1)}).size(), 2u);
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(3, 4, 3, 1)}).size(), 2u);
  // the same points twice, elsewhere: each finds its own continuation
  EXPECT_EQ(merge({line(0, 2, 0, 1), line(0, 2, 50, 1), line(2, 4, 52, 1), line(2, 4, 2, 1)}),
            (std::vector<View>{line(0, 4, 0, 1), line(0, 4, 50, 1)}));
  // First seen first
  EXPECT_EQ(merge({line(5, 6, 5, 1), line(0, 2, 0, 1), line(2, 4, 2, 1)}).front(), line(5, 6, 5, 1));
}

TEST(View, merging_never_changes_what_lies_where) {
  std::uint64_t state = 7;
  const auto below = [&](Index n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Index>((state >> 33) % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<View> views;
    for (int i = 0; i < 12; ++i) {
      const Shape lo{below(3), below(3)};
      views.push_back(dense_view({lo, {lo[0] + below(3), lo[1] + below(3)}}, below(2) ? Order{0, 1} : Order{1, 0}, {},
                                 static_cast<int>(below(2)), below(4)));
    }
    const auto merged = merge(views);
    EXPECT_EQ(contents(merged), contents(views));
    EXPECT_EQ(merge(merged), merged);
  }
}

}  // namespace
}  // namespace weft

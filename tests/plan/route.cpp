// Routes of many problems on many ranks, without them: every stage keeps as many ranks busy as it
// reasonably can, and what is asked for is followed.
#include "plan/route/route.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

// The most parts that a grid of so many ranks over the axes other than `whole` can have, none of
// them empty for want of points.
Index most_parts(const Shape& shape, int whole, int ranks, int axis = 0) {
  if (axis == shape.size()) return 1;
  if (axis == whole) return most_parts(shape, whole, ranks, axis + 1);
  Index most = 0;
  for (int parts = 1; parts <= ranks; ++parts)
    if (ranks % parts == 0)
      most = std::max(most, std::min<Index>(shape[axis], parts) * most_parts(shape, whole, ranks / parts, axis + 1));
  return most;
}

int busy_ranks(const Route& route, std::size_t stage) {
  const Layout& layout = stage < route.transitions.size() ? route.transitions[stage].from : route.output;
  int busy = 0;
  for (int r = 0; r < layout.ranks(); ++r) busy += !layout.box(r).empty();
  return busy;
}

// What the transformed axis that allows fewest allows; `inner`: without a batch or components to
// cut.
Index allowed_ranks(const AnyProblem& problem, const Options& options, const Route& route, int ranks, bool inner) {
  Index allowed = ranks;
  for (const int a : problem.axes) {
    const int at = a + (options.batch > 1);
    Shape shape = at == route.halved ? route.shape : halved_shape(route.shape, route.halved);
    if (inner && options.batch > 1) shape[0] = 1;
    if (inner && options.components > 1) shape[shape.size() - 1] = 1;
    allowed = std::min(allowed, most_parts(shape, at, ranks));
  }
  return allowed;
}

// A stage that works where the caller's data lies is as busy as the caller says; every other one
// has two thirds of the ranks that are possible.
void expect_busy(const AnyProblem& problem, const Options& options, int ranks) {
  const Route route = plan_route(problem, options, ranks);
  const bool given = options.input || !options.grid.empty();
  std::vector<int> transformed, wanted;
  for (const int a : problem.axes) wanted.push_back(a + (options.batch > 1));
  bool exchanged = false;
  for (std::size_t s = 0; s < route.work.size(); ++s) {
    for (const int a : route.work[s]) transformed.push_back(a);
    // an axis of one point is no work
    const bool works =
        std::any_of(route.work[s].begin(), route.work[s].end(), [&](int a) { return route.shape[a] > 1; });
    if (works && (exchanged || !given)) {
      EXPECT_GE(3 * busy_ranks(route, s), 2 * allowed_ranks(problem, options, route, ranks, !exchanged))
          << "stage " << s << " of " << to_string(route.shape) << ", kind of the last axis "
          << to_string(problem.kinds.back()) << ", last axis " << problem.axes[problem.axes.size() - 1] << ", " << ranks
          << " ranks, input " << route.input.describe(true);
    }
    exchanged = exchanged || (s < route.transitions.size() && route.transitions[s].exchanges);
  }
  std::sort(transformed.begin(), transformed.end()), std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(transformed, wanted);
}

std::vector<Order> orders(int axes) {
  std::vector<int> order;
  for (int a = 0; a < axes; ++a) order.push_back(a);
  std::vector<Order> all;
  do all.emplace_back(order.begin(), order.end());
  while (std::next_permutation(order.begin(), order.end()));
  all.push_back({0});
  if (axes > 1) all.push_back({axes - 1, 0});
  return all;
}

// Every process grid of so many ranks over the axes.
std::vector<Few<int>> grids(int axes, int ranks) {
  if (axes == 1) return {{ranks}};
  std::vector<Few<int>> all;
  for (int parts = 1; parts <= ranks; ++parts)
    if (ranks % parts == 0)
      for (const Few<int>& rest : grids(axes - 1, ranks / parts)) {
        Few<int> grid{parts};
        for (const int p : rest) grid.push_back(p);
        all.push_back(grid);
      }
  return all;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{16, 12, 20}, {25, 40, 36}, {4, 3, 5}, {2, 32, 32}, {32, 32, 2}, {1, 4, 3},
                                      {6, 1, 1},    {8, 8},       {30, 7},   {6},         {3, 4, 2, 5}};
  return all;
}

TEST(Route, KeepsRanksBusy) {
  for (const Shape& shape : shapes())
    for (const Order& axes : orders(shape.size()))
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        for (int ranks = 1; ranks <= 12; ++ranks) {
          const AnyProblem p = problem(Precision::double_, {kind}, shape, axes);
          expect_busy(p, {}, ranks);
          expect_busy(p, {.natural_output = true, .batch = 3}, ranks);
          expect_busy(p, {.components = 2, .placement = "in_place"}, ranks);
        }
}

TEST(Route, KeepsRanksBusyWhateverTheInput) {
  for (const Shape& shape : shapes())
    for (const Order& axes : orders(shape.size()))
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        for (int ranks = 1; ranks <= 12; ++ranks) {
          if (shape.size() > 3 && ranks % 4 != 0) continue;
          const AnyProblem p = problem(Precision::double_, {kind}, shape, axes);
          for (const Few<int>& grid : grids(shape.size(), ranks)) {
            expect_busy(p, {.grid = grid}, ranks);
            expect_busy(p, {.input = Layout::grid(shape, grid)}, ranks);
            expect_busy(
                p, {.input = Layout::grid(shape, grid, Split::blocks(), c_order(shape.size())), .natural_output = true},
                ranks);
          }
          std::vector<Box> one(static_cast<std::size_t>(ranks),
                               Box{Shape::filled(shape.size(), 0), Shape::filled(shape.size(), 0)});
          one.back() = Box::whole(shape);
          expect_busy(p, {.input = Layout(shape, one)}, ranks);
        }
}

// As long as all ranks have work: slabs along axis 0 and one exchange, or pencils and two.
TEST(Route, UsualGrids) {
  const Route slabs = plan_route(problem(Precision::double_, {Kind::r2c}, {16, 12, 20}), {}, 8);
  EXPECT_EQ(slabs.input.describe(true), Layout::grid({16, 12, 20}, {8, 1, 1}).describe(true));
  EXPECT_EQ(slabs.transitions.size(), 1u);
  const Route pencils = plan_route(problem(Precision::double_, {Kind::c2c}, {6, 6, 20}), {}, 12);
  EXPECT_EQ(pencils.input.describe(true), Layout::grid({6, 6, 20}, {3, 4, 1}).describe(true));
  EXPECT_EQ(pencils.transitions.size(), 2u);
}

// With an input layout, the grid is that of the first transform.
TEST(Route, GridBesideAnInput) {
  const Shape shape{25, 40, 36};
  const AnyProblem p = problem(Precision::double_, {Kind::r2c}, shape, {1, 2, 0});
  const Layout bricks = Layout::grid(shape, {2, 2, 1});
  const auto first = [&](const Few<int>& grid) {
    const Route route = plan_route(p, {.grid = grid, .input = bricks}, 4);
    EXPECT_TRUE(route.work.front().empty());
    return route.transitions.front().to.describe(true);
  };
  EXPECT_EQ(first({1, 4}), Layout::grid(shape, {1, 4, 1}).describe(true));
  EXPECT_EQ(first({1, 2, 2}), Layout::grid(shape, {1, 2, 2}).describe(true));
  // No exchange before
  EXPECT_EQ(plan_route(p, {.grid = {1, 2, 2}, .input = Layout::grid(shape, {1, 2, 2})}, 4).work.front()[0], 0);
  const auto refuses = [&](const Few<int>& grid, const Order& axes, Kind kind) {
    try {
      plan_route(problem(Precision::double_, {kind}, shape, axes), {.grid = grid, .input = bricks},
                 4 * (grid.size() > 2 ? 2 : 1));
      return std::string("nothing");
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  EXPECT_NE(refuses({4}, {1, 2, 0}, Kind::r2c).find("cuts axis 0, which r2c halves"), std::string::npos);
  const Layout eight = Layout::grid(shape, {2, 2, 2});
  EXPECT_THROW(plan_route(problem(Precision::double_, {Kind::c2c}, shape), {.grid = {2, 2, 2}, .input = eight}, 8),
               Error);
}

TEST(Route, SaysWhoIsIdle) {
  const auto notes = [](const AnyProblem& p, int ranks) { return idle_notes(plan_route(p, {}, ranks)); };
  EXPECT_TRUE(notes(problem(Precision::double_, {Kind::r2c}, {16, 12, 20}), 8).empty());
  EXPECT_TRUE(notes(problem(Precision::double_, {Kind::r2c}, {25, 40, 36}, {1, 2, 0}), 4).empty());
  const auto said = notes(problem(Precision::double_, {Kind::c2c}, {6, 1, 1}), 4);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said.front().find("3 of 4 ranks are idle in stage 1, which transforms axis 0"), std::string::npos)
      << said.front();
}

}  // namespace
}  // namespace weft

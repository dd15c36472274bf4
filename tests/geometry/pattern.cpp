// Patterns against the oracle: awkward shapes, every kind of layout, halos, tiles, thousands of
// ranks.
#include <algorithm>
#include <limits>

#include "geometry/oracle.hpp"

namespace weft {
namespace {

std::vector<Order> orders(int axes) {
  std::vector<Order> all;
  Order order = c_order(axes);
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

/// All shapes of so many axes with extents in {1, 2, 3, 5}.
std::vector<Shape> awkward_shapes(int axes) {
  std::vector<Shape> all;
  const Index extents[] = {1, 2, 3, 5};
  for (const Shape& choice : points(Box::whole(Shape::filled(axes, 4)), c_order(axes))) {
    Shape shape = choice;
    for (Index& n : shape) n = extents[n];
    all.push_back(shape);
  }
  return all;
}

TEST(Pattern, slabs_of_every_awkward_shape_in_every_order) {
  for (int axes = 1; axes <= 3; ++axes) {
    std::size_t i = 0;
    const auto all = orders(axes);
    for (const Shape& shape : awkward_shapes(axes))
      for (const Order& order : all) {
        const int ranks = 1 + static_cast<int>(i++ % 4), a = static_cast<int>(i % at(axes)),
                  b = static_cast<int>((i / 3) % at(axes));
        Shape padding = Shape::filled(axes, 0);
        padding[order[axes - 1]] = static_cast<Index>(i % 3);
        padding[order[0]] = 1;
        const Layout from = Layout::slab(shape, a, ranks).ordered(order, padding);
        const Layout to = Layout::slab(shape, b, ranks, Split::blocks(), all[i % all.size()]);
        expect_right(from, to, i % 2 ? Cut{b, 1 + static_cast<Index>(i % 3)} : Cut{});
        if (HasFailure()) return;
      }
  }
}

TEST(Pattern, four_and_five_axes) {
  const auto all = orders(4);
  std::size_t i = 0;
  for (const Shape& shape : awkward_shapes(4)) {
    if (++i % 2 && volume(shape) > 60) continue;
    const Layout from = Layout::grid(shape, {2, 1, 2, 1}, Split::even(), all[i % 24]),
                 to = Layout::grid(shape, {1, 2, 1, 2}, Split::even(), all[i / 7 % 24]);
    expect_right(from, to, {static_cast<int>(i % 5) - 1, 2});
    if (HasFailure()) return;
  }
  expect_right(Layout::grid({3, 2, 5, 1, 4}, {1, 2, 3, 1, 1}, Split::even(), {4, 1, 3, 0, 2}),
               Layout::grid({3, 2, 5, 1, 4}, {3, 1, 1, 1, 2}), {4, 1});
}

TEST(Pattern, slabs_pencils_and_bricks) {
  const Shape shape{7, 11, 13};
  const std::vector<Layout> layouts{
      Layout::slab(shape, 0, 12),
      Layout::slab(shape, 1, 12, Split::blocks()),
      Layout::slab(shape, 2, 12, Split::blocks(13), {2, 0, 1}),
      Layout::grid(shape, {3, 4, 1}, Split::even(), {1, 0, 2}),
      Layout::grid(shape, {4, 1, 3}).ordered({0, 2, 1}, {0, 3, 1}),
      Layout::grid(shape, {1, 2, 6}, Split::blocks()),
      Layout::grid(shape, {2, 3, 2}, {Split::given({0, 0, 7}), Split::even(), Split::blocks(12)}),
      Layout::grid(shape, {3, 2, 2}, Split::even(), {2, 1, 0})};
  for (const Layout& from : layouts)
    for (const Layout& to : layouts) expect_right(from, to, {1, 4});
}

TEST(Pattern, primes_and_more_ranks_than_planes) {
  expect_right(Layout::slab({3, 7}, 0, 9), Layout::slab({3, 7}, 1, 9), {0, 1});
  expect_right(Layout::slab({13}, 0, 5), Layout::slab({13}, 0, 5, Split::blocks()), {0, 2});
  expect_right(Layout::slab({1, 64, 4}, 0, 3), Layout::slab({1, 64, 4}, 1, 3));
  expect_right(Layout::slab({64, 1, 1}, 0, 6), Layout::slab({64, 1, 1}, 1, 6), {0, 4});
  expect_right(Layout::slab({5, 5}, 0, 1), Layout::slab({5, 5}, 1, 1), {1, 99});
}

TEST(Pattern, custom_boxes_that_fit_no_grid) {
  const Shape shape{6, 6};
  const Layout pinwheel(shape,
                        {{{0, 0}, {2, 4}}, {{0, 4}, {4, 6}}, {{4, 2}, {6, 6}}, {{2, 0}, {6, 2}}, {{2, 2}, {4, 4}}},
                        {1, 0}, {0, 1});
  EXPECT_EQ(message([&] { pinwheel.check_partition("pinwheel"); }), "");
  for (int axis : {0, 1}) {
    expect_right(pinwheel, Layout::slab(shape, axis, 5), {axis, 1});
    expect_right(Layout::slab(shape, axis, 5), pinwheel, {1, 2});
  }
}

TEST(Pattern, sticks_and_checkerboards) {
  const Shape shape{4, 3, 6};
  std::vector<std::vector<Stick>> sticks(5);  // ragged, dealt out in no order; rank 2 has none
  Index i = 0;
  for (const Shape& p : points(Box::whole({4, 3}), {1, 0})) {
    ++i;
    sticks[at(i % 2 ? i * 7 % 2 : 3 + i % 2)].push_back({p, i % 3, 6 - i % 4});
  }
  const Layout ragged = Layout::sticks(shape, sticks);
  const Layout bricks = Layout::grid(shape, {5, 1, 1}, Split::even(), {2, 0, 1}).ordered({2, 0, 1}, {1, 1, 1});
  std::vector<Box> parts;
  for (int r = 0; r < 5; ++r) parts.push_back(Layout::slab(shape, 2, 5).box(r));
  const Layout board = Layout::checkerboard(shape, parts);
  const Layout runs = Layout::runs(shape, {{{50, 20}, {0, 5}}, {{5, 10}}, {{15, 0}}, {{70, 2}, {15, 30}}, {{45, 5}}});
  EXPECT_EQ(message([&] { runs.check_partition("runs"); }), "");
  for (const Layout& from : {ragged, bricks, board, runs, Layout::slab(shape, 0, 5)})
    for (const Layout& to : {ragged, bricks, board, runs, Layout::slab(shape, 2, 5)}) expect_right(from, to);
  expect_right(board, Layout::slab(shape, 0, 5).grown({1, 2, 7}), {}, {1, 0, 1});
  expect_right(runs, Layout::replicated(shape, 5));
}

TEST(Pattern, a_row_of_a_checkerboard_is_one_piece_on_either_side) {
  const Shape shape{1, 8};
  const Layout row(shape, {Box::whole(shape)}), board = Layout::checkerboard(shape, {Box::whole(shape)});
  const Layout evens = Layout::runs(shape, {{{0, 1}, {2, 1}, {4, 1}, {6, 1}}});
  const Pattern pattern(row, evens, 0);
  const View read{{{0}, {4}}, -1, 0, {2}}, write{{{0}, {4}}, -1, 0, {1}};
  ASSERT_EQ(pattern.tile(0).gives.size(), 1u);
  ASSERT_EQ(pattern.tile(0).takes.size(), 1u);
  EXPECT_EQ(pattern.tile(0).gives[0].at, read);
  EXPECT_EQ(pattern.tile(0).takes[0].at, write);
  EXPECT_EQ(Pattern(row, board, 0).tile(0).gives.size(), 1u);
}

TEST(Pattern, halos_wrap_where_periodic) {
  for (const Shape& shape : {Shape{6, 5}, Shape{1, 5}, Shape{2, 3}})
    for (Index width : {1, 2, 7})
      for (const Few<int>& periodic : {Few<int>{}, Few<int>{1, 0}, Few<int>{1, 1}}) {
        const Layout from = Layout::grid(shape, {2, 2}, Split::even(), {1, 0});
        expect_right(from, from.grown({width, width}).ordered({0, 1}, {0, 2}), {}, periodic);
        expect_right(from, from.grown({0, width}), {1, 1}, periodic);
        if (HasFailure()) return;
      }
  const Layout lattice = Layout::grid({2, 4, 3, 2}, {1, 2, 1, 2});
  expect_right(lattice, lattice.grown({1, 1, 1, 1}), {}, {1, 1, 1, 1});
}

TEST(Pattern, destinations_may_overlap_leave_holes_or_move_away) {
  const Shape shape{6, 5};
  const Layout from = Layout::slab(shape, 0, 3);
  expect_right(from, Layout::replicated(shape, 3), {0, 1});
  expect_right(from, Layout(shape, {{{1, 1}, {3, 4}}, {{3, 2}, {3, 4}}, {{5, 0}, {6, 2}}}));
  expect_right(Layout(shape, {{{0, 0}, {2, 5}}, {{0, 0}, {0, 0}}, {{4, 1}, {6, 3}}}), Layout::slab(shape, 1, 3),
               {1, 2});
  std::vector<Box> shifted;
  for (int r = 0; r < 3; ++r) shifted.push_back(from.box(r).shifted({-1, 12}));
  expect_right(from, Layout(shape, shifted), {0, 1}, {1, 1});
  expect_right(from, Layout(shape, shifted), {0, 1}, {1, 0});
}

TEST(Pattern, members_are_those_one_hangs_together_with) {
  const Pattern pencil(Layout::grid({8, 8, 8}, {2, 3, 1}), Layout::grid({8, 8, 8}, {2, 1, 3}), 4);
  EXPECT_EQ(pencil.members(), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(pencil.rank(), 1);
  EXPECT_EQ(Pattern(Layout::slab({2, 9}, 0, 5), Layout::slab({2, 9}, 0, 5), 4).members(), (std::vector<int>{4}));
  const Layout line = Layout::slab({8}, 0, 4);
  EXPECT_EQ(Pattern(line, line.grown({1}), 3).members(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Pattern, tiles_are_as_many_as_the_longest_part_needs) {
  const Shape shape{4, 7};
  const Layout from(shape, {{{0, 0}, {4, 5}}, {{0, 5}, {4, 7}}, {{2, 0}, {2, 7}}}), to = Layout::slab(shape, 0, 3);
  EXPECT_EQ(Pattern(from, to, 1, {1, 2}).tiles(), 3);
  EXPECT_TRUE(Pattern(from, to, 1, {1, 2}).tile(2).gives.empty());
  EXPECT_EQ(Pattern(from, to, 1, {1, std::numeric_limits<Index>::max()}).tiles(), 1);
  EXPECT_EQ(Pattern(from, to, 1).tiles(), 1);
  expect_right(from, to, {1, 2});
}

TEST(Pattern, errors_say_what_to_do) {
  const Layout slab = Layout::slab({4, 4}, 0, 2), board = Layout::checkerboard({4, 4}, {slab.box(0), slab.box(1)});
  EXPECT_TRUE(holds(message([&] {
                      Pattern(slab, Layout::slab({4, 5}, 0, 2), 0);
                    }),
                    {"of 4x4 on 2", "of 4x5 on 2", "same shape"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, Layout::slab({4, 4}, 0, 3), 0); }), {"on 2 ranks", "on 3 ranks"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, slab, 2); }), {"rank 2", "0 to 1"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, slab, 0, {2, 1}); }), {"axis 2", "0 to 1"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, slab, 0, {1, 0}); }), {"tiles of 0", "at least 1"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, board, 0, {1, 1}); }), {"runs", "axis -1"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab, slab, 0, {}, {1}); }), {"periodic on 1 axes"}));
  EXPECT_TRUE(holds(message([&] {
                      Pattern(Layout::replicated({4, 4}, 2), slab, 0);
                    }),
                    {"source", "ranks 0 and 1 both own"}));
  EXPECT_TRUE(holds(message([&] { Pattern(slab.grown({0, 1}), slab, 0); }), {"source", "not inside"}));
}

// ---- layouts by chance, from a fixed seed

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  Index below(Index n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Index>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }
  Shape shape() {
    Shape extents;
    const Index axes = 1 + below(4);
    for (Index a = 0; a < axes; ++a) extents.push_back(1 + below(axes > 3 ? 4 : 7));
    return extents;
  }
  Order order(int axes) {
    const auto all = orders(axes);
    return all[at(below(static_cast<Index>(all.size())))];
  }
  Layout in_memory(const Layout& boxes) {
    Shape padding;
    for (int a = 0; a < boxes.axes(); ++a) padding.push_back(below(3));
    return boxes.ordered(order(boxes.axes()), padding);
  }
  /// A partition into boxes: cut again and again, anywhere.
  std::vector<Box> boxes(const Shape& shape, int ranks) {
    std::vector<Box> all{Box::whole(shape)};
    while (all.size() < at(ranks)) {
      const std::size_t i = at(below(static_cast<Index>(all.size())));
      const int a = static_cast<int>(below(shape.size()));
      const Index middle = all[i].lo[a] + below(all[i].extent(a) + 1);
      all.push_back(all[i].cut(a, middle, all[i].hi[a]));
      all[i] = all[i].cut(a, all[i].lo[a], middle);
    }
    return all;
  }
  Layout partition(const Shape& shape, int ranks) {
    switch (below(6)) {
      case 0:
        return in_memory(Layout::slab(shape, static_cast<int>(below(shape.size())), ranks,
                                      below(2) ? Split::even() : Split::blocks()));
      case 1:
        return Layout::checkerboard(shape, boxes(shape, ranks));
      case 2: {
        std::vector<std::vector<Run>> runs(at(ranks));
        for (Index first = 0, all = volume(shape), count; first < all; first += count) {
          count = std::min(all - first, 1 + below(5));
          auto& of = runs[at(below(ranks))];
          of.insert(of.begin() + below(static_cast<Index>(of.size()) + 1), {first, count});
        }
        return Layout::runs(shape, runs);
      }
      case 3: {
        std::vector<std::vector<Stick>> sticks(at(ranks));
        Box base = Box::whole(shape);
        const Index length = base.hi[shape.size() - 1];
        base.hi[shape.size() - 1] = 1;
        for (const Shape& p : points(base, c_order(shape.size()))) {
          const Index lo = below(length + 1);
          sticks[at(below(ranks))].push_back({Shape(p.begin(), p.end() - 1), lo, lo + below(length - lo + 1)});
        }
        return Layout::sticks(shape, sticks);
      }
      default:
        return in_memory(Layout(shape, boxes(shape, ranks)));
    }
  }
  Layout destination(const Shape& shape, int ranks) {
    Shape width, away;
    for (int a = 0; a < shape.size(); ++a) width.push_back(below(4)), away.push_back(below(9) - 4);
    std::vector<Box> some = boxes(shape, ranks);
    switch (below(6)) {
      case 0:
        return in_memory(Layout(shape, some).grown(width));
      case 1:
        return in_memory(Layout::replicated(shape, ranks));
      case 2:
        for (Box& box : some) box = box.shifted(away);
        return in_memory(Layout(shape, some));
      case 3: {
        std::vector<std::vector<Run>> runs(at(ranks));
        for (auto& of : runs)
          for (int i = 0; i < 4; ++i) of.push_back({below(volume(shape)), below(6)});
        return Layout::runs(shape, runs);
      }
      default:
        return partition(shape, ranks);
    }
  }

 private:
  std::uint64_t state_;
};

TEST(Pattern, any_layout_to_any_layout) {
  Chance chance(20250707);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const Shape shape = chance.shape();
    const int ranks = 1 + round % 9;
    const Layout from = chance.partition(shape, ranks), to = chance.destination(shape, ranks);
    Few<int> periodic;
    for (int a = 0; a < shape.size() && round % 3; ++a) periodic.push_back(static_cast<int>(chance.below(2)));
    const bool boxes = from.has_boxes() && to.has_boxes();
    expect_right(from, to,
                 boxes ? Cut{static_cast<int>(chance.below(shape.size() + 1)) - 1, 1 + chance.below(4)} : Cut{},
                 periodic);
    if (HasFailure()) return;
  }
}

// ---- thousands of ranks

TEST(Scale, slabs_on_4096_ranks) {
  const Layout from = Layout::slab({4096, 4096, 8}, 0, 4096), to = Layout::slab({4096, 4096, 8}, 1, 4096);
  for (int rank : {0, 1234, 4095}) {
    const Pattern pattern(from, to, rank, {0, 1});
    EXPECT_EQ(pattern.ranks(), 4096);
    EXPECT_EQ(pattern.rank(), rank);
    EXPECT_EQ(pattern.tiles(), 1);
    ASSERT_EQ(pattern.tile(0).takes.size(), 4096u);
    EXPECT_EQ(pattern.tile(0).takes[77].peer, 77);
    EXPECT_EQ(pattern.tile(0).takes[77].at.box, (Box{{77, rank, 0}, {78, rank + 1, 8}}));
    EXPECT_EQ(pattern.count(0, 17, 4000), 8);
  }
  EXPECT_EQ(Pattern(from, to, 5).largest(0), 8);
}

TEST(Scale, more_ranks_than_planes_on_4096_ranks) {
  const Pattern idle(Layout::slab({256, 1000}, 0, 4096), Layout::slab({256, 1000}, 1, 4096), 4095);
  EXPECT_EQ(idle.members(), (std::vector<int>{4095}));
  EXPECT_EQ(Pattern(Layout::slab({256, 1000}, 0, 4096), Layout::slab({256, 1000}, 1, 4096), 300).ranks(), 1000);
}

TEST(Scale, pencils_on_64x64_ranks) {
  const Layout from = Layout::grid({256, 256, 256}, {64, 64, 1}), to = Layout::grid({256, 256, 256}, {64, 1, 64});
  for (int rank : {0, 2080, 4095}) {
    const Pattern pattern(from, to, rank, {0, 1});
    EXPECT_EQ(pattern.tiles(), 4);
    EXPECT_EQ(pattern.ranks(), 64);
    EXPECT_EQ(pattern.members().front(), rank / 64 * 64);
    EXPECT_EQ(pattern.tile(3).gives.size(), 64u);
    EXPECT_EQ(pattern.largest(3), 16);
    EXPECT_TRUE(pattern.even(0));
  }
}

TEST(Scale, bricks_and_halos_on_4096_ranks) {
  const Shape shape{160, 160, 160};
  const Layout bricks = Layout::grid(shape, {16, 16, 16});
  for (int rank : {0, 2184, 4095}) {
    const Pattern halo(bricks, bricks.grown({1, 1, 1}), rank, {}, {1, 1, 1});
    EXPECT_EQ(halo.ranks(), 4096);
    EXPECT_EQ(halo.tile(0).takes.size(), 27u);
    EXPECT_EQ(halo.tile(0).gives.size(), 27u);
    EXPECT_EQ(halo.largest(0), 100);
    const Pattern pencil(bricks, Layout::grid(shape, {64, 64, 1}), rank);
    Index gives = 0;
    for (const Piece& piece : pencil.tile(0).gives) gives += piece.at.box.volume();
    EXPECT_EQ(gives, 1000);
  }
}

TEST(Scale, custom_boxes_on_4096_ranks) {
  std::vector<Box> boxes = Chance(3).boxes({1000, 1000, 1000}, 4096);
  const Layout custom({1000, 1000, 1000}, boxes);
  EXPECT_EQ(message([&] { custom.check_partition("custom"); }), "");
  const Pattern pattern(custom, Layout::grid({1000, 1000, 1000}, {64, 64, 1}), 40);
  EXPECT_GT(pattern.ranks(), 1);
  const auto largest =
      std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.volume() < b.volume(); });
  --largest->hi[0];
  EXPECT_TRUE(holds(message([&] { Layout({1000, 1000, 1000}, boxes).check_partition("custom"); }), {"to no rank"}));
  largest->hi[0] += 2;
  EXPECT_NE(message([&] { Layout({1000, 1000, 1000}, boxes).check_partition("custom"); }), "");
}

TEST(Scale, runs_on_512_ranks) {
  const Shape shape{64, 64, 64};
  std::vector<Box> boxes;
  const Layout bricks = Layout::grid(shape, {8, 8, 8});
  for (int r = 0; r < 512; ++r) boxes.push_back(bricks.box(r));
  const Pattern pattern(Layout::checkerboard(shape, boxes), Layout::slab(shape, 2, 512), 100);
  EXPECT_EQ(pattern.tile(0).gives.empty(), false);
  EXPECT_GT(pattern.ranks(), 1);
}

}  // namespace
}  // namespace weft

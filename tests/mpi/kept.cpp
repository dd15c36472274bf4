// Kept boxes of a spectrum, forward and backward, against the dense transform of the whole grid.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/changing.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

// A box of the grid's spectrum: what a dense transform of the grid has there, where a dense
// transform of the smaller grid has it.
template <class In, class Make>
void box_is_part_of_all(const Shape& grid, const Shape& kept, Make make, const AnyProblem& small,
                        const AnyProblem& large) {
  for (const char* strategy : {"auto", "isend", "datatype"})
    for (const Index batch : {1, 2}) {
      Options options{.strategy = strategy, .effort = "estimate", .batch = batch};
      Plan box(world, make(grid, kept), options);
      SCOPED_TRACE(box.describe());
      options.strategy = "auto";
      const bool wide = std::min(kept[0], kept[1]) >= ranks_of_world();  // else dense plans cut other axes
      if (wide) {
        EXPECT_EQ(box.output_layout(), AnyPlan(world, small, options).output_layout());
      }
      const Shape all = box.input_layout().shape();
      std::vector<Complex> field(static_cast<std::size_t>(volume(all)));
      for (std::size_t k = 0; k < field.size(); ++k)
        field[k] = {value(static_cast<Index>(k)), std::is_floating_point_v<In> ? 0 : value(static_cast<Index>(k) + 9)};
      const Order axes = batch > 1 ? Order{1, 2, 3} : Order{0, 1, 2};
      const std::vector<Complex> spectrum = naive(field, all, axes);
      auto u = box.input();
      auto u_hat = box.output();
      u.fill([&](const Shape& p) {
        if constexpr (std::is_floating_point_v<In>)
          return field[static_cast<std::size_t>(position(p, all))].real();
        else
          return field[static_cast<std::size_t>(position(p, all))];
      });
      box.forward(u, u_hat);
      const auto at = [&](Shape p) {
        for (int a = 0; a < 3; ++a) {
          Index& i = p[p.size() - 3 + a];
          if (i >= (kept[a] + 1) / 2 && !(std::is_floating_point_v<In> && a == 2)) i += grid[a] - kept[a];
        }
        return static_cast<std::size_t>(position(p, all));
      };
      double error = 0;
      u_hat.for_each([&](const Shape& p, Complex& v) { error = std::max(error, std::abs(v - spectrum[at(p)])); });
      EXPECT_LT(error, 1e-12);
      // backward: what a dense plan makes of the same spectrum with zeros around it
      Plan<In, Complex> dense(world, Problem<In, Complex>{large},
                              {.effort = "estimate", .grid = {ranks_of_world()}, .batch = batch});
      auto w = dense.input();
      auto w_hat = dense.output();
      std::set<std::size_t> inside;
      const Shape modes = box.output_layout().shape();
      Shape p = Shape::filled(modes.size(), 0);
      for (Index k = 0; k < volume(modes); ++k) {
        Index rest = k;
        for (int a = modes.size() - 1; a >= 0; --a) p[a] = rest % modes[a], rest /= modes[a];
        inside.insert(at(p));
      }
      w_hat.fill([&](const Shape& q) {
        return inside.contains(static_cast<std::size_t>(position(q, all)))
                   ? spectrum[static_cast<std::size_t>(position(q, all))]
                   : Complex();
      });
      dense.backward(w_hat, w);
      box.backward(u_hat, u);
      error = 0;
      ASSERT_EQ(box.input_layout(), dense.input_layout());
      u.for_each([&](const Shape& q, In& v) { error = std::max(error, std::abs(v - w[q])); });
      EXPECT_LT(error, 1e-9);
      back_to_back(box);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Kept, Boxes) {
  for (const auto& [grid, kept] : {std::pair{Shape{6, 9, 12}, Shape{4, 6, 8}},
                                   {Shape{5, 7, 6}, Shape{5, 3, 6}},
                                   {Shape{8, 6, 4}, Shape{2, 1, 4}},
                                   {Shape{3, 4, 5}, Shape{1, 1, 1}}}) {
    box_is_part_of_all<Complex>(
        grid, kept, [](const Shape& n, const Shape& m) { return kept_box<double>(n, m); }, c2c<double>(kept),
        c2c<double>(grid));
    box_is_part_of_all<double>(grid, kept, real_kept_box<double>, r2c<double>(kept), r2c<double>(grid));
  }
}

// Any indices, over the end of an axis too.
TEST(Kept, BoxesAnywhere) {
  for (const auto& [grid, kept] : {std::pair<Shape, Box>{{7, 8, 9}, {{2, 0, -3}, {6, 5, 4}}},
                                   {{6, 9, 20}, {{-6, 3, 11}, {-2, 9, 14}}},
                                   {{5, 5, 4}, {{4, -1, 0}, {5, 4, 4}}}}) {
    Plan box(world, kept_box<double>(grid, kept), {.effort = "estimate"});
    SCOPED_TRACE(box.describe());
    const auto at = [&, &grid = grid, &kept = kept](const Shape& p) {
      Shape q;
      for (int a = 0; a < 3; ++a) q.push_back((p[a] + kept.lo[a] + grid[a]) % grid[a]);
      return static_cast<std::size_t>(position(q, grid));
    };
    std::vector<Complex> field(static_cast<std::size_t>(volume(grid))), spectrum(field.size());
    for (std::size_t k = 0; k < field.size(); ++k)
      field[k] = {value(static_cast<Index>(k)), value(static_cast<Index>(k) + 9)};
    const std::vector<Complex> all = naive(field, grid, {0, 1, 2});
    auto u = box.input();
    auto u_hat = box.output();
    u.fill([&, &grid = grid](const Shape& p) { return field[static_cast<std::size_t>(position(p, grid))]; });
    box.forward(u, u_hat);
    double error = 0;
    u_hat.for_each([&](const Shape& p, Complex& v) { error = std::max(error, std::abs(v - all[at(p)])); });
    EXPECT_LT(error, 1e-12);
    Shape p{0, 0, 0};
    for (p[0] = 0; p[0] < kept.extent(0); ++p[0])
      for (p[1] = 0; p[1] < kept.extent(1); ++p[1])
        for (p[2] = 0; p[2] < kept.extent(2); ++p[2]) spectrum[at(p)] = std::conj(all[at(p)]);
    spectrum = naive(spectrum, grid, {0, 1, 2});  // backward, conjugated
    box.backward(u_hat, u);
    error = 0;
    u.for_each([&, &grid = grid](const Shape& q, Complex& v) {
      error = std::max(error, std::abs(v - std::conj(spectrum[static_cast<std::size_t>(position(q, grid))])));
    });
    EXPECT_LT(error, 1e-10);
    back_to_back(box);
  }
}

// More than caches hold, which is stored past them. Field k is the first times a power of two.
TEST(Kept, LargeBatches) {
  const Shape grid{32, 32, 32}, kept{16, 16, 16};
  for (const char* strategy : {"auto", "datatype"}) {
    Plan one(world, kept_box<double>(grid, kept), {.strategy = strategy, .effort = "estimate"});
    Plan all(world, kept_box<double>(grid, kept),
             {.strategy = strategy, .effort = "estimate", .batch = 64 * ranks_of_world()});
    SCOPED_TRACE(all.describe());
    auto u = one.input(), u_all = all.input();
    auto u_hat = one.output(), u_hat_all = all.output();
    const auto field = [&](const Shape& p) { return Complex(value(position(p, grid)), value(position(p, grid) + 9)); };
    const auto of_one = [](const Shape& p) { return Shape{p[1], p[2], p[3]}; };
    const auto times = [](const Shape& p) { return factor(static_cast<std::size_t>(p[0])); };
    u.fill(field);
    u_all.fill([&](const Shape& p) { return field(of_one(p)) * times(p); });
    one.forward(u, u_hat);
    all.forward(u_all, u_hat_all);
    Index differ = 0;
    u_hat_all.for_each([&](const Shape& p, Complex& v) { differ += v != u_hat[of_one(p)] * times(p); });
    EXPECT_EQ(differ, 0);
    one.backward(u_hat, u);
    all.backward(u_hat_all, u_all);
    u_all.for_each([&](const Shape& p, Complex& v) { differ += v != u[of_one(p)] * times(p); });
    EXPECT_EQ(differ, 0);
  }
}

}  // namespace
}  // namespace weft

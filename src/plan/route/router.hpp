// Makes routes.
#pragma once

#include <optional>

#include "plan/route/grid_layout.hpp"
#include "plan/route/route.hpp"

namespace weft {

/// From the caller's input through layouts in which the axes of each stage are whole, to what the
/// caller wants.
class Router {
 public:
  Router(const AnyProblem& problem, const Options& options, int ranks);
  Route route();

 private:
  void use_grid(const Few<int>& grid);
  void use_default_grid(int first, int last);
  void in_one_part(int axis);
  int whole_axes() const;
  bool halves_here() const { return route_.halved < 0 || local(grid_, route_.halved); }
  Order whole_on(const Dimensions& from, const Dimensions& to, const Shape& extents) const;
  void begin_as_given(const Layout& given);
  void begin_on_grid();
  void move_to_start();
  void transform_all();
  void transit(const Layout& to, int gathered, const Order& kept);
  std::optional<Layout> wanted_output() const;
  Layout natural_output() const;
  void end(const Layout& wanted);
  void divide_stages();
  void check_tiles() const;

  const AnyProblem& problem_;
  const Options& options_;
  const int ranks_;
  const int before_;  // axes in front of the problem's: the batch
  Route route_{Layout::slab({1}, 0, 1), Layout::slab({1}, 0, 1), {}, {}, -1, {}, {}};
  GridProblem grids_;
  Order remaining_;       // axes to transform, in order
  bool starts_ = true;    // the first stage can transform the caller's own data
  Dimensions beginning_;  // the grid of the caller's arrays, where they are on one
  Dimensions grid_;       // now
  Layout here_ = Layout::slab({1}, 0, 1);
};

}  // namespace weft

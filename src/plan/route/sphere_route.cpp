#include "plan/route/sphere_route.hpp"

#include <algorithm>

#include "plan/route/grid_layout.hpp"

namespace weft {
namespace {

// Parts of one axis, all of the others; each part for `groups` ranks that share the first axis.
Layout cut(const Shape& shape, int axis, const std::vector<Index>& bounds, int groups = 1) {
  std::vector<Box> boxes;
  const std::vector<Index> batch = Split::even().bounds(shape[0], groups);
  for (std::size_t part = 0; part + 1 < bounds.size(); ++part)
    for (std::size_t g = 0; g + 1 < batch.size(); ++g) {
      const Box box = Box::whole(shape).cut(axis, bounds[part], bounds[part + 1]);
      boxes.push_back(groups == 1 ? box : box.cut(0, batch[g], batch[g + 1]));
    }
  return Layout(shape, boxes);
}

// One axis and its bounds, and which part is whose.
struct Along {
  int axis;
  const std::vector<Index>& bounds;
  const std::vector<int>& part;  // of every rank
};

Layout cut(const Shape& shape, std::initializer_list<Along> axes) {
  std::vector<Box> boxes(axes.begin()->part.size(), Box::whole(shape));
  for (const Along& along : axes)
    for (std::size_t r = 0; r < boxes.size(); ++r) {
      const auto part = static_cast<std::size_t>(along.part[r]);
      boxes[r] = boxes[r].cut(along.axis, along.bounds[part], along.bounds[part + 1]);
    }
  return Layout(shape, boxes);
}

// Of bounds by rank those by ranks that follow one another.
std::vector<Index> every(const std::vector<Index>& bounds, int groups) {
  std::vector<Index> some;
  for (std::size_t i = 0; i < bounds.size(); i += static_cast<std::size_t>(groups)) some.push_back(bounds[i]);
  return some;
}

// The bounds of slabs along axis 0, when that is what the layout is.
std::optional<std::vector<Index>> slabs(const Layout& layout) {
  std::vector<Index> bounds{0};
  for (int r = 0; r < layout.ranks(); ++r) {
    const Box& box = layout.box(r);
    if (!box.empty() && !(box == Box::whole(layout.shape()).cut(0, bounds.back(), box.hi[0]))) return std::nullopt;
    bounds.push_back(box.empty() ? bounds.back() : box.hi[0]);
  }
  return bounds;
}

/// Makes a route between real space and a sphere's coefficients.
class SphereRouter {
 public:
  SphereRouter(const AnyProblem& problem, const Options& options, int ranks, const Waves& waves)
      : problem_(problem), options_(options), ranks_(ranks), waves_(waves), before_(options.batch > 1 ? 1 : 0) {}
  Route route();

 private:
  Shape batched(std::initializer_list<Index> extents) const;
  std::vector<Index> planes() const;
  Layout input(const Layout& slab) const;
  Layout output() const;
  Cut tiles(const ScheduleOptions& schedule, int gathered) const;
  void exchange(const Layout& from, const Layout& to, bool exchanges, int gathered, int back_gathered);
  void through_pencils();
  void through_slabs(const std::vector<Index>& planes, const Layout& slab);

  const AnyProblem& problem_;
  const Options& options_;
  const int ranks_;
  const Waves& waves_;
  const int before_;  // axes in front of the grid's: the batch
  Route route_{Layout::slab({1}, 0, 1), Layout::slab({1}, 0, 1), {}, {}, -1, {}, {}};
};

Shape SphereRouter::batched(std::initializer_list<Index> extents) const {
  Shape shape;
  if (before_) shape.push_back(options_.batch);
  for (const Index n : extents) shape.push_back(n);
  return shape;
}

// Where axis 0 is cut into slabs.
std::vector<Index> SphereRouter::planes() const {
  if (options_.input && !options_.grid.empty())
    throw Error(
        "both a process grid and an input layout are given, and real space of plane waves is cut once; give one of "
        "them");
  if (options_.input) {
    check_layout(*options_.input, problem_.shape, ranks_, "the input layout", "the grid",
                 "the real space of plane waves needs boxes (redistribute first)");
    if (const auto found = slabs(*options_.input)) return *found;
  }
  return options_.split.bounds(problem_.shape[0], ranks_ / options_.groups);
}

// The caller's real space.
Layout SphereRouter::input(const Layout& slab) const {
  if (options_.input) return extended(*options_.input, options_);
  const auto of_all = [&](int parts) {
    if (parts != ranks_)
      throw Error("the process grid is for " + std::to_string(parts) + " ranks, but the communicator has " +
                  std::to_string(ranks_) + "; give a grid whose product is that");
  };
  const Few<int>& grid = options_.grid;
  if (grid.size() < 2) {
    if (!grid.empty()) of_all(grid[0]);
    return slab;
  }
  if (grid.size() > 3)
    throw Error("the process grid has " + std::to_string(grid.size()) +
                " axes, the grid of plane waves 3; give at most one entry an axis");
  Few<int> all = Few<int>::filled(before_, 1);
  for (int k = 0; k < 3; ++k) all.push_back(k < grid.size() ? grid[k] : 1);
  const Layout layout = Layout::grid(route_.shape, all, options_.split);
  of_all(layout.ranks());
  return layout;
}

// Coefficients by number, or the array of a box.
Layout SphereRouter::output() const {
  if (!problem_.waves || !problem_.waves->box) return route_.coefficients;
  const Shape& box = *problem_.waves->box;
  const Shape modes = batched({box[0], box[1], waves_.real ? box[2] / 2 + 1 : box[2]});
  Order order = c_order(modes.size());
  std::swap(order[before_], order[before_ + 1]);
  return cut(modes, before_ + 1, Split::even().bounds(box[1], ranks_)).ordered(order);
}

Cut SphereRouter::tiles(const ScheduleOptions& schedule, int gathered) const {
  if (schedule.tiles == "gathered") return {gathered, schedule.tile};
  if (schedule.tiles != "kept") return {};
  if (!before_)
    throw Declined(
        "tiles = \"kept\" needs an axis that is whole before and after the exchange, and one transform of plane "
        "waves has none: use tiles = \"gathered\" or \"one\", or a batch");
  return {0, schedule.tile};
}

void SphereRouter::exchange(const Layout& from, const Layout& to, bool exchanges, int gathered, int back_gathered) {
  Transition between{from, to, exchanges, {}, Cut{}};
  if (exchanges) {
    between.cut = tiles(options_.schedule, gathered);
    between.back_cut = tiles(options_.backward_schedule.value_or(options_.schedule), back_gathered);
  }
  route_.transitions.push_back(between);
}

void SphereRouter::through_pencils() {
  const Shape& grid = problem_.shape;
  const int rows = static_cast<int>(waves_.first_line.size()) - 1, thick = ranks_ / rows;
  std::vector<int> plane, row;
  for (int r = 0; r < ranks_; ++r) plane.push_back(r / rows), row.push_back(r % rows);
  const std::vector<Index> along = options_.split.bounds(grid[0], thick);
  const std::vector<Index> across = options_.split.bounds(grid[1], rows);
  const std::vector<Index> sticks = every(waves_.first_stick, thick);
  const Shape lines = batched({grid[0], grid[1], static_cast<Index>(waves_.lines.size())});
  const Shape columns = batched({grid[0], static_cast<Index>(waves_.columns.size())});
  const int x = before_, y = before_ + 1, z = before_ + 2;
  route_.work = {{z}, {y}, {x}};
  exchange(cut(lines, {{x, along, plane}, {y, across, row}}),
           cut(lines, {{x, along, plane}, {z, waves_.first_line, row}}), true, y, z);
  route_.sphere_transition = static_cast<int>(route_.transitions.size());
  exchange(cut(columns, {{x, along, plane}, {y, sticks, row}}), cut(columns, {{y, waves_.first_stick, waves_.place}}),
           thick > 1, x, y);
}

void SphereRouter::through_slabs(const std::vector<Index>& planes, const Layout& slab) {
  const int groups = options_.groups;
  if (route_.input.order() != slab.order() || !same_boxes(route_.input, slab)) {  // one exchange more
    route_.work.emplace_back();
    route_.transitions.push_back({route_.input, slab, true, {}});
  }
  const Shape columns = batched({problem_.shape[0], static_cast<Index>(waves_.columns.size())});
  route_.sphere_transition = route_.space = static_cast<int>(route_.transitions.size());
  route_.work.push_back({before_ + 2, before_ + 1});
  exchange(cut(columns, before_, planes, groups), cut(columns, before_ + 1, every(waves_.first_stick, groups), groups),
           ranks_ > groups, before_, before_ + 1);
  route_.work.push_back({before_});
  if (groups == 1) return;
  const Shape& numbers = route_.coefficients.shape();
  const Layout of_groups = cut(numbers, before_, every(waves_.first_coefficient, groups), groups);
  route_.transitions.push_back({of_groups, route_.coefficients, true, {}});
  route_.work.emplace_back();
}

Route SphereRouter::route() {
  const Shape& grid = problem_.shape;
  route_.halved = waves_.real ? before_ + 2 : -1;
  route_.shape = batched({grid[0], grid[1], grid[2]});
  route_.kinds.assign(static_cast<std::size_t>(route_.shape.size()), Kind::c2c);
  if (waves_.real) route_.kinds.back() = Kind::r2c;
  const std::vector<Index> cuts = planes();
  const Layout slab = cut(route_.shape, before_, cuts, options_.groups);
  route_.input = input(slab);
  route_.coefficients = cut(batched({waves_.coefficients}), before_, waves_.first_coefficient);
  route_.output = output();
  if (waves_.pencils())
    through_pencils();
  else
    through_slabs(cuts, slab);
  return route_;
}

}  // namespace

Route plan_sphere_route(const AnyProblem& problem, const Options& options, int ranks, const Waves& waves) {
  return SphereRouter(problem, options, ranks, waves).route();
}

}  // namespace weft

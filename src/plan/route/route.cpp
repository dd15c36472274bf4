// Routes: axes that are whole are transformed, then another one is gathered, until none is left.
#include "plan/route/route.hpp"

#include <algorithm>

#include "plan/policy/limits.hpp"
#include "plan/route/router.hpp"

namespace weft {

Router::Router(const AnyProblem& problem, const Options& options, int ranks)
    : problem_(problem), options_(options), ranks_(ranks), before_(options.batch > 1 ? 1 : 0) {
  Shape& shape = route_.shape;
  if (before_) shape.push_back(options.batch);
  for (const Index n : problem.shape) shape.push_back(n);
  if (options.components > 1) shape.push_back(options.components);
  route_.kinds.assign(static_cast<std::size_t>(shape.size()), Kind::c2c);
  // last axis first, as its lines are contiguous; the halved one before all
  for (int k = problem.axes.size() - 1; k >= 0; --k) {
    const int axis = problem.axes[k] + before_;
    const Kind kind = problem.kinds[static_cast<std::size_t>(k)];
    remaining_.push_back(axis);
    route_.kinds[static_cast<std::size_t>(axis)] = kind;
    if (kind == Kind::r2c) route_.halved = axis;
  }
  if (const auto halved = std::find(remaining_.begin(), remaining_.end(), route_.halved); halved != remaining_.end())
    std::rotate(remaining_.begin(), halved, halved + 1);
  grids_ = {shape, halved_shape(shape, route_.halved), route_.halved, before_ > 0, ranks};
}

void Router::use_grid(const Few<int>& grid) {
  Shape extents;
  for (const int p : grid) {
    if (p < 1)
      throw Error("process grid " + to_text(grid) +
                  " has an extent below 1; give positive numbers whose product is the number of ranks, " +
                  std::to_string(ranks_));
    extents.push_back(p);
  }
  const Index product = volume(extents);
  if (product != ranks_)
    throw Error("process grid " + to_text(grid) + " is for " + std::to_string(product) +
                " ranks, but the communicator has " + std::to_string(ranks_) + "; give a grid whose product is " +
                std::to_string(ranks_));
  if (grid.size() > problem_.shape.size())
    throw Error("process grid " + to_text(grid) + " has " + std::to_string(grid.size()) + " axes, the shape " +
                to_string(problem_.shape) + " has " + std::to_string(problem_.shape.size()) +
                "; give at most one entry an axis");
  grid_.clear();
  for (int k = 0; k < grid.size(); ++k)
    if (grid[k] > 1) grid_.push_back({k + before_, options_.split.bounds(problem_.shape[k], grid[k])});
}

// The grid of the first stage that transforms: as usual, or one that keeps more ranks busy. Axes
// [first, last) are cut.
void Router::use_default_grid(int first, int last) {
  use_grid(default_grid(problem_.shape, ranks_));
  const Dimensions usual = grid_;
  if (!halves_here()) in_one_part(route_.halved);
  grid_ = busier(grids_, grid_, remaining_, first, last, options_.split).value_or(usual);
}

void Router::in_one_part(int axis) {
  for (Dimension& d : grid_)
    if (d.axis == axis) std::fill(d.bounds.begin() + 1, d.bounds.end(), d.bounds.back());
}

int Router::whole_axes() const {
  int count = 0;
  for (int a = 0; a < route_.shape.size(); ++a) count += local(grid_, a);
  return count;
}

// The axes of more than one point, last first, that are whole on both grids.
Order Router::whole_on(const Dimensions& from, const Dimensions& to, const Shape& extents) const {
  Order whole;
  for (int a = extents.size() - 1; a >= 0; --a)
    if (extents[a] > 1 && local(from, a) && local(to, a)) whole.push_back(a);
  return whole;
}

// An exchange in front of all stages, where the caller's data cannot be transformed as it lies.
void Router::move_to_start() {
  if (starts_ && halves_here() && whole_axes() > 0) return;
  const int axes = route_.shape.size();
  const bool asked = options_.input && !options_.grid.empty();
  if (!asked && (!starts_ || axes > 1)) use_default_grid(0, axes);
  if (!halves_here()) in_one_part(route_.halved);
  if (whole_axes() == 0)  // nothing else to cut: one rank has it all
    for (const Dimension& d : Dimensions(grid_)) in_one_part(d.axis);
  route_.work.emplace_back();
  transit(layout_of(grid_, grids_.real, ranks_), -1, {});
}

// `kept`: what may be cut into tiles of the kept axis.
void Router::transit(const Layout& to, int gathered, const Order& kept) {
  Transition h{here_, to, true, {}};
  const ScheduleOptions& schedule = options_.schedule;
  if (schedule.tiles == "gathered" && gathered >= 0) h.cut = {gathered, schedule.tile};
  if (schedule.tiles == "kept") {
    // a batch axis needs no further pass; else the longest axis that stays where it is
    int longest = -1;
    for (const int a : kept)
      if (longest < 0 || to.shape()[a] >= to.shape()[longest] || a < before_) longest = a;
    if (longest >= 0) h.cut = {longest, schedule.tile};
  }
  route_.transitions.push_back(h);
  here_ = to;
}

// Transforms all axes that are whole, gathers another one, and so on.
void Router::transform_all() {
  const int axes = route_.shape.size();
  Shape shape = grids_.real;
  for (;;) {
    Order now, later;
    for (const int a : remaining_) (local(grid_, a) ? now : later).push_back(a);
    route_.work.push_back(now);
    if (std::find(now.begin(), now.end(), route_.halved) != now.end()) {
      shape = grids_.transformed;
      here_ = layout_of(grid_, shape, ranks_, here_.order());
    }
    remaining_ = later;
    if (remaining_.empty()) return;
    Turn turn = next_turn(grids_, grid_, remaining_);
    Dimensions next = turned(grids_, grid_, turn, remaining_, options_.split);
    if (const auto better = busier(grids_, next, remaining_, 0, axes, options_.split)) {
      next = *better;
      turn = turn_between(grid_, next);
    }
    Order order = c_order(axes);
    // transposed output: the axis that is now distributed before the one that was
    if (remaining_.size() == 1 && turn.gathered >= 0 && turn.scattered > turn.gathered)
      std::rotate(order.begin() + turn.gathered, order.begin() + turn.scattered, order.begin() + turn.scattered + 1);
    const Order kept = whole_on(grid_, next, shape);
    grid_ = next;
    transit(layout_of(grid_, shape, ranks_, order), turn.gathered, kept);
  }
}

// Stages that would not stay in cache, or whose tile axis they transform, become two with an array
// between.
void Router::divide_stages() {
  for (std::size_t s = 0; s < route_.work.size(); ++s) {
    const Order all = route_.work[s];
    if (all.size() < 2) continue;
    const bool exchanges = s < route_.transitions.size() && route_.transitions[s].exchanges;
    const int tile_axis = exchanges ? route_.transitions[s].cut.axis : -1;
    Order first, second;
    if (const auto tile = std::find(all.begin(), all.end(), tile_axis); tile != all.end()) {
      // in one order under all schedules: the same bits
      for (auto a = all.begin(); a != all.end(); ++a) (a <= tile ? first : second).push_back(*a);
    } else {
      Index held = static_cast<Index>(element_bytes(problem_.precision, true));
      for (const int a : all) {
        held *= grids_.transformed[a];
        const Index budget = first.size() < 2 ? limits::fused_plane : limits::fused_cube;
        (second.empty() && (first.empty() || held <= budget) ? first : second).push_back(a);
      }
    }
    if (second.empty()) continue;
    const Layout between = s == route_.transitions.size() ? route_.output : route_.transitions[s].from;
    const auto at = static_cast<std::ptrdiff_t>(s);
    route_.work[s] = first;
    route_.work.insert(route_.work.begin() + at + 1, second);
    route_.transitions.insert(route_.transitions.begin() + at, Transition{between, between, false, {}});
  }
}

void Router::check_tiles() const {
  const auto& list = route_.transitions;
  const auto cut = [](const Transition& h) { return h.cut.axis >= 0; };
  const auto exchanges = [](const Transition& h) { return h.exchanges; };
  if (options_.schedule.tiles == "kept" && ranks_ > 1 && std::none_of(list.begin(), list.end(), cut) &&
      std::any_of(list.begin(), list.end(), exchanges))
    throw Declined("tiles = \"kept\" needs an axis that is whole on every rank before and after an exchange; shape " +
                   to_string(problem_.shape) +
                   " on this grid has none: use tiles = \"gathered\" or \"one\", a slab, or a batch");
}

Route Router::route() {
  if (!options_.grid.empty())
    use_grid(options_.grid);
  else if (!options_.input)
    use_default_grid(before_, before_ + problem_.shape.size());
  if (options_.input)
    begin_as_given(*options_.input);
  else
    begin_on_grid();
  beginning_ = grid_;
  here_ = route_.input;
  move_to_start();
  transform_all();
  // One rank gets the order of axes that a slab on several has: programs see one layout, and the
  // last stage never works in place on distant planes.
  if (ranks_ == 1 && !options_.in_place() && problem_.shape.size() > 1 &&
      std::find(problem_.axes.begin(), problem_.axes.end(), 0) != problem_.axes.end()) {
    Order order = c_order(route_.shape.size());
    std::swap(order[before_], order[before_ + 1]);
    here_ = here_.ordered(order);
  }
  if (const auto wanted = wanted_output()) end(*wanted);
  route_.output = here_;
  divide_stages();
  check_tiles();
  return route_;
}

Layout extended(const Layout& layout, const Options& options) {
  if (options.batch == 1 && options.components == 1) return layout;
  const bool batch = options.batch > 1, components = options.components > 1;
  const auto wrap = [&](const auto& inner, Index first, Index last) {
    Shape s;
    if (batch) s.push_back(first);
    for (const Index v : inner) s.push_back(v);
    if (components) s.push_back(last);
    return s;
  };
  std::vector<Box> boxes;
  for (int r = 0; r < layout.ranks(); ++r)
    boxes.push_back({wrap(layout.box(r).lo, 0, 0), wrap(layout.box(r).hi, options.batch, options.components)});
  Order order;
  if (batch) order.push_back(0);
  for (const int a : layout.order()) order.push_back(a + batch);
  if (components) order.push_back(order.size());
  return Layout(wrap(layout.shape(), options.batch, options.components), boxes, order,
                layout.padding().empty() ? Shape{} : wrap(layout.padding(), 0, 0));
}

Shape halved_shape(Shape shape, int halved) {
  if (halved >= 0) shape[halved] = shape[halved] / 2 + 1;
  return shape;
}

Route plan_route(const AnyProblem& problem, const Options& options, int ranks) {
  return Router(problem, options, ranks).route();
}

}  // namespace weft

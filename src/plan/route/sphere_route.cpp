#include "plan/route/sphere_route.hpp"

#include <algorithm>

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

}  // namespace

Route plan_sphere_route(const AnyProblem& problem, const Options& options, int ranks, const Waves& waves) {
  const int before = options.batch > 1 ? 1 : 0;
  const Shape& grid = problem.shape;
  const auto batched = [&](std::initializer_list<Index> extents) {
    Shape shape;
    if (before) shape.push_back(options.batch);
    for (const Index n : extents) shape.push_back(n);
    return shape;
  };
  const Layout one = Layout::slab({1}, 0, 1);
  Route route{one, one, {}, {}, waves.real ? before + 2 : -1, {}, batched({grid[0], grid[1], grid[2]})};
  route.kinds.assign(static_cast<std::size_t>(route.shape.size()), Kind::c2c);
  if (waves.real) route.kinds.back() = Kind::r2c;

  const int groups = options.groups;
  std::vector<Index> planes = options.split.bounds(grid[0], ranks / groups);
  if (options.input && !options.grid.empty())
    throw Error("both a process grid and an input layout are given, and real space of plane waves is cut once; give one of them");
  if (options.input) {
    const Layout& given = *options.input;
    if (!(given.shape() == grid)) throw Error("the input layout has shape " + to_string(given.shape()) + ", the grid " + to_string(grid) + "; give both the same shape");
    if (given.ranks() != ranks) throw Error("the input layout is for " + std::to_string(given.ranks()) + " ranks, but the communicator has " + std::to_string(ranks) + "; give one part a rank");
    if (!given.has_boxes()) throw Error("the input layout is a list of runs; the real space of plane waves needs boxes (redistribute first)");
    given.check_partition("the input layout");
    route.input = extended(given, options);
    if (const auto found = slabs(given)) planes = *found;
  }
  const Layout slab = cut(route.shape, before, planes, groups);
  if (!options.input) {
    if (options.grid.size() > 1) {
      Few<int> all = Few<int>::filled(before, 1);
      for (int k = 0; k < 3; ++k) all.push_back(k < options.grid.size() ? options.grid[k] : 1);
      if (options.grid.size() > 3) throw Error("the process grid has " + std::to_string(options.grid.size()) + " axes, the grid of plane waves 3; give at most one entry an axis");
      route.input = Layout::grid(route.shape, all, options.split);
      if (route.input.ranks() != ranks) throw Error("the process grid is for " + std::to_string(route.input.ranks()) + " ranks, but the communicator has " + std::to_string(ranks) + "; give a grid whose product is that");
    } else {
      if (!options.grid.empty() && options.grid[0] != ranks)
        throw Error("the process grid is for " + std::to_string(options.grid[0]) + " ranks, but the communicator has " + std::to_string(ranks) + "; give a grid whose product is that");
      route.input = slab;
    }
  }
  bool in_slabs = route.input.order() == slab.order();
  for (int r = 0; r < ranks; ++r) in_slabs = in_slabs && ((route.input.box(r).empty() && slab.box(r).empty()) || route.input.box(r) == slab.box(r));
  const auto tiles = [&](const ScheduleOptions& schedule, int gathered) -> Cut {
    if (schedule.tiles == "gathered") return {gathered, schedule.tile};
    if (schedule.tiles != "kept") return {};
    if (!before) throw Declined("tiles = \"kept\" needs an axis that is whole before and after the exchange, and one transform of plane waves has none: use tiles = \"gathered\" or \"one\", or a batch");
    return {0, schedule.tile};
  };
  const auto exchange = [&](const Layout& from, const Layout& to, bool exchanges, int gathered, int back_gathered) {
    route.hops.push_back({from, to, exchanges, exchanges ? tiles(options.schedule, gathered) : Cut{}, exchanges ? tiles(options.backward_schedule.value_or(options.schedule), back_gathered) : Cut{}});
  };
  const Shape columns = batched({grid[0], static_cast<Index>(waves.columns.size())}), numbers = batched({waves.coefficients});
  route.output = route.coefficients = cut(numbers, before, waves.first_coefficient);
  if (problem.waves && problem.waves->box) {
    const Shape& box = *problem.waves->box;
    const Shape modes = batched({box[0], box[1], waves.real ? box[2] / 2 + 1 : box[2]});
    Order order = c_order(modes.size());
    std::swap(order[before], order[before + 1]);
    route.output = cut(modes, before + 1, Split::even().bounds(box[1], ranks)).ordered(order);
  }
  if (waves.pencils()) {
    const int rows = static_cast<int>(waves.first_line.size()) - 1, thick = ranks / rows;
    std::vector<int> plane, row;
    for (int r = 0; r < ranks; ++r) plane.push_back(r / rows), row.push_back(r % rows);
    const std::vector<Index> along = options.split.bounds(grid[0], thick), across = options.split.bounds(grid[1], rows), sticks = every(waves.first_stick, thick);
    const Shape lines = batched({grid[0], grid[1], static_cast<Index>(waves.lines.size())});
    route.work = {{before + 2}, {before + 1}, {before}};
    exchange(cut(lines, {{before, along, plane}, {before + 1, across, row}}), cut(lines, {{before, along, plane}, {before + 2, waves.first_line, row}}), true, before + 1, before + 2);
    route.sphere_hop = static_cast<int>(route.hops.size());
    exchange(cut(columns, {{before, along, plane}, {before + 1, sticks, row}}), cut(columns, {{before + 1, waves.first_stick, waves.place}}), thick > 1, before, before + 1);
    return route;
  }
  if (!in_slabs) {  // the caller's own real space: one exchange more
    route.work.emplace_back();
    route.hops.push_back({route.input, slab, true, {}});
  }

  route.sphere_hop = route.space = static_cast<int>(route.hops.size());
  route.work.push_back({before + 2, before + 1});
  exchange(cut(columns, before, planes, groups), cut(columns, before + 1, every(waves.first_stick, groups), groups), ranks > groups, before, before + 1);
  route.work.push_back({before});
  if (groups > 1) {
    route.hops.push_back({cut(numbers, before, every(waves.first_coefficient, groups), groups), route.coefficients, true, {}});
    route.work.emplace_back();
  }
  return route;
}

}  // namespace weft

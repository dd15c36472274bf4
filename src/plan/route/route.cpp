#include "plan/route/route.hpp"

#include <cmath>
#include <numeric>

#include "plan/route/grid.hpp"

namespace weft {
namespace {

// Blocks that pass through several transforms should stay in the second-level cache; where they cannot, each axis has a stage of its own.
constexpr Index fused_budget = 1 << 20;
// With a third axis it is gathered within the block: 32^3 in batches of 64 on one rank took 0.72 of the time forward, 0.94 backward, when its block of 512 KiB was a stage's no more.
constexpr Index cube_budget = 256 << 10;

// Ranks in C order of the dimensions.
Layout layout_of(const Dimensions& dimensions, const Shape& shape, int ranks, const Order& order) {
  std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box::whole(shape));
  for (int rank = 0; rank < ranks; ++rank) {
    int rest = rank;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
      const auto part = static_cast<std::size_t>(rest % d->parts());
      rest /= d->parts();
      Box& box = boxes[static_cast<std::size_t>(rank)];
      // a halved axis is whole wherever it is at all
      const bool whole = d->bounds[part + 1] - d->bounds[part] == d->bounds.back();
      box.lo[d->axis] = d->bounds[part];
      box.hi[d->axis] = whole ? shape[d->axis] : std::min(d->bounds[part + 1], shape[d->axis]);
      box.lo[d->axis] = std::min(box.lo[d->axis], box.hi[d->axis]);
    }
  }
  return Layout(shape, boxes, order);
}

// The process grid behind a caller's layout, when its boxes are one in C order.
std::optional<Dimensions> recognise(const Layout& layout) {
  Dimensions dimensions;
  const Shape& shape = layout.shape();
  int ranks = 1;
  for (int a = 0; a < layout.axes(); ++a) {
    std::vector<Index> bounds{0};
    bool cut = false;
    std::vector<std::pair<Index, Index>> ranges;
    for (int r = 0; r < layout.ranks(); ++r) {
      const Box& box = layout.box(r);
      if (!box.empty()) ranges.emplace_back(box.lo[a], box.hi[a]), cut = cut || box.extent(a) != shape[a];
    }
    if (!cut) continue;
    std::sort(ranges.begin(), ranges.end());
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    for (const auto& range : ranges) bounds.push_back(range.second);
    dimensions.push_back({a, bounds});
    ranks *= static_cast<int>(ranges.size());
  }
  if (dimensions.size() == 1)  // ranks beyond the planes own nothing
    while (dimensions[0].parts() < layout.ranks()) dimensions[0].bounds.push_back(dimensions[0].bounds.back());
  else if (ranks != layout.ranks())
    return std::nullopt;
  const Layout same = layout_of(dimensions, shape, layout.ranks(), {});
  for (int r = 0; r < layout.ranks(); ++r)
    if (!(same.box(r).empty() && layout.box(r).empty()) && !(same.box(r) == layout.box(r))) return std::nullopt;
  return dimensions;
}

bool same_boxes(const Layout& a, const Layout& b) {
  for (int r = 0; r < a.ranks(); ++r)
    if (!(a.box(r).empty() && b.box(r).empty()) && !(a.box(r) == b.box(r))) return false;
  return a.shape() == b.shape();
}

std::string list(const Few<int>& values) {
  std::string s;
  for (const int v : values) s += (s.empty() ? "" : "x") + std::to_string(v);
  return s;
}

// {P} while every rank gets a plane before and after, else the two factors closest to each other. Where that leaves ranks
// idle, `busier` may know better.
Few<int> default_grid(const Shape& shape, int ranks) {
  if (shape.size() < 3 || ranks <= std::min(shape[0], shape[1])) return {ranks};
  for (int p = static_cast<int>(std::sqrt(ranks)); p > 1; --p)
    if (ranks % p == 0) return {p, ranks / p};
  return {ranks};
}

}  // namespace

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
  return Layout(wrap(layout.shape(), options.batch, options.components), boxes, order, layout.padding().empty() ? Shape{} : wrap(layout.padding(), 0, 0));
}

Shape halved_shape(Shape shape, int halved) {
  if (halved >= 0) shape[halved] = shape[halved] / 2 + 1;
  return shape;
}

Route plan_route(const AnyProblem& problem, const Options& options, int ranks) {
  const int before = options.batch > 1 ? 1 : 0;
  Route route{Layout::slab({1}, 0, 1), Layout::slab({1}, 0, 1), {}, {}, -1, {}, {}};
  if (before) route.shape.push_back(options.batch);
  for (const Index n : problem.shape) route.shape.push_back(n);
  if (options.components > 1) route.shape.push_back(options.components);
  const int axes = route.shape.size();
  route.kinds.assign(static_cast<std::size_t>(axes), Kind::c2c);
  Order remaining;  // in order of transformation: last axis first, as its lines are contiguous; the halved one before all
  for (int k = problem.axes.size() - 1; k >= 0; --k) {
    remaining.push_back(problem.axes[k] + before);
    route.kinds[static_cast<std::size_t>(problem.axes[k] + before)] = problem.kinds[static_cast<std::size_t>(k)];
    if (problem.kinds[static_cast<std::size_t>(k)] == Kind::r2c) route.halved = problem.axes[k] + before;
  }
  if (const auto halved = std::find(remaining.begin(), remaining.end(), route.halved); halved != remaining.end()) std::rotate(remaining.begin(), halved, halved + 1);
  const Shape real = route.shape, transformed = halved_shape(real, route.halved);

  // where the data begins
  Dimensions dimensions;
  const auto use_grid = [&](const Few<int>& grid) {
    Shape extents;
    for (const int p : grid) {
      if (p < 1) throw Error("process grid " + list(grid) + " has an extent below 1; give positive numbers whose product is the number of ranks, " + std::to_string(ranks));
      extents.push_back(p);
    }
    const Index product = volume(extents);
    if (product != ranks)
      throw Error("process grid " + list(grid) + " is for " + std::to_string(product) + " ranks, but the communicator has " + std::to_string(ranks) + "; give a grid whose product is " + std::to_string(ranks));
    if (grid.size() > problem.shape.size())
      throw Error("process grid " + list(grid) + " has " + std::to_string(grid.size()) + " axes, the shape " + to_string(problem.shape) + " has " + std::to_string(problem.shape.size()) + "; give at most one entry an axis");
    dimensions.clear();
    for (int k = 0; k < grid.size(); ++k)
      if (grid[k] > 1) dimensions.push_back({k + before, options.split.bounds(problem.shape[k], grid[k])});
  };
  const GridProblem grids{real, transformed, route.halved, before > 0, ranks};
  const auto in_one_part = [&](int axis) {
    for (Dimension& d : dimensions)
      if (d.axis == axis) std::fill(d.bounds.begin() + 1, d.bounds.end(), d.bounds.back());
  };
  const auto whole_axes = [&] {
    int count = 0;
    for (int a = 0; a < axes; ++a) count += local(dimensions, a);
    return count;
  };
  const auto halves_here = [&] { return route.halved < 0 || local(dimensions, route.halved); };
  // The grid of the first stage that transforms: as usual, or one that keeps more ranks busy.
  const auto use_default_grid = [&](int first, int last) {
    use_grid(default_grid(problem.shape, ranks));
    const Dimensions usual = dimensions;
    if (!halves_here()) in_one_part(route.halved);
    if (const auto better = busier(grids, dimensions, remaining, first, last, options.split)) dimensions = *better;
    else dimensions = usual;
  };
  bool start = true;  // the first stage can transform the caller's own data
  if (!options.grid.empty()) use_grid(options.grid);
  else if (!options.input) use_default_grid(before, before + problem.shape.size());
  if (options.input) {
    const Layout& given = *options.input;
    if (!(given.shape() == problem.shape))
      throw Error("the input layout has shape " + to_string(given.shape()) + ", the problem " + to_string(problem.shape) + "; give both the same shape");
    if (given.ranks() != ranks)
      throw Error("the input layout is for " + std::to_string(given.ranks()) + " ranks, but the communicator has " + std::to_string(ranks) + "; give one part a rank");
    if (!given.has_boxes()) throw Error("the input layout is a list of runs; a dense transform needs boxes (redistribute first)");
    given.check_partition("the input layout");
    route.input = extended(given, options);
    const auto found = recognise(route.input);
    if (!options.grid.empty()) {
      if (!halves_here() || whole_axes() == 0)
        throw Error("process grid " + list(options.grid) + (halves_here() ? " cuts every axis" : " cuts axis " + std::to_string(route.halved - before) + ", which r2c halves") +
                    "; with an input layout it is the grid of the first transform, which needs that axis whole: give 1 there");
      start = found && same_boxes(layout_of(*found, real, ranks, {}), layout_of(dimensions, real, ranks, {}));
    } else if (found) {
      dimensions = *found;
    } else {
      start = false;
    }
  } else {
    Shape padding;
    if (options.in_place() && route.halved >= 0) {
      padding = Shape::filled(axes, 0);
      // the fastest axis of the arrays holds the halved one, or interleaved components behind it
      padding[route.halved] = 2 * transformed[route.halved] - real[route.halved];
    }
    route.input = layout_of(dimensions, real, ranks, {}).ordered(c_order(axes), padding);
  }
  const Dimensions beginning = dimensions;
  Layout here = route.input;

  // `kept`: what may be cut into tiles of the kept axis.
  const auto hop = [&](const Layout& to, int gathered, const Order& kept) {
    Hop h{here, to, true, {}};
    const ScheduleOptions& schedule = options.schedule;
    if (schedule.tiles == "gathered" && gathered >= 0) h.cut = {gathered, schedule.tile};
    if (schedule.tiles == "kept") {
      // a batch axis needs no further pass; else the longest axis that stays where it is
      int longest = -1;
      for (const int a : kept)
        if (longest < 0 || to.shape()[a] >= to.shape()[longest] || a < before) longest = a;
      if (longest >= 0) h.cut = {longest, schedule.tile};
    }
    route.hops.push_back(h);
    here = to;
  };
  // The axes of more than one point, last first, that are whole on both grids.
  const auto whole_on = [&](const Dimensions& from, const Dimensions& to, const Shape& extents) {
    Order whole;
    for (int a = axes - 1; a >= 0; --a)
      if (extents[a] > 1 && local(from, a) && local(to, a)) whole.push_back(a);
    return whole;
  };

  if (!start || !halves_here() || whole_axes() == 0) {
    const bool asked = options.input && !options.grid.empty();
    if (!asked && (!start || axes > 1)) use_default_grid(0, axes);
    if (!halves_here()) in_one_part(route.halved);
    if (whole_axes() == 0)  // nothing else to cut: one rank has it all
      for (const Dimension& d : Dimensions(dimensions)) in_one_part(d.axis);
    route.work.emplace_back();
    hop(layout_of(dimensions, real, ranks, {}), -1, {});
  }

  Shape shape = real;
  for (;;) {
    Order now, later;
    for (const int a : remaining) (local(dimensions, a) ? now : later).push_back(a);
    route.work.push_back(now);
    if (std::find(now.begin(), now.end(), route.halved) != now.end()) {
      shape = transformed;
      here = layout_of(dimensions, shape, ranks, here.order());
    }
    remaining = later;
    if (remaining.empty()) break;
    Turn turn = next_turn(grids, dimensions, remaining);
    Dimensions next = turned(grids, dimensions, turn, remaining, options.split);
    if (const auto better = busier(grids, next, remaining, 0, axes, options.split)) {
      next = *better;
      turn = turn_between(dimensions, next);
    }
    const auto [dimension, gathered, scattered] = turn;
    Order order = c_order(axes);
    if (remaining.size() == 1 && gathered >= 0 && scattered > gathered) {  // transposed output: the axis that is now distributed before the one that was
      std::rotate(order.begin() + gathered, order.begin() + scattered, order.begin() + scattered + 1);
    }
    const Order kept = whole_on(dimensions, next, shape);
    dimensions = next;
    hop(layout_of(dimensions, shape, ranks, remaining.size() == 1 ? order : c_order(axes)), gathered, kept);
  }

  // One rank gets the order of axes that a slab on several has: programs see one layout, and the last stage never works in place on distant planes.
  if (ranks == 1 && !options.in_place() && problem.shape.size() > 1 && std::find(problem.axes.begin(), problem.axes.end(), 0) != problem.axes.end()) {
    Order order = c_order(axes);
    std::swap(order[before], order[before + 1]);
    here = here.ordered(order);
  }

  // where it ends
  std::optional<Layout> wanted;
  if (options.output) {
    const Layout& given = *options.output;
    const Shape expected = halved_shape(problem.shape, route.halved - before < 0 ? -1 : route.halved - before);
    if (!(given.shape() == expected))
      throw Error("the output layout has shape " + to_string(given.shape()) + ", the transformed array " + to_string(expected) + "; give both the same shape");
    if (given.ranks() != ranks)
      throw Error("the output layout is for " + std::to_string(given.ranks()) + " ranks, but the communicator has " + std::to_string(ranks) + "; give one part a rank");
    if (!given.has_boxes()) throw Error("the output layout is a list of runs; a dense transform needs boxes (redistribute afterwards)");
    given.check_partition("the output layout");
    wanted = extended(given, options);
  } else if (options.natural_output) {
    wanted = options.input ? Layout(transformed, [&] {
      std::vector<Box> boxes;
      for (int r = 0; r < ranks; ++r) {
        Box box = route.input.box(r);
        for (int a = 0; a < axes; ++a)
          if (a == route.halved) box.hi[a] = std::max(box.lo[a], box.hi[a] == real[a] ? transformed[a] : std::min(box.hi[a], transformed[a]));
        for (int a = 0; a < axes; ++a) box.lo[a] = std::min(box.lo[a], box.hi[a]);
        boxes.push_back(box);
      }
      return boxes;
    }(), route.input.order()) : layout_of(beginning, transformed, ranks, {});
  }
  if (wanted && !same_boxes(*wanted, here)) {
    const auto found = recognise(*wanted);
    if (found && found->size() == 1 && dimensions.size() == 1 && found->front().axis != dimensions.front().axis)
      hop(*wanted, dimensions.front().axis, whole_on(dimensions, *found, wanted->shape()));
    else
      hop(*wanted, -1, {});
    route.work.emplace_back();
  } else if (wanted) {
    here = *wanted;
    if (!route.hops.empty() && route.work.size() == route.hops.size() + 1 && same_boxes(route.hops.back().to, here)) route.hops.back().to = here;
  }
  route.output = here;

  // stages that would not stay in cache, or whose tile axis they transform, become two with an array between
  const Index bytes = static_cast<Index>(element_bytes(problem.precision, true));
  for (std::size_t s = 0; s < route.work.size(); ++s) {
    const Order all = route.work[s];
    if (all.size() < 2) continue;
    const bool exchanges = s < route.hops.size() && route.hops[s].exchanges;
    const int tile_axis = exchanges ? route.hops[s].cut.axis : -1;
    Order first, second;
    if (const auto tile = std::find(all.begin(), all.end(), tile_axis); tile != all.end()) {
      for (auto a = all.begin(); a != all.end(); ++a) (a <= tile ? first : second).push_back(*a);  // in one order under all schedules: the same bits
    } else {
      Index held = bytes;
      for (const int a : all) {
        held *= transformed[a];
        const Index budget = first.size() < 2 ? fused_budget : cube_budget;
        (second.empty() && (first.empty() || held <= budget) ? first : second).push_back(a);
      }
    }
    if (second.empty()) continue;
    const Layout between = s == route.hops.size() ? route.output : route.hops[s].from;
    route.work[s] = first;
    route.work.insert(route.work.begin() + static_cast<std::ptrdiff_t>(s) + 1, second);
    route.hops.insert(route.hops.begin() + static_cast<std::ptrdiff_t>(s), Hop{between, between, false, {}});
  }
  if (options.schedule.tiles == "kept" && ranks > 1 &&
      std::none_of(route.hops.begin(), route.hops.end(), [](const Hop& h) { return h.cut.axis >= 0; }) &&
      std::any_of(route.hops.begin(), route.hops.end(), [](const Hop& h) { return h.exchanges; }))
    throw Declined("tiles = \"kept\" needs an axis that is whole on every rank before and after an exchange; shape " + to_string(problem.shape) +
                " on this grid has none: use tiles = \"gathered\" or \"one\", a slab, or a batch");
  return route;
}

}  // namespace weft

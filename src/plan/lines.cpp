// Which lines a plan transforms and how they lie while it does: planned once for both directions,
// for all strategies and schedules alike.
#include <algorithm>
#include <set>

#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"
#include "plan/policy/variants.hpp"

namespace weft {
// Rows of a block are left a little apart, on an odd number of cache lines, so that columns do not
// fall on one another in the first-level cache, and hold no fewer than a batch of columns.
Index AnyPlan::Body::padded(Index elements) const {
  const Index line = 64 / static_cast<Index>(element_bytes(problem.precision, true));
  return ((std::max(elements, 2 * line) + line - 1) / line | 1) * line;
}

// Where rows and the columns across them are transformed in one block, columns are transformed
// where they lie, unless a map may want them as lines. The bits of a line depend on how it lies: so
// this is decided by the route that cuts no tiles, and is the same for all strategies and
// schedules.
void AnyPlan::Body::find_pair() {
  const int last = route.shape.size() - 1;
  const Shape spectrum = halved_shape(route.shape, route.halved);
  const Index bytes = static_cast<Index>(element_bytes(problem.precision, true));
  const auto fits = [&](int a, int b, Index budget = limits::plane) {
    return spectrum[a] * spectrum[b] * bytes <= budget;
  };
  if (waves && waves->pencils()) return;
  if (waves) {  // larger planes hold the columns that are not all zero, as lines
    const bool whole = fits(last, last - 1);
    if (whole) rows_axis = last, columns_axis = last - 1, columns_stay = true;
    leaving_row_elements = row_elements = padded(whole ? spectrum[last] : problem.shape[1]);
    crossing[last - 2] = padded(blocking(hardware()).batch_width(bytes, route.shape[last - 2]));
    return;
  }
  Options uncut = requested;
  uncut.schedule = ScheduleOptions();
  const Route plain = plan_route(problem, uncut, comm.size());
  const Order& turning = plain.work[turning_stage(plain)];
  if (turning.empty()) return;
  const int turning_axis = turning[turning.size() - 1];
  for (const Order& axes : plain.work)
    for (int k = 0; k + 1 < axes.size(); ++k)
      if (const int next = axes[k + 1];
          axes[k] == last && route.kinds[static_cast<std::size_t>(next)] == Kind::c2c && fits(last, next)) {
        rows_axis = last, columns_axis = next;
        columns_stay = next != turning_axis;
      }
  row_elements = padded(spectrum[last]);
  // Small planes are transformed where they are going, as they lie there, and not copied. Not half
  // spectra, which may take the place of what they come from only by way of a block.
  const bool in_place = columns_axis == last - 1 && columns_stay && route.halved < 0 &&
                        fits(last, columns_axis, limits::plane_in_place) &&
                        spectrum[last] * bytes >= limits::row_across;
  leaving_row_elements = in_place ? spectrum[last] : row_elements;
  find_crossing(plain);
}

// Lines of the last axis alone, batches of which are gathered from planes, stay columns, too, where
// they are not long: nothing is transposed, neither before nor after. Of interleaved fields those of
// every axis that is alone in its stage do.
void AnyPlan::Body::find_crossing(const Route& plain) {
  const Index bytes = static_cast<Index>(element_bytes(problem.precision, true));
  const std::size_t turning = turning_stage(plain);
  for (std::size_t s = requested.components > 1 ? 0 : turning; s <= turning; ++s) {
    if (plain.work[s].size() != 1) continue;
    const int axis = plain.work[s][0];
    const auto rows_across = [&](const Layout& layout) { return layout.order()[layout.axes() - 1] != axis; };
    if (axis < route.shape.size() - 1 && route.shape[axis] <= limits::crossing_points &&
        route.kinds[static_cast<std::size_t>(axis)] == Kind::c2c && rows_across(plain.input) &&
        rows_across(plain.output))
      crossing[axis] = padded(blocking(hardware()).batch_width(bytes, route.shape[axis]));
  }
}

// The last stage that transforms, of forward or, with plane waves, of backward: where a map is.
std::size_t AnyPlan::Body::turning_stage(const Route& of) const {
  if (waves) return of.work.size() - 1 - static_cast<std::size_t>(of.space);
  std::size_t turn = of.work.size() - 1;
  while (turn > 0 && of.work[turn].empty()) --turn;
  return turn;
}

// Forward's last transform, of which a map wants lines; not of plane waves, whose planes go back as
// they come.
LineSpec AnyPlan::Body::mapped_spec() const {
  const Order& axes = route.work[turning_stage(route)];
  const LineSpec spec = line_spec(axes[axes.size() - 1], Direction::forward);
  return crossing.contains(axes[axes.size() - 1]) ? spec.as_plain() : spec;
}

// What a map's stage is undone with, axis by axis in reverse order: plain lines, but that the first
// are read where forward leaves them. Planes of plane waves go back as they come.
std::vector<LineSpec> AnyPlan::Body::returning_specs() const {
  std::vector<LineSpec> specs;
  if (waves) {
    for (const int a : route.work[static_cast<std::size_t>(route.space)])
      specs.push_back(line_spec(a, Direction::forward));
    return specs;
  }
  const Order& axes = route.work[turning_stage(route)];
  for (int k = axes.size() - 1; k >= 0; --k) specs.push_back(line_spec(axes[k], Direction::backward).as_plain());
  if (!specs.empty()) specs.front().in_distance = mapped_spec().out_distance;
  return specs;
}

LineSpec AnyPlan::Body::line_spec(int axis, Direction direction) const {
  LineSpec spec{route.kinds[static_cast<std::size_t>(axis)], direction, problem.precision, route.shape[axis]};
  if (spec.kind != Kind::c2c) {
    if (direction == Direction::backward) spec.kind = inverse(spec.kind);
    spec.direction = spec.kind == Kind::c2r ? Direction::backward : Direction::forward;
    spec.both_parts = real_to_real(spec.kind) && complex_output(problem);  // the halved axis comes before all others
  }
  if (waves && spec.kind == Kind::c2c) {  // beyond the farthest of them there are no plane waves
    const Index reach = (waves->least[axis - (route.shape.size() - 3)] - 1) / 2;
    if (reach + 1 < spec.length - reach) spec.hole_first = reach + 1, spec.hole_last = spec.length - reach;
  }
  const bool there = direction == Direction::forward;
  const Index row = there ? leaving_row_elements : row_elements;
  if (waves && columns_axis < 0 && axis == route.shape.size() - 2) (there ? spec.in_distance : spec.out_distance) = row;
  if (axis == rows_axis) (there ? spec.out_distance : spec.in_distance) = row;
  if (const auto crosses = crossing.find(axis); crosses != crossing.end()) {
    spec.in_stride = spec.out_stride = crosses->second;
    spec.in_distance = spec.out_distance = 1;
  }
  if (axis == columns_axis) {
    spec.in_stride = row, spec.in_distance = 1;
    if (!there || columns_stay)
      spec.out_stride = row, spec.out_distance = 1;
    else
      spec.out_distance = (spec.length + 1) / 2 * 2;
  }
  return spec;
}

void AnyPlan::Body::plan_lines() {
  std::set<LineSpec> wanted;
  for (const Order& axes : route.work)
    for (const int a : axes)
      for (const Direction direction : {Direction::forward, Direction::backward})
        wanted.insert(line_spec(a, direction));
  for (const LineSpec& spec : returning_specs()) wanted.insert(spec);
  if (!crossing.empty() && !waves) wanted.insert(mapped_spec());
  const std::vector<LineSpec> specs(wanted.begin(), wanted.end());

  const Engine* chosen = nullptr;
  const auto plan_all = [&] {
    chosen = &engine(requested.engine);
    const auto planned = chosen->plan_all(specs, requested.effort);
    for (std::size_t k = 0; k < specs.size(); ++k) lines[specs[k]] = planned[k];
  };
  if (requested.effort == "estimate") return plan_all();  // which gives the same bits in every process
  // Rank 0 searches, all others follow it: the same bits everywhere. What it found travels only
  // where a rank does not have it yet.
  if (comm.rank() == 0) plan_all();
  chosen = &engine(requested.engine);
  std::string wisdom = chosen->export_wisdom(specs, requested.effort);
  const bool travels = !comm.alike(wisdom);
  if (travels) comm.bcast(wisdom);
  if (comm.rank() == 0) return;
  if (travels) chosen->import_wisdom(wisdom);
  plan_all();
}

std::vector<Operation> AnyPlan::Body::operations(const Order& axes, Direction direction) const {
  std::vector<Operation> list;
  for (const int a : axes) {
    Operation o;
    o.axis = a;
    o.first = lines.at(line_spec(a, direction));
    list.push_back(std::move(o));
  }
  return list;
}

}  // namespace weft

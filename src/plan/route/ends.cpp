// Where routes begin and end: layouts that callers give, or that follow from a process grid.
#include <algorithm>

#include "plan/route/router.hpp"

namespace weft {

void Router::begin_as_given(const Layout& given) {
  check_layout(given, problem_.shape, ranks_, "the input layout", "the problem",
               "a dense transform needs boxes (redistribute first)");
  route_.input = extended(given, options_);
  const auto found = recognise(route_.input);
  if (!options_.grid.empty()) {
    if (!halves_here() || whole_axes() == 0)
      throw Error(
          "process grid " + to_text(options_.grid) +
          (halves_here() ? " cuts every axis"
                         : " cuts axis " + std::to_string(route_.halved - before_) + ", which r2c halves") +
          "; with an input layout it is the grid of the first transform, which needs that axis whole: give 1 there");
    starts_ = found && same_boxes(layout_of(*found, grids_.real, ranks_), layout_of(grid_, grids_.real, ranks_));
  } else if (found) {
    grid_ = *found;
  } else {
    starts_ = false;
  }
}

void Router::begin_on_grid() {
  const int axes = route_.shape.size();
  Shape padding;
  if (options_.in_place() && route_.halved >= 0) {
    padding = Shape::filled(axes, 0);
    // the fastest axis of the arrays holds the halved one, or interleaved components behind it
    padding[route_.halved] = 2 * grids_.transformed[route_.halved] - grids_.real[route_.halved];
  }
  route_.input = layout_of(grid_, grids_.real, ranks_).ordered(c_order(axes), padding);
}

std::optional<Layout> Router::wanted_output() const {
  if (options_.output) {
    const int halved = route_.halved - before_ < 0 ? -1 : route_.halved - before_;
    check_layout(*options_.output, halved_shape(problem_.shape, halved), ranks_, "the output layout",
                 "the transformed array", "a dense transform needs boxes (redistribute afterwards)");
    return extended(*options_.output, options_);
  }
  if (options_.natural_output) return natural_output();
  return std::nullopt;
}

Layout Router::natural_output() const {
  const Shape& transformed = grids_.transformed;
  if (!options_.input) return layout_of(beginning_, transformed, ranks_);
  std::vector<Box> boxes;
  for (int r = 0; r < ranks_; ++r) {
    Box box = route_.input.box(r);
    if (const int a = route_.halved; a >= 0) {
      const Index end = box.hi[a] == grids_.real[a] ? transformed[a] : std::min(box.hi[a], transformed[a]);
      box.hi[a] = std::max(box.lo[a], end);
    }
    for (int a = 0; a < box.axes(); ++a) box.lo[a] = std::min(box.lo[a], box.hi[a]);
    boxes.push_back(box);
  }
  return Layout(transformed, boxes, route_.input.order());
}

void Router::end(const Layout& wanted) {
  if (!same_boxes(wanted, here_)) {
    const auto found = recognise(wanted);
    if (found && found->size() == 1 && grid_.size() == 1 && found->front().axis != grid_.front().axis)
      transit(wanted, grid_.front().axis, whole_on(grid_, *found, wanted.shape()));
    else
      transit(wanted, -1, {});
    route_.work.emplace_back();
    return;
  }
  here_ = wanted;
  auto& transitions = route_.transitions;
  if (!transitions.empty() && route_.work.size() == transitions.size() + 1 && same_boxes(transitions.back().to, here_))
    transitions.back().to = here_;
}

}  // namespace weft

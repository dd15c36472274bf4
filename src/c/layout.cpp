// Layouts of the C interface.
#include <limits>
#include <sstream>

#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

int rank_count(int ranks) { return counted(ranks, 1, std::numeric_limits<int>::max(), "ranks"); }

std::vector<Box> boxes(Index axes, int ranks, const int64_t* lo, const int64_t* hi) {
  std::vector<Box> all;
  for (Index r = 0; r < rank_count(ranks); ++r)
    all.push_back({shape(axes, &given(lo, "lo") + r * axes, "lo"), shape(axes, &given(hi, "hi") + r * axes, "hi")});
  return all;
}

/// The lists of each rank's entries, which lie one behind the other: entry(number).
template <class T, class F>
std::vector<std::vector<T>> by_rank(int ranks, const int64_t* counts, F&& entry) {
  std::vector<std::vector<T>> all(static_cast<std::size_t>(rank_count(ranks)));
  Index next = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const Index count = (&given(counts, "counts"))[r];
    if (count < 0)
      throw Error("rank " + std::to_string(r) + " has " + std::to_string(count) + " entries; allowed: 0 or more");
    for (const Index end = next + count; next < end; ++next) all[r].push_back(entry(next));
  }
  return all;
}

std::vector<Split> splits(const char* texts, int axes) {
  std::vector<Split> all;
  std::istringstream parts(texts == nullptr ? "even" : texts);
  for (std::string part; std::getline(parts, part, ';');) all.push_back(Split::from(part));
  if (all.size() == 1) all.resize(static_cast<std::size_t>(axes), all.front());
  return all;
}

void check_rank(const Layout& layout, int rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw Error("rank " + std::to_string(rank) + " of a layout is asked for; allowed: 0 to " +
                std::to_string(layout.ranks() - 1));
}

}  // namespace

namespace weft::c {

weft_view view_of(const View& view, Index elements, Index reach) {
  weft_view out = {};
  out.axes = view.box.axes();
  fill_axes(view.box.lo, out.lo);
  fill_axes(view.box.hi, out.hi);
  fill_axes(view.strides, out.strides);
  out.elements = elements;
  out.reach = reach;
  return out;
}

}  // namespace weft::c

extern "C" {

int weft_layout_boxes(weft_layout** layout, int64_t axes, const int64_t* extents, int ranks, const int64_t* lo,
                      const int64_t* hi, const int64_t* order, const int64_t* padding) {
  return made(layout, [&] {
    const Shape global = shape(axes, extents, "shape");
    return Layout(global, boxes(axes, ranks, lo, hi), ints(axes, order, "order"), shape_or_none(axes, padding));
  });
}
int weft_layout_runs(weft_layout** layout, int64_t axes, const int64_t* extents, int ranks, const int64_t* counts,
                     const weft_run* runs) {
  return made(layout, [&] {
    const auto run = [&](Index i) { return Run{(&given(runs, "runs"))[i].first, runs[i].count}; };
    return Layout::runs(shape(axes, extents, "shape"), by_rank<Run>(ranks, counts, run));
  });
}
int weft_layout_sticks(weft_layout** layout, int64_t axes, const int64_t* extents, int ranks, const int64_t* counts,
                       const int64_t* at, const int64_t* lo, const int64_t* hi) {
  return made(layout, [&] {
    const Shape global = shape(axes, extents, "shape");
    const auto stick = [&](Index i) {
      const int64_t* begin = axes == 1 ? at : &given(at, "at") + i * (axes - 1);
      return Stick{Shape(begin, begin + (axes - 1)), (&given(lo, "lo"))[i], (&given(hi, "hi"))[i]};
    };
    return Layout::sticks(global, by_rank<Stick>(ranks, counts, stick));
  });
}
int weft_layout_slab(weft_layout** layout, int64_t axes, const int64_t* extents, int64_t axis, int ranks,
                     const char* split, const int64_t* order) {
  return made(layout, [&] {
    const Shape global = shape(axes, extents, "shape");
    if (axis < 0 || axis >= axes)
      throw Error("axis " + std::to_string(axis) + " is to be cut; allowed: 0 to " + std::to_string(axes - 1));
    return Layout::slab(global, static_cast<int>(axis), rank_count(ranks),
                        Split::from(split == nullptr ? "even" : split), ints(axes, order, "order"));
  });
}
int weft_layout_grid(weft_layout** layout, int64_t axes, const int64_t* extents, const int64_t* grid, const char* cuts,
                     const int64_t* order) {
  return made(layout, [&] {
    const Shape global = shape(axes, extents, "shape");
    return Layout::grid(global, ints(axes, &given(grid, "grid"), "grid"), splits(cuts, global.size()),
                        ints(axes, order, "order"));
  });
}
int weft_layout_replicated(weft_layout** layout, int64_t axes, const int64_t* extents, int ranks) {
  return made(layout, [&] { return Layout::replicated(shape(axes, extents, "shape"), rank_count(ranks)); });
}
int weft_layout_checkerboard(weft_layout** layout, int64_t axes, const int64_t* extents, int ranks, const int64_t* lo,
                             const int64_t* hi) {
  return made(layout, [&] { return Layout::checkerboard(shape(axes, extents, "shape"), boxes(axes, ranks, lo, hi)); });
}
int weft_layout_grown(weft_layout** layout, const weft_layout* of, const int64_t* width) {
  return made(layout, [&] { return layout_of(of).grown(shape(layout_of(of).axes(), width, "width")); });
}
int weft_layout_ordered(weft_layout** layout, const weft_layout* of, const int64_t* order, const int64_t* padding) {
  return made(layout, [&] {
    const Layout& from = layout_of(of);
    return from.ordered(ints(from.axes(), order, "order"), shape_or_none(from.axes(), padding));
  });
}
int weft_layout_copy(weft_layout** copy, const weft_layout* layout) {
  return made(copy, [&] { return layout_of(layout); });
}
void weft_layout_destroy(weft_layout** layout) { destroyed(layout); }

int weft_layout_shape(const weft_layout* layout, int64_t* axes, int64_t* extents, int* ranks, int* has_boxes) {
  return guarded([&] {
    const Layout& l = layout_of(layout);
    tell<int64_t>(axes, l.axes());
    if (extents != nullptr) fill_axes(l.shape(), extents);
    tell(ranks, l.ranks());
    tell(has_boxes, static_cast<int>(l.has_boxes()));
  });
}
int weft_layout_order(const weft_layout* layout, int64_t* order, int64_t* padding) {
  return guarded([&] {
    const Layout& l = layout_of(layout);
    const Order memory = l.order().empty() ? c_order(l.axes()) : l.order();
    const Shape padded = l.padding().empty() ? Shape::filled(l.axes(), 0) : l.padding();
    if (order != nullptr) std::copy(memory.begin(), memory.end(), order);
    if (padding != nullptr) fill_axes(padded, padding);
  });
}
int weft_layout_view(const weft_layout* layout, int rank, weft_view* view) {
  return guarded([&] {
    const Layout& l = layout_of(layout);
    if (!l.has_boxes()) throw Error("a layout of runs has no boxes; weft_layout_list has its runs");
    check_rank(l, rank);
    const View at = l.view(rank);
    given(view, "view") = view_of(at, l.elements(rank), at.reach());
  });
}
int weft_layout_list(const weft_layout* layout, int rank, weft_run* runs, int64_t room, int64_t* count) {
  return guarded([&] {
    const Layout& l = layout_of(layout);
    if (l.has_boxes()) throw Error("a layout of boxes has no runs; weft_layout_view has its boxes");
    check_rank(l, rank);
    list_out(l.runs(rank), runs, room, count, [&](const Run& run, std::size_t i) { runs[i] = {run.first, run.count}; });
  });
}
int weft_layout_elements(const weft_layout* layout, int rank, int64_t* elements, int64_t* points) {
  return guarded([&] {
    const Layout& l = layout_of(layout);
    check_rank(l, rank);
    tell<int64_t>(elements, l.elements(rank));
    tell<int64_t>(points, l.points(rank));
  });
}
int weft_layout_describe(const weft_layout* layout, int every_part, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(layout_of(layout).describe(every_part != 0), to, room, length); });
}
int weft_layout_equal(const weft_layout* a, const weft_layout* b, int* equal) {
  return guarded([&] { given(equal, "equal") = layout_of(a) == layout_of(b); });
}
int weft_layout_check(const weft_layout* layout, int all_points) {
  return guarded([&] {
    if (all_points != 0)
      layout_of(layout).check_partition("the layout");
    else
      layout_of(layout).check_owned_once("the layout");
  });
}

}  // extern "C"

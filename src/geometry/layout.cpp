// Who owns what. A layout never changes once made, so that copies may share it; what it holds of
// each rank is exactly what was given, except that consecutive runs are joined and empty ones
// dropped.
#include <weft/layout.hpp>

#include <charconv>
#include <limits>
#include <numeric>

#include <weft/quote.hpp>

#include "geometry/boxes.hpp"
#include "geometry/checked.hpp"

namespace weft {

namespace {

std::string count_of(Index n, const char* thing) { return std::to_string(n) + " " + thing + (n == 1 ? "" : "s"); }

std::string ranks_named(int a, int b) {
  return a == b ? "rank " + std::to_string(a) + " twice owns"
                : "ranks " + std::to_string(a) + " and " + std::to_string(b) + " both own";
}

/// Appends a run, as part of the last one where it goes on there.
void append(std::vector<Run>& runs, Run run) {
  if (run.count == 0) return;
  if (!runs.empty() && runs.back().first + runs.back().count == run.first)
    runs.back().count += run.count;
  else
    runs.push_back(run);
}

/// Index in C order of `shape`.
Index linear(const Shape& shape, const Shape& point) {
  Index index = 0;
  for (int a = 0; a < shape.size(); ++a) index = index * shape[a] + point[a];
  return index;
}

Shape point_of(const Shape& shape, Index index) {
  Shape point = shape;
  for (int a = shape.size() - 1; a >= 0; --a) {
    point[a] = index % shape[a];
    index /= shape[a];
  }
  return point;
}

}  // namespace

Split Split::even() { return {}; }

Split Split::blocks() {
  Split split;
  split.rule_ = Rule::blocks;
  return split;
}

Split Split::blocks(Index size) {
  if (size < 1) throw Error("blocks of " + std::to_string(size) + " indices: a block has at least 1");
  Split split = blocks();
  split.size_ = size;
  return split;
}

Split Split::given(std::vector<Index> bounds) {
  Split split;
  split.rule_ = Rule::given;
  split.bounds_ = std::move(bounds);
  return split;
}

Split Split::from(const std::string& text) {
  const auto number = [&](std::string_view word) {
    Index value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error("split is \"" + shown(text) +
                  "\"; allowed: \"even\", \"blocks\", blocks of some size as \"blocks:8\", or bounds as \"0,3,8\"");
    return value;
  };
  const std::string_view all = text, sized = "blocks:";
  if (all == "even") return even();
  if (all == "blocks") return blocks();
  if (all.starts_with(sized)) return blocks(number(all.substr(sized.size())));
  std::vector<Index> bounds;
  for (std::size_t begin = 0, end = 0; end != all.npos; begin = end + 1) {
    end = all.find(',', begin);
    bounds.push_back(number(all.substr(begin, end - begin)));
  }
  return given(std::move(bounds));
}

std::string Split::text() const {
  if (rule_ == Rule::even) return "even";
  if (rule_ == Rule::blocks) return size_ > 0 ? "blocks:" + std::to_string(size_) : "blocks";
  std::string text;
  for (const Index bound : bounds_) text += (text.empty() ? "" : ",") + std::to_string(bound);
  return text;
}

std::vector<Index> Split::bounds(Index n, int parts) const {
  if (n < 0 || parts < 1)
    throw Error("cannot cut " + std::to_string(n) + " indices into " + count_of(parts, "part") +
                ": at least 0 and 1 are needed");
  if (rule_ == Rule::given) {
    const bool fits = bounds_.size() == static_cast<std::size_t>(parts) + 1 && bounds_.front() == 0 &&
                      bounds_.back() == n && std::is_sorted(bounds_.begin(), bounds_.end());
    if (fits) return bounds_;
    std::string given;
    for (Index bound : bounds_) given += (given.empty() ? "" : ", ") + std::to_string(bound);
    throw Error("bounds {" + given + "} do not cut " + std::to_string(n) + " indices into " + count_of(parts, "part") +
                ": give " + std::to_string(parts + 1) + " of them, never falling, from 0 to " + std::to_string(n));
  }
  const Index least = n / parts + (n % parts != 0), longer = n % parts;
  const Index size = size_ == 0 ? least : size_;
  if (rule_ == Rule::blocks && size < least)
    throw Error(count_of(parts, "block") + " of " + std::to_string(size) + " hold fewer than the axis' " +
                std::to_string(n) + " indices: use blocks of at least " + std::to_string(least) + " or more ranks");
  std::vector<Index> bounds{0};
  for (int i = 0; i < parts; ++i) {
    const Index length = rule_ == Rule::even ? n / parts + (i < longer) : size;
    bounds.push_back(bounds.back() + std::min(length, n - bounds.back()));
  }
  return bounds;
}

struct [[gnu::visibility("hidden")]] Layout::Data {
  std::string kind;  ///< how it was made, for people; equality looks at the parts alone
  Shape shape;
  Order order = c_order(shape.size());
  Shape padding = Shape::filled(shape.size(), 0);
  bool has_boxes = true;
  bool owned_once = false;  ///< known from how it was made
  std::vector<Box> boxes = {};
  std::vector<std::vector<Run>> runs = {};
  std::vector<Index> elements = {}, points = {};

  static Layout make(std::string kind, Shape shape, std::vector<Box> boxes, const Order& order, const Shape& padding,
                     bool owned_once = false) {
    Data data{.kind = std::move(kind), .shape = shape, .owned_once = owned_once, .boxes = std::move(boxes)};
    data.check_shape(data.boxes.size());
    dense_elements(Box::whole(shape), order, padding);  // throws unless they fit
    if (!order.empty()) data.order = order;
    if (!padding.empty()) data.padding = padding;
    for (std::size_t r = 0; r < data.boxes.size(); ++r) {
      const Box& box = data.boxes[r];
      if (box.lo.size() != shape.size() || box.hi.size() != shape.size())
        throw Error("rank " + std::to_string(r) + " owns " + to_string(box) + " of an array of shape " +
                    to_string(shape) + ": give a lower and an upper bound on every axis");
      for (int a = 0; a < shape.size(); ++a)
        if (std::min(box.lo[a], box.hi[a]) < -checked::farthest || std::max(box.lo[a], box.hi[a]) > checked::farthest)
          throw Error("rank " + std::to_string(r) + " owns " + to_string(box) + ": bounds lie between " +
                      std::to_string(-checked::farthest) + " and " + std::to_string(checked::farthest));
      data.elements.push_back(dense_elements(box, data.order, data.padding));
      data.points.push_back(box.volume());
    }
    return Layout(std::make_shared<const Data>(std::move(data)));
  }

  static Layout make(std::string kind, Shape shape, const std::vector<std::vector<Run>>& runs) {
    Data data{.kind = std::move(kind), .shape = shape, .has_boxes = false};
    data.check_shape(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      auto& joined = data.runs.emplace_back();
      Index points = 0;
      for (const Run& run : runs[r]) {
        if (run.count < 0)
          throw Error("rank " + std::to_string(r) + " owns a run of " + std::to_string(run.count) + " indices from " +
                      std::to_string(run.first) + " on: a run has 0 or more");
        checked::sum(run.first, run.count, "the end of a run");
        append(joined, run);
        points = checked::sum(points, run.count, "the points of a rank");
      }
      data.points.push_back(points);
    }
    data.elements = data.points;
    return Layout(std::make_shared<const Data>(std::move(data)));
  }

  void check_shape(std::size_t ranks) const {
    if (shape.empty() || std::any_of(shape.begin(), shape.end(), [](Index n) { return n < 1; }))
      throw Error("global shape " + point_string(shape) + ": give 1 to " + std::to_string(max_axes) +
                  " extents of at least 1");
    static_cast<void>(volume(shape));
    if (ranks == 0) throw Error("a layout of shape " + to_string(shape) + " for no rank: at least one is needed");
    if (ranks > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error("a layout for " + std::to_string(ranks) + " ranks: at most " +
                  std::to_string(std::numeric_limits<int>::max()));
  }

  std::size_t checked(int rank, bool boxes_wanted) const {
    if (boxes_wanted != has_boxes)
      throw Error(kind + " of shape " + to_string(shape) +
                  (has_boxes ? " consists of boxes: it has no runs" : " consists of runs: it has no boxes"));
    if (rank < 0 || static_cast<std::size_t>(rank) >= points.size())
      throw Error("rank " + std::to_string(rank) + " of a layout for " +
                  count_of(static_cast<Index>(points.size()), "rank"));
    return static_cast<std::size_t>(rank);
  }
};

Layout::Layout(Shape shape, std::vector<Box> boxes, Order order, Shape padding)
    : Layout(Data::make("boxes", shape, std::move(boxes), order, padding)) {}

Layout Layout::runs(Shape shape, std::vector<std::vector<Run>> runs) { return Data::make("runs", shape, runs); }

Layout Layout::sticks(Shape shape, const std::vector<std::vector<Stick>>& sticks) {
  if (shape.empty()) throw Error("sticks of an array without axes: they lie along the last axis");
  Shape base(shape.begin(), shape.end() - 1);
  const Index length = shape[shape.size() - 1];
  std::vector<std::vector<Run>> runs(sticks.size());
  for (std::size_t r = 0; r < sticks.size(); ++r)
    for (const Stick& stick : sticks[r]) {
      const bool inside = stick.at.size() == base.size() && (base.empty() || Box::whole(base).contains(stick.at));
      if (!inside || stick.lo < 0 || stick.hi < stick.lo || stick.hi > length)
        throw Error("rank " + std::to_string(r) + " owns a stick at " + point_string(stick.at) + " over [" +
                    std::to_string(stick.lo) + ", " + std::to_string(stick.hi) + "): sticks of an array of shape " +
                    to_string(shape) + " stand on " + to_string(Box::whole(base)) + " and stay in [0, " +
                    std::to_string(length) + ")");
      runs[r].push_back({linear(base, stick.at) * length + stick.lo, stick.hi - stick.lo});
    }
  return Data::make("sticks", shape, runs);
}

Layout Layout::slab(Shape shape, int axis, int ranks, const Split& split, Order order) {
  if (axis < 0 || axis >= shape.size())
    throw Error("slabs along axis " + std::to_string(axis) + " of an array of shape " + to_string(shape) +
                ": axes count from 0 to " + std::to_string(shape.size() - 1));
  Few<int> grid = Few<int>::filled(shape.size(), 1);
  grid[axis] = ranks;
  return Layout::grid(shape, grid, split, order);
}

Layout Layout::grid(Shape shape, const Few<int>& grid, const Split& split, Order order) {
  return Layout::grid(shape, grid, std::vector<Split>(static_cast<std::size_t>(shape.size()), split), order);
}

Layout Layout::grid(Shape shape, const Few<int>& grid, const std::vector<Split>& split_per_axis, Order order) {
  const Shape parts(grid.begin(), grid.end());
  if (grid.size() != shape.size() || std::any_of(grid.begin(), grid.end(), [](int n) { return n < 1; }))
    throw Error("process grid " + point_string(parts) + " for an array of shape " + to_string(shape) + ": give " +
                count_of(shape.size(), "number") + " of ranks, at least 1 each, and 1 for an axis that stays whole");
  if (split_per_axis.size() != static_cast<std::size_t>(shape.size()))
    throw Error(count_of(static_cast<Index>(split_per_axis.size()), "split rule") + " for an array of shape " +
                to_string(shape) + ": give one for each axis");
  if (volume(parts) > std::numeric_limits<int>::max())
    throw Error("process grid " + to_string(parts) + " has more ranks than can be numbered: use at most " +
                std::to_string(std::numeric_limits<int>::max()));
  std::vector<std::vector<Index>> bounds;
  int cuts = 0;
  for (int a = 0; a < shape.size(); ++a) {
    cuts += grid[a] > 1;
    bounds.push_back(
        (grid[a] > 1 ? split_per_axis[static_cast<std::size_t>(a)] : Split::even()).bounds(shape[a], grid[a]));
  }
  std::vector<Box> boxes;
  boxes.reserve(static_cast<std::size_t>(volume(parts)));
  each_point(Box::whole(parts), [&](const Shape& at) {
    Box box = Box::whole(shape);
    for (int a = 0; a < shape.size(); ++a) {
      const auto& along = bounds[static_cast<std::size_t>(a)];
      box.lo[a] = along[static_cast<std::size_t>(at[a])];
      box.hi[a] = along[static_cast<std::size_t>(at[a]) + 1];
    }
    boxes.push_back(box);
  });
  const char* kind = cuts == 0 ? "whole array" : cuts == 1 ? "slab" : cuts < shape.size() ? "pencil" : "brick";
  return Data::make(kind + (" on a process grid " + to_string(parts)), shape, std::move(boxes), order, {}, true);
}

Layout Layout::replicated(Shape shape, int ranks) {
  return Data::make("replicated", shape,
                    std::vector<Box>(static_cast<std::size_t>(std::max(ranks, 0)), Box::whole(shape)), {}, {});
}

Layout Layout::checkerboard(Shape shape, const std::vector<Box>& boxes) {
  const Layout whole(shape, boxes);
  std::vector<std::vector<Run>> runs(boxes.size());
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    if (!Box::whole(shape).contains(boxes[r]))
      throw Error("rank " + std::to_string(r) + " owns " + to_string(boxes[r]) + ": a checkerboard of shape " +
                  to_string(shape) + " is made of boxes inside " + to_string(Box::whole(shape)));
    for (Index parity : {0, 1})
      each_point(boxes[r], [&](const Shape& point) {
        if (std::accumulate(point.begin(), point.end(), Index{0}) % 2 == parity)
          append(runs[r], {linear(shape, point), 1});
      });
  }
  return Data::make("checkerboard", shape, runs);
}

Layout Layout::grown(const Shape& width) const {
  if (width.size() != axes() || std::any_of(width.begin(), width.end(), [](Index w) { return w < 0; }))
    throw Error("halo of width " + point_string(width) + " for an array of shape " + to_string(shape()) + ": give " +
                count_of(axes(), "width") + ", 0 or more");
  if (!has_boxes())
    throw Error(data_->kind + " of shape " + to_string(shape()) + " cannot have a halo: only boxes grow");
  std::vector<Box> boxes = data_->boxes;
  for (Box& box : boxes)
    for (int a = 0; a < axes() && !box.empty(); ++a) {
      box.lo[a] = checked::difference(box.lo[a], width[a], "a box grown by a halo");
      box.hi[a] = checked::sum(box.hi[a], width[a], "a box grown by a halo");
    }
  return Data::make(data_->kind + " grown by " + point_string(width), shape(), std::move(boxes), order(), padding());
}

Layout Layout::ordered(const Order& order, const Shape& padding) const {
  if (!has_boxes())
    throw Error(data_->kind + " of shape " + to_string(shape()) + " has no memory order: only boxes have one");
  return Data::make(data_->kind, shape(), data_->boxes, order, padding, data_->owned_once);
}

const Shape& Layout::shape() const { return data_->shape; }
int Layout::ranks() const { return static_cast<int>(data_->points.size()); }
bool Layout::has_boxes() const { return data_->has_boxes; }
const Box& Layout::box(int rank) const { return data_->boxes[data_->checked(rank, true)]; }
const std::vector<Run>& Layout::runs(int rank) const { return data_->runs[data_->checked(rank, false)]; }
const Order& Layout::order() const { return data_->order; }
const Shape& Layout::padding() const { return data_->padding; }
Index Layout::elements(int rank) const { return data_->elements[data_->checked(rank, has_boxes())]; }
Index Layout::points(int rank) const { return data_->points[data_->checked(rank, has_boxes())]; }
View Layout::view(int rank, int slot) const { return dense_view(box(rank), order(), padding(), slot); }

void Layout::check_owned_once(const std::string& what) const {
  if (data_->owned_once) return;
  const Box whole = Box::whole(shape());
  if (has_boxes()) {
    for (int r = 0; r < ranks(); ++r)
      if (!whole.contains(box(r)))
        throw Error(what + ": rank " + std::to_string(r) + " owns " + to_string(box(r)) + ", which is not inside " +
                    to_string(whole));
    const BoxTree tree(data_->boxes);
    for (int r = 0; r < ranks(); ++r)
      tree.meeting(box(r), [&](int other) {
        if (other > r)
          throw Error(what + ": " + ranks_named(r, other) + " " + to_string(box(r).intersect(box(other))) +
                      "; every point may belong to one rank only");
      });
    return;
  }
  struct Owned {
    Run run;
    int rank;
  };
  std::vector<Owned> all;
  const Index points = volume(shape());
  for (int r = 0; r < ranks(); ++r)
    for (const Run& run : runs(r)) {
      if (run.first < 0 || run.first > points - run.count)
        throw Error(what + ": rank " + std::to_string(r) + " owns indices [" + std::to_string(run.first) + ", " +
                    std::to_string(run.first + run.count) + "), which are not inside [0, " + std::to_string(points) +
                    "), an array of shape " + to_string(shape()));
      all.push_back({run, r});
    }
  std::stable_sort(all.begin(), all.end(), [](const Owned& a, const Owned& b) { return a.run.first < b.run.first; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Run &a = all[i - 1].run, &b = all[i].run;
    const Index end = std::min(a.first + a.count, b.first + b.count);
    if (b.first < end)
      throw Error(what + ": " + ranks_named(all[i - 1].rank, all[i].rank) + " indices [" + std::to_string(b.first) +
                  ", " + std::to_string(end) + "), from point " + point_string(point_of(shape(), b.first)) +
                  " on; every point may belong to one rank only");
  }
}

void Layout::check_partition(const std::string& what) const {
  check_owned_once(what);
  const Index owned = std::accumulate(data_->points.begin(), data_->points.end(), Index{0}), all = volume(shape());
  if (owned < all)
    throw Error(what + ": " + std::to_string(all - owned) + " of the " + count_of(all, "point") + " of " +
                to_string(Box::whole(shape())) + (all - owned == 1 ? " belongs" : " belong") +
                " to no rank; every point must belong to one");
}

std::string Layout::describe(bool every_part) const {
  std::string text = (every_part ? has_boxes() ? "boxes" : "runs" : data_->kind) + " of " + to_string(shape()) +
                     " on " + count_of(ranks(), "rank");
  if (every_part || order() != c_order(axes()))
    text += ", memory order " + point_string(Shape(order().begin(), order().end()));
  if (every_part || padding() != Shape::filled(axes(), 0)) text += ", padding " + point_string(padding());
  for (int r = 0; every_part && r < ranks(); ++r) {
    text += (r == 0 ? ": " : "; ") + std::to_string(r) + ":";
    if (has_boxes()) {
      text += " " + to_string(box(r));
      continue;
    }
    for (const Run& run : runs(r))
      text += " [" + std::to_string(run.first) + ", " + std::to_string(run.first + run.count) + ")";
  }
  return text;
}

bool Layout::operator==(const Layout& other) const {
  const Data &a = *data_, &b = *other.data_;
  return data_ == other.data_ || (a.has_boxes == b.has_boxes && a.shape == b.shape && a.order == b.order &&
                                  a.padding == b.padding && a.boxes == b.boxes && a.runs == b.runs);
}

}  // namespace weft

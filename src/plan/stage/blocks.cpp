// Blocks of a stage: how its box is cut, and how a block lies in the workspace between two passes.
#include <algorithm>

#include "plan/stage/program.hpp"

namespace weft {
namespace {

Index kept_extent(const Table& table) {
  Index extent = 0;
  for (const auto& [lo, hi] : table.kept) extent += hi - lo;
  return extent;
}

Index longer_extent(const StageSpec& spec, int axis) {
  return std::max(spec.from.box.extent(axis), spec.to.box.extent(axis));
}

}  // namespace

// Long lines leave the second-level cache anyway, and lie so far apart that memory answers line by
// line: batches of them are wider, as long as the buffers are small beside the array.
Index StageProgram::width(Index bytes, Index length) const {
  const Blocking& by = variant_.blocking;
  if (length * bytes < by.long_line) return by.batch_width(bytes, length);
  return by.batch_width(bytes, length, std::min(by.long_batch, spec_.bytes_read() / (by.array_share * spec_.threads)));
}

std::vector<Box> StageProgram::split(const Box& box, const std::vector<std::vector<Index>>& bounds,
                                     const Order& order) {
  std::vector<Box> boxes{box};
  for (const int a : order) {
    const std::vector<Index>& at = bounds[static_cast<std::size_t>(a)];
    std::vector<Box> finer;
    finer.reserve(boxes.size() * (at.size() - 1));
    for (const Box& b : boxes)
      for (std::size_t k = 0; k + 1 < at.size(); ++k) {
        Box part = b;
        part.lo[a] = at[k];
        part.hi[a] = at[k + 1];
        finer.push_back(part);
      }
    boxes = std::move(finer);
  }
  return boxes;
}

// Axes that blocks are cut along: those of tiles first, then the others, slowest in memory first.
Order StageProgram::block_axes() const {
  const bool reads_table = spec_.to.views.empty() || (spec_.to.table && !spec_.from.table);
  const View& leading = reads_table ? spec_.from.views.front() : spec_.to.views.front();
  Order cut, rest;
  const auto free = [&](int a) { return !spec_.transforms(a) && std::find(cut.begin(), cut.end(), a) == cut.end(); };
  for (const int a : spec_.tile_axes)
    if (free(a)) cut.push_back(a);
  for (int a = 0; a < spec_.from.box.axes(); ++a)
    if (free(a)) rest.push_back(a);
  std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) { return leading.strides[a] > leading.strides[b]; });
  for (const int a : rest) cut.push_back(a);
  return cut;
}

// Few fields side by side: batches of one of them alone would leave most of every cache line for
// the next ones. Only where another axis has lines for a batch, too.
int StageProgram::fields_axis() const {
  constexpr Index few = 8;  // from here on they are a batch themselves
  if (spec_.operations.empty() || spec_.from.table || spec_.to.table) return -1;
  const Box& box = spec_.from.box;
  const auto lies_side_by_side = [](const Side& side, int a) {
    return std::all_of(side.views.begin(), side.views.end(), [&](const View& view) { return view.strides[a] == 1; });
  };
  const auto several = [&](int but) {
    for (int a = 0; a < box.axes(); ++a)
      if (a != but && box.extent(a) > 1 && (!spec_.transforms(a) || spec_.operations.size() > 1)) return true;
    return false;
  };
  for (int a = 0; a < box.axes(); ++a)
    if (!spec_.transforms(a) && box.extent(a) > 1 && box.extent(a) < few && tile_bounds(a).size() == 2 && several(a) &&
        (lies_side_by_side(spec_.from, a) || lies_side_by_side(spec_.to, a)))
      return a;
  return -1;
}

// Bytes of the lines of all operations at one point of the axes that blocks are cut along. A map
// counts an axis once there and once back: its blocks are smaller than they could be, and larger
// ones have shown no gain.
Index StageProgram::line_set_bytes() const {
  Index held = std::max(spec_.from.bytes, spec_.to.bytes);
  for (const Operation& o : spec_.operations) held *= longer_extent(spec_, o.axis);
  if (const Table* table = spec_.kept_table())
    held = held / longer_extent(spec_, table->line_axis) * kept_extent(*table);
  return held;
}

// A batch of columns stays whole, also where its axis is that of tiles and comes last; -1: there is
// no such axis.
int StageProgram::batched_axis(const Order& cut) const {
  if (spec_.operations.size() != 1 || cut.size() == 0) return -1;
  int batched = cut[cut.size() - 1];
  if (spec_.from.table || spec_.to.table || spec_.from.views.empty() || spec_.to.views.empty()) return batched;
  const View &from = spec_.from.views.front(), &to = spec_.to.views.front();
  const View& side = from.strides[spec_.operations[0].axis] != 1 ? from : to;
  const Box& box = spec_.from.box;
  const auto lines = [&](int a) { return a == fields_axis_ ? 0 : box.extent(a); };
  for (const int a : cut)
    if (lines(a) > 1 && (lines(batched) < 2 || side.strides[a] < side.strides[batched])) batched = a;
  return batched;
}

std::vector<Index> StageProgram::tile_bounds(int axis) const {
  const Index lo = spec_.from.box.lo[axis], hi = spec_.from.box.hi[axis];
  std::vector<Index> at{lo, hi};
  for (std::size_t t = 0; t < spec_.tile_axes.size(); ++t)
    if (spec_.tile_axes[t] == axis)
      for (const Index b : spec_.bounds[t])
        if (b > lo && b < hi) at.push_back(b);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// A block grows from the innermost of its axes outwards while it fits.
void StageProgram::plan_blocks() {
  const Box& box = spec_.from.box;
  const Index bytes = std::max(spec_.from.bytes, spec_.to.bytes);
  const Order cut = block_axes();
  const Index fields = fields_axis_ < 0 ? 1 : box.extent(fields_axis_);
  Index held = line_set_bytes() * fields;
  const int batched = batched_axis(cut);
  const Index batch = batched < 0 ? 1 : std::min(width(bytes, held / fields / bytes) / fields, box.extent(batched));
  held *= batch;
  const Index line = std::max<Index>(1, variant_.blocking.cache_line / spec_.from.bytes);
  blocks_ = Parts(box, cut, spec_.descending);
  for (int k = cut.size() - 1; k >= 0; --k) {
    const int a = cut[k];
    const Index extent = std::max<Index>(box.extent(a), 1);
    if (a == batched) held /= batch;
    if (a == fields_axis_) held /= fields;
    // a block that is copied in takes whole cache lines, which are read once then
    const bool in_lines =
        spec_.columns_first() && !spec_.from.views.empty() && spec_.from.views.front().strides[a] == 1;
    const Index least = a == batched ? batch : a == fields_axis_ ? fields : in_lines ? std::min(line, extent) : 1;
    Index step = std::clamp(variant_.blocking.block / std::max<Index>(held, 1), least, extent);
    // columns begin cache lines in all blocks where they do in one
    if (a == batched && step > batch) step = step / batch * batch;
    blocks_.cut(a, tile_bounds(a), step);
    held *= step;
  }
}

// Whether a block that has this range of an axis may meet a cell. Along its line a cell is in the
// coordinates of its pass.
bool StageProgram::meets(const Pass& pass, const Cell& cell, int axis, Index lo, Index hi) const {
  if (spec_.transforms(axis) && !pass.copies) return true;
  if (axis == pass.operation.axis) return lo < hi;
  return std::max(cell.box.lo[axis], lo) < std::min(cell.box.hi[axis], hi);
}

// What tells a range of an axis from others of its extent: the cells it meets, and how views cut
// it.
std::vector<Index> StageProgram::traits(int axis, Index lo, Index hi) const {
  std::vector<Index> list;
  for (const Pass& pass : passes_) {
    for (std::size_t c = 0; c < pass.cells.size(); ++c)
      if (meets(pass, pass.cells[c], axis, lo, hi)) list.push_back(static_cast<Index>(c));
    list.push_back(-1);
  }
  for (const Side* side : {&spec_.from, &spec_.to})
    for (std::size_t v = 0; v < side->views.size(); ++v) {
      const Box& box = side->views[v].box;
      if (axis >= box.axes()) continue;
      const Index begin = std::max(lo, box.lo[axis]), end = std::min(hi, box.hi[axis]);
      if (begin < end) list.insert(list.end(), {static_cast<Index>(v), begin - lo, end - lo});
    }
  return list;
}

void StageProgram::sort_blocks() {
  blocks_.sort([this](int axis, Index lo, Index hi) { return traits(axis, lo, hi); });
  for (std::size_t sort = 0; sort < blocks_.sorts(); ++sort)
    common_.push_back({cells_of(blocks_.example(sort)), {}, {}});
}

// Which cells of every pass a block meets.
StageProgram::Cells StageProgram::cells_of(const Box& block) const {
  Cells cells;
  for (const Pass& pass : passes_) {
    auto& numbers = cells.emplace_back();
    for (std::size_t c = 0; c < pass.cells.size(); ++c) {
      bool all = true;
      for (int a = 0; a < block.axes(); ++a) all = all && meets(pass, pass.cells[c], a, block.lo[a], block.hi[a]);
      if (all) numbers.push_back(static_cast<int>(c));
    }
  }
  return cells;
}

Index StageProgram::thickness(int axis) const { return blocks_.thickness(axis); }

// Axes of a block in the workspace, slowest first: columns that are transformed where they lie go
// across the rows.
Order StageProgram::order_between(const Box& largest) const {
  Order order = c_order(largest.axes());
  if (spec_.kept_table()) {
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return order;
  }
  if (spec_.from.table || spec_.to.table) return order;
  const View& like = spec_.from.views.front();
  const auto& operations = spec_.operations;
  int columns = -1, rows = -1;
  for (std::size_t k = 0; k < operations.size() && operations.size() > 1; ++k)
    if (operations[k].strided()) columns = operations[k].axis, rows = operations[k == 0 ? 1 : k - 1].axis;
  const auto place = [&](int axis) { return columns < 0 ? 0 : axis == rows ? 2 : axis == columns ? 1 : 0; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(-place(a), like.strides[a]) > std::pair(-place(b), like.strides[b]);
  });
  return order;
}

// A block in the workspace. Its views are relative to it: every block has the strides of the
// largest, and its own corner is the origin. Every pass finds it laid out alike, with rows as far
// apart as the transforms among them read or leave them, for threads share its lines.
Side StageProgram::between(const Box& box, Index bytes) {
  Box largest = box;
  for (int a = 0; a < largest.axes(); ++a)
    if (!spec_.transforms(a)) largest.hi[a] = largest.lo[a] + thickness(a);
  const Table* table = spec_.kept_table();
  Index row = 0;
  for (const Operation& o : spec_.operations) {
    if (!o.first) continue;
    const LineSpec& lines = o.first->spec();
    if (lines.in_stride > 1) row = lines.in_stride;
    if (table && o.axis != table->line_axis) row = std::max({row, lines.in_distance, lines.out_distance});
  }
  const Order order = order_between(largest);
  if (table) {  // the columns that are not all zero, one behind the other
    largest.lo[table->line_axis] = 0;
    largest.hi[table->line_axis] = kept_extent(*table);
  }
  Shape padding;
  if (const int fastest = order[order.size() - 1]; row > largest.extent(fastest)) {
    padding = Shape::filled(largest.axes(), 0);
    padding[fastest] = row - largest.extent(fastest);
  }
  View view = dense_view(largest, order, padding);
  block_bytes_ = std::max(block_bytes_, dense_elements(largest, order, padding) * bytes);
  view.box = box;
  Side side{box, {}, bytes};
  if (!table) {
    side.views = {view};
    return side;
  }
  Index before = 0;
  for (const auto& [lo, hi] : table->kept) {
    View part = view;
    part.box.lo[table->line_axis] = lo;
    part.box.hi[table->line_axis] = hi;
    part.offset = (before - lo) * view.strides[table->line_axis];
    before += hi - lo;
    side.views.push_back(part);
  }
  return side;
}

}  // namespace weft

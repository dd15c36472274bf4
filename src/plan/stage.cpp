#include "plan/stage.hpp"

#include <algorithm>
#include <limits>

namespace weft {
namespace {

// A block should stay in a core's second-level cache between its passes.
constexpr Index block_budget = 256 * 1024;

constexpr Index cache_line = 64;

// All bounds at which some view begins or ends on an axis, inside the box.
std::vector<Index> breaks(const Box& box, int axis, const std::vector<View>& from, const std::vector<View>& to) {
  std::vector<Index> at{box.lo[axis], box.hi[axis]};
  for (const auto* views : {&from, &to})
    for (const View& view : *views)
      for (const Index b : {view.box.lo[axis], view.box.hi[axis]})
        if (b > box.lo[axis] && b < box.hi[axis]) at.push_back(b);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// What cuts the stage's own axes: with a table the views say so of the axes that are theirs too.
std::vector<View> cutting(const Side& side) {
  if (!side.table) return side.views;
  std::vector<View> views(side.views.size());
  for (std::size_t v = 0; v < views.size(); ++v) {
    views[v].box = side.box;
    for (int a = 0; a < side.table->number_axis; ++a) views[v].box.lo[a] = side.views[v].box.lo[a], views[v].box.hi[a] = side.views[v].box.hi[a];
  }
  return views;
}

// Splits a box at the given bounds of every axis, in C order.
std::vector<Box> split(const Box& box, const std::vector<std::vector<Index>>& bounds, const Order& order) {
  std::vector<Box> boxes{box};
  for (const int a : order) {
    std::vector<Box> finer;
    for (const Box& b : boxes)
      for (std::size_t k = 0; k + 1 < bounds[static_cast<std::size_t>(a)].size(); ++k) {
        Box part = b;
        part.lo[a] = bounds[static_cast<std::size_t>(a)][k];
        part.hi[a] = bounds[static_cast<std::size_t>(a)][k + 1];
        finer.push_back(part);
      }
    boxes = std::move(finer);
  }
  return boxes;
}

// Whether columns are transformed where rows leave them.
bool strided(const Operation& operation) { return operation.first && operation.first->spec().in_stride > 1; }

// Whose kept ranges are all that a block holds between its passes: where columns are transformed in place, it holds rows whole.
const Table* kept_table(const Stage::Request& request) {
  if (std::any_of(request.operations.begin(), request.operations.end(), strided)) return nullptr;
  for (const Side* side : {&request.from, &request.to})
    if (side->table && !side->table->kept.empty()) return side->table.get();
  return nullptr;
}
Index kept_extent(const Table& table) {
  Index extent = 0;
  for (const auto& [lo, hi] : table.kept) extent += hi - lo;
  return extent;
}

}  // namespace

// Lines of one batch: 512 bytes across, where the batch is well inside the second-level cache, and never fewer than an engine likes or fill two cache
// lines. On a core with 1 MiB of it the last stage took at 512 bytes 0.75 of its time at 128 (128^3), 0.95 of that at 256.
Index Stage::batch_width(Index bytes, Index length) {
  constexpr Index across = 512, budget = 128 * 1024;
  return std::max({Index{8}, 128 / bytes, std::min(across / bytes, budget / (length * bytes)) / 8 * 8});
}

bool Stage::transforms(int axis) const {
  return std::any_of(request_.operations.begin(), request_.operations.end(), [&](const Operation& o) { return o.axis == axis; });
}

bool Stage::columns_first(const Request& request) {
  return request.operations.size() > 1 && !request.from.table && request.operations.front().first && request.operations.front().first->spec().out_stride > 1;
}

Stage::Stage(const Request& request) : request_(request) {
  request_.from.views = merge(request_.from.views);
  request_.to.views = merge(request_.to.views);
  if (request_.from.box.empty() || request_.to.box.empty()) return;
  plan_blocks();
  plan_passes();
  plan_fetches();
  for (Block& block : blocks_)
    for (const Pass& pass : passes_) {
      block.cells.emplace_back();
      for (std::size_t c = 0; c < pass.cells.size(); ++c) {
        Box meets = pass.cells[c].box;  // along its line a cell is in the coordinates of its pass
        meets.lo[pass.operation.axis] = block.box.lo[pass.operation.axis];
        meets.hi[pass.operation.axis] = block.box.hi[pass.operation.axis];
        bool any = true;
        for (int a = 0; a < meets.axes(); ++a)
          if (!transforms(a) || pass.copies) any = any && std::max(meets.lo[a], block.box.lo[a]) < std::min(meets.hi[a], block.box.hi[a]);
        if (any) block.cells.back().push_back(static_cast<int>(c));
      }
    }
}

void Stage::plan_blocks() {
  const Box& box = request_.from.box;
  const View& leading = request_.to.views.empty() || (request_.to.table && !request_.from.table) ? request_.from.views.front() : request_.to.views.front();
  // axes that blocks are cut along: those of tiles first, then the others, slowest in memory first
  Order cut;
  for (const int a : request_.tile_axes)
    if (!transforms(a) && std::find(cut.begin(), cut.end(), a) == cut.end()) cut.push_back(a);
  Order rest;
  for (int a = 0; a < box.axes(); ++a)
    if (!transforms(a) && std::find(cut.begin(), cut.end(), a) == cut.end()) rest.push_back(a);
  std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) { return leading.strides[a] > leading.strides[b]; });
  for (const int a : rest) cut.push_back(a);

  // grow the block from the innermost of these axes outwards while it fits
  const Index bytes = std::max(request_.from.bytes, request_.to.bytes);
  Index held = bytes;
  for (const Operation& o : request_.operations) held *= std::max(box.extent(o.axis), request_.to.box.extent(o.axis));
  if (const Table* table = kept_table(request_)) held = held / std::max(box.extent(table->line_axis), request_.to.box.extent(table->line_axis)) * kept_extent(*table);
  // a batch of columns stays whole, also where its axis is that of tiles and comes last
  int batched = -1;
  if (request_.operations.size() == 1 && cut.size() > 0) {
    batched = cut[cut.size() - 1];
    if (!request_.from.table && !request_.to.table && !request_.from.views.empty() && !request_.to.views.empty()) {
      const View &from = request_.from.views.front(), &to = request_.to.views.front(), &side = from.strides[request_.operations[0].axis] != 1 ? from : to;
      for (const int a : cut)
        if (box.extent(a) > 1 && (box.extent(batched) < 2 || side.strides[a] < side.strides[batched])) batched = a;
    }
  }
  const Index batch = batched < 0 ? 1 : std::min(batch_width(bytes, held / bytes), box.extent(batched));
  held *= batch;
  const Index line = std::max<Index>(1, cache_line / request_.from.bytes);
  std::vector<std::vector<Index>> bounds(static_cast<std::size_t>(box.axes()));
  for (int a = 0; a < box.axes(); ++a) bounds[static_cast<std::size_t>(a)] = {box.lo[a], box.hi[a]};
  for (int k = cut.size() - 1; k >= 0; --k) {
    const int a = cut[k];
    auto& at = bounds[static_cast<std::size_t>(a)];
    for (std::size_t t = 0; t < request_.tile_axes.size(); ++t)
      if (request_.tile_axes[t] == a)
        for (const Index b : request_.bounds[t])
          if (b > box.lo[a] && b < box.hi[a]) at.push_back(b);
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    if (a == batched) held /= batch;
    // a block that is copied in takes whole cache lines: read for each plane anew, the stage took twice as long at 64^3 to 128^3
    const bool lines = columns_first(request_) && !request_.from.views.empty() && request_.from.views.front().strides[a] == 1;
    Index step = std::clamp(block_budget / std::max<Index>(held, 1), a == batched ? batch : lines ? std::min(line, std::max<Index>(box.extent(a), 1)) : 1, std::max<Index>(box.extent(a), 1));
    // columns begin cache lines in all blocks where they do in one: else 192^3 took 1.7 of the time forward, 160^3 1.4
    if (a == batched && step > batch) step = step / batch * batch;
    std::vector<Index> finer;
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
      for (Index b = at[i]; b < at[i + 1]; b += step) finer.push_back(b);
    finer.push_back(box.hi[a]);
    at = std::move(finer);
    held *= step;
  }
  for (const Box& part : split(box, bounds, cut)) blocks_.push_back({part, {}});
  if (request_.descending) std::reverse(blocks_.begin(), blocks_.end());
}

bool Stage::overlays() const {
  const Side &from = request_.from, &to = request_.to;
  if (blocks_.empty()) return true;
  if (passes_.size() < 2 || from.table || to.table || from.views.size() != 1 || to.views.size() != 1) return false;
  for (const Cell& cell : passes_.front().cells)
    for (const Segment& s : cell.to)
      if (!s.in_block) return false;
  // in bytes, from the first to behind the last that a block has in an array
  const auto reach = [&](const Side& side, Box box) {
    for (int a = 0; a < box.axes(); ++a)
      if (transforms(a)) box.lo[a] = side.box.lo[a], box.hi[a] = side.box.hi[a];
    Shape last = box.hi;
    for (Index& k : last) --k;
    return std::pair(side.views.front().at(box.lo) * side.bytes, (side.views.front().at(last) + 1) * side.bytes);
  };
  Index written = std::numeric_limits<Index>::max();
  for (const Block& block : blocks_) {
    if (reach(from, block.box).second > written) return false;
    written = std::min(written, reach(to, block.box).first);
  }
  return true;
}

void Stage::plan_passes() {
  const auto& operations = request_.operations;
  if (operations.empty()) {
    passes_.push_back(plan_pass({}, true, request_.from, request_.to, false, false, request_.stream));
    return;
  }
  // Between its passes a block lies in its destination where that is one array of the right elements, else in the bench. Columns that come first are read where they are: copied into the bench before, 128^3
  // took 1.1 of the time backward, pencils 64^3 to 192^3 1.1 to 1.17.
  const bool whole = request_.to.views.size() == 1 && request_.to.views.front().box.contains(request_.to.box);
  Side here = request_.from;
  bool here_in_block = columns_first(request_) && !operations.front().first->takes_rows();
  if (here_in_block) {
    here = between(here.box, here.bytes);
    passes_.push_back(plan_pass({}, true, request_.from, here, false, true, false));
  }
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const bool last = k + 1 == operations.size();
    const Operation& operation = operations[k];
    Side there = request_.to;
    if (!last) {
      there.box = here.box;
      const auto& lines = operation.second ? operation.second : operation.first;
      there.bytes = lines ? static_cast<Index>(element_bytes(request_.precision, complex_output(lines->spec().kind))) : here.bytes;
      if (operation.first) there.box.lo[operation.axis] = 0, there.box.hi[operation.axis] = lines->out_length();
    }
    // the next transform may read its lines strided, where they lie: in the block, but for planes that the destination holds just so
    const auto fits = [&](const Operation& next) {
      return whole && request_.to.views.front().strides[next.axis] == next.first->spec().in_stride && next.first->spec().in_place();
    };
    const bool apart = !last && strided(operations[k + 1]) && !fits(operations[k + 1]);
    there.table = last ? request_.to.table : nullptr;
    // columns lie in the block until they are rows, or leave it: with the input preserved 128^3 took 0.89 of the time, 192^3 0.91, by messages 64^3 and 128^3 0.88
    const bool leaves = last && !there.table && operation.first && operation.first->takes_rows() && !operation.second && !operation.map;
    const bool stays = here_in_block && !leaves && !there.table && operation.first && operation.first->spec().out_stride > 1;
    const bool in_destination = !stays && (last || (whole && !kept_table(request_) && !request_.to.table && there.bytes == request_.to.bytes && there.box == request_.to.box && !apart && !strided(operation)));
    if (stays) there = here;
    else if (!in_destination) there = between(there.box, there.bytes);
    passes_.push_back(plan_pass(operation, false, here, there, here_in_block, !in_destination, last && !stays && request_.stream));
    here = there;
    here_in_block = !in_destination;
  }
  if (here_in_block) passes_.push_back(plan_pass({}, true, here, request_.to, true, false, request_.stream));
}

Index Stage::Rows::count() const {
  Index rows = 1;
  for (const auto& loop : loops) rows *= loop.first;
  return rows;
}

// While a block is worked on, memory is idle enough to bring the next one: in all passes where the second-level cache has room for both, else while it is copied out. Not where lines
// ask for those behind them: slabs of 128^3 to 256^3 took 0.93 of the time so, but pencils, whose planes' rows lie apart, 1.18 at 128^3. Nor where columns that are read from rows ask for those beside them, which
// the next block's are: backward 100x120x135 took 0.81 of the time so, r2c 128^3 0.92.
void Stage::plan_fetches() {
  const Operation& first = passes_.front().operation;
  if (!request_.far || passes_.size() < 2 || request_.from.table || (first.first && first.first->takes_rows())) return;
  Index largest = 0;
  for (const Block& block : blocks_) largest = std::max(largest, block.box.volume() * request_.from.bytes);
  fetching_ = largest <= 2 * block_budget ? 0 : passes_.size() - 1;
  if (fetching_ > 0 && !passes_.back().copies) return;
  constexpr Index longest = 2048, shortest = 256;  // bytes of a row
  const bool brings = first.first && first.first->reads_ahead();
  for (std::size_t b = 0; b + 1 < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    for (const View& view : request_.from.views) {
      const Box next = view.box.intersect(blocks_[b + 1].box);
      if (next.empty()) continue;
      Order order = c_order(next.axes());
      std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return view.strides[x] < view.strides[y]; });
      Rows rows{view.slot, view.at(next.lo) * request_.from.bytes, request_.from.bytes, {}};
      for (const int a : order) {
        if (next.extent(a) == 1) continue;
        if (rows.loops.empty() && view.strides[a] * request_.from.bytes == rows.bytes) rows.bytes *= next.extent(a);
        else rows.loops.emplace_back(next.extent(a), view.strides[a] * request_.from.bytes);
      }
      if (rows.bytes < shortest || (brings && rows.loops.empty())) continue;
      if (rows.bytes > longest) rows.loops.insert(rows.loops.begin(), {rows.bytes / longest, longest}), rows.bytes = longest;
      block.ahead_rows += rows.count();
      block.ahead.push_back(std::move(rows));
    }
  }
}

Index Stage::thickness(int axis) const {
  Index extent = 0;
  for (const Block& block : blocks_) extent = std::max(extent, block.box.extent(axis));
  return extent;
}

// A block in the bench. Its views are block-relative: every block has the strides of the largest, and the block's own corner is the origin.
Side Stage::between(const Box& box, Index bytes) {
  Box largest = box;
  for (int a = 0; a < largest.axes(); ++a)
    if (!transforms(a)) largest.hi[a] = largest.lo[a] + thickness(a);
  // every pass finds it laid out alike, with rows as far apart as the transforms among them read or leave them: threads share its lines
  const Table* table = kept_table(request_);
  Index row = 0;
  for (const Operation& o : request_.operations) {
    if (!o.first) continue;
    const LineSpec& spec = o.first->spec();
    if (spec.in_stride > 1) row = spec.in_stride;
    if (table && o.axis != table->line_axis) row = std::max({row, spec.in_distance, spec.out_distance});
  }
  Side side{box, {}, bytes};
  Order order = c_order(largest.axes());
  if (table) {  // the columns that are not all zero, one behind the other
    largest.lo[table->line_axis] = 0;
    largest.hi[table->line_axis] = kept_extent(*table);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  } else if (!request_.from.table && !request_.to.table) {
    const View& like = request_.from.views.front();
    int columns = -1, rows = -1;  // what is transformed where it lies, and what lies across it
    for (std::size_t k = 0; k < request_.operations.size() && request_.operations.size() > 1; ++k)
      if (strided(request_.operations[k])) columns = request_.operations[k].axis, rows = request_.operations[k == 0 ? 1 : k - 1].axis;
    const auto place = [&](int axis) { return columns < 0 ? 0 : axis == rows ? 2 : axis == columns ? 1 : 0; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return std::pair(-place(a), like.strides[a]) > std::pair(-place(b), like.strides[b]); });
  }
  Shape padding;
  if (const int fastest = order[order.size() - 1]; row > largest.extent(fastest)) {
    padding = Shape::filled(largest.axes(), 0);
    padding[fastest] = row - largest.extent(fastest);
  }
  View view = dense_view(largest, order, padding);
  block_bytes_ = std::max(block_bytes_, dense_elements(largest, order, padding) * bytes);
  view.box = box;
  if (!table) {
    side.views = {view};
    return side;
  }
  Index before = 0;
  for (const auto& [lo, hi] : table->kept) {
    const int axis = table->line_axis;
    View part = view;
    part.box.lo[axis] = lo;
    part.box.hi[axis] = hi;
    part.offset = (before - lo) * view.strides[axis];
    before += hi - lo;
    side.views.push_back(part);
  }
  return side;
}

// Where batches of a cell begin or end along an axis, in all blocks.
std::vector<Index> Stage::cuts(const Box& cell, int axis, Index width) const {
  std::vector<Index> at;
  for (const Block& block : blocks_) {
    const Index lo = transforms(axis) ? cell.lo[axis] : std::max(cell.lo[axis], block.box.lo[axis]), hi = transforms(axis) ? cell.hi[axis] : std::min(cell.hi[axis], block.box.hi[axis]);
    for (Index begin = lo; begin < hi; begin += width) at.insert(at.end(), {begin, std::min(begin + width, hi)});
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// Points of an axis that its transform never looks at, or never writes.
std::pair<Index, Index> Stage::nobodys(int axis, bool read) const {
  for (const Operation& o : request_.operations)
    if (o.axis == axis && o.first) return (read || !o.second ? o.first : o.second)->untouched();
  return {0, 0};
}

// The segments of a cell's lines, one for every view that has some of them, and which element lies in which.
std::shared_ptr<const Scattered> Stage::resolve(const Side& side, const Box& cell, const Scattered::Lie& lie, std::vector<Segment>& segments) {
  const Table& table = *side.table;
  std::vector<Scattered::Reach> reaches;
  for (const View& view : side.views) {
    bool meets = true;
    Shape first = view.box.lo;
    Segment segment;
    segment.slot = view.slot;
    segment.strides = Shape::filled(cell.axes(), 0);
    for (int a = 0; a < table.number_axis; ++a) {
      meets = meets && view.box.lo[a] <= cell.lo[a] && view.box.hi[a] >= cell.hi[a];
      first[a] = cell.lo[a];
      segment.strides[a] = view.strides[a] * side.bytes;
    }
    if (!meets) continue;
    segment.offset = view.at(first) * side.bytes;
    segments.push_back(segment);
    reaches.push_back({view.box.lo[table.number_axis], view.box.hi[table.number_axis], view.strides[table.number_axis] * side.bytes});
  }
  for (const auto& [of, known] : resolved_)
    if (of == &table && known->is(reaches, lie)) return known;
  resolved_.emplace_back(&table, std::make_shared<Scattered>(table, reaches, side.bytes, lie));
  return resolved_.back().second;
}

Stage::Pass Stage::plan_pass(const Operation& operation, bool copies, const Side& from, const Side& to, bool from_block, bool to_block, bool stream) {
  Pass pass;
  pass.operation = operation;
  pass.copies = copies;
  pass.streams = stream;
  pass.from_box = from.box;
  pass.to_box = to.box;
  pass.from_bytes = from.bytes;
  pass.to_bytes = to.bytes;
  const int axes = from.box.axes();
  if (copies) {  // any axis may play the line that no block cuts in the bench: the one that is fastest where it is written
    int best = -1;
    for (int a = 0; a < axes; ++a)
      if ((transforms(a) || !(from_block || to_block)) &&
          (best < 0 || (!to.views.empty() && to.box.extent(a) > 1 && (to.box.extent(best) < 2 || to.views.front().strides[a] <= to.views.front().strides[best]))))
        best = a;
    pass.operation.axis = best;
  }
  const int axis = pass.operation.axis;
  pass.in_length = from.box.extent(axis);
  pass.out_length = to.box.extent(axis);
  pass.width = batch_width(std::max(from.bytes, to.bytes), std::max(pass.in_length, pass.out_length));
  pass.in_parts = pass.width * std::max(pass.in_length * from.bytes, pass.out_length * to.bytes) <= block_budget / 4;
  pass.looks_ahead = request_.far && pass.in_parts && !from_block && !copies && !from.table;
  pass.mid_length = pass.mid_step = pass.out_step = pass.out_length;
  pass.mid_bytes = to.bytes;
  pass.in_step = pass.in_length;
  if (operation.first) {
    const LineSpec& spec = operation.first->spec();
    pass.mid_length = spec.out_length();
    pass.mid_bytes = static_cast<Index>(spec.out_bytes()) / pass.mid_length;
    pass.in_stride = spec.in_stride;
    pass.in_step = spec.in_step();
    for (const Index stride : {spec.in_stride, spec.out_stride})  // columns lie side by side in a row
      if (stride > 1) pass.width = std::min(pass.width, stride / 8 * 8);
    pass.mid_step = spec.out_step();
    if (!operation.second) pass.out_step = pass.mid_step, pass.out_stride = spec.out_stride;
    else pass.out_step = operation.second->spec().out_step();
  }
  const Index in_span = operation.first ? operation.first->spec().in_span(pass.width) : pass.width * pass.in_length;
  const Index out_span = operation.first ? operation.first->spec().out_span(pass.width) : pass.width * pass.out_length;
  line_bytes_ = std::max({line_bytes_, in_span * from.bytes, out_span * pass.mid_bytes, pass.width * std::max(pass.out_length, pass.out_stride > 1 ? 0 : pass.out_step) * to.bytes});

  // columns that a table leaves all zero are not transformed: there rows are filled with zeros, or not read
  const Table* table = from.table ? from.table.get() : to.table.get();
  const Table* sparse = strided(operation) && table && !table->kept.empty() ? table : nullptr;
  const auto nobody = table ? nobodys(table->line_axis, from.table != nullptr) : std::pair<Index, Index>();
  std::vector<std::vector<Index>> bounds;
  Order others;
  for (int a = 0; a < axes; ++a) {
    bounds.push_back(a == axis ? std::vector<Index>{from.box.lo[a], from.box.hi[a]} : breaks(from.box, a, cutting(from), cutting(to)));
    if (sparse && a == sparse->line_axis) {
      for (const auto& [lo, hi] : sparse->kept) bounds.back().insert(bounds.back().end(), {lo, hi});
    }
    if (table && a == table->line_axis && nobody.first < nobody.second) bounds.back().insert(bounds.back().end(), {nobody.first, nobody.second});
    std::sort(bounds.back().begin(), bounds.back().end());
    bounds.back().erase(std::unique(bounds.back().begin(), bounds.back().end()), bounds.back().end());
    if (a != axis) others.push_back(a);
  }
  for (const Box& box : split(from.box, bounds, others)) {
    Cell cell;
    cell.box = box;
    const auto gather = [&](const Side& side, bool in_block, std::vector<Segment>& segments) {
      Box reach = box;
      reach.lo[axis] = side.box.lo[axis];
      reach.hi[axis] = side.box.hi[axis];
      for (const View& view : side.views) {
        const Box part = view.box.intersect(reach);
        if (part.empty()) continue;
        Segment s;
        s.slot = view.slot;
        s.first = part.lo[axis] - side.box.lo[axis];
        s.count = part.extent(axis);
        s.offset = (in_block ? view.offset + s.first * view.strides[axis] : view.at(part.lo)) * side.bytes;
        for (int a = 0; a < axes; ++a) s.strides.push_back(view.strides[a] * side.bytes);
        s.in_block = in_block;
        segments.push_back(s);
      }
      std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.first < b.first; });
    };
    cell.zero = sparse && std::none_of(sparse->kept.begin(), sparse->kept.end(), [&](const auto& range) { return box.lo[sparse->line_axis] >= range.first && box.hi[sparse->line_axis] <= range.second; });
    if ((cell.zero && to.table) || (table && box.lo[table->line_axis] >= nobody.first && box.hi[table->line_axis] <= nobody.second)) continue;
    if (from.table && !cell.zero) cell.from_table = resolve(from, box, {pass.in_step * from.bytes, pass.in_stride * from.bytes, operation.first->untouched(), cuts(box, table->line_axis, pass.width)}, cell.from);
    else if (!from.table) gather(from, from_block, cell.from);
    if (to.table) cell.to_table = resolve(to, box, {pass.out_step * to.bytes, pass.out_stride * to.bytes, {0, 0}, cuts(box, table->line_axis, pass.width)}, cell.to);
    else gather(to, to_block, cell.to);
    if (cell.to.empty() || (cell.from.empty() && (copies || to.table))) continue;  // a hole: nobody wants it
    const Segment& source = cell.from.empty() ? cell.to.front() : cell.from.front();
    const Segment& target = cell.to.front();

    // lines are batched along the axis that is contiguous where the line itself is not: first at the source, then at the target;
    // where lines are contiguous on both sides, along the axis on which they follow one another; never along one that blocks cut to single lines, and along
    // one that they cut to fewer than an engine transforms at a time only where there is none better
    const Index few = operation.first ? operation.first->batch() : 1;
    const auto fastest = [&](const Segment& s) {
      const auto key = [&](int a) { return std::pair(-std::min(std::min(box.extent(a), thickness(a)), few), s.strides[a]); };
      int best = -1;
      for (int a = 0; a < axes; ++a)
        if (a != axis && box.extent(a) > 1 && thickness(a) > 1 && (best < 0 || key(a) < key(best))) best = a;
      return best;
    };
    cell.companion = table ? table->line_axis : source.strides[axis] != from.bytes ? fastest(source) : fastest(target);
    const int c = cell.companion;
    for (const int a : others)
      if (a != c) cell.outer.push_back(a);
    std::stable_sort(cell.outer.begin(), cell.outer.end(), [&](int a, int b) {
      return std::pair(target.strides[a], source.strides[a]) > std::pair(target.strides[b], source.strides[b]);
    });
    const auto in_lines = [&](const std::vector<Segment>& segments, Index length, Index point, Index line) {
      return segments.size() == 1 && segments[0].count == length && (segments[0].strides[axis] == point || length == 1) &&
             (c < 0 || segments[0].strides[c] == line);
    };
    cell.from_lines = !copies && !from.table && !(request_.fetch && !from_block && !(operation.first && operation.first->reads_ahead())) && in_lines(cell.from, pass.in_length, pass.in_stride * from.bytes, pass.in_step * from.bytes);
    // lines go past the caches straight where they can begin cache lines
    const Lines* const last = operation.second ? operation.second.get() : operation.first.get();
    const bool streams = last && last->streams() && operation.scale == 1 && pass.out_step * to.bytes % cache_line == 0;
    cell.to_lines = !copies && (!stream || streams) && !to.table && in_lines(cell.to, pass.out_length, pass.out_stride * to.bytes, pass.out_step * to.bytes);

    const auto whole = [&](const std::vector<Segment>& segments, Index length, Index point) { return segments.size() == 1 && segments[0].count == length && segments[0].strides[axis] == point; };
    cell.apart = !copies && !table && from_block != to_block && c >= 0 && !(cell.from_lines && cell.to_lines) && operation.first && operation.first->takes_steps() && !operation.second && !operation.map && operation.scale == 1 &&
                 whole(cell.from, pass.in_length, from.bytes) && whole(cell.to, pass.out_length, to.bytes);

    // every point of a line, each with those of the next lines beside it
    const auto side_by_side = [&](const std::vector<Segment>& segments, Index length, Index bytes) {
      for (const Segment& s : segments) length -= s.strides[c] == bytes ? s.count : 0;
      return length == 0;
    };
    const auto straight = [&](const Side& side, const std::vector<Segment>& segments, Index length) { return side.table || side_by_side(segments, length, side.bytes); };
    cell.rows = !copies && !(from_block && to_block) && !operation.second && !operation.map && c >= 0 && operation.first && operation.first->takes_rows() &&
                straight(from, cell.from, pass.in_length) && straight(to, cell.to, pass.out_length) &&
                (table || std::none_of(cell.from.begin(), cell.from.end(), [&](const Segment& s) { return s.slot == target.slot; }));
    if (cell.rows) rows_ = std::max(rows_, static_cast<std::size_t>(pass.in_length));
    const auto stride = [&](const Segment& s) { return c < 0 ? Index{0} : s.strides[c]; };
    if (copies) {
      for (std::size_t f = 0; f < cell.from.size(); ++f)
        for (std::size_t t = 0; t < cell.to.size(); ++t) {
          const Segment &a = cell.from[f], &b = cell.to[t];
          if (std::max(a.first, b.first) >= std::min(a.first + a.count, b.first + b.count)) continue;
          cell.pairs.emplace_back(static_cast<int>(f), static_cast<int>(t));
          cell.moves.emplace_back(to.bytes, Panel{0, 0, a.strides[axis], stride(a), b.strides[axis], stride(b)});
        }
    } else {
      for (Segment& s : cell.from)
        if (!from.table) s.move = Mover(from.bytes, {0, 0, s.strides[axis], stride(s), pass.in_stride * from.bytes, pass.in_step * from.bytes});
      for (Segment& s : cell.to)
        if (!to.table) s.move = Mover(to.bytes, {0, 0, pass.out_stride * to.bytes, pass.out_step * to.bytes, s.strides[axis], stride(s)});
    }
    segments_ = std::max({segments_, cell.from.size(), cell.to.size()});
    pass.cells.push_back(std::move(cell));
  }
  return pass;
}

Index Stage::lines(int p) const {
  const Pass& pass = passes_[static_cast<std::size_t>(p)];
  Index count = 0;
  for (const Cell& cell : pass.cells) {
    const Index lines = cell.box.volume() / cell.box.extent(pass.operation.axis);
    const Scattered* table = cell.from_table ? cell.from_table.get() : cell.to_table.get();
    if (!cell.zero) count += table ? lines / cell.box.extent(cell.companion) * table->filled(cell.box.lo[cell.companion], cell.box.hi[cell.companion]) : lines;
  }
  return count;
}

}  // namespace weft

#include "plan/stage.hpp"

#include <algorithm>
#include <limits>

namespace weft {
namespace {

// Whose kept ranges are all that a block holds between its passes: where columns are transformed in place, it holds rows whole.
const Table* kept_table(const Stage::Request& request) {
  if (std::any_of(request.operations.begin(), request.operations.end(), [](const Operation& o) { return o.strided(); })) return nullptr;
  for (const Side* side : {&request.from, &request.to})
    if (side->table && !side->table->kept.empty()) return side->table.get();
  return nullptr;
}
// Whether rows that columns leave in an array which has just been read fall on the same few sets of a first-level cache, while in the block they would not. Columns that cannot leave the block are copied from there anyway.
bool piles_up(const Stage::Request& request) {
  constexpr Index sets = 4096, ways = 8;  // bytes that go once around all sets
  if (request.operations.size() < 2) return false;
  const Operation& columns = request.operations.back();
  const auto piled = [&](Index apart) { return apart * request.to.bytes % sets == 0; };
  return request.overwrites && !(request.stream && request.told) && columns.strided() && columns.first->takes_rows() && !piled(columns.first->spec().out_stride) && request.to.box.extent(columns.axis) > ways &&
         std::all_of(request.to.views.begin(), request.to.views.end(), [&](const View& view) { return piled(view.strides[columns.axis]); });
}
Index kept_extent(const Table& table) {
  Index extent = 0;
  for (const auto& [lo, hi] : table.kept) extent += hi - lo;
  return extent;
}

}  // namespace

// Lines of one batch: 512 bytes across, where two buffers of them are well inside the second-level cache, and never fewer than an engine likes or fill two cache
// lines. On a core with 1 MiB of it the last stage took at 512 bytes 0.75 of its time at 128 (128^3), 0.95 of that at 256; of the time with batches of 128 KiB, whole transforms of 384 to 1024 points took 0.82 to 0.99.
Index Stage::batch_width(Index bytes, Index length, Index budget) {
  constexpr Index across = 512;
  return std::max({Index{8}, 128 / bytes, std::min(across / bytes, budget / (length * bytes)) / 8 * 8});
}

// Long lines leave that cache anyway, and lie so far apart that memory answers line by line: at 512 bytes 2048^2, 4096^2 and 4096x48x48 took 0.88 to 0.91 of their time at 128, float and r2c 4096^2
// 0.93 and 0.95, 8000^2 0.99. Two buffers a thread hold them, which are to be 3 % of input and output at most.
Index Stage::width(Index bytes, Index length) const {
  constexpr Index long_line = 32 * 1024, most = 3 * 1024 * 1024;
  const Index array = request_.from.box.volume() * request_.from.bytes;
  return length * bytes < long_line ? batch_width(bytes, length) : batch_width(bytes, length, std::min(most, array / (32 * request_.threads)));
}

bool Stage::transforms(int axis) const {
  return std::any_of(request_.operations.begin(), request_.operations.end(), [&](const Operation& o) { return o.axis == axis; });
}

bool Stage::columns_first(const Request& request) {
  return request.operations.size() > 1 && !request.from.table && request.operations.front().first && request.operations.front().first->spec().out_stride > 1;
}

std::vector<Box> Stage::split(const Box& box, const std::vector<std::vector<Index>>& bounds, const Order& order) {
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

Stage::Stage(const Request& request) : request_(request) {
  request_.from.views = merge(request_.from.views);
  request_.to.views = merge(request_.to.views);
  if (request_.from.box.empty() || request_.to.box.empty()) return;
  otherwise_ = lies_otherwise(request_);
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
  if (request_.told && !request_.stream) {
    Request streaming = request;
    streaming.stream = true;
    streaming.far = request.far || request.from.box.volume() * request.from.bytes > told_far;
    streaming_ = std::make_unique<Stage>(streaming);
    streaming_->stream(true);
  }
  if (!request_.in_runs && piles_up(request_)) {
    Request copying = request;
    copying.in_runs = true, copying.told = false;
    copying_ = std::make_unique<Stage>(copying);
  }
  block_bytes_ = most_of_others(block_bytes_, [](const Stage& s) { return s.block_bytes_; });
  line_bytes_ = most_of_others(line_bytes_, [](const Stage& s) { return s.line_bytes_; });
  segments_ = most_of_others(segments_, [](const Stage& s) { return s.segments_; });
  rows_ = most_of_others(rows_, [](const Stage& s) { return s.rows_; });
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
  const Index batch = batched < 0 ? 1 : std::min(width(bytes, held / bytes), box.extent(batched));
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

bool Stage::overlays(int slot) const {
  const Side &from = request_.from, &to = request_.to;
  if (blocks_.empty()) return true;
  for (const Stage* other : others())
    if (other && !other->overlays(slot)) return false;
  if (passes_.size() < 2 || from.table || to.table || from.views.size() != 1) return false;
  for (const Cell& cell : passes_.front().cells)
    for (const Segment& s : cell.to)
      if (!s.in_block) return false;
  // in bytes: behind the last that a block reads, and the first that it writes
  const auto read = [&](const Block& block) {
    Shape last = whole(block.box, from.box).hi;
    for (Index& k : last) --k;
    return (from.views.front().at(last) + 1) * from.bytes;
  };
  Index written = std::numeric_limits<Index>::max();
  for (const Block& block : blocks_) {
    if (read(block) > written) return false;
    for (const View& view : to.views)
      if (const Box part = view.box.intersect(whole(block.box, to.box)); view.slot == slot && !part.empty()) written = std::min(written, view.at(part.lo) * to.bytes);
  }
  return true;
}

bool Stage::begins_lines(const Side& side) {
  return std::all_of(side.views.begin(), side.views.end(), [&](const View& view) {
    for (int a = 0; a < view.box.axes(); ++a)
      if (view.box.extent(a) > 1 && view.strides[a] != 1 && view.strides[a] * side.bytes % cache_line != 0) return false;
    return true;
  });
}

void Stage::plan_passes() {
  const auto& operations = request_.operations;
  if (operations.empty()) {
    passes_.push_back(plan_pass({}, true, {request_.from, false}, {request_.to, false}, request_.stream));
    return;
  }
  // Between its passes a block lies in its destination where that is one array of the right elements, else in the bench. Columns that come first are read where they are: copied into the bench before, 128^3
  // took 1.1 of the time backward, pencils 64^3 to 192^3 1.1 to 1.17.
  const bool whole = request_.to.views.size() == 1 && request_.to.views.front().box.contains(request_.to.box);
  Side here = request_.from;
  bool here_in_block = columns_first(request_) && !operations.front().first->takes_rows();
  if (here_in_block) {
    here = between(here.box, here.bytes);
    passes_.push_back(plan_pass({}, true, {request_.from, false}, {here, true}, false));
  }
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const bool last = k + 1 == operations.size();
    const Operation& operation = operations[k];
    Side there = request_.to;
    if (!last) {
      there.box = here.box;
      const auto& lines = operation.second ? operation.second : operation.first;
      there.bytes = lines ? static_cast<Index>(element_bytes(request_.precision, lines->spec().complex_out())) : here.bytes;
      if (operation.first) there.box.lo[operation.axis] = 0, there.box.hi[operation.axis] = lines->out_length();
    }
    // the next transform may read its lines strided, where they lie: in the block, but for planes that the destination holds just so. Not where they go past the caches: put there and taken up again, batches of 32^3 to 96^3 with the
    // input preserved took 1.3 to 1.9 of the time
    const auto fits = [&](const Operation& next) {
      return whole && !request_.stream && request_.to.views.front().strides[next.axis] == next.first->spec().in_stride && next.first->spec().in_place();
    };
    const bool apart = !last && operations[k + 1].strided() && !fits(operations[k + 1]);
    there.table = last ? request_.to.table : nullptr;
    // columns lie in the block until they are rows, or leave it: with the input preserved 128^3 took 0.89 of the time, 192^3 0.91, by messages 64^3 and 128^3 0.88
    const bool in_runs = (request_.stream && request_.told && !begins_lines(request_.to)) || (last && request_.in_runs);
    const bool leaves = last && !in_runs && !there.table && operation.first && operation.first->takes_rows() && !operation.second && !operation.map;
    const bool stays = (here_in_block || in_runs) && !leaves && !there.table && operation.first && operation.first->spec().out_stride > 1;
    const bool in_destination = !stays && !(request_.by_blocks && k == 0) && (last || (whole && !kept_table(request_) && !request_.to.table && there.bytes == request_.to.bytes && there.box == request_.to.box && !apart && !operation.strided()));
    if (stays && here_in_block) there = here;
    else if (!in_destination) there = between(there.box, there.bytes);
    passes_.push_back(plan_pass(operation, false, {here, here_in_block}, {there, !in_destination}, last && in_destination && request_.stream));
    here = there;
    here_in_block = !in_destination;
  }
  if (here_in_block) passes_.push_back(plan_pass({}, true, {here, true}, {request_.to, false}, request_.stream));
}

Index Stage::Rows::count() const {
  Index rows = 1;
  for (const auto& loop : loops) rows *= loop.first;
  return rows;
}

// While a block is worked on, memory is idle enough to bring the next one. Columns that come from rows ask for it themselves, where rows begin cache lines and the second-level cache has room for both: r2c and
// 135 points, whose rows do not, took 1.02 to 1.06 of the time so, and ask for what lies beside them. Rows before them ask for half of it, and for where the columns will put their results: evenly, 128^3 with the input preserved
// took 0.87 of the time. Without such columns it is asked for in all passes where there is room, else while it is copied out. Not where lines ask for those behind them: slabs of 128^3 to 256^3 took 0.93 of the time so, but pencils,
// whose planes' rows lie apart, 1.18 at 128^3, unless rows are copied in runs: those pile up, and what is asked for early is lost before it is read.
void Stage::plan_fetches() {
  const Operation& first = passes_.front().operation;
  if (!request_.far || request_.from.table) return;
  brings_ = first.first && first.first->reads_ahead();
  if (brings_ && request_.in_runs) return;
  Index largest = 0;
  for (const Block& block : blocks_) largest = std::max(largest, block.box.volume() * request_.from.bytes);
  const bool room = largest <= fetched_budget;
  const auto columns = std::find_if(passes_.begin(), passes_.end(), [](const Pass& pass) { return pass.rows; });
  const bool columns_ask = room && columns != passes_.end() && begins_lines(request_.from);
  if (!columns_ask && (passes_.size() < 2 || (first.first && first.first->takes_rows()) || (!room && !passes_.back().copies))) return;
  fetching_ = columns_ask ? static_cast<std::size_t>(columns - passes_.begin()) : room ? 0 : passes_.size() - 1;
  fetched_ = columns_ask ? fetching_ + 1 : passes_.size();
  Pass* rows = nullptr;
  if (columns_ask) {
    for (Cell& cell : columns->cells) cell.asks = cell.rows;
    if (passes_.size() == 2 && !request_.to.table) rows = &passes_[columns == passes_.begin() ? 1 : 0];
    const auto asks = [&](const Cell& cell) {
      const auto whole = [&](const std::vector<Segment>& parts, Index length, Index point) { return parts.size() == 1 && parts[0].count == length && parts[0].strides[rows->operation.axis] == point; };
      return cell.companion >= 0 && whole(cell.from, rows->in_length, rows->from_bytes) && whole(cell.to, rows->out_length, rows->to_bytes);
    };
    if (rows && (rows->copies || !rows->operation.first || !rows->operation.first->asks() || rows->operation.second || rows->operation.map || rows->operation.scale != 1 || !std::all_of(rows->cells.begin(), rows->cells.end(), asks)))
      rows = nullptr;
  }
  if (rows) {
    fetching_ = 0, fetched_ = 2;
    for (Cell& cell : rows->cells) cell.apart = cell.asks = true;
  }
  brings_ = brings_ && !columns_ask;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    // rows ask where the columns behind them will write, columns alone where they will next
    const bool last = b + 1 == blocks_.size();
    if (columns_ask && columns + 1 == passes_.end() && (rows || passes_.size() == 1) && !(last && !rows)) blocks_[b].target = area(request_.to, blocks_[rows ? b : b + 1].box);
    Area& target = blocks_[b].target;
    const auto others = std::stable_partition(target.parts.begin(), target.parts.end(), [&](const Rows& part) { return part.slot == request_.keep_slot; });
    std::for_each(target.parts.begin(), others, [&](const Rows& part) { target.kept += part.count(); });
    if (!last) blocks_[b].ahead = wanted(static_cast<int>(b) + 1);
  }
}

void Stage::follow(int b, const Stage& next, int block) {
  if (fetched_ > 0)
    if (Area area = next.wanted(block); area.rows > 0) blocks_[static_cast<std::size_t>(b)].ahead = std::move(area);
  for (Stage* other : others())
    if (other) other->follow(b, next, block);
}

// What a block will read and somebody had better ask for.
Stage::Area Stage::wanted(int b) const {
  if (fetched_ == 0) {
    for (const Stage* other : others())
      if (other && other->fetched_ > 0) return other->wanted(b);
    return {};
  }
  Area all = area(request_.from, block(b));
  std::erase_if(all.parts, [&](const Rows& part) { return part.bytes < shortest_row || (brings_ && part.loops.empty()); });
  all.rows = 0;
  for (const Rows& part : all.parts) all.rows += part.count();
  all.near = passes_.size() > 1 && block(b).volume() * request_.from.bytes <= block_budget;
  return all;
}

// The runs of memory that hold a box of a side, no longer than pages are sure to be.
Stage::Area Stage::area(const Side& side, const Box& box) {
  constexpr Index longest = 2048;
  Area all;
  for (const View& view : side.views) {
    const Box part = view.box.intersect(box);
    if (part.empty()) continue;
    Order order = c_order(part.axes());
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return view.strides[x] < view.strides[y]; });
    Rows rows{view.slot, view.at(part.lo) * side.bytes, side.bytes, {}};
    for (const int a : order) {
      if (part.extent(a) == 1) continue;
      if (rows.loops.empty() && view.strides[a] * side.bytes == rows.bytes) rows.bytes *= part.extent(a);
      else rows.loops.emplace_back(part.extent(a), view.strides[a] * side.bytes);
    }
    if (rows.bytes > longest) rows.loops.insert(rows.loops.begin(), {rows.bytes / longest, longest}), rows.bytes = longest;
    all.rows += rows.count();
    all.parts.push_back(std::move(rows));
  }
  return all;
}

std::size_t Stage::ahead_rows() const {
  Index most = 0;
  for (const Block& block : blocks_) most = std::max(most, block.ahead.rows + block.target.rows);
  return most_of_others(static_cast<std::size_t>(most), [](const Stage& s) { return s.ahead_rows(); });
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
      if (request_.operations[k].strided()) columns = request_.operations[k].axis, rows = request_.operations[k == 0 ? 1 : k - 1].axis;
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

Index Stage::lines(int p) const {
  if (p >= static_cast<int>(passes_.size())) return 0;
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

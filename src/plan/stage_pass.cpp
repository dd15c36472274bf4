// Passes of a stage: batches of lines, and cells, whose lines all lie alike.
#include <algorithm>

#include "plan/stage.hpp"

namespace weft {
namespace {

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

}  // namespace

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

Stage::Pass Stage::plan_pass(const Operation& operation, bool copies, End source, End target, bool stream) {
  const Side &from = source.side, &to = target.side;
  Pass pass;
  pass.operation = operation;
  pass.copies = copies;
  pass.streams = stream;
  pass.into_block = target.in_block;
  pass.from_box = from.box;
  pass.to_box = to.box;
  pass.from_bytes = from.bytes;
  pass.to_bytes = to.bytes;
  const int axes = from.box.axes();
  if (copies) {  // any axis may play the line that no block cuts in the bench: the one that is fastest where it is written
    int best = -1;
    for (int a = 0; a < axes; ++a)
      if ((transforms(a) || !(source.in_block || target.in_block)) &&
          (best < 0 || (!to.views.empty() && to.box.extent(a) > 1 && (to.box.extent(best) < 2 || to.views.front().strides[a] <= to.views.front().strides[best]))))
        best = a;
    pass.operation.axis = best;
  }
  const int axis = pass.operation.axis;
  pass.in_length = from.box.extent(axis);
  pass.out_length = to.box.extent(axis);
  Index most = 1;  // lines that any companion has in one block
  for (int a = 0; a < axes; ++a)
    if (a != axis) most = std::max(most, std::min(from.box.extent(a), thickness(a)));
  pass.width = std::min(width(std::max(from.bytes, to.bytes), std::max(pass.in_length, pass.out_length)), most);
  pass.in_parts = pass.width * std::max(pass.in_length * from.bytes, pass.out_length * to.bytes) <= parts_budget;
  pass.looks_ahead = request_.far && pass.in_parts && !source.in_block && !copies && !from.table;
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

  // columns that a table leaves all zero are not transformed: there rows are filled with zeros, or not read
  const Table* table = from.table ? from.table.get() : to.table.get();
  const Table* sparse = operation.strided() && table && !table->kept.empty() ? table : nullptr;
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
    const bool zero = sparse && std::none_of(sparse->kept.begin(), sparse->kept.end(), [&](const auto& range) { return box.lo[sparse->line_axis] >= range.first && box.hi[sparse->line_axis] <= range.second; });
    const bool unwanted = table && box.lo[table->line_axis] >= nobody.first && box.hi[table->line_axis] <= nobody.second;
    if (!unwanted && !(zero && to.table)) plan_cell(pass, box, zero, source, target);
  }
  if (pass.buffered) {
    const Index in_span = operation.first ? operation.first->spec().in_span(pass.width) : pass.width * pass.in_length;
    const Index out_span = operation.first ? operation.first->spec().out_span(pass.width) : pass.width * pass.out_length;
    line_bytes_ = std::max({line_bytes_, in_span * from.bytes, out_span * pass.mid_bytes, pass.width * std::max(pass.out_length, pass.out_stride > 1 ? 0 : pass.out_step) * to.bytes});
  }
  return pass;
}

// Where the lines of a cell lie on a side, in the order in which their parts follow one another.
std::vector<Stage::Segment> Stage::segments(End end, const Box& cell, int axis) {
  const Side& side = end.side;
  Box reach = cell;
  reach.lo[axis] = side.box.lo[axis];
  reach.hi[axis] = side.box.hi[axis];
  std::vector<Segment> list;
  for (const View& view : side.views) {
    const Box part = view.box.intersect(reach);
    if (part.empty()) continue;
    Segment s;
    s.slot = view.slot;
    s.first = part.lo[axis] - side.box.lo[axis];
    s.count = part.extent(axis);
    s.offset = (end.in_block ? view.offset + s.first * view.strides[axis] : view.at(part.lo)) * side.bytes;
    for (const Index stride : view.strides) s.strides.push_back(stride * side.bytes);
    s.in_block = end.in_block;
    list.push_back(s);
  }
  std::sort(list.begin(), list.end(), [](const Segment& a, const Segment& b) { return a.first < b.first; });
  return list;
}

// Lines are batched along the axis that is contiguous where the line itself is not: first at the source, then at the target;
// where lines are contiguous on both sides, along the axis on which they follow one another; never along one that blocks cut to single lines, and along
// one that they cut to fewer than an engine transforms at a time only where there is none better.
int Stage::companion(const Pass& pass, const Cell& cell, const Segment& source, const Segment& target) const {
  const Operation& operation = pass.operation;
  const Index few = operation.first ? operation.first->batch() : 1;
  const Segment& like = source.strides[operation.axis] != pass.from_bytes ? source : target;
  const auto key = [&](int a) { return std::pair(-std::min(std::min(cell.box.extent(a), thickness(a)), few), like.strides[a]); };
  int best = -1;
  for (int a = 0; a < cell.box.axes(); ++a)
    if (a != operation.axis && cell.box.extent(a) > 1 && thickness(a) > 1 && (best < 0 || key(a) < key(best))) best = a;
  return best;
}

void Stage::plan_cell(Pass& pass, const Box& box, bool zero, End source, End target) {
  const Side &from = source.side, &to = target.side;
  const Operation& operation = pass.operation;
  const int axis = operation.axis;
  const Table* const table = from.table ? from.table.get() : to.table.get();
  Cell cell;
  cell.box = box;
  cell.zero = zero;
  if (!from.table) cell.from = segments(source, box, axis);
  else if (!zero) cell.from_table = resolve(from, box, {pass.in_step * from.bytes, pass.in_stride * from.bytes, operation.first->untouched(), cuts(box, table->line_axis, pass.width)}, cell.from);
  if (!to.table) cell.to = segments(target, box, axis);
  else cell.to_table = resolve(to, box, {pass.out_step * to.bytes, pass.out_stride * to.bytes, {0, 0}, cuts(box, table->line_axis, pass.width)}, cell.to);
  if (cell.to.empty() || (cell.from.empty() && (pass.copies || to.table))) return;  // a hole: nobody wants it

  const Segment &last = cell.to.front(), &first = cell.from.empty() ? last : cell.from.front();
  const int c = cell.companion = table ? table->line_axis : companion(pass, cell, first, last);
  for (int a = 0; a < box.axes(); ++a)
    if (a != axis && a != c) cell.outer.push_back(a);
  std::stable_sort(cell.outer.begin(), cell.outer.end(), [&](int a, int b) { return std::pair(last.strides[a], first.strides[a]) > std::pair(last.strides[b], first.strides[b]); });
  plan_ways(pass, cell, source, target);
  pass.buffered = pass.buffered || (!pass.copies && !zero && (table || !(cell.rows || cell.apart || cell.straight)));
  if (cell.rows) rows_ = std::max(rows_, static_cast<std::size_t>(pass.in_length));

  const auto stride = [&](const Segment& s) { return c < 0 ? Index{0} : s.strides[c]; };
  if (pass.copies) {
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
  pass.rows = pass.rows || cell.rows;
  pass.cells.push_back(std::move(cell));
}

// Which copies a cell does without.
void Stage::plan_ways(const Pass& pass, Cell& cell, End source, End target) const {
  const Side &from = source.side, &to = target.side;
  const Operation& operation = pass.operation;
  if (pass.copies) return;
  const int axis = operation.axis, c = cell.companion;
  const bool table = from.table || to.table;

  const auto whole = [&](const std::vector<Segment>& parts, Index length, Index point) { return parts.size() == 1 && parts[0].count == length && (parts[0].strides[axis] == point || length == 1); };
  const auto in_lines = [&](const std::vector<Segment>& parts, Index length, Index point, Index line) { return whole(parts, length, point) && (c < 0 || parts[0].strides[c] == line); };
  const bool copied_first = request_.fetch && !source.in_block && !(operation.first && operation.first->reads_ahead());
  // where points lie elsewhere in the same memory, a batch is gathered whole before any of it is written
  const bool gathered_first = otherwise_ && !source.in_block && !target.in_block;
  cell.from_lines = !from.table && !copied_first && !gathered_first && in_lines(cell.from, pass.in_length, pass.in_stride * from.bytes, pass.in_step * from.bytes);
  // Lines go past the caches straight where they can begin cache lines. Not those that were gathered: kernels write to eight places of a line in turn, which keeps the buffers busy that the next gathering waits for;
  // one line after the other from a buffer 4096^2 on two ranks took 0.63 of the time, 256^2 x 64 0.62, r2c 4096^2 0.67 forward.
  const Lines* const last = operation.second ? operation.second.get() : operation.first.get();
  const bool streams = last && last->streams() && operation.scale == 1 && pass.out_step * to.bytes % cache_line == 0 && (cell.from_lines || source.in_block);
  cell.to_lines = !to.table && !(gathered_first && !pass.apart()) && in_lines(cell.to, pass.out_length, pass.out_stride * to.bytes, pass.out_step * to.bytes);
  cell.past_lines = cell.to_lines && streams;
  cell.straight = cell.from_lines && (pass.streams ? cell.past_lines : cell.to_lines) && !operation.map && !pass.returns();
  if (c < 0 || !operation.first || operation.second || operation.map) return;

  cell.apart = !table && source.in_block != target.in_block && !cell.straight && operation.first->takes_steps() && operation.scale == 1 &&
               whole(cell.from, pass.in_length, from.bytes) && whole(cell.to, pass.out_length, to.bytes);

  // every point of a line, each with those of the next lines beside it
  const auto side_by_side = [&](const std::vector<Segment>& parts, Index length, Index bytes) {
    for (const Segment& s : parts) length -= s.strides[c] == bytes ? s.count : 0;
    return length == 0;
  };
  // rows may be written where they were read, but nowhere else in that memory
  const auto stays = [&](const Segment& s) {
    const Segment& there = cell.to.front();
    return cell.to.size() == 1 && s.slot == there.slot && s.strides == there.strides && s.offset == there.offset + (s.first - there.first) * there.strides[axis];
  };
  cell.rows = !(source.in_block && target.in_block) && operation.first->takes_rows() && (from.table || side_by_side(cell.from, pass.in_length, from.bytes)) &&
              (to.table || side_by_side(cell.to, pass.out_length, to.bytes)) &&
              (table || std::none_of(cell.from.begin(), cell.from.end(), [&](const Segment& s) { return s.slot == cell.to.front().slot && !stays(s); }));
  if (!cell.rows || table) return;
  const auto keep = [&](const Segment& s) {
    auto& [begin, end] = cell.kept;
    begin = end == 0 ? s.first : std::min(begin, s.first);
    end = std::max(end, s.first + s.count);
  };
  for (const Segment& s : cell.from)
    if (stays(s)) keep(s);
  for (const Segment& s : cell.to)
    if (!s.in_block && s.slot == request_.keep_slot) keep(s);
}

}  // namespace weft

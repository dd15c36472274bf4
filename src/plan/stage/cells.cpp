// Cells of a pass: where the lines of a box lie on both sides, and which copies they do without.
#include <algorithm>

#include "plan/stage/program.hpp"

namespace weft {

// Where batches of a cell begin or end along an axis, in all blocks.
std::vector<Index> StageProgram::cuts(const Box& cell, int axis, Index width) const {
  std::vector<Index> at;
  const bool whole = spec_.transforms(axis);
  blocks_.each_range(axis, [&](Index first, Index last) {
    const Index lo = whole ? cell.lo[axis] : std::max(cell.lo[axis], first);
    const Index hi = whole ? cell.hi[axis] : std::min(cell.hi[axis], last);
    for (Index begin = lo; begin < hi; begin += width) at.insert(at.end(), {begin, std::min(begin + width, hi)});
  });
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// Points of an axis that its transform never reads, or never writes.
std::pair<Index, Index> StageProgram::untouched(int axis, bool read) const {
  for (const Operation& o : spec_.operations)
    if (o.axis == axis && o.first) return (read || !o.second ? o.first : o.second)->untouched();
  return {0, 0};
}

// The segments of a cell's lines, one for every view that has some of them, and which element lies
// in which.
std::shared_ptr<const Scattered> StageProgram::resolve(const Side& side, const Box& cell,
                                                       const Scattered::BufferLayout& buffer,
                                                       std::vector<Segment>& segments) {
  const Table& table = *side.table;
  const int numbered = table.number_axis;
  std::vector<Scattered::Reach> reaches;
  for (const View& view : side.views) {
    bool meets = true;
    Shape first = view.box.lo;
    Segment segment;
    segment.slot = view.slot;
    segment.strides = Shape::filled(cell.axes(), 0);
    for (int a = 0; a < numbered; ++a) {
      meets = meets && view.box.lo[a] <= cell.lo[a] && view.box.hi[a] >= cell.hi[a];
      first[a] = cell.lo[a];
      segment.strides[a] = view.strides[a] * side.bytes;
    }
    if (!meets) continue;
    segment.offset = view.at(first) * side.bytes;
    segments.push_back(segment);
    reaches.push_back({view.box.lo[numbered], view.box.hi[numbered], view.strides[numbered] * side.bytes});
  }
  for (const auto& [of, known] : resolved_)
    if (of == &table && known->is(reaches, buffer)) return known;
  resolved_.emplace_back(&table, std::make_shared<Scattered>(table, reaches, side.bytes, buffer));
  return resolved_.back().second;
}

// Where the lines of a cell lie on a side, in the order in which their parts follow one another.
std::vector<StageProgram::Segment> StageProgram::segments(End end, const Box& cell, int axis) {
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

// Lines are batched along the axis that is contiguous where the line itself is not: first at the
// source, then at the target; where lines are contiguous on both sides, along the axis on which
// they follow one another. Never along one that blocks cut to single lines, and along one that they
// cut to fewer than an engine transforms at a time only where there is none better.
int StageProgram::companion(const Pass& pass, const Cell& cell, const Segment& source, const Segment& target) const {
  const Operation& operation = pass.operation;
  const Index few = operation.first ? operation.first->batch() : 1;
  const Segment& like = source.strides[operation.axis] != pass.from_bytes ? source : target;
  const auto key = [&](int a) {
    return std::pair(-std::min(std::min(cell.box.extent(a), thickness(a)), few), like.strides[a]);
  };
  int best = -1;
  for (int a = 0; a < cell.box.axes(); ++a)
    if (a != operation.axis && (a != fields_axis_ || cell.fields_axis < 0) && cell.box.extent(a) > 1 &&
        thickness(a) > 1 && (best < 0 || key(a) < key(best)))
      best = a;
  return best;
}

void StageProgram::plan_cell(Pass& pass, const Box& box, bool zero, End source, End target) {
  const Side &from = source.side, &to = target.side;
  const Operation& operation = pass.operation;
  const int axis = operation.axis;
  const Table* const table = from.table ? from.table.get() : to.table.get();
  Cell cell;
  cell.box = box;
  cell.zero = zero;
  if (!from.table)
    cell.from = segments(source, box, axis);
  else if (!zero)
    cell.from_table = resolve(from, box,
                              {pass.in_step * from.bytes, pass.in_stride * from.bytes, operation.first->untouched(),
                               cuts(box, table->line_axis, pass.width)},
                              cell.from);
  if (!to.table)
    cell.to = segments(target, box, axis);
  else
    cell.to_table =
        resolve(to, box,
                {pass.out_step * to.bytes, pass.out_stride * to.bytes, {0, 0}, cuts(box, table->line_axis, pass.width)},
                cell.to);
  if (cell.to.empty() || (cell.from.empty() && (pass.copies || to.table))) return;  // a hole: nobody wants it

  const Segment &last = cell.to.front(), &first = cell.from.empty() ? last : cell.from.front();
  if (!pass.copies && fields_axis_ >= 0 && box.extent(fields_axis_) == from.box.extent(fields_axis_))
    cell.fields_axis = fields_axis_;
  const int c = cell.companion = table ? table->line_axis : companion(pass, cell, first, last);
  if (c < 0) cell.fields_axis = -1;
  if (cell.fields_axis >= 0) {
    cell.fields = box.extent(cell.fields_axis);
    for (auto* segments : {&cell.from, &cell.to})
      for (Segment& s : *segments) s.even = s.strides[c] == cell.fields * s.strides[cell.fields_axis];
  }
  for (int a = 0; a < box.axes(); ++a)
    if (a != axis && a != c && a != cell.fields_axis) cell.outer.push_back(a);
  std::stable_sort(cell.outer.begin(), cell.outer.end(), [&](int a, int b) {
    return std::pair(last.strides[a], first.strides[a]) > std::pair(last.strides[b], first.strides[b]);
  });
  if (!pass.copies) plan_ways(pass, cell, source, target);
  const bool direct = cell.rows || cell.apart || cell.straight;
  pass.buffered = pass.buffered || (!pass.copies && !zero && (table || !direct));
  if (cell.rows) rows_ = std::max(rows_, static_cast<std::size_t>(pass.in_length));
  plan_moves(pass, cell, source, target);
  cell.work = pass.copies  ? &StageProgram::run_copies
              : cell.zero  ? &StageProgram::fill_zeros
              : cell.rows  ? &StageProgram::run_rows
              : cell.apart ? &StageProgram::run_apart
                           : &StageProgram::run_lines;
  segments_ = std::max({segments_, cell.from.size(), cell.to.size()});
  pass.rows = pass.rows || cell.rows;
  pass.cells.push_back(std::move(cell));
}

// How elements move between memory and buffers or, in a copy, from memory to memory.
void StageProgram::plan_moves(const Pass& pass, Cell& cell, End source, End target) const {
  const Side &from = source.side, &to = target.side;
  const int axis = pass.operation.axis;
  if (!pass.copies) {
    const Index in_point = pass.in_stride * from.bytes, out_point = pass.out_stride * to.bytes;
    // lines of a batch, or the fields of one of its rows, or rows of fields that move as one element
    const auto across = [&](Segment& s, Index bytes, Index step) {
      if (s.even) return std::pair(cell.stride(s), step * bytes);
      s.wide = s.strides[cell.fields_axis] == bytes && step == 1;
      return s.wide ? std::pair(cell.stride(s), cell.fields * bytes)
                    : std::pair(s.strides[cell.fields_axis], step * bytes);
    };
    for (Segment& s : cell.from)
      if (!from.table) {
        const auto [there, here] = across(s, from.bytes, pass.in_step);
        s.move = Mover((s.wide ? cell.fields : 1) * from.bytes, {0, 0, s.strides[axis], there, in_point, here});
      }
    for (Segment& s : cell.to)
      if (!to.table) {
        const auto [there, here] = across(s, to.bytes, pass.out_step);
        s.move = Mover((s.wide ? cell.fields : 1) * to.bytes, {0, 0, out_point, here, s.strides[axis], there});
      }
    return;
  }
  for (std::size_t f = 0; f < cell.from.size(); ++f)
    for (std::size_t t = 0; t < cell.to.size(); ++t) {
      const Segment &a = cell.from[f], &b = cell.to[t];
      if (std::max(a.first, b.first) >= std::min(a.first + a.count, b.first + b.count)) continue;
      cell.pairs.emplace_back(static_cast<int>(f), static_cast<int>(t));
      cell.moves.emplace_back(to.bytes, Panel{0, 0, a.strides[axis], cell.stride(a), b.strides[axis], cell.stride(b)});
    }
}

// Which copies a cell does without.
void StageProgram::plan_ways(const Pass& pass, Cell& cell, End source, End target) const {
  const Side &from = source.side, &to = target.side;
  const Operation& operation = pass.operation;
  const int axis = operation.axis, c = cell.companion;

  const auto whole = [&](const std::vector<Segment>& parts, Index length, Index point) {
    return parts.size() == 1 && parts[0].count == length && (parts[0].strides[axis] == point || length == 1);
  };
  const auto in_lines = [&](const std::vector<Segment>& parts, Index length, Index point, Index line) {
    return whole(parts, length, point) && parts[0].even && (c < 0 || cell.stride(parts[0]) == line);
  };
  const bool copied_first =
      variant_.load == Load::staged && !source.in_block && !(operation.first && operation.first->reads_ahead());
  // where points lie elsewhere in the same memory, a batch is gathered whole before any of it is
  // written
  const bool gathered_first = lies_otherwise_ && !source.in_block && !target.in_block;
  cell.from_lines = !from.table && !copied_first && !gathered_first &&
                    in_lines(cell.from, pass.in_length, pass.in_stride * from.bytes, pass.in_step * from.bytes);
  // Lines are streamed straight where they can begin cache lines. Not those that were gathered:
  // kernels write to eight places of a line in turn, which keeps the buffers busy that the next
  // gathering waits for.
  const Lines* const last = operation.second ? operation.second.get() : operation.first.get();
  const bool streams = last && last->streams() && operation.scale == 1 &&
                       pass.out_step * to.bytes % variant_.blocking.cache_line == 0 &&
                       (cell.from_lines || source.in_block);
  cell.to_lines = !to.table && !(gathered_first && !pass.apart()) &&
                  in_lines(cell.to, pass.out_length, pass.out_stride * to.bytes, pass.out_step * to.bytes);
  cell.streaming_lines = cell.to_lines && streams;
  cell.straight = cell.from_lines && (pass.streams ? cell.streaming_lines : cell.to_lines) && !operation.map &&
                  !pass.second_differs();
  if (c < 0 || !operation.first || operation.second || operation.map) return;

  cell.apart = !from.table && !to.table && source.in_block != target.in_block && !cell.straight &&
               operation.first->takes_steps() && operation.scale == 1 && whole(cell.from, pass.in_length, from.bytes) &&
               whole(cell.to, pass.out_length, to.bytes) && cell.from[0].even && cell.to[0].even;
  plan_rows(pass, cell, source, target);
}

// Whether columns go straight from segments to segments, and which of their points are retained.
void StageProgram::plan_rows(const Pass& pass, Cell& cell, End source, End target) const {
  const Side &from = source.side, &to = target.side;
  const int axis = pass.operation.axis;
  const bool table = from.table || to.table;
  // every point of a line, each with those of the next lines beside it
  const auto side_by_side = [&](const std::vector<Segment>& parts, Index length, Index bytes) {
    for (const Segment& s : parts) length -= s.even && cell.stride(s) == bytes ? s.count : 0;
    return length == 0;
  };
  // rows may be written where they were read, but nowhere else in that memory
  const auto stays = [&](const Segment& s) {
    const Segment& there = cell.to.front();
    return cell.to.size() == 1 && s.slot == there.slot && s.strides == there.strides &&
           s.offset == there.offset + (s.first - there.first) * there.strides[axis];
  };
  const auto moves_within = [&](const Segment& s) { return s.slot == cell.to.front().slot && !stays(s); };
  cell.rows = !(source.in_block && target.in_block) && pass.operation.first->takes_rows() &&
              (from.table || side_by_side(cell.from, pass.in_length, from.bytes)) &&
              (to.table || side_by_side(cell.to, pass.out_length, to.bytes)) &&
              (table || std::none_of(cell.from.begin(), cell.from.end(), moves_within));
  if (!cell.rows || table) return;
  const auto retain = [&](const Segment& s) {
    auto& [begin, end] = cell.retained;
    begin = end == 0 ? s.first : std::min(begin, s.first);
    end = std::max(end, s.first + s.count);
  };
  for (const Segment& s : cell.from)
    if (stays(s)) retain(s);
  for (const Segment& s : cell.to)
    if (!s.in_block && s.slot == spec_.retained_slot) retain(s);
}

}  // namespace weft

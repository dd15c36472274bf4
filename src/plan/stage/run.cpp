// Programs at work: blocks, their passes, and the cells of each. Nothing here allocates.
#include <algorithm>

#include "plan/stage/program.hpp"

namespace weft {

void StageProgram::run(int b, int p, int part, int parts, Workspace& workspace, const Call& call) const {
  if (p >= passes()) return;
  if (p == 0) recall(b);
  const Parts::Part block = blocks_[b];
  const Pass& pass = passes_[static_cast<std::size_t>(p)];
  const std::vector<int>& cells = common(block).cells[static_cast<std::size_t>(p)];
  const auto now = static_cast<std::size_t>(p);
  const bool asks = parts == 1 && prefetching_ <= now && now < prefetching_end_;
  const PlacedArea ahead = asks ? this->ahead(b) : PlacedArea{}, target = asks ? this->target(b) : PlacedArea{};
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Cell& cell = pass.cells[static_cast<std::size_t>(cells[k])];
    Box region = cell.box;
    // A transformed axis is whole in every block and begins at 0: only the others are counted from
    // the block's corner.
    Shape origin = block.box.lo;
    for (int a = 0; a < region.axes(); ++a)
      if (spec_.transforms(a)) {
        origin[a] = pass.from_box.lo[a];
      } else {
        region.lo[a] = std::max(region.lo[a], block.box.lo[a]);
        region.hi[a] = std::min(region.hi[a], block.box.hi[a]);
      }
    Wanted wanted;
    if (asks) wanted = wanted_at(ahead, target, p, static_cast<Index>(k), static_cast<Index>(cells.size()), call);
    run_cell(pass, cell, region, origin, part, parts, wanted, workspace, call);
  }
}

// What one cell of so many asks for in a pass.
StageProgram::Wanted StageProgram::wanted_at(const PlacedArea& ahead, const PlacedArea& target, int pass, Index cell,
                                             Index cells, const Call& call) const {
  Wanted wanted;
  const auto before = static_cast<Index>(static_cast<std::size_t>(pass) - prefetching_);
  if (ahead.area)
    wanted.ahead = AreaShare{ahead.area, &ahead.at, 0, ahead.area->rows}.part(
        before * cells + cell, static_cast<Index>(prefetching_end_ - prefetching_) * cells);
  if (pass > 0 || !target.area) return wanted;
  const bool past_caches = streams(passes_.back(), call) || !variant_.prefetches_target;
  const Index rows = past_caches      ? (stores_.retains ? target.area->retained : 0)
                     : in_place(call) ? target.area->retained
                                      : target.area->rows;
  wanted.target = AreaShare{target.area, &target.at, 0, rows}.part(cell, cells);
  return wanted;
}

// What is known of another sort of blocks has left the caches since the last execution. It is asked
// for in time: what the second block to come points to, and what that does of the next one.
void StageProgram::recall(int b) const {
  if (common_.size() == 1) return;
  const auto ask = [](const auto& list) {
    fetch(reinterpret_cast<const std::byte*>(std::data(list)),
          static_cast<Index>(std::size(list) * sizeof(*std::data(list))));
  };
  if (b + 2 < blocks()) {
    const Common& next = common(blocks_[b + 2]);
    ask(next.cells), ask(next.reads.parts), ask(next.writes.parts);
  }
  if (b + 1 == blocks()) return;
  const Common& next = common(blocks_[b + 1]);
  for (const auto& cells : next.cells) ask(cells);
  for (const Area* area : {&next.reads, &next.writes})
    for (const Area::Rows& rows : area->parts) ask(rows.loops);
}

// Points of the companion whose lines are worked on at once: whole rows of them where nothing is
// gathered, else a batch.
Index StageProgram::batch_of(const Pass& pass, const Cell& cell, Index along, Index outer, int parts,
                             const Wanted& wanted) {
  const bool asks = wanted.ahead.count > 0;
  const Index width = pass.width / cell.fields;
  if (pass.copies)
    return asks ? std::min<Index>(along, 8) : outer >= parts ? along : std::max<Index>(1, (along + parts - 1) / parts);
  if (asks && !cell.to_table && !cell.asks)
    return std::min(std::max<Index>(8, pass.operation.first ? pass.operation.first->batch() : 1) / cell.fields, along);
  if (cell.zero || (cell.rows && !cell.from_table && !cell.to_table) || cell.straight || cell.apart)
    return std::max(width, (along / parts + width - 1) / width * width);
  return width;
}

void StageProgram::run_cell(const Pass& pass, const Cell& cell, const Box& region, const Shape& origin, int part,
                            int parts, const Wanted& wanted, Workspace& workspace, const Call& call) const {
  const int axis = pass.operation.axis, c = cell.companion;
  const Index along = c < 0 ? 1 : region.extent(c);
  Index outer = 1;
  for (const int a : cell.outer) outer *= region.extent(a);
  const Index width = batch_of(pass, cell, along, outer, parts, wanted);
  const Index batches = (along + width - 1) / width;
  const Index begin = outer * batches * part / parts, end = outer * batches * (part + 1) / parts;
  if (begin == end) return;
  const bool streams_now = streams(pass, call) && !(cell.to.size() == 1 && retained(cell.to[0]));

  Shape at = region.lo;
  Index rest = begin / batches;
  for (int k = cell.outer.size() - 1; k >= 0; --k) {
    const int a = cell.outer[k];
    at[a] += rest % region.extent(a);
    rest /= region.extent(a);
  }
  Index batch = begin % batches;
  const auto address = [&](const Segment& s) {
    const Shape& zero = s.in_block ? origin : cell.box.lo;
    std::byte* first = (s.in_block ? workspace.block : (*call.slots)[static_cast<std::size_t>(s.slot)]) + s.offset;
    // number by number: a copy of `at` would wait for its last change, and that for every store
    // before it
    for (int a = 0; a < at.size(); ++a)
      if (a != axis) first += s.strides[a] * (at[a] - zero[a]);
    return first + (c < 0 ? 0 : batch * width * s.strides[c]);
  };
  for (Index unit = begin; unit < end;) {
    if (c >= 0) at[c] = region.lo[c];
    for (std::size_t s = 0; s < cell.from.size(); ++s) workspace.from[s] = address(cell.from[s]);
    for (std::size_t s = 0; s < cell.to.size(); ++s) workspace.to[s] = address(cell.to[s]);
    for (; batch < batches && unit < end; ++batch, ++unit) {
      if (c >= 0) at[c] = region.lo[c] + batch * width;
      const Wanted now = wanted.part(unit, outer * batches);
      if (!cell.asks) now.ahead.each_row(*call.slots, [](const std::byte* row, Index bytes) { fetch(row, bytes); });
      const Index count = std::min(width, along - batch * width);
      const Index more = std::clamp<Index>(along - (batch + 1) * width, 0, width);
      (this->*cell.work)(
          {pass, cell, region, at, count * cell.fields, more * cell.fields, now, streams_now, workspace, call});
      if (c < 0) continue;
      for (std::size_t s = 0; s < cell.from.size(); ++s) workspace.from[s] += width * cell.from[s].strides[c];
      for (std::size_t s = 0; s < cell.to.size(); ++s) workspace.to[s] += width * cell.to[s].strides[c];
    }
    batch = 0;
    for (int k = cell.outer.size() - 1; k >= 0; --k) {
      const int a = cell.outer[k];
      if (++at[a] < region.hi[a]) break;
      at[a] = region.lo[a];
    }
  }
}

// Whether a pass stores past the caches now.
bool StageProgram::streams(const Pass& pass, const Call& call) const {
  if (!pass.streams || stores_.store == Store::cached) return false;
  return stores_.store == Store::streaming || !in_place(call);
}

// Whether results are written where they were read, but for what is retained elsewhere. What has
// just been read is in cache.
bool StageProgram::in_place(const Call& call) const {
  const Side &from = spec_.from, &to = spec_.to;
  if (from.views.size() != 1 || from.bytes != to.bytes) return false;
  const auto at = [&](const View& view, const Shape& point) {
    return (*call.slots)[static_cast<std::size_t>(view.slot)] + view.at(point) * from.bytes;
  };
  const View& read = from.views.front();
  return std::any_of(to.views.begin(), to.views.end(), [&](const View& written) {
    return read.box.contains(written.box) && at(read, written.box.lo) == at(written, written.box.lo);
  });
}

}  // namespace weft

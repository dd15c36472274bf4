// Stages at work, as stage.cpp and stage_pass.cpp have planned them: nothing here allocates.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "plan/stage.hpp"

namespace weft {

void Stage::run(int b, int p, int part, int parts, Bench& bench, const Round& round) const {
  if (streaming_ && past_.value_or(false)) return streaming_->run(b, p, part, parts, bench, round);
  if (copying_ && copies_) return copying_->run(b, p, part, parts, bench, round);
  if (p >= static_cast<int>(passes_.size())) return;
  if (p == 0) recall(static_cast<std::size_t>(b));
  const Block& block = blocks_[static_cast<std::size_t>(b)];
  const Pass& pass = passes_[static_cast<std::size_t>(p)];
  const auto& cells = block.cells[static_cast<std::size_t>(p)];
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Cell& cell = pass.cells[static_cast<std::size_t>(cells[k])];
    Box region = cell.box;
    for (int a = 0; a < region.axes(); ++a)
      if (!transforms(a)) region.lo[a] = std::max(region.lo[a], block.box.lo[a]), region.hi[a] = std::min(region.hi[a], block.box.hi[a]);
    // a transformed axis is whole in every block and begins at 0, so that only the others are counted from the block's corner
    Shape origin = block.box.lo;
    for (int a = 0; a < origin.size(); ++a)
      if (transforms(a)) origin[a] = pass.from_box.lo[a];
    Wanted wanted;
    if (const auto first = fetching_, now = static_cast<std::size_t>(p); parts == 1 && now >= first && now < fetched_) {
      const auto count = static_cast<Index>(cells.size()), cell_of_pass = static_cast<Index>(k);
      wanted.ahead = Share{&block.ahead, 0, block.ahead.rows}.part(static_cast<Index>(now - first) * count + cell_of_pass, static_cast<Index>(fetched_ - first) * count);
      const Index written = past(passes_.back(), round) || request_.told ? (keeps_ ? block.target.kept : 0) : in_place(round) ? block.target.kept : block.target.rows;
      if (now == 0) wanted.target = Share{&block.target, 0, written}.part(cell_of_pass, count);
    }
    run_cell(pass, cell, region, origin, part, parts, bench, round, wanted);
  }
}

// What is known of the blocks to come has left the caches since the last execution. It is asked for in time: of the third a block itself, of the second what that points to, and of the next what that does.
void Stage::recall(std::size_t b) const {
  const auto ask = [](const auto& list) { fetch(reinterpret_cast<const std::byte*>(std::data(list)), static_cast<Index>(std::size(list) * sizeof(*std::data(list)))); };
  const std::span<const Block> next = std::span(blocks_).subspan(b + 1);
  if (next.size() > 2) ask(next.subspan(2, 1));
  if (next.size() > 1) ask(next[1].cells), ask(next[1].ahead.parts), ask(next[1].target.parts);
  if (next.empty()) return;
  for (const auto& cells : next[0].cells) ask(cells);
  for (const Area* area : {&next[0].ahead, &next[0].target})
    for (const Rows& rows : area->parts) ask(rows.loops);
}

void Stage::run_cell(const Pass& pass, const Cell& cell, const Box& region, const Shape& origin, int part, int parts, Bench& bench, const Round& round, const Wanted& wanted) const {
  const int axis = pass.operation.axis, c = cell.companion;
  const Index along = c < 0 ? 1 : region.extent(c);
  // whole rows of lines at once where nothing is gathered, else a batch
  Index width = pass.width;
  Index outer = 1;
  for (const int a : cell.outer) outer *= region.extent(a);
  if (pass.copies)
    width = wanted.ahead.count > 0 ? std::min<Index>(along, 8) : outer >= parts ? along : std::max<Index>(1, (along + parts - 1) / parts);
  else if (wanted.ahead.count > 0 && !cell.to_table && !cell.asks)
    width = std::min(std::max<Index>(8, pass.operation.first ? pass.operation.first->batch() : 1), along);
  else if (cell.zero || (cell.rows && !cell.from_table && !cell.to_table) || cell.straight || cell.apart)
    width = std::max(width, (along / parts + width - 1) / width * width);
  const Index batches = (along + width - 1) / width;
  const Index begin = outer * batches * part / parts, end = outer * batches * (part + 1) / parts;
  if (begin == end) return;

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
    std::byte* at_first = (s.in_block ? bench.block : (*round.slots)[static_cast<std::size_t>(s.slot)]) + s.offset;
    // number by number: a copy of `at` would wait for its last change, and that for every store before it to reach memory
    for (int a = 0; a < at.size(); ++a)
      if (a != axis) at_first += s.strides[a] * (at[a] - zero[a]);
    return at_first;
  };
  for (Index unit = begin; unit < end;) {
    if (c >= 0) at[c] = region.lo[c];
    for (std::size_t s = 0; s < cell.from.size(); ++s) bench.from[s] = address(cell.from[s]) + (c < 0 ? 0 : batch * width * cell.from[s].strides[c]);
    for (std::size_t s = 0; s < cell.to.size(); ++s) bench.to[s] = address(cell.to[s]) + (c < 0 ? 0 : batch * width * cell.to[s].strides[c]);
    for (; batch < batches && unit < end; ++batch, ++unit) {
      if (c >= 0) at[c] = region.lo[c] + batch * width;
      const Wanted now = wanted.part(unit, outer * batches);
      if (!cell.asks) each_row(now.ahead, round, [](const std::byte* row, Index bytes) { fetch(row, bytes); });
      run_lines(pass, cell, region, at, std::min(width, along - batch * width), std::clamp<Index>(along - (batch + 1) * width, 0, width), now, bench, round);
      if (c < 0) continue;
      for (std::size_t s = 0; s < cell.from.size(); ++s) bench.from[s] += width * cell.from[s].strides[c];
      for (std::size_t s = 0; s < cell.to.size(); ++s) bench.to[s] += width * cell.to[s].strides[c];
    }
    batch = 0;
    for (int k = cell.outer.size() - 1; k >= 0; --k) {
      const int a = cell.outer[k];
      if (++at[a] < region.hi[a]) break;
      at[a] = region.lo[a];
    }
  }
}

// Calls visit(address, bytes) for the rows of a share.
template <class Visit>
void Stage::each_row(const Share& share, const Round& round, Visit visit) {
  Index first = share.first, last = share.first + share.count;
  if (share.count == 0) return;
  for (const Rows& rows : share.area->parts) {
    const Index count = rows.count(), end = std::min(last, count);
    for (Index k = first; k < end; ++k) {
      Index rest = k, offset = rows.offset;
      for (const auto& [many, apart] : rows.loops) offset += rest % many * apart, rest /= many;
      visit((*round.slots)[static_cast<std::size_t>(rows.slot)] + offset, rows.bytes);
    }
    first = std::max<Index>(first - count, 0);
    if ((last -= count) <= 0) return;
  }
}

// Whether what a pass writes goes past the caches now.
bool Stage::past(const Pass& pass, const Round& round) const { return pass.streams && (past_ ? *past_ : !in_place(round)); }

// Whether it writes where it reads, but for what waits elsewhere. What has just been read is in cache, and does not go past it unless told to: c2c 128^3 on two ranks, whose first stage did, took 1.5 of the time on a processor whose third-level cache holds it.
bool Stage::in_place(const Round& round) const {
  const Side &from = request_.from, &to = request_.to;
  if (from.views.size() != 1 || from.bytes != to.bytes) return false;
  const auto at = [&](const View& view, const Shape& point) { return (*round.slots)[static_cast<std::size_t>(view.slot)] + view.at(point) * from.bytes; };
  const View& read = from.views.front();
  return std::any_of(to.views.begin(), to.views.end(), [&](const View& written) { return read.box.contains(written.box) && at(read, written.box.lo) == at(written, written.box.lo); });
}

namespace {

// Row by row, while what the next ones overwrite arrives: where it has left the second-level cache, pencils of 128^3 to 256^3 took 0.92 to 0.98 of the time.
void move_rows(const Mover& move, const std::byte* from, std::byte* to, Panel rows, Index bytes) {
  constexpr Index ahead = 4;
  const Index count = std::exchange(rows.nj, 1);
  const auto ask = [&](Index row) { fetch(to + row * rows.to_j, rows.ni * bytes); };
  for (Index row = 0; row < std::min(ahead, count); ++row) ask(row);
  for (Index row = 0; row < count; ++row) {
    if (row + ahead < count) ask(row + ahead);
    move(from + row * rows.from_j, to + row * rows.to_j, rows);
  }
}

}  // namespace

void Stage::run_lines(const Pass& pass, const Cell& cell, const Box& region, const Shape& at, Index width, Index more, const Wanted& wanted, Bench& bench, const Round& round) const {
  const int axis = pass.operation.axis, c = cell.companion;
  const auto stride = [&](const Segment& s) { return c < 0 ? Index{0} : s.strides[c]; };
  const bool streams = past(pass, round) && !(cell.to.size() == 1 && kept(cell.to[0]));
  if (pass.copies) {
    for (std::size_t k = 0; k < cell.pairs.size(); ++k) {
      const auto f = static_cast<std::size_t>(cell.pairs[k].first), t = static_cast<std::size_t>(cell.pairs[k].second);
      const Segment &a = cell.from[f], &b = cell.to[t];
      // a block of a copy may cut its lines
      const Index low = region.lo[axis] - pass.from_box.lo[axis], high = region.hi[axis] - pass.from_box.lo[axis];
      const Index first = std::max({a.first, b.first, low}), count = std::min({a.first + a.count, b.first + b.count, high}) - first;
      if (count <= 0) continue;
      const std::byte* source = bench.from[f] + (first - a.first) * a.strides[axis];
      std::byte* target = bench.to[t] + (first - b.first) * b.strides[axis];
      const Panel panel{count, width, a.strides[axis], stride(a), b.strides[axis], stride(b)};
      const bool in_rows = a.strides[axis] == pass.to_bytes && b.strides[axis] == pass.to_bytes && count * pass.to_bytes >= shortest_row;
      if (source == target) continue;
      if (streams && !kept(b)) cell.moves[k].stream(source, target, panel);
      else if (request_.far && in_rows) move_rows(cell.moves[k], source, target, panel, pass.to_bytes);
      else cell.moves[k](source, target, panel);
    }
    return;
  }

  // the addresses of a share, which the bench has room for behind so many others
  const auto listed = [&](const Share& share, Index behind) {
    Lines::Ahead list{bench.ahead_rows.data() + behind, 0, 0, share.area && share.area->near};
    each_row(share, round, [&](const std::byte* row, Index bytes) { bench.ahead_rows[static_cast<std::size_t>(behind + list.count++)] = row, list.bytes = std::max(list.bytes, bytes); });
    return list;
  };

  if (cell.zero) {
    for (Index k = 0; k < pass.out_length; ++k) std::memset(bench.to[0] + k * pass.out_stride * pass.to_bytes, 0, static_cast<std::size_t>(width * pass.to_bytes));
    return;
  }

  if (cell.rows) {
    const auto list = [&](const std::vector<Segment>& segments, const auto& first, auto& rows) {
      for (std::size_t s = 0; s < segments.size(); ++s)
        for (Index k = 0; k < segments[s].count; ++k) rows[static_cast<std::size_t>(segments[s].first + k)] = first[s] + k * segments[s].strides[axis];
    };
    const auto lay = [&](std::byte* buffer, Index length, Index apart, auto& rows) {
      for (Index k = 0; k < length; ++k) rows[static_cast<std::size_t>(k)] = buffer + k * apart;
    };
    if (cell.from_table) {
      cell.from_table->gather(at[c], width, bench.from, bench.lines[0]);
      lay(bench.lines[0], pass.in_length, pass.in_stride * pass.from_bytes, bench.from_rows);
    } else {
      list(cell.from, bench.from, bench.from_rows);
    }
    if (cell.to_table) lay(bench.lines[1], pass.out_length, pass.out_stride * pass.to_bytes, bench.to_rows);
    else list(cell.to, bench.to, bench.to_rows);
    pass.operation.first->rows({bench.from_rows.data(), bench.to_rows.data(), width, pass.operation.scale, streams, keeps_ ? cell.kept : std::pair<Index, Index>(), cell.asks ? listed(wanted.ahead, 0) : Lines::Ahead(), cell.asks ? listed(wanted.target, wanted.ahead.count) : Lines::Ahead()});
    if (cell.to_table) cell.to_table->scatter(at[c], width, bench.lines[1], bench.to);
    return;
  }

  if (cell.apart) {
    pass.operation.first->apart({bench.from[0], stride(cell.from[0]), bench.to[0], stride(cell.to[0]), width, streams && !cell.to[0].in_block,
                                 cell.asks ? listed(wanted.ahead, 0) : Lines::Ahead(), cell.asks ? listed(wanted.target, wanted.ahead.count) : Lines::Ahead()});
    return;
  }

  // where second leaves lines of another length (r2c, map, c2r) it needs a buffer of its own
  const bool apart = pass.apart();
  const bool returns = pass.returns();
  const std::byte* lines = nullptr;
  std::byte* middle = nullptr;
  std::byte* const target = (streams ? cell.past_lines : cell.to_lines) ? bench.to[0] : nullptr;
  std::byte* const middle_target = returns ? nullptr : target;
  if (cell.from_lines) {
    lines = bench.from[0];
    middle = middle_target ? middle_target : cell.from[0].in_block && !apart ? const_cast<std::byte*>(lines) : bench.lines[1];
  } else {
    std::byte* into = middle_target && !apart ? middle_target : bench.lines[0];
    if (cell.from_table) cell.from_table->gather(at[c], width, bench.from, into);
    // a gap between segments holds zeros, as far as anybody looks
    const auto nobodys = pass.operation.first ? pass.operation.first->untouched() : std::pair<Index, Index>();
    const auto zero = [&](Index first, Index last) {
      if (first >= last) return;
      for (Index w = 0; w < width; ++w)
        for (Index k = first; k < last; k += pass.in_stride > 1 ? 1 : last - first)
          std::memset(into + (w * pass.in_step + k * pass.in_stride) * pass.from_bytes, 0,
                      static_cast<std::size_t>((pass.in_stride > 1 ? 1 : last - first) * pass.from_bytes));
    };
    const auto gap = [&](Index first, Index last) { zero(first, std::min(last, nobodys.first)), zero(std::max(first, nobodys.second), last); };
    Index reached = 0;
    for (std::size_t s = 0; s < cell.from.size() && !cell.from_table; ++s) {
      const Segment& segment = cell.from[s];
      gap(reached, segment.first);
      segment.move(bench.from[s], into + segment.first * pass.in_stride * pass.from_bytes,
                   {segment.count, width, segment.strides[axis], stride(segment), pass.in_stride * pass.from_bytes, pass.in_step * pass.from_bytes});
      reached = segment.first + segment.count;
    }
    if (!cell.from_table) gap(reached, pass.in_length);
    lines = into;
    middle = middle_target ? middle_target : apart ? bench.lines[1] : into;
  }
  std::byte* const done = !returns ? middle : target ? target : bench.lines[0];

  // a few lines at a time, which stay in the first-level cache until they are scattered; not what streams, which memory takes in longer runs
  const bool scatters = !target && !cell.to_table, whole = !scatters || streams || !pass.in_parts;
  // where results return to the lines' own buffer, all must have been read before
  const Index piece = (cell.from_lines && whole) || returns || !pass.in_parts ? width : std::max<Index>(8, 256 / pass.mid_bytes);
  const auto scatter = [&](Index first, Index count) {
    for (std::size_t s = 0; s < cell.to.size(); ++s) {
      const Segment& segment = cell.to[s];
      const std::byte* const source = done + (segment.first * pass.out_stride + first * pass.out_step) * pass.to_bytes;
      const Panel panel{segment.count, count, pass.out_stride * pass.to_bytes, pass.out_step * pass.to_bytes, segment.strides[axis], stride(segment)};
      streams && !kept(segment) ? segment.move.stream(source, bench.to[s] + first * stride(segment), panel) : segment.move(source, bench.to[s] + first * stride(segment), panel);
    }
  };
  for (Index first = 0; first < width; first += piece) {
    const Index count = std::min(piece, width - first);
    transform(pass, lines + first * pass.in_step * pass.from_bytes, middle + first * pass.mid_step * pass.mid_bytes, done + first * pass.out_step * pass.to_bytes, count, streams && target, at, first, c, round);
    if (!whole) scatter(first, count);
    if (more == 0 || !pass.looks_ahead || cell.from_lines) continue;
    for (std::size_t s = 0; s < cell.from.size(); ++s)
      if (const Segment& segment = cell.from[s]; stride(segment) == pass.from_bytes)
        for (Index k = segment.count * first / width; k < segment.count * (first + count) / width; ++k)
          fetch(bench.from[s] + k * segment.strides[axis] + width * pass.from_bytes, more * pass.from_bytes);
  }
  if (cell.to_table)
    cell.to_table->scatter(at[c], width, done, bench.to);
  else if (whole && scatters)
    scatter(0, width);
}

// A few lines of a batch: first: lines -> middle; map and second: middle -> done, past the caches when it `streams`.
void Stage::transform(const Pass& pass, const std::byte* lines, std::byte* middle, std::byte* done, Index count, bool streams, const Shape& at, Index first, int companion, const Round& round) const {
  const Operation& operation = pass.operation;
  const auto run = [&](const Lines& of, const std::byte* in, std::byte* out, bool last) { last && streams ? of.stream(in, out, count) : of(in, out, count); };
  if (operation.first)
    run(*operation.first, lines, middle, !operation.second);
  else if (lines != middle)
    std::memcpy(middle, lines, static_cast<std::size_t>(count * pass.in_length * pass.from_bytes));
  if (operation.map && round.map) {
    Line line{at, operation.axis, pass.mid_length, nullptr};
    line.first[operation.axis] = pass.to_box.lo[operation.axis];
    for (Index w = 0; w < count; ++w) {
      if (companion >= 0) line.first[companion] = at[companion] + first + w;
      line.values = middle + w * pass.mid_step * pass.mid_bytes;
      (*round.map)(line);
    }
  }
  if (operation.second) run(*operation.second, middle, done, true);
  if (operation.scale == 1) return;
  // lines as one run, or each row of columns as one, but not what nobody wants, nor what lies between lines: in an array that may be another's
  const auto scale = [&](Index begin, Index points) {
    const auto times = [&](auto* values) {
      for (Index k = 0; k < points * pass.to_bytes / static_cast<Index>(sizeof(*values)); ++k) values[k] *= static_cast<std::remove_pointer_t<decltype(values)>>(operation.scale);
    };
    std::byte* const values = done + begin * pass.to_bytes;
    request_.precision == Precision::double_ ? times(reinterpret_cast<double*>(values)) : times(reinterpret_cast<float*>(values));
  };
  const Lines* const wrote = operation.second ? operation.second.get() : operation.first.get();
  const auto [nobodys, resumed] = wrote ? wrote->untouched() : std::pair<Index, Index>();
  if (pass.out_stride > 1) {
    for (Index row = 0; row < pass.out_length; ++row)
      if (row < nobodys || row >= resumed) scale(row * pass.out_stride, (count - 1) * pass.out_step + 1);
  } else if (nobodys == resumed && pass.out_step == pass.out_length) {
    scale(0, count * pass.out_length);
  } else {
    for (Index w = 0; w < count; ++w) scale(w * pass.out_step, nobodys), scale(w * pass.out_step + resumed, pass.out_length - resumed);
  }
}

}  // namespace weft

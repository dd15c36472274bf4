// A batch of lines on its way through a pass: gathered, transformed, mapped, scattered (gather.cpp).
// Nothing here allocates.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "plan/stage/program.hpp"

namespace weft {
namespace {

// Row by row, while what the next ones overwrite arrives.
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

void StageProgram::fill_zeros(const Batch& batch) const {
  const Pass& pass = batch.pass;
  for (Index k = 0; k < pass.out_length; ++k)
    std::memset(batch.workspace.to[0] + k * pass.out_stride * pass.to_bytes, 0,
                static_cast<std::size_t>(batch.width * pass.to_bytes));
}

// A block of a copy may cut its lines.
void StageProgram::run_copies(const Batch& batch) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  const Box& region = batch.region;
  const int axis = pass.operation.axis;
  const Index low = region.lo[axis] - pass.from_box.lo[axis], high = region.hi[axis] - pass.from_box.lo[axis];
  for (std::size_t k = 0; k < cell.pairs.size(); ++k) {
    const auto f = static_cast<std::size_t>(cell.pairs[k].first), t = static_cast<std::size_t>(cell.pairs[k].second);
    const Segment &a = cell.from[f], &b = cell.to[t];
    const Index first = std::max({a.first, b.first, low});
    const Index count = std::min({a.first + a.count, b.first + b.count, high}) - first;
    if (count <= 0) continue;
    const Index a_point = a.strides[axis], b_point = b.strides[axis];
    const std::byte* source = batch.workspace.from[f] + (first - a.first) * a_point;
    std::byte* target = batch.workspace.to[t] + (first - b.first) * b_point;
    if (source == target) continue;
    const Panel panel{count, batch.width, a_point, batch.stride(a), b_point, batch.stride(b)};
    const bool in_rows =
        a_point == pass.to_bytes && b_point == pass.to_bytes && count * pass.to_bytes >= variant_.blocking.shortest_row;
    if (batch.streams && !retained(b))
      cell.moves[k].stream(source, target, panel);
    else if (variant_.load != Load::direct && in_rows)
      move_rows(cell.moves[k], source, target, panel, pass.to_bytes);
    else
      cell.moves[k](source, target, panel);
  }
}

Lines::Ahead StageProgram::Batch::listed(const AreaShare& share, Index behind) const {
  if (!cell.asks) return {};
  Lines::Ahead list{workspace.ahead_rows.data() + behind, 0, 0, share.area && share.area->to_l1};
  share.each_row(*call.slots, [&](const std::byte* row, Index bytes) {
    workspace.ahead_rows[static_cast<std::size_t>(behind + list.count++)] = row;
    list.bytes = std::max(list.bytes, bytes);
  });
  return list;
}

// Columns straight from rows to rows. What a table scatters passes through a buffer.
void StageProgram::run_rows(const Batch& batch) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  Workspace& workspace = batch.workspace;
  const auto list = [&](const std::vector<Segment>& segments, const auto& first, auto& rows) {
    for (std::size_t s = 0; s < segments.size(); ++s)
      for (Index k = 0; k < segments[s].count; ++k)
        rows[static_cast<std::size_t>(segments[s].first + k)] = first[s] + k * batch.stride_along(segments[s]);
  };
  const auto lay = [&](std::byte* buffer, Index length, Index apart, auto& rows) {
    for (Index k = 0; k < length; ++k) rows[static_cast<std::size_t>(k)] = buffer + k * apart;
  };
  if (cell.from_table) {
    cell.from_table->gather(batch.at[cell.companion], batch.width, workspace.from, workspace.lines[0]);
    lay(workspace.lines[0], pass.in_length, pass.in_stride * pass.from_bytes, workspace.from_rows);
  } else {
    list(cell.from, workspace.from, workspace.from_rows);
  }
  if (cell.to_table)
    lay(workspace.lines[1], pass.out_length, pass.out_stride * pass.to_bytes, workspace.to_rows);
  else
    list(cell.to, workspace.to, workspace.to_rows);
  const Lines::Ahead reads = batch.listed(batch.wanted.ahead, 0);
  const auto retained = stores_.retains ? cell.retained : std::pair<Index, Index>();
  pass.operation.first->rows({workspace.from_rows.data(), workspace.to_rows.data(), batch.width, pass.operation.scale,
                              batch.streams, retained, reads,
                              batch.listed(batch.wanted.target, batch.wanted.ahead.count)});
  if (cell.to_table) cell.to_table->scatter(batch.at[cell.companion], batch.width, workspace.lines[1], workspace.to);
}

void StageProgram::run_apart(const Batch& batch) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  const Segment &from = cell.from[0], &to = cell.to[0];
  const Lines::Ahead reads = batch.listed(batch.wanted.ahead, 0);
  pass.operation.first->apart({batch.workspace.from[0], batch.stride(from), batch.workspace.to[0], batch.stride(to),
                               batch.width, batch.streams && !to.in_block, reads,
                               batch.listed(batch.wanted.target, batch.wanted.ahead.count)});
}

// Lines are gathered into a buffer unless they lie as their transform reads them, and scattered
// unless it leaves them where they go. Where second leaves lines of another length (r2c, map, c2r)
// it needs a buffer of its own.
StageProgram::Places StageProgram::place(const Batch& batch) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  Workspace& workspace = batch.workspace;
  const bool apart = pass.apart(), second_differs = pass.second_differs();
  std::byte* const target = (batch.streams ? cell.streaming_lines : cell.to_lines) ? workspace.to[0] : nullptr;
  std::byte* const middle_target = second_differs ? nullptr : target;
  const std::byte* lines = nullptr;
  std::byte* middle = nullptr;
  if (cell.from_lines) {
    lines = workspace.from[0];
    const bool over_source = cell.from[0].in_block && !apart;
    middle = middle_target ? middle_target : over_source ? const_cast<std::byte*>(lines) : workspace.lines[1];
  } else {
    std::byte* into = middle_target && !apart ? middle_target : workspace.lines[0];
    lines = gather(batch, into);
    middle = middle_target ? middle_target : apart ? workspace.lines[1] : into;
  }
  return {lines, middle, !second_differs ? middle : target ? target : workspace.lines[0], target != nullptr};
}

void StageProgram::run_lines(const Batch& batch) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  const Operation& operation = pass.operation;
  const auto [all, all_middle, all_done, straight] = place(batch);
  const bool streams = batch.streams && straight;
  const auto run = [streams](const Lines& of, const std::byte* in, std::byte* out, Index count, bool last) {
    if (last && streams)
      of.stream(in, out, count);
    else
      of(in, out, count);
  };

  // A few lines at a time, which stay in the first-level cache until they are scattered. Not what
  // is streamed, which memory takes in longer runs; and where results return to the lines' own
  // buffer, all must have been read before.
  const bool scatters = !straight && !cell.to_table, whole = !scatters || batch.streams || !pass.in_parts;
  const bool at_once = (cell.from_lines && whole) || pass.second_differs() || !pass.in_parts;
  const Index few = std::max<Index>(8, variant_.blocking.part_across / pass.mid_bytes);
  const Index piece = at_once ? batch.width : few / cell.fields * cell.fields;
  for (Index first = 0; first < batch.width; first += piece) {
    const Index count = std::min(piece, batch.width - first);
    const std::byte* const lines = all + first * pass.in_step * pass.from_bytes;
    std::byte* const middle = all_middle + first * pass.mid_step * pass.mid_bytes;
    std::byte* const done = all_done + first * pass.out_step * pass.to_bytes;
    if (operation.first)
      run(*operation.first, lines, middle, count, !operation.second);
    else if (lines != middle)
      std::memcpy(middle, lines, static_cast<std::size_t>(count * pass.in_length * pass.from_bytes));
    if (operation.map && batch.call.map) map(batch, middle, first, count);
    if (operation.second) run(*operation.second, middle, done, count, true);
    if (operation.scale != 1) scale(pass, done, count);
    if (!whole) scatter(batch, all_done, first, count);
    if (batch.more > 0 && pass.looks_ahead && !cell.from_lines) look_ahead(batch, first, count);
  }
  if (cell.to_table)
    cell.to_table->scatter(batch.at[cell.companion], batch.width, all_done, batch.workspace.to);
  else if (whole && scatters)
    scatter(batch, all_done, 0, batch.width);
}

void StageProgram::map(const Batch& batch, std::byte* middle, Index first, Index count) {
  const Pass& pass = batch.pass;
  const int companion = batch.cell.companion, fields_axis = batch.cell.fields_axis;
  Line line{batch.at, pass.operation.axis, pass.mid_length, nullptr};
  line.first[pass.operation.axis] = pass.to_box.lo[pass.operation.axis];
  for (Index w = 0; w < count; ++w) {
    if (companion >= 0) line.first[companion] = batch.at[companion] + (first + w) / batch.cell.fields;
    if (fields_axis >= 0) line.first[fields_axis] = batch.at[fields_axis] + (first + w) % batch.cell.fields;
    line.values = middle + w * pass.mid_step * pass.mid_bytes;
    (*batch.call.map)(line);
  }
}

// Lines as one run, or each row of columns as one; but not what nobody wants, nor what lies between
// lines: in an array that may be another's.
void StageProgram::scale(const Pass& pass, std::byte* lines, Index count) const {
  const Operation& operation = pass.operation;
  const auto times = [&](auto* values, Index points) {
    using Real = std::remove_pointer_t<decltype(values)>;
    const Index reals = points * pass.to_bytes / static_cast<Index>(sizeof(Real));
    for (Index k = 0; k < reals; ++k) values[k] *= static_cast<Real>(operation.scale);
  };
  const auto scale_run = [&](Index begin, Index points) {
    std::byte* const values = lines + begin * pass.to_bytes;
    if (spec_.precision == Precision::double_)
      times(reinterpret_cast<double*>(values), points);
    else
      times(reinterpret_cast<float*>(values), points);
  };
  const Lines* const wrote = operation.second ? operation.second.get() : operation.first.get();
  const auto [unwanted, resumed] = wrote ? wrote->untouched() : std::pair<Index, Index>();
  if (pass.out_stride > 1) {
    for (Index row = 0; row < pass.out_length; ++row)
      if (row < unwanted || row >= resumed) scale_run(row * pass.out_stride, (count - 1) * pass.out_step + 1);
  } else if (unwanted == resumed && pass.out_step == pass.out_length) {
    scale_run(0, count * pass.out_length);
  } else {
    for (Index w = 0; w < count; ++w) {
      scale_run(w * pass.out_step, unwanted);
      scale_run(w * pass.out_step + resumed, pass.out_length - resumed);
    }
  }
}

}  // namespace weft

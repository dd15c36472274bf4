// Lines of a batch from memory to a buffer, and back. Nothing here allocates.
#include <algorithm>
#include <cstring>

#include "plan/stage/program.hpp"

namespace weft {

// A gap between segments holds zeros, as far as anybody looks.
void StageProgram::zero_gap(const Batch& batch, std::byte* into, Index first, Index last) const {
  const Pass& pass = batch.pass;
  const auto untouched = pass.operation.first ? pass.operation.first->untouched() : std::pair<Index, Index>();
  const auto zero = [&](Index begin, Index end) {
    if (begin >= end) return;
    const Index run = pass.in_stride > 1 ? 1 : end - begin;
    for (Index w = 0; w < batch.width; ++w)
      for (Index k = begin; k < end; k += run)
        std::memset(into + (w * pass.in_step + k * pass.in_stride) * pass.from_bytes, 0,
                    static_cast<std::size_t>(run * pass.from_bytes));
  };
  zero(first, std::min(last, untouched.first));
  zero(std::max(first, untouched.second), last);
}

// One panel where lines are evenly apart or fields move as one element, else one a row.
StageProgram::Panels StageProgram::Batch::gathered(const Segment& s, Index lines, Index point, Index step) const {
  const Index along = stride_along(s), rows = lines / cell.fields, row = cell.fields * step;
  if (s.even) return {{s.count, lines, along, stride(s), point, step}, 1, 0, 0};
  if (s.wide) return {{s.count, rows, along, stride(s), point, row}, 1, 0, 0};
  return {{s.count, cell.fields, along, s.strides[cell.fields_axis], point, step}, rows, stride(s), row};
}

const std::byte* StageProgram::gather(const Batch& batch, std::byte* into) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  if (cell.from_table) {
    cell.from_table->gather(batch.at[cell.companion], batch.width, batch.workspace.from, into);
    return into;
  }
  const Index point = pass.in_stride * pass.from_bytes;
  Index reached = 0;
  for (std::size_t s = 0; s < cell.from.size(); ++s) {
    const Segment& segment = cell.from[s];
    zero_gap(batch, into, reached, segment.first);
    const std::byte* const source = batch.workspace.from[s];
    std::byte* const target = into + segment.first * point;
    const Panels panels = batch.gathered(segment, batch.width, point, pass.in_step * pass.from_bytes);
    for (Index k = 0; k < panels.count; ++k)
      segment.move(source + k * panels.from, target + k * panels.to, panels.each);
    reached = segment.first + segment.count;
  }
  zero_gap(batch, into, reached, pass.in_length);
  return into;
}

void StageProgram::scatter(const Batch& batch, const std::byte* done, Index first, Index count) const {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  const Index point = pass.out_stride * pass.to_bytes, line = pass.out_step * pass.to_bytes;
  for (std::size_t s = 0; s < cell.to.size(); ++s) {
    const Segment& segment = cell.to[s];
    const std::byte* const source = done + segment.first * point + first * line;
    std::byte* const target = batch.workspace.to[s] + first / (segment.even ? 1 : cell.fields) * batch.stride(segment);
    const bool streams = batch.streams && !retained(segment);
    const auto [each, panels, to, from] = batch.gathered(segment, count, point, line);
    const Panel panel{each.ni, each.nj, each.to_i, each.to_j, each.from_i, each.from_j};
    for (Index k = 0; k < panels; ++k)
      if (streams)
        segment.move.stream(source + k * from, target + k * to, panel);
      else
        segment.move(source + k * from, target + k * to, panel);
  }
}

// Asks for what the next batch gathers, as much of it as so many lines of this one are worth.
void StageProgram::look_ahead(const Batch& batch, Index first, Index count) {
  const Pass& pass = batch.pass;
  const Cell& cell = batch.cell;
  for (std::size_t s = 0; s < cell.from.size(); ++s) {
    const Segment& segment = cell.from[s];
    if (!segment.even || batch.stride(segment) != pass.from_bytes) continue;
    const Index begin = segment.count * first / batch.width, end = segment.count * (first + count) / batch.width;
    for (Index k = begin; k < end; ++k)
      fetch(batch.workspace.from[s] + k * batch.stride_along(segment) + batch.width * pass.from_bytes,
            batch.more * pass.from_bytes);
  }
}

}  // namespace weft

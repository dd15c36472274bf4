// Complex lines.
#pragma once

#include "rows.hpp"

namespace weft::lanes {
namespace {

// What is before a hole, if there is one, and what is behind it: where it begins, and how many
// points.
template <class Real, class Body>
WEFT_INLINE void around(const Program<Real>& program, bool hole, Body body) {
  if (!hole) return body(0, line_points(program));
  body(0, program.hole_first), body(program.hole_last, program.points - program.hole_last);
}

// As many lines as there are lanes at a time, and how many are behind them.
template <class Real, class Body>
WEFT_INLINE void groups(Batch<Real> b, Body body) {
  for (; b.lines > 0; b.lines -= width<Real>, b.in += width<Real> * b.in_step, b.out += width<Real> * b.out_step) {
    const Index lines = b.lines;
    if (b.lines > width<Real>) b.lines = width<Real>;
    body(b, lines - b.lines);
    b.lines = lines;
  }
}

// Rows that are not put in lanes: whatever their length with many registers, else short ones.
template <class Real, bool back, bool streams, class In, class Out>
WEFT_INLINE void kept_rows(In in, Out out, const Program<Real>& program, const Batch<Real>& batch) {
  if constexpr (keeps_rows(registers, bytes))
    rows<Real, back, Ahead, streams>(in, out, program, batch);
  else
    short_rows<Real, back, streams>(in, out, program, batch);
}

template <class Real, bool back>
void c2c(const Program<Real>& program, Batch<Real> batch) {
  if constexpr (keeps_rows(registers, bytes) || (keeps_short_rows(bytes) && sizeof(Real) == 8))
    if (program.rest) {
      return with_parts(program, [&](auto parts) {
        constexpr WithHole<parts.value> zeros;
        constexpr Radix<combined> all;
        if (back && program.zero)
          return batch.streams ? kept_rows<Real, back, true>(zeros, all, program, batch)
                               : kept_rows<Real, back, false>(zeros, all, program, batch);
        if (!back && program.unwanted) return kept_rows<Real, back, false>(parts, WithHole<combined>(), program, batch);
        batch.streams ? kept_rows<Real, back, true>(parts, all, program, batch)
                      : kept_rows<Real, back, false>(parts, all, program, batch);
      });
    }
  const Work<Real> work{batch.work}, lines = beside(program, work);
  groups(batch, [&](const Batch<Real>& b, Index behind) {
    const bool whole = b.lines == width<Real>, columns_in = b.in_stride > 2, columns_out = b.out_stride > 2;
    const Columns<Real, back> in{const_cast<Real*>(b.in), b.in_stride}, out{b.out, b.out_stride};
    around(program, program.zero, [&](Index j, Index points) {
      if (!columns_in)
        gather<Real, back, false>(b.in + 2 * j, b.in_step, points, b.lines, lines.p + 2 * j * width<Real>);
      else if (!whole)
        gather(FewColumns<Real, back>{in.p, in.stride, Few<Real>(b.lines)}, j, points, lines);
    });
    // rows that follow, one behind the other
    const bool follow =
        back ? !columns_out && !b.streams && behind >= width<Real> && b.out_step < 3 * line_points(program)
             : !columns_in && b.in_step < 3 * line_points(program);
    Ahead none, next;
    if (follow)
      next.at = reinterpret_cast<const char*>(back ? b.out + width<Real> * b.out_step : b.in + width<Real> * b.in_step);
    if (whole && columns_in && columns_out)
      passes<back>(program, in, out, work, none);
    else if (whole && columns_in)
      passes<back>(program, in, lines, work, next);
    else if (whole && columns_out)
      passes<back>(program, lines, out, work, next);
    else
      passes<back>(program, lines, lines, work, next);
    around(program, program.unwanted, [&](Index j, Index points) {
      if (!columns_out)
        (b.streams ? scatter<Real, back, true> : scatter<Real, back, false>)(lines.p + 2 * j * width<Real>,
                                                                             b.out + 2 * j, b.out_step, points,
                                                                             b.lines);
      else if (!whole)
        scatter(lines, FewColumns<Real, back>{out.p, out.stride, Few<Real>(b.lines)}, j, points);
    });
  });
}

template <class Real, bool back>
void c2c_rows(const Program<Real>& program, Rows<Real> rows) {
  constexpr int w = width<Real>;
  // With short registers one way to write serves all, which makes half as much code: what does not
  // stream is kept, and everything is scaled, by 1 perhaps.
  constexpr bool one_way = bytes < cache_line;
  if (one_way && !rows.streams) rows.first_kept = 0, rows.kept = line_points(program);
  const Work<Real> work{rows.work};
  Index j = 0;
  BothAhead ahead(rows.reads, rows.writes);
  const auto columns = [&](auto in) {
    for (; j + w <= rows.columns; j += w, in.shift += 2 * w) {
      const auto put = [&](auto out) { passes<back>(program, in, out, work, ahead); };
      if constexpr (one_way)
        put(ScaledRowsOut<Real, back, true>(rows, j));
      else if (rows.scale != 1)
        rows.streams ? put(ScaledRowsOut<Real, back, true>(rows, j)) : put(ScaledRowsOut<Real, back, false>(rows, j));
      else
        rows.streams ? put(RowsOut<Real, back, true>(rows, j)) : put(RowsOut<Real, back, false>(rows, j));
    }
  };
  if (ahead.reads.any())
    columns(RowsIn<Real, back, false>{rows.in, 0});
  else
    columns(RowsIn<Real, back, true>{rows.in, 0});
  if (j == rows.columns) return;
  const FewRows<Real, back> few{rows, 2 * j, Few<Real>(rows.columns - j)};
  BothAhead none{Memory(), Memory()};
  passes<back>(program, few, few, work, none);
}

}  // namespace
}  // namespace weft::lanes

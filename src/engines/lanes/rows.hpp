// Rows that are not put in lanes.
#pragma once

#include "convolved.hpp"

namespace weft::lanes {
namespace {

// Contiguous rows, one or two together: a row of 8 m points, or 4 m, as so many parts of m, until
// there are as many parts as lanes. Columns of it are combined, some at a time, and transposed in
// registers: after that each lane has a transform of m points of its own, and the results are one
// row again. Nothing leaves the first-level cache.
template <int parts, class Real>
constexpr int together = width<Real> / parts;
template <int parts, class Real, bool back, bool streams>
struct RowParts {
  Real *first, *second;  // where each half of what a register holds goes: parts of one row, or two rows
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    const Pair<Real> z = joined<back>(v);
    store<streams>(first + 2 * parts * j, z.first), store<streams>(second + 2 * parts * j, z.second);
  }
};
// While two lines of a cache are read, one of what will be read and two of what will be written.
struct Meanwhile {
  RowsAhead<false> reads;
  RowsAhead<true> writes;
  template <class Real>
  explicit Meanwhile(const Batch<Real>& batch) : reads(batch.reads), writes(batch.writes) {}
  WEFT_INLINE void ask() {
    if (reads.any()) reads.ask<1>();
    if (writes.any()) writes.ask<2>();
  }
};
// Rows of which all is in registers: parts of m points, complex numbers as they lie in memory. Less
// is shuffled than where real and imaginary parts have registers of their own, and additions go
// between (memory policy, K5).
template <int m, class Real, bool back, bool streams, bool leaves_out, class In>
void whole_rows(In, const Program<Real>& program, const Batch<Real>& batch) {
  using Points = Whole<Real, back>;
  constexpr int w = width<Real>, some = w / 2, parts = In::value, in_line = cache_line / bytes;
  static_assert(some == units && sizeof(Real) == 8, "units are points");
  for (Index line = 0; line < batch.lines; ++line) {
    const Real *const x = batch.in + line * batch.in_step, *twiddle = program.across;
    Real* const y = batch.out + line * batch.out_step;
    Vector<Real> v[m / some][parts];
#pragma GCC unroll 2
    for (int block = 0; block < m / some; ++block) {
      Points a[parts];
      for (int k = 0; k < parts; ++k) {
        const Real* const from = x + 2 * k * m + block * w;
        a[k] = In::in_hole(k) ? Points{} : Points{load(from)};
        if (block % in_line != 0) continue;
        if (back && !streams) __builtin_prefetch(y + batch.out_step + 2 * k * m + block * w, 1);
        __builtin_prefetch(from + 2 * batch.in_step);
      }
      Butterfly<parts, Real>::run(a);
      v[block][0] = a[0].v;
      for (int k = 1; k < parts; ++k, twiddle += 2 * w) v[block][k] = times(a[k], load(twiddle), load(twiddle + w)).v;
      for (int k = 0; k < parts; k += some) transpose_units<1, Real>(v[block] + k);
    }
#pragma GCC unroll 2
    for (int block = 0; block < parts / some; ++block) {
      Points a[m];
      for (int j = 0; j < m; ++j) a[j] = {v[j / some][block * some + j % some]};
      Butterfly<m, Real>::run(a);
      for (int k = 0; k < m; ++k)
        if (!leaves_out || !WithHole<m>::in_hole(k)) store<streams>(y + 2 * k * parts + block * w, a[k].v);
    }
  }
}
// Does rows that are short enough; false where these are longer.
template <class Real, bool back, bool streams, class In, class Out>
WEFT_INLINE bool short_rows(In in, Out, const Program<Real>& program, const Batch<Real>& batch) {
  constexpr bool leaves_out = Out::in_hole(hole_of(Out::value).first);
  const Index m = program.rest->points;
  if constexpr (In::value == few_combined)
    if (m == few_combined) return whole_rows<few_combined, Real, back, streams, leaves_out>(in, program, batch), true;
  if (m == combined) return whole_rows<combined, Real, back, streams, leaves_out>(in, program, batch), true;
  return false;
}
// Passes of longer ones ask for nothing, by a type that the file has passes for anyway.
template <class Real, bool back, class Asks, bool streams = false, class In, class Out>
void rows(In in, Out wanted, const Program<Real>& program, const Batch<Real>& batch) {
  constexpr int w = width<Real>, parts = In::value, rows_at_once = together<parts, Real>;
  const Program<Real>& rest = *program.rest;
  const Index m = rest.points;
  if constexpr (w == combined)
    if (short_rows<Real, back, streams>(in, wanted, program, batch)) return;
  const Work<Real> work{batch.work}, begin = beside(rest, work);
  Meanwhile meanwhile(batch);
  Asks asks;
  for (Index line = 0; line < batch.lines; line += rows_at_once) {
    const Index second =
        line + rows_at_once > batch.lines ? line : line + rows_at_once - 1;  // the last may be alone, twice
    const RowParts<parts, Real, back, streams> out{batch.out + line * batch.out_step,
                                                   batch.out + second * batch.out_step + (rows_at_once == 1 ? w : 0)};
    for (Index block = 0; block < m; block += w) {
      const Index j = block + w <= m ? block : m - w;  // the last one may meet the one before
      Vector<Real> r[w], i[w];
#pragma GCC unroll 2
      for (int t = 0; t < rows_at_once; ++t) {
        const Columns<Real, back> x{const_cast<Real*>(batch.in) + (t == 0 ? line : second) * batch.in_step + 2 * j,
                                    2 * m};
        Point<Real> a[parts];
        for (int k = 0; k < parts; ++k) {
          a[k] = In::in_hole(k) ? Point<Real>{} : x[k];
          // what is written next, too, where it goes through the caches
          if (back && !streams) {
            Real* const next = batch.out + (line + rows_at_once) * batch.out_step + 2 * (j + k * m);
            __builtin_prefetch(next, 1), __builtin_prefetch(next + w, 1);
          }
          const Real* const later = x.p + k * x.stride + 2 * batch.in_step;
          __builtin_prefetch(later), __builtin_prefetch(later + w);
          meanwhile.ask();
        }
        Butterfly<parts, Real>::run(a);
#pragma GCC unroll 16
        for (int lane = 0; lane < w; ++lane) {
          if (point_of<Real>(lane) / parts != t) continue;
          const int k = point_of<Real>(lane) % parts;
          r[lane] = a[k].r, i[lane] = a[k].i;
          if (k == 0) continue;
          const Real* const twiddle = program.across + 2 * w * ((parts - 1) * (block / w) + k - 1);
          const auto c = load(twiddle), s = load(twiddle + w);
          r[lane] = a[k].r * c - a[k].i * s, i[lane] = a[k].r * s + a[k].i * c;
        }
      }
      transpose<Real>(r);
      transpose<Real>(i);
#pragma GCC unroll 16
      for (int lane = 0; lane < w; ++lane) begin.put(j + point_of<Real>(lane), {r[lane], i[lane]});
    }
    if constexpr (parts == few_combined)
      two_passes<few_first, few_last>(rest, begin, out, work, asks);
    else
      passes<back>(rest, begin, out, work, asks);
  }
}

// Calls with the number of a row's parts as a constant.
template <class Real, class Body>
WEFT_INLINE void with_parts(const Program<Real>& program, Body body) {
  if constexpr (sizeof(Real) == 8) {
    if (program.points == few_combined * program.rest->points) return body(Radix<few_combined>());
  }
  body(Radix<combined>());
}

}  // namespace
}  // namespace weft::lanes

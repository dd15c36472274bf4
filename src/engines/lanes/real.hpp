// Real lines.
#pragma once

#include "complex.hpp"

namespace weft::lanes {
namespace {

// Contiguous complex numbers: the first of one register, before those of another from the last to its second.
template <class Real, int... k>
WEFT_INLINE Vector<Real> mirrored(Vector<Real> first, Vector<Real> others, Numbers<k...>) {
  return __builtin_shufflevector(first, others, (k < 2 ? k : 2 * width<Real> - k / 2 * 2 + k % 2)...);
}
// a b - c of real parts, a b + c of imaginary ones, and the other way round.
WEFT_INLINE Vector<double> less_real(Vector<double> a, Vector<double> b, Vector<double> c) { return _mm512_fmaddsub_pd(a, b, c); }
WEFT_INLINE Vector<float> less_real(Vector<float> a, Vector<float> b, Vector<float> c) { return _mm512_fmaddsub_ps(a, b, c); }
WEFT_INLINE Vector<double> less_imaginary(Vector<double> a, Vector<double> b, Vector<double> c) { return _mm512_fmsubadd_pd(a, b, c); }
WEFT_INLINE Vector<float> less_imaginary(Vector<float> a, Vector<float> b, Vector<float> c) { return _mm512_fmsubadd_ps(a, b, c); }

// Real lines that are not put in lanes, as complex ones of half the length. Of one line, X of Z with Z[h] = Z[0] or, backward, Z of X, as `r2c` and `c2r` say: either way what is written is f e + t, and
// (f e - t)* for h - k, with e = a + b*, t = u (a - b*), a at k and b at h - k. Registers are read and written as others leave them and want them, none across two: that would wait for the stores.
template <class Real, bool back>
WEFT_INLINE void fold(const Program<Real>& program, const Real* from, Real* to) {
  constexpr int w = width<Real>;
  constexpr Lane<Real> lane;
  const Index h = program.points;
  constexpr auto factor = static_cast<Real>(back ? 1 : 0.5);
  const Vector<Real> one = Vector<Real>{} + 1, both = Vector<Real>{} + factor, signs = alternating<Real>(factor, lane);
  const Real* u = program.turns;
  Vector<Real> next = back ? load_first(from + 2 * h, 3) : load(from), behind{};
  for (Index k = 0; 2 * k < h; k += w / 2, u += 2 * w) {
    const Vector<Real> a = load(from + 2 * k), low = load(from + 2 * (h - k) - w), b = mirrored<Real>(next, low, lane);
    const Vector<Real> e = less_imaginary(a, one, b), d = less_real(a, one, b), t = less_real(d, load(u), exchanged<Real>(d, lane) * load(u + w));
    store(to + 2 * k, e * both + t);
    const Vector<Real> mirror = less_real(e, signs, t);
    if (k > 0) store(to + 2 * (h - k), mirrored<Real>(mirror, behind, lane));
    else if (!back) store_first(to + 2 * h, 3, mirror);
    next = low, behind = mirror;
  }
  store(to + h, mirrored<Real>(load(from + h) * (signs + signs), behind, lane));
}
template <class Real, bool back, class Parts>
void real_rows(Parts parts, const Program<Real>& program, Batch<Real> batch) {
  constexpr Radix<combined> all;
  // rows that stay in registers follow one another better than what comes between: 33 GFlop/s instead of 28; longer ones leave the first-level cache: 24 instead of 27
  constexpr int w = width<Real>, least = together<Parts::value, Real>;
  const Index h = program.points, step = 2 * h + w, some = program.rest->points <= combined && w == combined ? 4 : least;
  Real* const z = beside(*program.rest, beside(*program.rest, Work<Real>{batch.work})).p;
  for (Index left = batch.lines; left > 0; left -= some, batch.in += some * batch.in_step, batch.out += some * batch.out_step) {
    Batch<Real> lines = batch;
    lines.lines = left < some ? left : some;
    if (back) {
      for (Index k = 0; k < lines.lines; ++k) {
        const Real *const x = batch.in + k * batch.in_step, first = x[0], last = x[2 * h];
        fold<Real, back>(program, x, z + k * step);
        z[k * step] = first + last, z[k * step + 1] = first - last;
      }
      lines.in = z, lines.in_step = step;
      batch.streams ? rows<Real, back, true>(parts, all, program, lines) : rows<Real, back>(parts, all, program, lines);
    } else {
      lines.out = z, lines.out_step = step;
      rows<Real, back>(parts, all, program, lines);
      for (Index k = 0; k < lines.lines; ++k) fold<Real, back>(program, z + k * step, batch.out + k * batch.out_step);
    }
  }
}

// A real line of n = 2 h points as a complex one z of h, Z its transform; for E = (Z[k] + Z*[h-k]) / 2 and O = exp(-2 pi i k / n) (Z[k] - Z*[h-k]) / 2i
// the line's own is X[k] = E + O, X[h-k] = (E - O)*.
template <class Real>
void r2c(const Program<Real>& program, Batch<Real> batch) {
  if (program.rest) return with_parts(program, [&](auto parts) { real_rows<Real, false>(parts, program, batch); });
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index h = program.points;
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, true>(b.in, b.in_step, h, b.lines, z.p);
    passes<false>(program, z, z, work);
    const Point<Real> first = z[0];
    z.put(0, {first.r + first.i, Vector<Real>{}});
    z.put(h, {first.r - first.i, Vector<Real>{}});
    for (Index k = 1; 2 * k < h; ++k) {
      const Point<Real> a = z[k], c = conjugate(z[h - k]), e = a + c, o = turned(times(a - c, program.halves[2 * k], program.halves[2 * k + 1]));
      constexpr auto half = static_cast<Real>(0.5);
      z.put(k, {(e.r + o.r) * half, (e.i + o.i) * half});
      z.put(h - k, {(e.r - o.r) * half, (o.i - e.i) * half});
    }
    if (h % 2 == 0) z.put(h / 2, conjugate(z[h / 2]));
    scatter<Real, false>(z.p, b.out, b.out_step, h + 1, b.lines);
  });
}

// The way back, without the halves: Z[k] = E + i O with E = X[k] + X*[h-k], O = exp(2 pi i k / n) (X[k] - X*[h-k]); what an imaginary part of X[0] or X[h] may be is not looked at.
template <class Real>
void c2r(const Program<Real>& program, Batch<Real> batch) {
  if (program.rest) return with_parts(program, [&](auto parts) { real_rows<Real, true>(parts, program, batch); });
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index h = program.points;
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, false>(b.in, b.in_step, h + 1, b.lines, z.p);
    const Vector<Real> first = z[0].r, last = z[h].r;
    z.put(0, {first - last, first + last});
    for (Index k = 1; 2 * k < h; ++k) {
      const Point<Real> a = z[k], c = conjugate(z[h - k]), e = a + c, o = times(a - c, program.halves[2 * k], -program.halves[2 * k + 1]);
      z.put(k, {e.i + o.r, e.r - o.i});
      z.put(h - k, {o.r - e.i, e.r + o.i});
    }
    if (h % 2 == 0) {
      const Point<Real> a = z[h / 2];
      z.put(h / 2, {(a.i + a.i) * static_cast<Real>(-1), a.r + a.r});
    }
    passes<false>(program, z, z, work);
    (b.streams ? scatter<Real, true, true> : scatter<Real, true, false>)(z.p, b.out, b.out_step, h, b.lines);
  });
}

}  // namespace
}  // namespace weft::lanes

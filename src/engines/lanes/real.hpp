// Real lines.
#pragma once

#include "complex.hpp"

namespace weft::lanes {
namespace {

// Contiguous complex numbers: the first of one register, before those of another from the last to
// its second.
template <class Real, int... k>
WEFT_INLINE Vector<Real> mirrored(Vector<Real> first, Vector<Real> others, Numbers<k...>) {
  return __builtin_shufflevector(first, others, (k < 2 ? k : 2 * width<Real> - k / 2 * 2 + k % 2)...);
}
// Real lines that are not put in lanes, as complex ones of half the length. Of one line, X of Z
// with Z[h] = Z[0] or, backward, Z of X, as `r2c` and `c2r` say: either way what is written is f e
// + t, and (f e - t)* for h - k, with e = a + b*, t = u (a - b*), a at k and b at h - k. Registers
// are read and written as others leave them and want them, none across two: that would wait for the
// stores.
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
    const Vector<Real> e = less_imaginary(a, one, b), d = less_real(a, one, b),
                       t = less_real(d, load(u), exchanged<Real>(d, lane) * load(u + w));
    store(to + 2 * k, e * both + t);
    const Vector<Real> mirror = less_real(e, signs, t);
    if (k > 0)
      store(to + 2 * (h - k), mirrored<Real>(mirror, behind, lane));
    else if (!back)
      store_first(to + 2 * h, 3, mirror);
    next = low, behind = mirror;
  }
  store(to + h, mirrored<Real>(load(from + h) * (signs + signs), behind, lane));
}
template <class Real, bool back, class Parts>
void real_rows(Parts parts, const Program<Real>& program, Batch<Real> batch) {
  constexpr Radix<combined> all;
  // Rows that stay in registers follow one another; of longer ones as few go together as can, so
  // that they do not leave the first-level cache.
  constexpr int w = width<Real>, least = together<Parts::value, Real>;
  const Index h = program.points, step = 2 * h + w,
              some = program.rest->points <= combined && w == combined ? 4 : least;
  Real* const z = beside(*program.rest, beside(*program.rest, Work<Real>{batch.work})).p;
  for (Index left = batch.lines; left > 0;
       left -= some, batch.in += some * batch.in_step, batch.out += some * batch.out_step) {
    Batch<Real> lines = batch;
    lines.lines = left < some ? left : some;
    if (back) {
      for (Index k = 0; k < lines.lines; ++k) {
        const Real *const x = batch.in + k * batch.in_step, first = x[0], last = x[2 * h];
        fold<Real, back>(program, x, z + k * step);
        z[k * step] = first + last, z[k * step + 1] = first - last;
      }
      lines.in = z, lines.in_step = step;
      batch.streams ? rows<Real, back, Nothing, true>(parts, all, program, lines)
                    : rows<Real, back, Nothing>(parts, all, program, lines);
    } else {
      lines.out = z, lines.out_step = step;
      rows<Real, back, Nothing>(parts, all, program, lines);
      for (Index k = 0; k < lines.lines; ++k) fold<Real, back>(program, z + k * step, batch.out + k * batch.out_step);
    }
  }
}

// Real numbers of rows to work memory, a register a point, and back: there one more register
// follows each `apart` points.
template <class Real>
void gather_reals(const Real* in, Index step, Index points, Index lines, Real* work) {
  constexpr int w = width<Real>;
  for (Index j = 0; j < points; j += w) {
    const Index some = points - j < w ? points - j : w;
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) {
      const Real* const from = in + (point_of<Real>(k) < lines ? point_of<Real>(k) * step : 0) + j;
      v[k] = some == w ? load(from) : load_first(from, (1u << some) - 1);
      __builtin_prefetch(from + w * step);
    }
    transpose<Real>(v);
    for (Index k = 0; k < some; ++k) store(work + (j + k) * w, v[k]);
  }
}
template <class Real, bool streams>
void scatter_reals(const Real* work, Index apart, Real* out, Index step, Index points, Index lines) {
  constexpr int w = width<Real>;
  Index left = apart;
  for (Index j = 0; j < points; j += w) {
    const Index some = points - j < w ? points - j : w;
    Vector<Real> v[w] = {};
    for (Index k = 0; k < some; ++k, work += w) {
      v[k] = load(work);
      if (--left == 0) work += w, left = apart;
    }
    transpose<Real>(v);
    for (int k = 0; k < w; ++k) {
      if (point_of<Real>(k) >= lines) continue;
      Real* const to = out + point_of<Real>(k) * step + j;
      some == w ? store<streams>(to, v[k]) : store_first(to, (1u << some) - 1, v[k]);
    }
  }
}

// Lines of an odd number n of points. Of the `radix` transforms that a first pass leaves of a real
// line, those from the middle on have the conjugates of the others' results; and what it leaves of
// half a spectrum has real results, so that two transforms go together as one, the second times i.
// All is of one line: its bits depend on no other.
template <class R, class Real>
void first_real_pass(R, Index m, const Real* w, const Real* x, Work<Real> y) {
  constexpr int radix = R::value, side = (radix + 1) / 2;
  for (Index p = 0; p < m; ++p, w += 2 * (radix - 1)) {
    Point<Real> a[radix];
    for (int k = 0; k < radix; ++k) a[k] = {load(x + (p + m * k) * width<Real>), Vector<Real>{}};
    Butterfly<radix, Real>::run(a);
    y.put(side * p, a[0]);
    for (int k = 1; k < side; ++k) y.put(side * p + k, times(a[k], w[2 * k - 2], w[2 * k - 1]));
  }
}
template <class R, class Real>
void first_halved_pass(R, Index m, const Real* w, Work<Real> x, Work<Real> y) {
  constexpr int radix = R::value, side = (radix + 1) / 2;
  const Index n = radix * m;
  for (Index p = 0; p < m; ++p, w += 2 * (radix - 1)) {
    Point<Real> a[radix];
    for (int k = 0; k < radix; ++k) {
      const Index j = p + m * k;
      a[k] = 2 * j < n ? conjugate(x[j]) : x[n - j];  // backward is forward of the conjugate
    }
    if (p == 0) a[0].i = Vector<Real>{};
    Butterfly<radix, Real>::run(a);
    for (int k = 1; k < radix; ++k) a[k] = times(a[k], w[2 * k - 2], w[2 * k - 1]);
    for (int k = 0; k + 1 < radix; k += 2) y.put(side * p + k / 2, {a[k].r - a[k + 1].i, a[k].i + a[k + 1].r});
    y.put(side * p + side - 1, a[radix - 1]);
  }
}
template <class Real, class To>
void passes_behind(const Program<Real>& program, Index side, Index step, Work<Real> here, To y) {
  Nothing nothing;
  Index blocks = 1, m = program.points / program.radix[0];
  int k = 1;
  for (; k + 1 < program.passes; ++k) {
    m /= program.radix[k];
    with_odd_radix(program.radix[k],
                   [&](auto radix) { middle_pass(radix, side, blocks, m, program.twiddles[k], here, nothing); });
    blocks *= program.radix[k];
  }
  with_odd_radix(program.radix[k],
                 [&](auto radix) { last_pass(radix, side, step, blocks, program.block, here, y, nothing); });
}
// Half a spectrum of n points: the other half is not kept.
template <class Real>
struct Halved {
  Work<Real> work;
  Index n;
  WEFT_INLINE void put(Index j, Point<Real> v) const { 2 * j < n ? work.put(j, v) : work.put(n - j, conjugate(v)); }
};
template <class Real>
void odd_r2c(const Program<Real>& program, Batch<Real> batch) {
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index n = program.points, first = program.radix[0];
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather_reals(b.in, b.in_step, n, b.lines, z.p);
    with_odd_radix(program.radix[0],
                   [&](auto radix) { first_real_pass(radix, n / first, program.twiddles[0], z.p, work); });
    passes_behind(program, (first + 1) / 2, first, work, Halved<Real>{z, n});
    scatter<Real, false>(z.p, b.out, b.out_step, n / 2 + 1, b.lines);
  });
}
template <class Real>
void odd_c2r(const Program<Real>& program, Batch<Real> batch) {
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index n = program.points, first = program.radix[0], side = (first + 1) / 2;
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, false>(b.in, b.in_step, n / 2 + 1, b.lines, z.p);
    with_odd_radix(program.radix[0],
                   [&](auto radix) { first_halved_pass(radix, n / first, program.twiddles[0], z, work); });
    passes_behind(program, side, side, work, z);
    (b.streams ? scatter_reals<Real, true> : scatter_reals<Real, false>)(z.p, first, b.out, b.out_step, n, b.lines);
  });
}

// Lines that are convolved have imaginary parts like others.
template <class Real>
void convolved_r2c(const Program<Real>& program, Batch<Real> batch) {
  constexpr int w = width<Real>;
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index n = line_points(program);
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather_reals(b.in, b.in_step, n, b.lines, z.p);
    for (Index j = n; j-- > 0;) z.put(j, {load(z.p + j * w), Vector<Real>{}});
    convolve(program, z, work);
    z.put(0, {z[0].r, Vector<Real>{}});
    if (n % 2 == 0) z.put(n / 2, {z[n / 2].r, Vector<Real>{}});
    scatter<Real, false>(z.p, b.out, b.out_step, n / 2 + 1, b.lines);
  });
}
// Backward is forward of the conjugate.
template <class Real>
void convolved_c2r(const Program<Real>& program, Batch<Real> batch) {
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index n = line_points(program);
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, false>(b.in, b.in_step, n / 2 + 1, b.lines, z.p);
    z.put(0, {z[0].r, Vector<Real>{}});
    if (n % 2 == 0) z.put(n / 2, {z[n / 2].r, Vector<Real>{}});
    for (Index j = 1; 2 * j < n; ++j) z.put(n - j, z[j]), z.put(j, conjugate(z[j]));
    convolve(program, z, work);
    (b.streams ? scatter_reals<Real, true> : scatter_reals<Real, false>)(z.p, 1, b.out, b.out_step, n, b.lines);
  });
}

// A real line of an even number n = 2 h of points as a complex one z of h, Z its transform; for E =
// (Z[k] + Z*[h-k]) / 2 and O = exp(-2 pi i k / n) (Z[k] - Z*[h-k]) / 2i the line's own is X[k] = E
// + O, X[h-k] = (E - O)*.
template <class Real>
void r2c(const Program<Real>& program, Batch<Real> batch) {
  if constexpr (keeps_rows(registers, bytes))
    if (program.rest) return with_parts(program, [&](auto parts) { real_rows<Real, false>(parts, program, batch); });
  if (program.convolution) return convolved_r2c(program, batch);
  if (!program.halves) return odd_r2c(program, batch);
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index h = program.points;
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, true>(b.in, b.in_step, h, b.lines, z.p);
    passes<false>(program, z, z, work);
    const Point<Real> first = z[0];
    z.put(0, {first.r + first.i, Vector<Real>{}});
    z.put(h, {first.r - first.i, Vector<Real>{}});
    for (Index k = 1; 2 * k < h; ++k) {
      const Point<Real> a = z[k], c = conjugate(z[h - k]), e = a + c,
                        o = turned(times(a - c, program.halves[2 * k], program.halves[2 * k + 1]));
      constexpr auto half = static_cast<Real>(0.5);
      z.put(k, {(e.r + o.r) * half, (e.i + o.i) * half});
      z.put(h - k, {(e.r - o.r) * half, (o.i - e.i) * half});
    }
    if (h % 2 == 0) z.put(h / 2, conjugate(z[h / 2]));
    scatter<Real, false>(z.p, b.out, b.out_step, h + 1, b.lines);
  });
}

// The way back, without the halves: Z[k] = E + i O with E = X[k] + X*[h-k], O = exp(2 pi i k / n)
// (X[k] - X*[h-k]); what an imaginary part of X[0] or X[h] may be is not looked at.
template <class Real>
void c2r(const Program<Real>& program, Batch<Real> batch) {
  if constexpr (keeps_rows(registers, bytes))
    if (program.rest) return with_parts(program, [&](auto parts) { real_rows<Real, true>(parts, program, batch); });
  if (program.convolution) return convolved_c2r(program, batch);
  if (!program.halves) return odd_c2r(program, batch);
  const Work<Real> work{batch.work}, z = beside(program, work);
  const Index h = program.points;
  groups(batch, [&](const Batch<Real>& b, Index) {
    gather<Real, false, false>(b.in, b.in_step, h + 1, b.lines, z.p);
    const Vector<Real> first = z[0].r, last = z[h].r;
    z.put(0, {first - last, first + last});
    for (Index k = 1; 2 * k < h; ++k) {
      const Point<Real> a = z[k], c = conjugate(z[h - k]), e = a + c,
                        o = times(a - c, program.halves[2 * k], -program.halves[2 * k + 1]);
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

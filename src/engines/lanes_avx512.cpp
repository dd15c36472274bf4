// The kernels of lanes.hpp for AVX-512; compiled with its options.
#include "lanes_kernels.hpp"

#include <immintrin.h>  // always inlined

namespace weft::lanes {
namespace {

#define WEFT_INLINE inline __attribute__((always_inline))

using Index = std::ptrdiff_t;
constexpr int bytes = 64;
template <class Real>
constexpr int width = bytes / static_cast<int>(sizeof(Real));
template <class Real>
struct Register {
  typedef Real type __attribute__((vector_size(bytes)));
  typedef Real loose __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));
};
template <class Real>
using Vector = typename Register<Real>::type;

template <class Real>
WEFT_INLINE Vector<Real> load(const Real* p) {
  return *reinterpret_cast<const typename Register<Real>::loose*>(p);
}
template <class Real>
WEFT_INLINE void store(Real* p, Vector<Real> v) {
  *reinterpret_cast<typename Register<Real>::loose*>(p) = v;
}

// The first of them alone, and zeros.
WEFT_INLINE Vector<double> load_first(const double* p, unsigned mask) { return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p); }
WEFT_INLINE Vector<float> load_first(const float* p, unsigned mask) { return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p); }
WEFT_INLINE void store_first(double* p, unsigned mask, Vector<double> v) { _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v); }
WEFT_INLINE void store_first(float* p, unsigned mask, Vector<float> v) { _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), v); }

template <int... k>
struct Numbers {};
template <int n, int... k>
struct UpTo : UpTo<n - 1, n - 1, k...> {};
template <int... k>
struct UpTo<0, k...> {
  using type = Numbers<k...>;
};
template <class Real>
using Lane = typename UpTo<width<Real>>::type;

// Real and imaginary parts of as many points as there are lanes, from two registers of complex numbers, and back. A register is four quarters, and what stays in its
// quarter is cheap: so lane k has point `point_of(k)`.
template <class Real>
constexpr int quarter = width<Real> / 4;
template <class Real>
constexpr int point_of(int k) {
  constexpr int pair = quarter<Real> / 2;  // lanes of a quarter that are one register's
  return k / quarter<Real> * pair + k % pair + (k % quarter<Real> < pair ? 0 : width<Real> / 2);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> real_parts(Vector<Real> a, Vector<Real> b, Numbers<k...>) {
  constexpr int q = quarter<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + k % (q / 2) * 2 + (k % q < q / 2 ? 0 : width<Real>))...);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> imaginary_parts(Vector<Real> a, Vector<Real> b, Numbers<k...>) {
  constexpr int q = quarter<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + k % (q / 2) * 2 + 1 + (k % q < q / 2 ? 0 : width<Real>))...);
}
template <int half, class Real, int... k>
WEFT_INLINE Vector<Real> zipped(Vector<Real> a, Vector<Real> b, Numbers<k...>) {  // halves of the quarters, one from a, one from b
  constexpr int q = quarter<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + half * q / 2 + k % q / 2 + k % 2 * width<Real>)...);
}

// One point of all lanes.
template <class Real>
struct Point {
  Vector<Real> r, i;
};
template <class Real>
WEFT_INLINE Point<Real> operator+(Point<Real> a, Point<Real> b) { return {a.r + b.r, a.i + b.i}; }
template <class Real>
WEFT_INLINE Point<Real> operator-(Point<Real> a, Point<Real> b) { return {a.r - b.r, a.i - b.i}; }
template <class Real>
WEFT_INLINE Point<Real> turned(Point<Real> a) { return {a.i, -a.r}; }  // times -i
template <class Real>
WEFT_INLINE Point<Real> conjugate(Point<Real> a) { return {a.r, -a.i}; }
template <class Real>
WEFT_INLINE Point<Real> swapped(Point<Real> a) { return {a.i, a.r}; }
template <class Real>
WEFT_INLINE Point<Real> times(Point<Real> a, Real r, Real i) { return {a.r * r - a.i * i, a.r * i + a.i * r}; }

// Where points lie. In work memory real and imaginary parts alternate vector by vector.
template <class Real>
struct Work {
  Real* p;
  WEFT_INLINE Point<Real> operator[](Index j) const { return {load(p + 2 * j * width<Real>), load(p + (2 * j + 1) * width<Real>)}; }
  WEFT_INLINE void put(Index j, Point<Real> v) const { store(p + 2 * j * width<Real>, v.r), store(p + (2 * j + 1) * width<Real>, v.i); }
};
// Lines side by side. A transform backward is one forward with real and imaginary parts changing places on the way in and out.
template <class Real, bool back>
WEFT_INLINE Point<Real> split(Vector<Real> a, Vector<Real> b) {
  const Point<Real> v{real_parts<Real>(a, b, Lane<Real>()), imaginary_parts<Real>(a, b, Lane<Real>())};
  return back ? swapped(v) : v;
}
template <class Real, bool back>
struct Columns {
  Real* p;
  Index stride;
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<Real, back>(load(p + j * stride), load(p + j * stride + width<Real>)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    if (back) v = swapped(v);
    store(p + j * stride, zipped<0, Real>(v.r, v.i, Lane<Real>()));
    store(p + j * stride + width<Real>, zipped<1, Real>(v.r, v.i, Lane<Real>()));
  }
};
// Fewer than there are lanes.
template <class Real, bool back>
struct FewColumns {
  Real* p;
  Index stride;
  unsigned first, second;  // masks of reals
  FewColumns(Real* at, Index apart, Index lines) : p(at), stride(apart), first((1u << (2 * lines)) - 1), second(first >> width<Real>) {}
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<Real, back>(load_first(p + j * stride, first), load_first(p + j * stride + width<Real>, second)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    if (back) v = swapped(v);
    store_first(p + j * stride, first, zipped<0, Real>(v.r, v.i, Lane<Real>()));
    store_first(p + j * stride + width<Real>, second, zipped<1, Real>(v.r, v.i, Lane<Real>()));
  }
};

// Transforms of a few points in registers.
template <int radix>
struct Circle;  // cosine and sine of 2 pi k / radix
template <>
struct Circle<3> {
  static constexpr double c[] = {1, -0.5}, s[] = {0, 0.86602540378443864676};
};
template <>
struct Circle<5> {
  static constexpr double c[] = {1, 0.30901699437494742410, -0.80901699437494742410}, s[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Circle<7> {
  static constexpr double c[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr double s[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};
template <int radix, class Real>
struct Butterfly {  // odd
  static WEFT_INLINE void run(Point<Real>* a) {
    constexpr int half = radix / 2;
    Point<Real> sum[half + 1], difference[half + 1], first = a[0];
    for (int j = 1; j <= half; ++j) {
      sum[j] = a[j] + a[radix - j];
      difference[j] = a[j] - a[radix - j];
      first = first + sum[j];
    }
    for (int k = 1; k <= half; ++k) {
      Point<Real> even = a[0], odd{};
      for (int j = 1; j <= half; ++j) {
        const int angle = j * k % radix, other = angle <= half ? angle : radix - angle;
        const auto c = static_cast<Real>(Circle<radix>::c[other]), s = static_cast<Real>(angle <= half ? Circle<radix>::s[other] : -Circle<radix>::s[other]);
        even.r += c * sum[j].r, even.i += c * sum[j].i;
        odd.r += s * difference[j].i, odd.i -= s * difference[j].r;
      }
      a[k] = even + odd;
      a[radix - k] = even - odd;
    }
    a[0] = first;
  }
};
template <class Real>
struct Butterfly<2, Real> {
  static WEFT_INLINE void run(Point<Real>* a) {
    const auto difference = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = difference;
  }
};
template <class Real>
struct Butterfly<4, Real> {
  static WEFT_INLINE void run(Point<Real>* a) {
    const auto s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], u = turned(a[1] - a[3]);
    a[0] = s + t, a[1] = d + u, a[2] = s - t, a[3] = d - u;
  }
};
template <class Real>
struct Butterfly<8, Real> {
  static WEFT_INLINE void run(Point<Real>* a) {
    Point<Real> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
    Butterfly<4, Real>::run(even);
    Butterfly<4, Real>::run(odd);
    constexpr auto h = static_cast<Real>(0.70710678118654752440);
    odd[1] = {(odd[1].r + odd[1].i) * h, (odd[1].i - odd[1].r) * h};
    odd[2] = turned(odd[2]);
    odd[3] = {(odd[3].i - odd[3].r) * h, (odd[3].r + odd[3].i) * -h};
    for (int k = 0; k < 4; ++k) a[k] = even[k] + odd[k], a[k + 4] = even[k] - odd[k];
  }
};

// One pass of Stockham's transform by decimation in frequency, which leaves results in order: of s transforms of radix * m points.
template <int radix, bool last, class Real, class From, class To>
void pass(Index m, Index s, const Real* w, From x, To y) {
  for (Index p = 0; p < m; ++p, w += 2 * (radix - 1))
    for (Index q = 0; q < s; ++q) {
      Point<Real> a[radix];
      for (int k = 0; k < radix; ++k) a[k] = x[q + s * (p + m * k)];
      Butterfly<radix, Real>::run(a);
      y.put(q + s * radix * p, a[0]);
      for (int k = 1; k < radix; ++k) y.put(q + s * (radix * p + k), last ? a[k] : times(a[k], w[2 * k - 2], w[2 * k - 1]));
    }
}
template <bool last, class Real, class From, class To>
void pass(const Program<Real>& program, int k, Index m, Index s, From x, To y) {
  const Real* w = program.twiddles[k];
  switch (program.radix[k]) {
    case 2: return pass<2, last>(m, s, w, x, y);
    case 3: return pass<3, last>(m, s, w, x, y);
    case 4: return pass<4, last>(m, s, w, x, y);
    case 5: return pass<5, last>(m, s, w, x, y);
    case 7: return pass<7, last>(m, s, w, x, y);
    case 8: return pass<8, last>(m, s, w, x, y);
  }
}

// Work memory in two parts, between which passes go to and fro; `begin` is where the first may find its points, `end` where the last may leave them.
template <class Real>
struct Desk {
  Real *here, *begin, *end;
  Desk(const Program<Real>& program, Real* work)
      : here(work), begin(work + (program.points + 1) * 2 * width<Real>), end(program.passes % 2 == 0 ? begin : here) {}
};

template <class Real, class From, class To>
void passes(const Program<Real>& program, From x, To y, const Desk<Real>& desk) {
  Index s = program.radix[0], m = program.points / s;
  Real *read = desk.here, *written = desk.begin;
  pass<false>(program, 0, m, 1, x, Work<Real>{read});
  int k = 1;
  for (; k + 1 < program.passes; ++k) {
    m /= program.radix[k];
    pass<false>(program, k, m, s, Work<Real>{read}, Work<Real>{written});
    s *= program.radix[k];
    Real* const next = written;
    written = read;
    read = next;
  }
  pass<true>(program, k, 1, s, Work<Real>{read}, y);
}

// A square of as many registers as they have lanes, transposed: first the squares inside quarters, then quarters.
template <int odd, class Real, int... k>
WEFT_INLINE Vector<Real> quarters(Vector<Real> a, Vector<Real> b, Numbers<k...>) {  // of even or odd number
  constexpr int q = quarter<Real>;
  return __builtin_shufflevector(a, b, ((k / q % 2 * 2 + odd) * q + k % q + (k / q < 2 ? 0 : width<Real>))...);
}
template <int part, class Real, int... k>
WEFT_INLINE Vector<Real> halves(Vector<Real> a, Vector<Real> b, Numbers<k...>) {  // of quarters, whole
  constexpr int q = quarter<Real>, h = q / 2;
  return __builtin_shufflevector(a, b, (k / q * q + part * h + k % h + (k % q < h ? 0 : width<Real>))...);
}
template <class Real>
WEFT_INLINE void transpose(Vector<Real>* v) {
  constexpr int w = width<Real>, q = quarter<Real>;
  constexpr Lane<Real> lane;
  for (int i = 0; i < w; i += q) {
    if constexpr (q == 2) {
      const auto a = v[i], b = v[i + 1];
      v[i] = zipped<0, Real>(a, b, lane), v[i + 1] = zipped<1, Real>(a, b, lane);
    } else {
      const auto a = zipped<0, Real>(v[i], v[i + 1], lane), b = zipped<1, Real>(v[i], v[i + 1], lane), c = zipped<0, Real>(v[i + 2], v[i + 3], lane), d = zipped<1, Real>(v[i + 2], v[i + 3], lane);
      v[i] = halves<0, Real>(a, c, lane), v[i + 1] = halves<1, Real>(a, c, lane), v[i + 2] = halves<0, Real>(b, d, lane), v[i + 3] = halves<1, Real>(b, d, lane);
    }
  }
  for (int i = 0; i < q; ++i) {
    const auto a = v[i], b = v[i + q], c = v[i + 2 * q], d = v[i + 3 * q];
    const auto ab = quarters<0, Real>(a, b, lane), cd = quarters<0, Real>(c, d, lane), ab1 = quarters<1, Real>(a, b, lane), cd1 = quarters<1, Real>(c, d, lane);
    v[i] = quarters<0, Real>(ab, cd, lane), v[i + q] = quarters<0, Real>(ab1, cd1, lane);
    v[i + 2 * q] = quarters<1, Real>(ab, cd, lane), v[i + 3 * q] = quarters<1, Real>(ab1, cd1, lane);
  }
}

// Rows to work memory and back; points left over go number by number. Where there are fewer rows than lanes, the others have copies of the first.
template <class Real, bool back>
void gather(const Real* in, Index step, Index points, Index lines, Real* work) {
  constexpr int w = width<Real>;
  const Real* row[w];
  for (int k = 0; k < w; ++k) row[k] = in + (point_of<Real>(k) < lines ? point_of<Real>(k) * step : 0);
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) v[k] = load(row[k] + 2 * j);
    transpose<Real>(v);
    for (int k = 0; k < w; ++k) store(work + (2 * j + (back ? k ^ 1 : k)) * w, v[k]);
  }
  for (; j < points; ++j)
    for (int k = 0; k < w; ++k) {
      work[(2 * j + back) * w + k] = row[k][2 * j];
      work[(2 * j + !back) * w + k] = row[k][2 * j + 1];
    }
}
template <class Real, bool back>
void scatter(const Real* work, Real* out, Index step, Index points, Index lines) {
  constexpr int w = width<Real>;
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) v[k] = load(work + (2 * j + (back ? k ^ 1 : k)) * w);
    transpose<Real>(v);
    for (int k = 0; k < w; ++k)
      if (point_of<Real>(k) < lines) store(out + point_of<Real>(k) * step + 2 * j, v[k]);
  }
  for (; j < points; ++j)
    for (int k = 0; k < w; ++k) {
      if (point_of<Real>(k) >= lines) continue;
      Real* const z = out + point_of<Real>(k) * step + 2 * j;
      z[0] = work[(2 * j + back) * w + k];
      z[1] = work[(2 * j + !back) * w + k];
    }
}
// The same for fewer columns than lanes.
template <class Real, bool back>
void gather(FewColumns<Real, back> in, Index points, Real* work) {
  for (Index j = 0; j < points; ++j) Work<Real>{work}.put(j, in[j]);
}
template <class Real, bool back>
void scatter(const Real* work, FewColumns<Real, back> out, Index points) {
  for (Index j = 0; j < points; ++j) out.put(j, Work<Real>{const_cast<Real*>(work)}[j]);
}

// As many lines as there are lanes at a time.
template <class Real, class Body>
WEFT_INLINE void groups(Batch<Real> b, Body body) {
  for (; b.lines > 0; b.lines -= width<Real>, b.in += width<Real> * b.in_step, b.out += width<Real> * b.out_step) {
    const Index lines = b.lines;
    if (b.lines > width<Real>) b.lines = width<Real>;
    body(b);
    b.lines = lines;
  }
}

// Contiguous rows one by one: a row of w m points as w rows of m, for w lanes. Columns of it are combined, so many at a time, and transposed in registers: after that
// each lane has a transform of m points of its own, and the results are one row again. Nothing leaves the first-level cache.
template <class Real, bool back>
void rows(const Program<Real>& program, const Batch<Real>& batch) {
  constexpr int w = width<Real>;
  const Program<Real>& rest = *program.rest;
  const Index m = rest.points;
  const Desk<Real> desk(rest, batch.work);
  const Work<Real> begin{desk.begin};
  for (Index line = 0; line < batch.lines; ++line) {
    const Real* const in = batch.in + line * batch.in_step;
    const Columns<Real, back> out{batch.out + line * batch.out_step, 2 * w};
    for (Index block = 0; block < m; block += w) {
      const Index j = block + w <= m ? block : m - w;  // the last one may meet the one before
      const Columns<Real, back> x{const_cast<Real*>(in) + 2 * j, 2 * m};
      Point<Real> a[w];
      for (int k = 0; k < w; ++k) a[k] = x[k];
      Butterfly<w, Real>::run(a);
      Vector<Real> r[w], i[w];
      for (int lane = 0; lane < w; ++lane) {
        const int k = point_of<Real>(lane);
        r[lane] = a[k].r, i[lane] = a[k].i;
        if (k == 0) continue;
        const Real* const twiddle = program.across + 2 * w * ((w - 1) * (block / w) + k - 1);
        const auto c = load(twiddle), s = load(twiddle + w);
        r[lane] = a[k].r * c - a[k].i * s, i[lane] = a[k].r * s + a[k].i * c;
      }
      transpose<Real>(r);
      transpose<Real>(i);
      if (m == w) {  // all of it is in registers
        for (int lane = 0; lane < w; ++lane) a[point_of<Real>(lane)] = {r[lane], i[lane]};
        Butterfly<w, Real>::run(a);
        for (int k = 0; k < w; ++k) out.put(k, a[k]);
      } else {
        for (int lane = 0; lane < w; ++lane) begin.put(j + point_of<Real>(lane), {r[lane], i[lane]});
      }
    }
    if (m == w) continue;
    if (rest.passes == 1) pass<true>(rest, 0, 1, 1, begin, out);
    else passes(rest, begin, out, desk);
  }
}

template <class Real, bool back>
void c2c(const Program<Real>& program, Batch<Real> batch) {
  if constexpr (width<Real> == 8)
    if (program.rest) return rows<Real, back>(program, batch);
  const Desk<Real> desk(program, batch.work);
  groups(batch, [&](const Batch<Real>& b) {
    const bool whole = b.lines == width<Real>, columns_in = b.in_stride > 2, columns_out = b.out_stride > 2;
    const Columns<Real, back> in{const_cast<Real*>(b.in), b.in_stride}, out{b.out, b.out_stride};
    const Work<Real> begin{desk.begin}, end{desk.end};
    if (!columns_in) gather<Real, back>(b.in, b.in_step, program.points, b.lines, desk.begin);
    else if (!whole) gather(FewColumns<Real, back>(in.p, in.stride, b.lines), program.points, desk.begin);
    if (whole && columns_in && columns_out) passes(program, in, out, desk);
    else if (whole && columns_in) passes(program, in, end, desk);
    else if (whole && columns_out) passes(program, begin, out, desk);
    else passes(program, begin, end, desk);
    if (!columns_out) scatter<Real, back>(desk.end, b.out, b.out_step, program.points, b.lines);
    else if (!whole) scatter(desk.end, FewColumns<Real, back>(out.p, out.stride, b.lines), program.points);
  });
}

// A real line of n = 2 h points as a complex one z of h, Z its transform; for E = (Z[k] + Z*[h-k]) / 2 and O = exp(-2 pi i k / n) (Z[k] - Z*[h-k]) / 2i
// the line's own is X[k] = E + O, X[h-k] = (E - O)*.
template <class Real>
void r2c(const Program<Real>& program, Batch<Real> batch) {
  const Desk<Real> desk(program, batch.work);
  const Index h = program.points;
  const Work<Real> z{desk.end};
  groups(batch, [&](const Batch<Real>& b) {
    gather<Real, false>(b.in, b.in_step, h, b.lines, desk.begin);
    passes(program, Work<Real>{desk.begin}, z, desk);
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
    scatter<Real, false>(desk.end, b.out, b.out_step, h + 1, b.lines);
  });
}

// The way back, without the halves: Z[k] = E + i O with E = X[k] + X*[h-k], O = exp(2 pi i k / n) (X[k] - X*[h-k]); what an imaginary part of X[0] or X[h] may be is not looked at.
template <class Real>
void c2r(const Program<Real>& program, Batch<Real> batch) {
  const Desk<Real> desk(program, batch.work);
  const Index h = program.points;
  const Work<Real> z{desk.begin};
  groups(batch, [&](const Batch<Real>& b) {
    gather<Real, false>(b.in, b.in_step, h + 1, b.lines, desk.begin);
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
    passes(program, z, Work<Real>{desk.end}, desk);
    scatter<Real, true>(desk.end, b.out, b.out_step, h, b.lines);
  });
}

template <class Real, int... k>
constexpr Kernels<Real> made(Numbers<k...>) {
  return {width<Real>, {point_of<Real>(k)...}, c2c<Real, false>, c2c<Real, true>, r2c<Real>, c2r<Real>};
}

}  // namespace

const Kernels<double> avx512_double = made<double>(Lane<double>());
const Kernels<float> avx512_float = made<float>(Lane<float>());

}  // namespace weft::lanes

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
// Past the caches, on a cache line.
WEFT_INLINE void stream(double* p, Vector<double> v) { _mm512_stream_pd(p, v); }
WEFT_INLINE void stream(float* p, Vector<float> v) { _mm512_stream_ps(p, v); }
template <bool streams, class Real>
WEFT_INLINE void store(Real* p, Vector<Real> v) {
  streams ? stream(p, v) : store(p, v);
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

// Columns of rows that lie anywhere. While some are transformed, memory brings those after the next: where rows are in no near cache, or on the same few lines
// of it, as planes' rows are, two batches ahead took 0.8 to 1.0 of the time of gathering them first.
template <class Real, bool back>
struct RowsIn {
  const Real* const* row;
  Index shift;
  WEFT_INLINE Point<Real> operator[](Index j) const {
    constexpr Index batch = 2 * width<Real>, ahead = 2 * batch;
    const Real* const p = row[j] + shift;
    __builtin_prefetch(p + ahead, 0, 2);
    __builtin_prefetch(p + ahead + width<Real>, 0, 2);
    return split<Real, back>(load(p), load(p + width<Real>));
  }
};
// They are asked for two batches ahead, too: stores wait for few lines at once. Where rows begin no cache lines, so that nothing streams, r2c 192^3 and 256^3 took 0.67 of the time forward, 100x120x135 0.87.
template <class Real, bool back, bool streams>
struct RowsOut {
  Real* const* row;
  Index shift;
  Real scale;
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    v = {v.r * scale, v.i * scale};
    if (back) v = swapped(v);
    const auto a = zipped<0, Real>(v.r, v.i, Lane<Real>()), b = zipped<1, Real>(v.r, v.i, Lane<Real>());
    Real* const p = row[j] + shift;
    store<streams>(p, a), store<streams>(p + width<Real>, b);
    if (!streams) __builtin_prefetch(p + 4 * width<Real>, 1, 2), __builtin_prefetch(p + 5 * width<Real>, 1, 2);
  }
};
// Fewer of them than there are lanes.
template <class Real, bool back>
struct FewRows {
  const Rows<Real>& rows;
  Index shift;
  unsigned first, second;  // masks of reals
  FewRows(const Rows<Real>& of, Index from) : rows(of), shift(2 * from), first((1u << (2 * (of.columns - from))) - 1), second(first >> width<Real>) {}
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<Real, back>(load_first(rows.in[j] + shift, first), load_first(rows.in[j] + shift + width<Real>, second)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    v = {v.r * rows.scale, v.i * rows.scale};
    if (back) v = swapped(v);
    store_first(rows.out[j] + shift, first, zipped<0, Real>(v.r, v.i, Lane<Real>()));
    store_first(rows.out[j] + shift + width<Real>, second, zipped<1, Real>(v.r, v.i, Lane<Real>()));
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

// Two factors without a common divisor need no twiddles between them: points go in in one order and come out in another (I. J. Good, J. R. Stat. Soc. B 20, 361, 1958).
template <int a, int b, class Real>
struct Coprime {
  static constexpr int inverse(int of, int modulo) {
    int k = 1;
    while (of * k % modulo != 1) ++k;
    return k;
  }
  static WEFT_INLINE void run(Point<Real>* x) {
    constexpr int n = a * b, row = b * inverse(b, a), column = a * inverse(a, b);
    Point<Real> y[b][a];
#pragma GCC unroll 8
    for (int i = 0; i < b; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < a; ++j) y[i][j] = x[(i * a + j * b) % n];
      Butterfly<a, Real>::run(y[i]);
    }
#pragma GCC unroll 8
    for (int j = 0; j < a; ++j) {
      Point<Real> z[b];
#pragma GCC unroll 8
      for (int i = 0; i < b; ++i) z[i] = y[i][j];
      Butterfly<b, Real>::run(z);
#pragma GCC unroll 8
      for (int i = 0; i < b; ++i) x[(i * column + j * row) % n] = z[i];
    }
  }
};
template <class Real>
struct Butterfly<6, Real> : Coprime<2, 3, Real> {};
template <class Real>
struct Butterfly<10, Real> : Coprime<2, 5, Real> {};
template <class Real>
struct Butterfly<12, Real> : Coprime<4, 3, Real> {};

// A radix, and which parts of a line are a hole, as constants.
template <int n, int first = 0, int last = 0>
struct Radix {
  static constexpr int value = n;
  static constexpr bool in_hole(int k) { return k >= first && k < last; }
};

// Memory at work while lines are transformed: in the last two passes butterflies ask for a line of a cache for each of their points, which makes as many bytes as the rows being transformed have. Asked for by
// what gathers rows, all at once, plane waves of 96^3 took 1.15 of the time forward; and backward, where nothing asked for what is written next, 1.07.
struct Nothing {
  static constexpr Nothing idle(const void*) { return {}; }
  template <int lines>
  WEFT_INLINE void ask() {}
};
template <bool written>
struct Ahead {
  const char* at;
  static Ahead idle(const void* cached) { return {static_cast<const char*>(cached)}; }
  template <int lines>
  WEFT_INLINE void ask() {
#pragma GCC unroll 16
    for (int k = 0; k < lines; ++k) __builtin_prefetch(at + k * bytes, written, 2);
    at += lines * bytes;
  }
};

// Passes of decimation in frequency. The first one, of all points, leaves `radix` transforms of m, side by side.
template <class R, class Real, class From, class Asks>
void first_pass(R, Index m, const Real* w, From x, Work<Real> y, Asks& asks) {
  constexpr int radix = R::value;
  for (Index p = 0; p < m; ++p, w += 2 * (radix - 1)) {
    Point<Real> a[radix];
    for (int k = 0; k < radix; ++k) a[k] = R::in_hole(k) ? Point<Real>{} : x[p + m * k];
    Butterfly<radix, Real>::run(a);
    y.put(radix * p, a[0]);
    for (int k = 1; k < radix; ++k) y.put(radix * p + k, times(a[k], w[2 * k - 2], w[2 * k - 1]));
    asks.template ask<radix>();
  }
}
// `side` of them stay side by side in all that follow, which work in place: each of `blocks` of radix * m points becomes `radix` of m.
template <class R, class Real, class Asks>
void middle_pass(R, Index side, Index blocks, Index m, const Real* w, Work<Real> x, Asks& asks) {
  constexpr int radix = R::value;
  for (Index p = 0; p < m; ++p, w += 2 * (radix - 1))
    for (Index b = 0; b < blocks; ++b)
      for (Index q = side * (b * radix * m + p), end = q + side; q < end; ++q) {
        Point<Real> a[radix];
        for (int k = 0; k < radix; ++k) a[k] = x[q + side * m * k];
        Butterfly<radix, Real>::run(a);
        x.put(q, a[0]);
        for (int k = 1; k < radix; ++k) x.put(q + side * m * k, times(a[k], w[2 * k - 2], w[2 * k - 1]));
        asks.template ask<radix>();
      }
}
// The last pass, of transforms of `radix` points, puts results in order.
template <class R, class Real, class To, class Asks>
void last_pass(R, Index side, Index blocks, const Index* block, Work<Real> x, To y, Asks& asks) {
  constexpr int radix = R::value;
  for (Index b = 0; b < blocks; ++b)
    for (Index q = 0; q < side; ++q) {
      Point<Real> a[radix];
      for (int k = 0; k < radix; ++k) a[k] = x[q + side * (block[b] * radix + k)];
      Butterfly<radix, Real>::run(a);
      for (int k = 0; k < radix; ++k)
        if (!R::in_hole(k)) y.put(q + side * (b + blocks * k), a[k]);
      asks.template ask<radix>();
    }
}

// Calls with the radix as a constant, and its hole if there is one.
template <class Body>
WEFT_INLINE void with_radix(int radix, Body body) {
  switch (radix) {
    case 2: return body(Radix<2>());
    case 3: return body(Radix<3>());
    case 4: return body(Radix<4>());
    case 5: return body(Radix<5>());
    case 6: return body(Radix<6>());
    case 7: return body(Radix<7>());
    case 8: return body(Radix<8>());
    case 10: return body(Radix<10>());
    case 12: return body(Radix<12>());
  }
}
template <int n>
using WithHole = Radix<n, hole_of(n).first, hole_of(n).last>;
template <bool may_have_hole, class Body>
WEFT_INLINE void with_radix(int radix, bool hole, Body body) {
  if (!may_have_hole || !hole) return with_radix(radix, body);
  if constexpr (may_have_hole) switch (radix) {
    case 4: return body(WithHole<4>());
    case 6: return body(WithHole<6>());
    case 8: return body(WithHole<8>());
    case 10: return body(WithHole<10>());
    case 12: return body(WithHole<12>());
  }
}

// All of them, at least two, in one part of work memory. What is backward may have a hole where it reads, what is forward where it writes.
template <bool back, class Real, class From, class To, class Asks = Nothing>
void passes(const Program<Real>& program, From x, To y, Work<Real> here, Asks ahead = {}) {
  const Index side = program.radix[0];
  Index blocks = 1, m = program.points / side;
  Asks idle = Asks::idle(here.p);
  with_radix<back>(program.radix[0], program.zero, [&](auto radix) { first_pass(radix, m, program.twiddles[0], x, here, program.passes == 2 ? ahead : idle); });
  int k = 1;
  for (; k + 1 < program.passes; ++k) {
    m /= program.radix[k];
    idle = Asks::idle(here.p);
    with_radix(program.radix[k], [&](auto radix) { middle_pass(radix, side, blocks, m, program.twiddles[k], here, k + 2 == program.passes ? ahead : idle); });
    blocks *= program.radix[k];
  }
  with_radix<!back>(program.radix[k], program.unwanted, [&](auto radix) { last_pass(radix, side, blocks, program.block, here, y, ahead); });
}

// The other part, where gathered lines are before the first and after the last.
template <class Real>
Work<Real> beside(const Program<Real>& program, Work<Real> work) {
  return {work.p + (program.points + 1) * 2 * width<Real>};
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

// Rows to work memory and back; points left over go number by number. Where there are fewer rows than lanes, the others have copies of the first. Real rows forward are what
// the caller has, and memory brings those after them meanwhile: r2c 64^3 on two ranks took 0.95 of the time, 128^3 0.97, where passes asked for them 1.01 and 1.03; c2r, which mostly finds them in cache, 1.0 to 1.03.
template <class Real, bool back, bool ahead>
void gather(const Real* in, Index step, Index points, Index lines, Real* work) {
  constexpr int w = width<Real>;
  const Real* row[w];
  for (int k = 0; k < w; ++k) row[k] = in + (point_of<Real>(k) < lines ? point_of<Real>(k) * step : 0);
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) {
      v[k] = load(row[k] + 2 * j);
      if (ahead) __builtin_prefetch(row[k] + 2 * j + w * step);
    }
    transpose<Real>(v);
    for (int k = 0; k < w; ++k) store(work + (2 * j + (back ? k ^ 1 : k)) * w, v[k]);
  }
  for (; j < points; ++j)
    for (int k = 0; k < w; ++k) {
      work[(2 * j + back) * w + k] = row[k][2 * j];
      work[(2 * j + !back) * w + k] = row[k][2 * j + 1];
    }
}
template <class Real, bool back, bool streams = false>
void scatter(const Real* work, Real* out, Index step, Index points, Index lines) {
  constexpr int w = width<Real>;
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) v[k] = load(work + (2 * j + (back ? k ^ 1 : k)) * w);
    transpose<Real>(v);
    for (int k = 0; k < w; ++k)
      if (point_of<Real>(k) < lines) store<streams>(out + point_of<Real>(k) * step + 2 * j, v[k]);
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
void gather(FewColumns<Real, back> in, Index first, Index points, Work<Real> work) {
  for (Index j = first; j < first + points; ++j) work.put(j, in[j]);
}
template <class Real, bool back>
void scatter(Work<Real> work, FewColumns<Real, back> out, Index first, Index points) {
  for (Index j = first; j < first + points; ++j) out.put(j, work[j]);
}

// What is before a hole, if there is one, and what is behind it: where it begins, and how many points.
template <class Real, class Body>
WEFT_INLINE void around(const Program<Real>& program, bool hole, Body body) {
  if (!hole) return body(0, program.points);
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

// Contiguous rows, one or two together: a row of 8 m points, or 4 m, as so many parts of m, until there are as many parts as lanes. Columns of it are combined, some at a time, and
// transposed in registers: after that each lane has a transform of m points of its own, and the results are one row again. Nothing leaves the first-level cache.
template <int parts, class Real>
constexpr int together = width<Real> / parts;
template <int parts, class Real, bool back, bool streams>
struct RowParts {
  Real *first, *second;  // where each half of what a register holds goes: parts of one row, or two rows
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    if (back) v = swapped(v);
    store<streams>(first + 2 * parts * j, zipped<0, Real>(v.r, v.i, Lane<Real>()));
    store<streams>(second + 2 * parts * j, zipped<1, Real>(v.r, v.i, Lane<Real>()));
  }
};
template <class Real, bool back, bool streams = false, class In, class Out>
void rows(In, Out, const Program<Real>& program, const Batch<Real>& batch) {
  constexpr int w = width<Real>, parts = In::value, rows_at_once = together<parts, Real>;
  const Program<Real>& rest = *program.rest;
  const Index m = rest.points;
  const Work<Real> work{batch.work}, begin = beside(rest, work);
  for (Index line = 0; line < batch.lines; line += rows_at_once) {
    const Index second = line + rows_at_once > batch.lines ? line : line + rows_at_once - 1;  // the last may be alone, twice
    const RowParts<parts, Real, back, streams> out{batch.out + line * batch.out_step, batch.out + second * batch.out_step + (rows_at_once == 1 ? w : 0)};
    for (Index block = 0; block < m; block += w) {
      const Index j = block + w <= m ? block : m - w;  // the last one may meet the one before
      Vector<Real> r[w], i[w];
#pragma GCC unroll 2
      for (int t = 0; t < rows_at_once; ++t) {
        const Columns<Real, back> x{const_cast<Real*>(batch.in) + (t == 0 ? line : second) * batch.in_step + 2 * j, 2 * m};
        Point<Real> a[parts];
        for (int k = 0; k < parts; ++k) {
          a[k] = In::in_hole(k) ? Point<Real>{} : x[k];
          // 128^3 on two ranks took 0.86 of the time forward, 192^3 0.95, 256^3 0.9; plane waves of 128^3 backward 0.94, with what is written
          if (back && !streams) {
            Real* const next = batch.out + (line + rows_at_once) * batch.out_step + 2 * (j + k * m);
            __builtin_prefetch(next, 1), __builtin_prefetch(next + w, 1);
          }
          const Real* const later = x.p + k * x.stride + 2 * batch.in_step;
          __builtin_prefetch(later), __builtin_prefetch(later + w);
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
      if (w == combined && m == w) {  // all of it is in registers
        Point<Real> a[w];
        for (int lane = 0; lane < w; ++lane) a[point_of<Real>(lane)] = {r[lane], i[lane]};
        Butterfly<combined, Real>::run(a);
        for (int k = 0; k < combined; ++k)
          if (!Out::in_hole(k)) out.put(k, a[k]);
      } else {
#pragma GCC unroll 16
        for (int lane = 0; lane < w; ++lane) begin.put(j + point_of<Real>(lane), {r[lane], i[lane]});
      }
    }
    if (w != combined || m > w) passes<back>(rest, begin, out, work);
  }
}

// Calls with the number of a row's parts as a constant.
template <class Real, class Body>
WEFT_INLINE void with_parts(const Program<Real>& program, Body body) {
  if constexpr (width<Real> <= 2 * few_combined) {
    if (program.points == few_combined * program.rest->points) return body(Radix<few_combined>());
  }
  body(Radix<combined>());
}

template <class Real, bool back>
void c2c(const Program<Real>& program, Batch<Real> batch) {
  if (program.rest) {
    return with_parts(program, [&](auto parts) {
      constexpr WithHole<parts.value> zeros;
      constexpr Radix<combined> all;
      if (back && program.zero) return batch.streams ? rows<Real, back, true>(zeros, all, program, batch) : rows<Real, back>(zeros, all, program, batch);
      if (!back && program.unwanted) return rows<Real, back>(parts, WithHole<combined>(), program, batch);
      batch.streams ? rows<Real, back, true>(parts, all, program, batch) : rows<Real, back>(parts, all, program, batch);
    });
  }
  const Work<Real> work{batch.work}, lines = beside(program, work);
  groups(batch, [&](const Batch<Real>& b, Index behind) {
    const bool whole = b.lines == width<Real>, columns_in = b.in_stride > 2, columns_out = b.out_stride > 2;
    const Columns<Real, back> in{const_cast<Real*>(b.in), b.in_stride}, out{b.out, b.out_stride};
    around(program, program.zero, [&](Index j, Index points) {
      if (!columns_in) gather<Real, back, false>(b.in + 2 * j, b.in_step, points, b.lines, lines.p + 2 * j * width<Real>);
      else if (!whole) gather(FewColumns<Real, back>(in.p, in.stride, b.lines), j, points, lines);
    });
    // rows that follow, one behind the other; where there are none, what is in cache
    const bool follow = back ? !columns_out && !b.streams && behind >= width<Real> && b.out_step < 3 * program.points : !columns_in && b.in_step < 3 * program.points;
    const Ahead<back> next{reinterpret_cast<const char*>(!follow ? work.p : back ? b.out + width<Real> * b.out_step : b.in + width<Real> * b.in_step)};
    if (whole && columns_in && columns_out) passes<back>(program, in, out, work);
    else if (whole && columns_in) passes<back>(program, in, lines, work, next);
    else if (whole && columns_out) passes<back>(program, lines, out, work, next);
    else passes<back>(program, lines, lines, work, next);
    around(program, program.unwanted, [&](Index j, Index points) {
      if (!columns_out) (b.streams ? scatter<Real, back, true> : scatter<Real, back, false>)(lines.p + 2 * j * width<Real>, b.out + 2 * j, b.out_step, points, b.lines);
      else if (!whole) scatter(lines, FewColumns<Real, back>(out.p, out.stride, b.lines), j, points);
    });
  });
}

template <class Real, bool back>
void c2c_rows(const Program<Real>& program, const Rows<Real>& rows) {
  constexpr int w = width<Real>;
  const Work<Real> work{rows.work};
  Index j = 0;
  for (; j + w <= rows.columns; j += w)
    if (rows.streams) passes<back>(program, RowsIn<Real, back>{rows.in, 2 * j}, RowsOut<Real, back, true>{rows.out, 2 * j, rows.scale}, work);
    else passes<back>(program, RowsIn<Real, back>{rows.in, 2 * j}, RowsOut<Real, back, false>{rows.out, 2 * j, rows.scale}, work);
  if (j == rows.columns) return;
  const FewRows<Real, back> few(rows, j);
  passes<back>(program, few, few, work);
}

// Contiguous complex numbers: the first of one register, before those of another from the last to its second; and with their parts exchanged.
template <class Real, int... k>
WEFT_INLINE Vector<Real> mirrored(Vector<Real> first, Vector<Real> others, Numbers<k...>) {
  return __builtin_shufflevector(first, others, (k < 2 ? k : 2 * width<Real> - k / 2 * 2 + k % 2)...);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> exchanged(Vector<Real> a, Numbers<k...>) {
  return __builtin_shufflevector(a, a, (k ^ 1)...);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> alternating(Real a, Numbers<k...>) {
  return Vector<Real>{(k % 2 == 0 ? a : -a)...};
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
  const Index h = program.points, step = 2 * h + w, some = program.rest->points == combined && w == combined ? 4 : least;
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

template <class Real, int... k>
constexpr Kernels<Real> made(Numbers<k...>) {
  return {width<Real>, {point_of<Real>(k)...}, c2c<Real, false>, c2c<Real, true>, c2c_rows<Real, false>, c2c_rows<Real, true>, r2c<Real>, c2r<Real>};
}

}  // namespace

const Kernels<double> avx512_double = made<double>(Lane<double>());
const Kernels<float> avx512_float = made<float>(Lane<float>());

}  // namespace weft::lanes

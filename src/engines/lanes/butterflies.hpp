// Transforms of a few points in registers.
#pragma once

#include "vectors.hpp"

namespace weft::lanes {
namespace {

// Cosine and sine of 2 pi k / radix, for k up to half of it.
template <int radix>
struct Circle {
  double c[radix / 2 + 1] = {}, s[radix / 2 + 1] = {};
  constexpr Circle() {
    constexpr long double pi = 3.14159265358979323846264338327950288L;
    for (int k = 0; 2 * k < radix; ++k) {
      const bool far = 4 * k > radix;  // beyond a quarter, where the series is long
      const long double x = pi * (far ? radix - 2 * k : 2 * k) / radix;
      long double term = 1, sums[2] = {};
      for (int n = 0; n < 40; ++n, term *= x / n) sums[n % 2] += n % 4 < 2 ? term : -term;
      c[k] = static_cast<double>(far ? -sums[0] : sums[0]), s[k] = static_cast<double>(sums[1]);
    }
  }
  constexpr double cosine(int k) const { return c[folded(k)]; }
  constexpr double sine(int k) const { return k % radix <= radix / 2 ? s[folded(k)] : -s[folded(k)]; }

 private:
  static constexpr int folded(int k) { return k % radix <= radix / 2 ? k % radix : radix - k % radix; }
};
template <int radix>
constexpr Circle<radix> circle;

// What an odd butterfly makes of its points: sums and differences of those that mirror one another,
// and the sum of all.
template <int radix, class Real>
struct Mirrored {
  static constexpr int half = radix / 2;
  Point<Real> sum[half + 1], difference[half + 1], all;
  WEFT_INLINE explicit Mirrored(const Point<Real>* a) : all(a[0]) {
#pragma GCC unroll 8
    for (int j = 1; j <= half; ++j) {
      sum[j] = a[j] + a[radix - j];
      difference[j] = a[j] - a[radix - j];
      all = all + sum[j];
    }
  }
};

template <int radix, class Real>
struct Butterfly {  // odd
  static WEFT_INLINE void run(Point<Real>* a) {
    const Mirrored<radix, Real> points(a);
#pragma GCC unroll 8
    for (int k = 1; k <= points.half; ++k) {
      Point<Real> even = a[0], odd{};
#pragma GCC unroll 8
      for (int j = 1; j <= points.half; ++j) {
        const auto c = static_cast<Real>(circle<radix>.cosine(j * k)), s = static_cast<Real>(circle<radix>.sine(j * k));
        even.r += c * points.sum[j].r, even.i += c * points.sum[j].i;
        odd.r += s * points.difference[j].i, odd.i -= s * points.difference[j].r;
      }
      a[k] = even + odd;
      a[radix - k] = even - odd;
    }
    a[0] = points.all;
  }
};
// Odd ones of so many points that registers do not hold them: four results and their mirrors at a
// time.
template <int radix, class Real>
struct LargeButterfly {
  static constexpr int half = radix / 2, some = 4, blocks = (half + some - 1) / some;
  struct Table {
    Real c[blocks][half][some] = {}, s[blocks][half][some] = {};
    constexpr Table() {
      for (int k = 0; k < half; ++k)
        for (int j = 0; j < half; ++j) {
          c[k / some][j][k % some] = static_cast<Real>(circle<radix>.cosine((j + 1) * (k + 1)));
          s[k / some][j][k % some] = static_cast<Real>(circle<radix>.sine((j + 1) * (k + 1)));
        }
    }
  };
  static constexpr Table table{};
  static __attribute__((noinline)) void run(Point<Real>* a) {
    const Mirrored<radix, Real> points(a);
    for (int block = 0; block < blocks; ++block) {
      Point<Real> even[some], odd[some] = {};
      for (int k = 0; k < some; ++k) even[k] = a[0];
      for (int j = 0; j < half; ++j) {
        const Point<Real> sum = points.sum[j + 1], difference = points.difference[j + 1];
        for (int k = 0; k < some; ++k) {
          const Real c = table.c[block][j][k], s = table.s[block][j][k];
          even[k].r += c * sum.r, even[k].i += c * sum.i;
          odd[k].r += s * difference.i, odd[k].i -= s * difference.r;
        }
      }
      for (int k = 0; k < some; ++k) {
        const int at = block * some + k + 1;
        if (at > half) break;
        a[at] = even[k] + odd[k];
        a[radix - at] = even[k] - odd[k];
      }
    }
    a[0] = points.all;
  }
};
template <class Real>
struct Butterfly<17, Real> : LargeButterfly<17, Real> {};
template <class Real>
struct Butterfly<19, Real> : LargeButterfly<19, Real> {};
template <class Real>
struct Butterfly<23, Real> : LargeButterfly<23, Real> {};
template <class Real>
struct Butterfly<29, Real> : LargeButterfly<29, Real> {};
template <class Real>
struct Butterfly<31, Real> : LargeButterfly<31, Real> {};
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
  template <class P>
  static WEFT_INLINE void run(P* a) {
    const auto s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], u = turned(a[1] - a[3]);
    a[0] = s + t, a[1] = d + u, a[2] = s - t, a[3] = d - u;
  }
};
template <class Real>
struct Butterfly<8, Real> {
  template <class P>
  static WEFT_INLINE void run(P* a) {
    P even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
    Butterfly<4, Real>::run(even);
    Butterfly<4, Real>::run(odd);
    constexpr auto h = static_cast<Real>(0.70710678118654752440);
    odd[1] = (odd[1] + turned(odd[1])) * h;
    odd[2] = turned(odd[2]);
    odd[3] = (odd[3] - turned(odd[3])) * -h;
    for (int k = 0; k < 4; ++k) a[k] = even[k] + odd[k], a[k + 4] = even[k] - odd[k];
  }
};

// Two factors without a common divisor need no twiddles between them: points go in in one order and
// come out in another (I. J. Good, J. R. Stat. Soc. B 20, 361, 1958).
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

}  // namespace
}  // namespace weft::lanes

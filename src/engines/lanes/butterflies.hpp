// Transforms of a few points in registers.
#pragma once

#include "vectors.hpp"

namespace weft::lanes {
namespace {

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

}  // namespace
}  // namespace weft::lanes

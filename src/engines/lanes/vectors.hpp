// Vector registers, and what is done inside them. Included after the header of an instruction set
// (avx512.hpp).
#pragma once

#include "registers.hpp"

namespace weft::lanes {
namespace {

template <bool streams, class Real>
WEFT_INLINE void store(Real* p, Vector<Real> v) {
  streams ? stream(p, v) : store(p, v);
}

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

// Real and imaginary parts of as many points as there are lanes, from two registers of complex
// numbers, and back. A register is one, two or four units of 16 bytes, and what stays in its unit
// is cheap: so lane k has point `point_of(k)`.
template <class Real>
constexpr int unit = 16 / static_cast<int>(sizeof(Real));
constexpr int units = bytes / 16;
template <class Real>
constexpr int point_of(int k) {
  constexpr int pair = unit<Real> / 2;  // lanes of a unit that are one register's
  return k / unit<Real> * pair + k % pair + (k % unit<Real> < pair ? 0 : width<Real> / 2);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> real_parts(Vector<Real> a, Vector<Real> b, Numbers<k...>) {
  constexpr int q = unit<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + k % (q / 2) * 2 + (k % q < q / 2 ? 0 : width<Real>))...);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> imaginary_parts(Vector<Real> a, Vector<Real> b, Numbers<k...>) {
  constexpr int q = unit<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + k % (q / 2) * 2 + 1 + (k % q < q / 2 ? 0 : width<Real>))...);
}
template <int half, class Real, int... k>
WEFT_INLINE Vector<Real> zipped(Vector<Real> a, Vector<Real> b,
                                Numbers<k...>) {  // halves of the units, one from a, one from b
  constexpr int q = unit<Real>;
  return __builtin_shufflevector(a, b, (k / q * q + half * q / 2 + k % q / 2 + k % 2 * width<Real>)...);
}

// One point of all lanes.
template <class Real>
struct Point {
  Vector<Real> r, i;
};
template <class Real>
WEFT_INLINE Point<Real> operator+(Point<Real> a, Point<Real> b) {
  return {a.r + b.r, a.i + b.i};
}
template <class Real>
WEFT_INLINE Point<Real> operator-(Point<Real> a, Point<Real> b) {
  return {a.r - b.r, a.i - b.i};
}
template <class Real>
WEFT_INLINE Point<Real> turned(Point<Real> a) {
  return {a.i, -a.r};
}  // times -i
template <class Real>
WEFT_INLINE Point<Real> conjugate(Point<Real> a) {
  return {a.r, -a.i};
}
template <class Real>
WEFT_INLINE Point<Real> swapped(Point<Real> a) {
  return {a.i, a.r};
}
template <class Real>
WEFT_INLINE Point<Real> operator*(Point<Real> a, Real b) {
  return {a.r * b, a.i * b};
}
template <class Real>
WEFT_INLINE Point<Real> times(Point<Real> a, Real r, Real i) {
  return {a.r * r - a.i * i, a.r * i + a.i * r};
}

// Contiguous complex numbers with their parts exchanged, and one number with its sign changed in
// every other lane.
template <class Real, int... k>
WEFT_INLINE Vector<Real> exchanged(Vector<Real> a, Numbers<k...>) {
  return __builtin_shufflevector(a, a, (k ^ 1)...);
}
template <class Real, int... k>
WEFT_INLINE Vector<Real> alternating(Real a, Numbers<k...>) {
  return Vector<Real>{(k % 2 == 0 ? a : -a)...};
}

// Neighbouring points as they lie in memory, half as many as there are lanes. What is backward
// turns the other way, so that nothing changes places on the way in and out.
template <class Real, bool back>
struct Whole {
  Vector<Real> v;
};
template <class Real, bool back>
WEFT_INLINE Whole<Real, back> operator+(Whole<Real, back> a, Whole<Real, back> b) {
  return {a.v + b.v};
}
template <class Real, bool back>
WEFT_INLINE Whole<Real, back> operator-(Whole<Real, back> a, Whole<Real, back> b) {
  return {a.v - b.v};
}
template <class Real, bool back>
WEFT_INLINE Whole<Real, back> operator*(Whole<Real, back> a, Real b) {
  return {a.v * b};
}
template <class Real, bool back>
WEFT_INLINE Whole<Real, back> turned(Whole<Real, back> a) {
  constexpr Lane<Real> lane;
  return {exchanged<Real>(a.v, lane) * alternating<Real>(back ? -1 : 1, lane)};
}
// By numbers whose real parts come twice, and whose imaginary ones with alternating signs, minus
// first.
template <class Real, bool back>
WEFT_INLINE Whole<Real, back> times(Whole<Real, back> a, Vector<Real> r, Vector<Real> i) {
  return {a.v * r + exchanged<Real>(a.v, Lane<Real>()) * i};
}

// Two registers of complex numbers: neighbouring points, as many as there are lanes.
template <class Real>
struct Pair {
  Vector<Real> first, second;
};
template <class Real>
WEFT_INLINE Pair<Real> load_pair(const Real* p) {
  return {load(p), load(p + width<Real>)};
}
template <bool streams = false, class Real>
WEFT_INLINE void store_pair(Real* p, Pair<Real> v) {
  store<streams>(p, v.first), store<streams>(p + width<Real>, v.second);
}
// Fewer points than there are lanes.
template <class Real>
struct Few {
  unsigned first, second;  // masks of reals
  explicit Few(Index points) : first((1u << (2 * points)) - 1), second(first >> width<Real>) {}
  WEFT_INLINE Pair<Real> load(const Real* p) const {
    return {load_first(p, first), load_first(p + width<Real>, second)};
  }
  WEFT_INLINE void store(Real* p, Pair<Real> v) const {
    store_first(p, first, v.first), store_first(p + width<Real>, second, v.second);
  }
};

// A transform backward is one forward with real and imaginary parts changing places on the way in
// and out.
template <bool back, class Real>
WEFT_INLINE Point<Real> split(Pair<Real> z) {
  const Point<Real> v{real_parts<Real>(z.first, z.second, Lane<Real>()),
                      imaginary_parts<Real>(z.first, z.second, Lane<Real>())};
  return back ? swapped(v) : v;
}
template <bool back, class Real>
WEFT_INLINE Pair<Real> joined(Point<Real> v) {
  if (back) v = swapped(v);
  return {zipped<0, Real>(v.r, v.i, Lane<Real>()), zipped<1, Real>(v.r, v.i, Lane<Real>())};
}

// A square of as many registers as they have lanes, transposed: first the squares inside units,
// then units.
template <int odd, class Real, int... k>
WEFT_INLINE Vector<Real> alternate(Vector<Real> a, Vector<Real> b, Numbers<k...>) {  // units, of even or odd number
  constexpr int q = unit<Real>, half = units < 2 ? 1 : units / 2;
  return __builtin_shufflevector(a, b, ((k / q % half * 2 + odd) * q + k % q + (k / q < half ? 0 : width<Real>))...);
}
template <int part, class Real, int... k>
WEFT_INLINE Vector<Real> halves(Vector<Real> a, Vector<Real> b, Numbers<k...>) {  // of units, whole
  constexpr int q = unit<Real>, h = q / 2;
  return __builtin_shufflevector(a, b, (k / q * q + part * h + k % h + (k % q < h ? 0 : width<Real>))...);
}
template <int step, class Real>
WEFT_INLINE void transpose_units(Vector<Real>* v) {  // of as many registers, so far apart
  constexpr Lane<Real> lane;
  static_assert(units == 1 || units == 2 || units == 4);
  if constexpr (units == 1) {
    return;
  } else if constexpr (units == 2) {
    const auto a = v[0], b = v[step];
    v[0] = alternate<0, Real>(a, b, lane), v[step] = alternate<1, Real>(a, b, lane);
  } else {
    const auto a = v[0], b = v[step], c = v[2 * step], d = v[3 * step];
    const auto ab = alternate<0, Real>(a, b, lane), cd = alternate<0, Real>(c, d, lane);
    const auto ab1 = alternate<1, Real>(a, b, lane), cd1 = alternate<1, Real>(c, d, lane);
    v[0] = alternate<0, Real>(ab, cd, lane), v[step] = alternate<0, Real>(ab1, cd1, lane);
    v[2 * step] = alternate<1, Real>(ab, cd, lane), v[3 * step] = alternate<1, Real>(ab1, cd1, lane);
  }
}
template <class Real>
WEFT_INLINE void transpose(Vector<Real>* v) {
  constexpr int w = width<Real>, q = unit<Real>;
  constexpr Lane<Real> lane;
  for (int i = 0; i < w; i += q) {
    if constexpr (q == 2) {
      const auto a = v[i], b = v[i + 1];
      v[i] = zipped<0, Real>(a, b, lane), v[i + 1] = zipped<1, Real>(a, b, lane);
    } else {
      const auto a = zipped<0, Real>(v[i], v[i + 1], lane), b = zipped<1, Real>(v[i], v[i + 1], lane);
      const auto c = zipped<0, Real>(v[i + 2], v[i + 3], lane), d = zipped<1, Real>(v[i + 2], v[i + 3], lane);
      v[i] = halves<0, Real>(a, c, lane), v[i + 1] = halves<1, Real>(a, c, lane);
      v[i + 2] = halves<0, Real>(b, d, lane), v[i + 3] = halves<1, Real>(b, d, lane);
    }
  }
  for (int i = 0; i < q; ++i) transpose_units<q, Real>(v + i);
}

}  // namespace
}  // namespace weft::lanes

// Passes of decimation in frequency, of lines in lanes.
#pragma once

#include "butterflies.hpp"
#include "places.hpp"

namespace weft::lanes {
namespace {

// A radix, and which parts of a line are a hole, as constants.
template <int n, int first = 0, int last = 0>
struct Radix {
  static constexpr int value = n;
  static constexpr bool in_hole(int k) { return k >= first && k < last; }
};

// Memory at work while lines are transformed: in the last two passes butterflies ask for a line of a cache for each of their points, which makes as many bytes as the rows being transformed have. Asked for by
// what gathers rows, all at once, plane waves of 96^3 took 1.15 of the time forward; and backward, where nothing asked for what is written next, 1.07.
struct Nothing {
  static constexpr bool early = false;
  static constexpr Nothing idle(const void*) { return {}; }
  template <int lines>
  WEFT_INLINE void ask() {}
};
template <bool written>
struct Ahead {
  static constexpr bool early = false;
  const char* at;
  static Ahead idle(const void* cached) { return {static_cast<const char*>(cached)}; }
  template <int lines>
  WEFT_INLINE void ask() {
#pragma GCC unroll 16
    for (int k = 0; k < lines; ++k) __builtin_prefetch(at + k * bytes, written, 2);
    at += lines * bytes;
  }
};
// Rows that are wanted, each from its beginning to its end, so that memory sees runs.
template <bool written>
struct RowsAhead {
  const std::byte *const *row, *const *last;
  const char* at;
  Index lines, left;  // of a cache: of a row, and of this one
  bool near;
  explicit RowsAhead(const Memory& of) : row(of.rows), last(row + of.count - 1), at(of.count > 0 ? reinterpret_cast<const char*>(*row) : nullptr), lines((of.bytes + bytes - 1) / bytes), left(lines), near(of.near) {}
  bool any() const { return at; }
  template <int count>
  WEFT_INLINE void ask() {
#pragma GCC unroll 16
    for (int k = 0; k < count; ++k) {
      if (!written && near) __builtin_prefetch(at);
      else __builtin_prefetch(at, written, 2);
      at += bytes;
      if (--left == 0) row += row != last, at = reinterpret_cast<const char*>(*row), left = lines;
    }
  }
};
// Rows that will be read and, perhaps, rows that will be written: both in the first pass, the ones
// in the next, the others in the last, so that memory gets its requests evenly. Rows that will be
// read alone are not asked for while the last of three or more passes writes. Which of them a pass
// asks for is said before it, not by its type: passes would be compiled for each.
struct BothAhead {
  static constexpr bool early = true;
  RowsAhead<false> reads;
  RowsAhead<true> writes;
  bool asks_reads = false, asks_writes = false;
  BothAhead(const Memory& read, const Memory& written) : reads(read), writes(written) {}
  void now(bool read, bool written) { asks_reads = read && reads.any(), asks_writes = written && writes.any(); }
  template <int count>
  WEFT_INLINE void ask() {
    if (asks_reads) reads.template ask<count>();
    if (asks_writes) writes.template ask<count>();
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
// The last pass, of transforms of `radix` points, puts results in order: those that lie side by side are neighbours, and each goes on `step` farther.
template <class R, class Real, class To, class Asks>
void last_pass(R, Index side, Index step, Index blocks, const Index* block, Work<Real> x, To y, Asks& asks) {
  constexpr int radix = R::value;
  for (Index b = 0; b < blocks; ++b)
    for (Index q = 0; q < side; ++q) {
      Point<Real> a[radix];
      for (int k = 0; k < radix; ++k) a[k] = x[q + side * (block[b] * radix + k)];
      Butterfly<radix, Real>::run(a);
      for (int k = 0; k < radix; ++k)
        if (!R::in_hole(k)) y.put(q + step * (b + blocks * k), a[k]);
      asks.template ask<radix>();
    }
}

// Calls with the radix as a constant, and its hole if there is one.
template <class Body>
WEFT_INLINE void with_odd_radix(int radix, Body body) {
  switch (radix) {
    case 3: return body(Radix<3>());
    case 5: return body(Radix<5>());
    case 7: return body(Radix<7>());
    case 11: return body(Radix<11>());
    case 13: return body(Radix<13>());
    case 17: return body(Radix<17>());
    case 19: return body(Radix<19>());
    case 23: return body(Radix<23>());
    case 29: return body(Radix<29>());
    case 31: return body(Radix<31>());
  }
}
template <class Body>
WEFT_INLINE void with_radix(int radix, Body body) {
  switch (radix) {
    case 2: return body(Radix<2>());
    case 4: return body(Radix<4>());
    case 6: return body(Radix<6>());
    case 8: return body(Radix<8>());
    case 10: return body(Radix<10>());
    case 12: return body(Radix<12>());
    default: return with_odd_radix(radix, body);
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
template <bool back, class Real, class From, class To, class Asks>
void plain_passes(const Program<Real>& program, From x, To y, Work<Real> here, Asks& ahead) {
  const Index side = program.radix[0];
  Index blocks = 1, m = program.points / side;
  const bool two = program.passes == 2;
  Asks idle = ahead;
  const auto asks = [&](bool reads, bool writes, bool late) -> Asks& {  // what a pass asks for
    if constexpr (Asks::early) {
      ahead.now(reads, writes);
    } else if (!late) {
      idle = Asks::idle(here.p);
      return idle;
    }
    return ahead;
  };
  Asks& in_first = asks(true, true, two);
  with_radix<back>(program.radix[0], program.zero, [&](auto radix) {
    first_pass(radix, m, program.twiddles[0], x, here, in_first);
  });
  int k = 1;
  for (; k + 1 < program.passes; ++k) {
    m /= program.radix[k];
    Asks& in_middle = asks(k == 1, false, k + 2 == program.passes);
    with_radix(program.radix[k], [&](auto radix) {
      middle_pass(radix, side, blocks, m, program.twiddles[k], here, in_middle);
    });
    blocks *= program.radix[k];
  }
  Asks& in_last = asks(two, true, true);
  with_radix<!back>(program.radix[k], program.unwanted, [&](auto radix) {
    last_pass(radix, side, side, blocks, program.block, here, y, in_last);
  });
}

}  // namespace
}  // namespace weft::lanes

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

// Memory at work while lines are transformed: butterflies ask for as many lines of a cache as two
// passes need to ask for all bytes that the rows being transformed have. Memory takes requests at
// its own pace, so they are spread evenly: who asks for more at once waits. Which passes ask is
// said before each (`now`), not by a type: passes would be compiled for each.
template <int points>
constexpr int asked = (points * bytes + cache_line - 1) / cache_line;

struct Nothing {
  void now(bool, bool, bool) {}
  template <int points>
  WEFT_INLINE void ask() {}
};
// What lies behind an address; nothing where there is none. The last two passes ask.
struct Ahead {
  const char* at = nullptr;
  bool asks = false;
  void now(bool, bool, bool late) { asks = late && at; }
  template <int points>
  WEFT_INLINE void ask() {
    if (!asks) return;
#pragma GCC unroll 16
    for (int k = 0; k < asked<points>; ++k) __builtin_prefetch(at + k * cache_line, 0, 2);
    at += points * bytes;
  }
};
// Rows that are wanted, each from its beginning to its end, so that memory sees runs.
template <bool written>
struct RowsAhead {
  const std::byte *const *row, *const *last;
  const char* at;
  Index lines, left;  // of a cache: of a row, and of this one
  bool near;
  explicit RowsAhead(const Memory& of)
      : row(of.rows),
        last(row + of.count - 1),
        at(of.count > 0 ? reinterpret_cast<const char*>(*row) : nullptr),
        lines((of.bytes + cache_line - 1) / cache_line),
        left(lines),
        near(!written && of.near) {}
  bool any() const { return at; }
  template <int count>
  WEFT_INLINE void ask() {
    if (left <= count) return ask_across(count);
    if (near) {
#pragma GCC unroll 16
      for (int k = 0; k < count; ++k) __builtin_prefetch(at + k * cache_line);
    } else {
#pragma GCC unroll 16
      for (int k = 0; k < count; ++k) __builtin_prefetch(at + k * cache_line, written, 2);
    }
    at += count * cache_line, left -= count;
  }

 private:
  // To the next row. The last one is asked for again.
  __attribute__((noinline)) void ask_across(int count) {
    for (; count > 0; --count) {
      if (near)
        __builtin_prefetch(at);
      else
        __builtin_prefetch(at, written, 2);
      at += cache_line;
      if (--left == 0) row += row != last, at = reinterpret_cast<const char*>(*row), left = lines;
    }
  }
};
// Rows that will be read and, perhaps, rows that will be written: both in the first pass, the ones
// in the next, the others in the last, so that memory gets its requests evenly. Rows that will be
// read alone are not asked for while the last of three or more passes writes.
struct BothAhead {
  RowsAhead<false> reads;
  RowsAhead<true> writes;
  bool asks = false, asks_reads = false, asks_writes = false;
  BothAhead(const Memory& read, const Memory& written) : reads(read), writes(written) {}
  void now(bool read, bool write, bool) {
    asks_reads = read && reads.any(), asks_writes = write && writes.any() && reads.any();
    asks = asks_reads || asks_writes;
  }
  template <int points>
  WEFT_INLINE void ask() {
    if (!asks) return;
    if (asks_reads) reads.ask<asked<points>>();
    if (asks_writes) writes.ask<asked<points>>();
  }
};

// Passes of decimation in frequency. The first one, of all points, leaves `radix` transforms of m,
// side by side.
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
// `side` of them stay side by side in all that follow, which work in place: each of `blocks` of
// radix * m points becomes `radix` of m.
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
// The last pass, of transforms of `radix` points, puts results in order: those that lie side by
// side are neighbours, and each goes on `step` farther.
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
    case 3:
      return body(Radix<3>());
    case 5:
      return body(Radix<5>());
    case 7:
      return body(Radix<7>());
    case 11:
      return body(Radix<11>());
    case 13:
      return body(Radix<13>());
    case 17:
      return body(Radix<17>());
    case 19:
      return body(Radix<19>());
    case 23:
      return body(Radix<23>());
    case 29:
      return body(Radix<29>());
    case 31:
      return body(Radix<31>());
  }
}
template <class Body>
WEFT_INLINE void with_radix(int radix, Body body) {
  switch (radix) {
    case 2:
      return body(Radix<2>());
    case 4:
      return body(Radix<4>());
    case 6:
      return body(Radix<6>());
    case 8:
      return body(Radix<8>());
    default:
      break;
  }
  if constexpr (largest_composite(registers) > 8) switch (radix) {
      case 10:
        return body(Radix<10>());
      case 12:
        return body(Radix<12>());
      default:
        break;
    }
  with_odd_radix(radix, body);
}
template <int n>
using WithHole = Radix<n, hole_of(n).first, hole_of(n).last>;
template <bool may_have_hole, class Body>
WEFT_INLINE void with_radix(int radix, bool hole, Body body) {
  if (!may_have_hole || !hole) return with_radix(radix, body);
  if constexpr (may_have_hole) switch (radix) {
      case 4:
        return body(WithHole<4>());
      case 6:
        return body(WithHole<6>());
      case 8:
        return body(WithHole<8>());
      default:
        break;
    }
  if constexpr (may_have_hole && largest_composite(registers) > 8) switch (radix) {
      case 10:
        return body(WithHole<10>());
      case 12:
        return body(WithHole<12>());
      default:
        break;
    }
}

// Two of them, whose radices are constants.
template <int first, int last, class Real, class From, class To, class Asks>
void two_passes(const Program<Real>& program, From x, To y, Work<Real> here, Asks& asks) {
  first_pass(Radix<first>(), last, program.twiddles[0], x, here, asks);
  last_pass(Radix<last>(), first, first, 1, program.block, here, y, asks);
}

// All of them, at least two, in one part of work memory. What is backward may have a hole where it
// reads, what is forward where it writes.
template <bool back, class Real, class From, class To, class Asks>
void plain_passes(const Program<Real>& program, From x, To y, Work<Real> here, Asks& asks) {
  const Index side = program.radix[0];
  Index blocks = 1, m = program.points / side;
  const bool two = program.passes == 2;
  asks.now(true, true, two);
  with_radix<back>(program.radix[0], program.zero,
                   [&](auto radix) { first_pass(radix, m, program.twiddles[0], x, here, asks); });
  int k = 1;
  for (; k + 1 < program.passes; ++k) {
    m /= program.radix[k];
    asks.now(k == 1, false, k + 2 == program.passes);
    with_radix(program.radix[k],
               [&](auto radix) { middle_pass(radix, side, blocks, m, program.twiddles[k], here, asks); });
    blocks *= program.radix[k];
  }
  asks.now(two, true, true);
  with_radix<!back>(program.radix[k], program.unwanted,
                    [&](auto radix) { last_pass(radix, side, side, blocks, program.block, here, y, asks); });
}

}  // namespace
}  // namespace weft::lanes

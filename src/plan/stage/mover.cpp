// Which form of a copy fits: rows, in registers (transpose.cpp), or plain loops for any strides.
#include "plan/stage/mover.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "plan/stage/transpose.hpp"
#include "plan/stage/walk.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

// Any strides. The panel is a copy: bytes that are written might be those of one in memory.
template <Index E>
void scattered(const std::byte* from, std::byte* to, const Panel& given, Index) {
  const Panel p = given;
  for (Index i = 0; i < p.ni; ++i)
    for (Index j = 0; j < p.nj; ++j) std::memcpy(to + i * p.to_i + j * p.to_j, from + i * p.from_i + j * p.from_j, E);
}
void scattered_any(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  for (Index i = 0; i < p.ni; ++i)
    for (Index j = 0; j < p.nj; ++j)
      std::memcpy(to + i * p.to_i + j * p.to_j, from + i * p.from_i + j * p.from_j, static_cast<std::size_t>(bytes));
}
// Several fields at once, a few rows of which the first-level cache holds on both sides.
template <Index E>
void wide(const std::byte* from, std::byte* to, const Panel& p, Index) {
  constexpr Index few = 4;
  for (Index j = 0; j < p.nj; j += few)
    scattered<E>(from + j * p.from_j, to + j * p.to_j,
                 {p.ni, std::min(few, p.nj - j), p.from_i, p.from_j, p.to_i, p.to_j}, E);
}
template <Index... E>
MoveFunction wide_or_any(Index bytes, std::integer_sequence<Index, E...>) {
  MoveFunction chosen = scattered_any;
  ((bytes == E ? static_cast<void>(chosen = wide<E>) : static_cast<void>(0)), ...);
  return chosen;
}
using SeveralFields =
    std::integer_sequence<Index, 24, 32, 40, 48, 56, 64, 80, 96, 112>;  // two to seven of 8 or 16 bytes

// Contiguous along j on both sides.
void rows(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  const auto row = static_cast<std::size_t>(p.nj * bytes);
  if (row == 128) {  // a batch of eight double-precision complex columns: the most frequent row by far
    for (Index i = 0; i < p.ni; ++i) std::memcpy(to + i * p.to_i, from + i * p.from_i, 128);
  } else {
    for (Index i = 0; i < p.ni; ++i) std::memcpy(to + i * p.to_i, from + i * p.from_i, row);
  }
}

Panel swapped(const Panel& p) { return {p.nj, p.ni, p.from_j, p.from_i, p.to_j, p.to_i}; }
void columns(const std::byte* from, std::byte* to, const Panel& p, Index bytes) { rows(from, to, swapped(p), bytes); }

// 16 bytes past the caches, from any place to a multiple of 16. Arm's store is a hint; other
// processors keep them.
[[gnu::always_inline]] inline void stream16(const std::byte* from, std::byte* to) {
#if defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(__aarch64__)
  std::uint64_t half[2];
  std::memcpy(half, from, 16);
  asm("stnp %x1, %x2, %0" : "=Q"(*reinterpret_cast<std::byte(*)[16]>(to)) : "r"(half[0]), "r"(half[1]));
#else
  std::memcpy(to, from, 16);
#endif
}
// Past the caches, but for the lines that a row shares with what lies beside it.
void row_stream(const std::byte* from, std::byte* to, Index bytes) {
  const Index head = std::min<Index>(-reinterpret_cast<std::intptr_t>(to) & 63, bytes),
              body = (bytes - head) & ~Index{63};
  std::memcpy(to, from, static_cast<std::size_t>(head));
  from += head, to += head;
  for (Index k = 0; k < body; k += 16) stream16(from + k, to + k);
  std::memcpy(to + body, from + body, static_cast<std::size_t>(bytes - head - body));
}
void rows_stream(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  const Index row = p.nj * bytes;
  if (p.from_i == row && p.to_i == row) return row_stream(from, to, p.ni * row);
  // one run, whose lines are whole but for its ends
  if (p.to_i == row && ((reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(row)) & 15) == 0) {
    for (Index i = 0; i < p.ni; ++i)
      for (Index k = 0; k < row; k += 16) stream16(from + i * p.from_i + k, to + i * row + k);
    return;
  }
  if (row < 256) return rows(from, to, p, bytes);
  for (Index i = 0; i < p.ni; ++i) row_stream(from + i * p.from_i, to + i * p.to_i, row);
}
void columns_stream(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  rows_stream(from, to, swapped(p), bytes);
}

// The same with i and j exchanged.
template <int which>
void transposed_back(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  static const MoveFunction plain = transposing(which & 31, (which & 32) != 0);
  plain(from, to, swapped(p), bytes);
}

}  // namespace

Mover::Mover(Index bytes, const Panel& p) : element_bytes_(bytes) {
  const bool from_i = p.from_i == bytes, from_j = p.from_j == bytes, to_i = p.to_i == bytes, to_j = p.to_j == bytes;
  const bool known = bytes == 4 || bytes == 8 || bytes == 16;
  const auto choose = [&](MoveFunction plain, MoveFunction past) { function_ = plain, streaming_ = past; };
  if (from_j && to_j)
    choose(rows, rows_stream);
  else if (from_i && to_i)
    choose(columns, columns_stream);
  else if (known && from_j && to_i)
    choose(transposing(bytes, false), transposing(bytes, true));
  else if (known && from_i && to_j)
    bytes == 16  ? choose(transposed_back<16>, transposed_back<48>)
    : bytes == 8 ? choose(transposed_back<8>, transposed_back<40>)
                 : choose(transposed_back<4>, transposed_back<4>);
  else
    function_ = streaming_ = bytes == 16  ? scattered<16>
                             : bytes == 8 ? scattered<8>
                             : bytes == 4 ? scattered<4>
                                          : wide_or_any(bytes, SeveralFields{});
}

void fetch(const std::byte* from, Index bytes) {
  for (Index k = 0; k < bytes; k += 64) __builtin_prefetch(from + k, 0, 2);
}

void streaming_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

void copy(const View& from, const Slots& from_slots, const View& to, const Slots& to_slots, Index bytes) {
  if (to.box.empty()) return;
  const int axes = to.box.axes();
  // the two innermost loops: the axis that is fastest in `to` and the one that is fastest in `from`
  const auto fastest = [&](const Shape& strides, int but) {
    int best = -1;
    for (int a = 0; a < axes; ++a)
      if (a != but && to.box.extent(a) > 1 && (best < 0 || std::abs(strides[a]) < std::abs(strides[best]))) best = a;
    return best;
  };
  const int i = fastest(to.strides, -1);
  int j = fastest(from.strides, i);
  if (i >= 0 && j >= 0 && std::abs(from.strides[i]) < std::abs(from.strides[j])) j = fastest(to.strides, i);
  Panel panel{i < 0 ? 1 : to.box.extent(i), j < 0 ? 1 : to.box.extent(j), 0, 0, 0, 0};
  if (i >= 0) panel.from_i = from.strides[i] * bytes, panel.to_i = to.strides[i] * bytes;
  if (j >= 0) panel.from_j = from.strides[j] * bytes, panel.to_j = to.strides[j] * bytes;
  const Mover move(bytes, panel);
  walk(from, from_slots, to, to_slots, bytes, i, j,
       [&](const std::byte* source, std::byte* target) { move(source, target, panel); });
}

}  // namespace weft

// Kernels for 4, 8 and 16 byte elements in three register widths, and plain loops for everything else. Strided sides are
// walked so that each cache line on the contiguous side is used whole.
#include "plan/stage/mover.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

template <Index E>
struct Element {
  std::byte bytes[E];
};

// Any strides.
template <Index E>
void scattered(const std::byte* from, std::byte* to, const Panel& p, Index) {
  for (Index i = 0; i < p.ni; ++i)
    for (Index j = 0; j < p.nj; ++j) std::memcpy(to + i * p.to_i + j * p.to_j, from + i * p.from_i + j * p.from_j, E);
}
void scattered_any(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  for (Index i = 0; i < p.ni; ++i)
    for (Index j = 0; j < p.nj; ++j)
      std::memcpy(to + i * p.to_i + j * p.to_j, from + i * p.from_i + j * p.from_j, static_cast<std::size_t>(bytes));
}

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

// Contiguous along j in `from`, along i in `to`; a corner that the register kernels leave.
template <Index E>
inline void corner(const std::byte* from, std::byte* to, const Panel& p, Index i0, Index j0) {
  for (Index j = j0; j < p.nj; ++j)
    for (Index i = i0; i < p.ni; ++i) std::memcpy(to + i * E + j * p.to_j, from + i * p.from_i + j * E, E);
}
template <Index E>
void transposed(const std::byte* from, std::byte* to, const Panel& p, Index) {
  constexpr Index tile = 32;  // both sides of a tile stay in the first-level cache
  for (Index j0 = 0; j0 < p.nj; j0 += tile)
    for (Index i0 = 0; i0 < p.ni; i0 += tile) {
      const Index i1 = std::min(i0 + tile, p.ni), j1 = std::min(j0 + tile, p.nj);
      for (Index j = j0; j < j1; ++j)
        for (Index i = i0; i < i1; ++i) std::memcpy(to + i * E + j * p.to_j, from + i * p.from_i + j * E, E);
    }
}

// A strip of as many columns as a square has: squares from `from` (stride fs) to `to` (stride ts), n rows long, which are whole squares.
using Strip = void (*)(const std::byte* from, Index fs, std::byte* to, Index ts, Index n);

// Walks strips in the order in which the side whose rows lie farther apart is met in whole rows: there memory answers line by line, and reading
// 512 bytes of a row before the next took two thirds of the time of reading one line of each. What is over is left to `corner`.
template <Index E, Strip strip, Index side = 4>
void strips(const std::byte* from, std::byte* to, const Panel& p, Index) {
  const Index i_end = p.ni & -side, j_end = p.nj & -side;
  constexpr Index across = 512 / E, along = 64;  // the near side of so much stays in the first-level cache
  const Index length = p.from_i > p.to_j ? side : along;
  for (Index j0 = 0; j0 < j_end; j0 += across)
    for (Index i = 0; i < i_end; i += length)
      for (Index j = j0; j < std::min(j0 + across, j_end); j += side)
        strip(from + i * p.from_i + j * E, p.from_i, to + i * E + j * p.to_j, p.to_j, std::min(length, i_end - i));
  if (j_end < p.nj) corner<E>(from, to, p, 0, j_end);
  if (i_end < p.ni) {
    Panel rest = p;
    rest.nj = j_end;
    corner<E>(from, to, rest, i_end, 0);
  }
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] void strip16_avx2(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 2)
    for (Index j = 0; j < 4; j += 2) {
      const auto* source = reinterpret_cast<const double*>(from + i * fs + j * 16);
      const auto* below = reinterpret_cast<const double*>(from + (i + 1) * fs + j * 16);
      const __m256d a = _mm256_loadu_pd(source), b = _mm256_loadu_pd(below);
      _mm256_storeu_pd(reinterpret_cast<double*>(to + i * 16 + j * ts), _mm256_permute2f128_pd(a, b, 0x20));
      _mm256_storeu_pd(reinterpret_cast<double*>(to + i * 16 + (j + 1) * ts), _mm256_permute2f128_pd(a, b, 0x31));
    }
}

// Four registers of four quarters each, transposed. Shuffles rather than _mm512_shuffle_f64x2, whose GCC 12 header warns of itself.
[[gnu::target("avx512f"), gnu::always_inline]] inline void transpose_quarters(__m512d& a, __m512d& b, __m512d& c, __m512d& d) {
  const __m512d ab_low = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13), ab_high = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d cd_low = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13), cd_high = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 2, 3, 8, 9, 10, 11), b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 2, 3, 8, 9, 10, 11);
  c = __builtin_shufflevector(ab_low, cd_low, 4, 5, 6, 7, 12, 13, 14, 15), d = __builtin_shufflevector(ab_high, cd_high, 4, 5, 6, 7, 12, 13, 14, 15);
}
template <bool stream>
[[gnu::target("avx512f"), gnu::always_inline]] inline void put(std::byte* to, __m512d v) {
  if constexpr (stream)
    _mm512_stream_pd(reinterpret_cast<double*>(to), v);
  else
    _mm512_storeu_pd(to, v);
}

template <bool stream>
[[gnu::target("avx512f")]] void strip16_avx512(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 4, from += 4 * fs, to += 64) {
    __m512d a = _mm512_loadu_pd(from), b = _mm512_loadu_pd(from + fs), c = _mm512_loadu_pd(from + 2 * fs), d = _mm512_loadu_pd(from + 3 * fs);
    transpose_quarters(a, b, c, d);
    put<stream>(to, a), put<stream>(to + ts, b), put<stream>(to + 2 * ts, c), put<stream>(to + 3 * ts, d);
  }
}
template <bool stream>
[[gnu::target("avx512f")]] void strip8_avx512(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 8, from += 8 * fs, to += 64) {
    __m512d even[4], odd[4];  // of each quarter the columns, of two rows
    for (int k = 0; k < 4; ++k) {
      const __m512d a = _mm512_loadu_pd(from + 2 * k * fs), b = _mm512_loadu_pd(from + (2 * k + 1) * fs);
      even[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
      odd[k] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    transpose_quarters(even[0], even[1], even[2], even[3]);
    transpose_quarters(odd[0], odd[1], odd[2], odd[3]);
    for (int k = 0; k < 4; ++k) put<stream>(to + 2 * k * ts, even[k]), put<stream>(to + (2 * k + 1) * ts, odd[k]);
  }
}
// Streaming needs whole, aligned cache lines.
template <Index E, Strip streamed, Strip plain, Index side>
void strips_stream(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  const bool aligned = ((reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(p.to_j)) & 63) == 0;
  (aligned ? strips<E, streamed, side> : strips<E, plain, side>)(from, to, p, bytes);
}

[[gnu::target("avx2")]] void strip8_avx2(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 4, from += 4 * fs, to += 32) {
    const __m256d a = _mm256_loadu_pd(reinterpret_cast<const double*>(from)), b = _mm256_loadu_pd(reinterpret_cast<const double*>(from + fs));
    const __m256d c = _mm256_loadu_pd(reinterpret_cast<const double*>(from + 2 * fs)), d = _mm256_loadu_pd(reinterpret_cast<const double*>(from + 3 * fs));
    const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
    const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(reinterpret_cast<double*>(to), _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + ts), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + 2 * ts), _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + 3 * ts), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
  }
}

void strip4_sse(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 4, from += 4 * fs, to += 16) {
    __m128 a = _mm_loadu_ps(reinterpret_cast<const float*>(from)), b = _mm_loadu_ps(reinterpret_cast<const float*>(from + fs));
    __m128 c = _mm_loadu_ps(reinterpret_cast<const float*>(from + 2 * fs)), d = _mm_loadu_ps(reinterpret_cast<const float*>(from + 3 * fs));
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(reinterpret_cast<float*>(to), a);
    _mm_storeu_ps(reinterpret_cast<float*>(to + ts), b);
    _mm_storeu_ps(reinterpret_cast<float*>(to + 2 * ts), c);
    _mm_storeu_ps(reinterpret_cast<float*>(to + 3 * ts), d);
  }
}

// Past the caches, but for the lines that a row shares with what lies beside it.
void row_stream(const std::byte* from, std::byte* to, Index bytes) {
  const Index head = std::min<Index>(-reinterpret_cast<std::intptr_t>(to) & 63, bytes), body = (bytes - head) & ~Index{63};
  std::memcpy(to, from, static_cast<std::size_t>(head));
  from += head, to += head;
  for (Index k = 0; k < body; k += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
  std::memcpy(to + body, from + body, static_cast<std::size_t>(bytes - head - body));
}
void rows_stream(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  const Index row = p.nj * bytes;
  if (p.from_i == row && p.to_i == row) return row_stream(from, to, p.ni * row);
  if (p.to_i == row && ((reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(row)) & 15) == 0) {  // one run, whose lines are whole but for its ends
    for (Index i = 0; i < p.ni; ++i)
      for (Index k = 0; k < row; k += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(to + i * row + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * p.from_i + k)));
    return;
  }
  if (row < 256) return rows(from, to, p, bytes);
  for (Index i = 0; i < p.ni; ++i) row_stream(from + i * p.from_i, to + i * p.to_i, row);
}
void columns_stream(const std::byte* from, std::byte* to, const Panel& p, Index bytes) { rows_stream(from, to, swapped(p), bytes); }

#endif

using Function = void (*)(const std::byte*, std::byte*, const Panel&, Index);

// Contiguous along j in `from` and along i in `to`.
Function transposing(Index bytes, [[maybe_unused]] bool stream) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512f");
  if (bytes == 16 && avx512) return stream ? strips_stream<16, strip16_avx512<true>, strip16_avx512<false>, 4> : strips<16, strip16_avx512<false>>;
  if (bytes == 8 && avx512) return stream ? strips_stream<8, strip8_avx512<true>, strip8_avx512<false>, 8> : strips<8, strip8_avx512<false>, 8>;
  if (bytes == 16 && avx2) return strips<16, strip16_avx2>;
  if (bytes == 8 && avx2) return strips<8, strip8_avx2>;
  if (bytes == 4) return strips<4, strip4_sse>;
#endif
  if (bytes == 16) return transposed<16>;
  if (bytes == 8) return transposed<8>;
  if (bytes == 4) return transposed<4>;
  return scattered_any;
}

// The same with i and j exchanged.
template <int which>
void transposed_back(const std::byte* from, std::byte* to, const Panel& p, Index bytes) {
  static const Function plain = transposing(which & 31, (which & 32) != 0);
  plain(from, to, swapped(p), bytes);
}

}  // namespace

Mover::Mover(Index bytes, const Panel& p) : element_bytes_(bytes) {
  const bool from_i = p.from_i == bytes, from_j = p.from_j == bytes, to_i = p.to_i == bytes, to_j = p.to_j == bytes;
  const bool known = bytes == 4 || bytes == 8 || bytes == 16;
  const auto choose = [&](Function plain, Function past) { function_ = plain, streaming_ = past; };
#if defined(__x86_64__)
  constexpr Function row = rows_stream, column = columns_stream;
#else
  constexpr Function row = rows, column = columns;
#endif
  if (from_j && to_j)
    choose(rows, row);
  else if (from_i && to_i)
    choose(columns, column);
  else if (known && from_j && to_i)
    choose(transposing(bytes, false), transposing(bytes, true));
  else if (known && from_i && to_j)
    bytes == 16 ? choose(transposed_back<16>, transposed_back<48>) : bytes == 8 ? choose(transposed_back<8>, transposed_back<40>) : choose(transposed_back<4>, transposed_back<4>);
  else
    function_ = streaming_ = bytes == 16 ? scattered<16> : bytes == 8 ? scattered<8> : bytes == 4 ? scattered<4> : scattered_any;
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
  const std::byte* source = from_slots[static_cast<std::size_t>(from.slot)] + from.offset * bytes;
  std::byte* target = to_slots[static_cast<std::size_t>(to.slot)] + to.offset * bytes;
  Shape at = Shape::filled(axes, 0);
  for (;;) {
    move(source, target, panel);
    int a = axes - 1;
    for (; a >= 0; --a) {
      if (a == i || a == j) continue;
      source += from.strides[a] * bytes;
      target += to.strides[a] * bytes;
      if (++at[a] < to.box.extent(a)) break;
      source -= at[a] * from.strides[a] * bytes;
      target -= at[a] * to.strides[a] * bytes;
      at[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace weft

// Three register widths. Strided sides are walked so that each cache line on the
// contiguous side is used whole.
#include "plan/stage/transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

// Contiguous along j in `from`, along i in `to`; a corner that the register kernels leave. Panels
// are passed by value: bytes that are written might be those of one in memory.
template <Index E>
inline void corner(const std::byte* from, std::byte* to, Panel p, Index i0, Index j0) {
  for (Index j = j0; j < p.nj; ++j)
    for (Index i = i0; i < p.ni; ++i) std::memcpy(to + i * E + j * p.to_j, from + i * p.from_i + j * E, E);
}
void transposed16(const std::byte* from, std::byte* to, const Panel& p, Index) {
  constexpr Index tile = 32;  // both sides of a tile stay in the first-level cache
  for (Index j0 = 0; j0 < p.nj; j0 += tile)
    for (Index i0 = 0; i0 < p.ni; i0 += tile) {
      const Index i1 = std::min(i0 + tile, p.ni), j1 = std::min(j0 + tile, p.nj);
      for (Index j = j0; j < j1; ++j)
        for (Index i = i0; i < i1; ++i) std::memcpy(to + i * 16 + j * p.to_j, from + i * p.from_i + j * 16, 16);
    }
}

// A strip of as many columns as a square has: squares from `from` (stride fs) to `to` (stride ts),
// n rows long, which are whole squares.
using Strip = void (*)(const std::byte* from, Index fs, std::byte* to, Index ts, Index n);

// Walks strips in the order in which the side whose rows lie farther apart is met in whole rows:
// there memory answers line by line, and reading 512 bytes of a row before the next took two thirds
// of the time of reading one line of each. What is over is left to `corner`.
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

// What every 64-bit processor has: registers of 128 bits, from and to any address.
template <class Real>
struct Register {
  typedef Real type __attribute__((vector_size(16)));
};
template <class Real>
[[gnu::always_inline]] inline auto load(const std::byte* p) {
  typename Register<Real>::type v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Vector>
[[gnu::always_inline]] inline void store(std::byte* p, Vector v) {
  std::memcpy(p, &v, sizeof v);
}
void strip8(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 2, from += 2 * fs, to += 16) {
    const auto a = load<double>(from), b = load<double>(from + fs);
    store(to, __builtin_shufflevector(a, b, 0, 2));
    store(to + ts, __builtin_shufflevector(a, b, 1, 3));
  }
}
void strip4(const std::byte* from, Index fs, std::byte* to, Index ts, Index n) {
  for (Index i = 0; i < n; i += 4, from += 4 * fs, to += 16) {
    const auto a = load<float>(from), b = load<float>(from + fs), c = load<float>(from + 2 * fs),
               d = load<float>(from + 3 * fs);
    const auto ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const auto ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store(to + ts, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store(to + 2 * ts, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
    store(to + 3 * ts, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
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

// Four registers of four quarters each, transposed. Shuffles rather than _mm512_shuffle_f64x2,
// whose GCC 12 header warns of itself.
[[gnu::target("avx512f"), gnu::always_inline]] inline void transpose_quarters(__m512d& a, __m512d& b, __m512d& c,
                                                                              __m512d& d) {
  const __m512d ab_low = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                ab_high = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d cd_low = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13),
                cd_high = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 2, 3, 8, 9, 10, 11),
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 2, 3, 8, 9, 10, 11);
  c = __builtin_shufflevector(ab_low, cd_low, 4, 5, 6, 7, 12, 13, 14, 15),
  d = __builtin_shufflevector(ab_high, cd_high, 4, 5, 6, 7, 12, 13, 14, 15);
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
    __m512d a = _mm512_loadu_pd(from), b = _mm512_loadu_pd(from + fs), c = _mm512_loadu_pd(from + 2 * fs),
            d = _mm512_loadu_pd(from + 3 * fs);
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
    const __m256d a = _mm256_loadu_pd(reinterpret_cast<const double*>(from)),
                  b = _mm256_loadu_pd(reinterpret_cast<const double*>(from + fs));
    const __m256d c = _mm256_loadu_pd(reinterpret_cast<const double*>(from + 2 * fs)),
                  d = _mm256_loadu_pd(reinterpret_cast<const double*>(from + 3 * fs));
    const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
    const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(reinterpret_cast<double*>(to), _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + ts), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + 2 * ts), _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
    _mm256_storeu_pd(reinterpret_cast<double*>(to + 3 * ts), _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
  }
}

#endif

}  // namespace

MoveFunction transposing(Index bytes, [[maybe_unused]] bool stream) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512f");
  if (bytes == 16 && avx512)
    return stream ? strips_stream<16, strip16_avx512<true>, strip16_avx512<false>, 4>
                  : strips<16, strip16_avx512<false>>;
  if (bytes == 8 && avx512)
    return stream ? strips_stream<8, strip8_avx512<true>, strip8_avx512<false>, 8> : strips<8, strip8_avx512<false>, 8>;
  if (bytes == 16 && avx2) return strips<16, strip16_avx2>;
  if (bytes == 8 && avx2) return strips<8, strip8_avx2>;
#endif
  return bytes == 16 ? transposed16 : bytes == 8 ? strips<8, strip8, 2> : strips<4, strip4>;
}

}  // namespace weft

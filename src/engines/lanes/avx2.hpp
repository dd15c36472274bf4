// AVX2 with fused multiply-add: how long its registers are, and what the compiler's own vectors do
// not say.
#pragma once

#include <immintrin.h>  // always inlined

namespace weft::lanes {
namespace {
constexpr int bytes = 32, registers = 16;
}  // namespace
}  // namespace weft::lanes

#include "registers.hpp"

namespace weft::lanes {
namespace {

// Past the caches, at a multiple of 32 bytes.
WEFT_INLINE void stream(double* p, Vector<double> v) { _mm256_stream_pd(p, v); }
WEFT_INLINE void stream(float* p, Vector<float> v) { _mm256_stream_ps(p, v); }

// The first of them alone, and zeros. A lane is meant if its bit is set.
WEFT_INLINE __m256i meant(const double*, unsigned mask) {
  const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bit), bit);
}
WEFT_INLINE __m256i meant(const float*, unsigned mask) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bit), bit);
}
WEFT_INLINE Vector<double> load_first(const double* p, unsigned mask) { return _mm256_maskload_pd(p, meant(p, mask)); }
WEFT_INLINE Vector<float> load_first(const float* p, unsigned mask) { return _mm256_maskload_ps(p, meant(p, mask)); }
WEFT_INLINE void store_first(double* p, unsigned mask, Vector<double> v) { _mm256_maskstore_pd(p, meant(p, mask), v); }
WEFT_INLINE void store_first(float* p, unsigned mask, Vector<float> v) { _mm256_maskstore_ps(p, meant(p, mask), v); }

}  // namespace
}  // namespace weft::lanes

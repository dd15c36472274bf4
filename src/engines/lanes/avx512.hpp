// AVX-512: how long its registers are, and what the compiler's own vectors do not say. Another
// instruction set has another header with the same functions, and the kernels follow.
#pragma once

#include <immintrin.h>  // always inlined

namespace weft::lanes {
namespace {
constexpr int bytes = 64, registers = 32;
}  // namespace
}  // namespace weft::lanes

#include "registers.hpp"

namespace weft::lanes {
namespace {

// Past the caches, on a cache line.
WEFT_INLINE void stream(double* p, Vector<double> v) { _mm512_stream_pd(p, v); }
WEFT_INLINE void stream(float* p, Vector<float> v) { _mm512_stream_ps(p, v); }

// The first of them alone, and zeros.
WEFT_INLINE Vector<double> load_first(const double* p, unsigned mask) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p);
}
WEFT_INLINE Vector<float> load_first(const float* p, unsigned mask) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p);
}
WEFT_INLINE void store_first(double* p, unsigned mask, Vector<double> v) {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v);
}
WEFT_INLINE void store_first(float* p, unsigned mask, Vector<float> v) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), v);
}

// a b - c of real parts, a b + c of imaginary ones, and the other way round.
WEFT_INLINE Vector<double> less_real(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmaddsub_pd(a, b, c);
}
WEFT_INLINE Vector<float> less_real(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm512_fmaddsub_ps(a, b, c);
}
WEFT_INLINE Vector<double> less_imaginary(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmsubadd_pd(a, b, c);
}
WEFT_INLINE Vector<float> less_imaginary(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm512_fmsubadd_ps(a, b, c);
}

}  // namespace
}  // namespace weft::lanes

// NEON, which every 64-bit Arm processor has: how long its registers are, and what the compiler's
// own vectors do not say.
#pragma once

namespace weft::lanes {
namespace {
constexpr int bytes = 16, registers = 32;
}  // namespace
}  // namespace weft::lanes

#include "registers.hpp"

namespace weft::lanes {
namespace {

// Past the caches, if the processor follows the hint. There is such a store for two registers
// alone: half of one in each.
WEFT_INLINE void stream(double* p, Vector<double> v) {
  asm("stnp %d1, %d2, %0" : "=Q"(*reinterpret_cast<Register<double>::loose*>(p)) : "w"(v[0]), "w"(v[1]));
}
WEFT_INLINE void stream(float* p, Vector<float> v) {
  const auto halves = reinterpret_cast<Vector<double>>(v);
  asm("stnp %d1, %d2, %0" : "=Q"(*reinterpret_cast<Register<float>::loose*>(p)) : "w"(halves[0]), "w"(halves[1]));
}

// The first of them alone, and zeros. A lane is meant if its bit is set. Calls, not inlined: the
// compiler would move sums behind their branches, away from the products that it fuses with them
// elsewhere, and a line's bits would depend on how many lines there are.
template <class Real>
__attribute__((noinline)) Vector<Real> load_first(const Real* p, unsigned mask) noexcept {
  Vector<Real> v{};
#pragma GCC unroll 4
  for (int k = 0; k < width<Real>; ++k)
    if (mask >> k & 1) v[k] = p[k];
  return v;
}
template <class Real>
__attribute__((noinline)) void store_first(Real* p, unsigned mask, Vector<Real> v) noexcept {
#pragma GCC unroll 4
  for (int k = 0; k < width<Real>; ++k)
    if (mask >> k & 1) p[k] = v[k];
}

}  // namespace
}  // namespace weft::lanes

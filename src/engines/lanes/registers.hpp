// Vector registers of `bytes` bytes, of which there are `registers`: the header of an instruction
// set has defined both before.
#pragma once

#include "kernels.hpp"

#define WEFT_INLINE inline __attribute__((always_inline))

namespace weft::lanes {
namespace {

using Index = std::ptrdiff_t;
constexpr int cache_line = 64;  // what is asked for at a time; where lines are longer, some twice
template <class Real>
constexpr int width = bytes / static_cast<int>(sizeof(Real));
template <class Real>
struct Register {
  typedef Real type __attribute__((vector_size(bytes)));
  typedef Real loose __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));
};
template <class Real>
using Vector = typename Register<Real>::type;

template <class Real>
WEFT_INLINE Vector<Real> load(const Real* p) {
  return *reinterpret_cast<const typename Register<Real>::loose*>(p);
}
template <class Real>
WEFT_INLINE void store(Real* p, Vector<Real> v) {
  *reinterpret_cast<typename Register<Real>::loose*>(p) = v;
}

}  // namespace
}  // namespace weft::lanes

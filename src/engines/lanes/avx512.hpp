// The kernels of lanes.hpp for AVX-512: what includes this is compiled with its options.
#pragma once

#include "complex.hpp"
#include "real.hpp"

namespace weft::lanes {
namespace {

template <class Real, int... k>
constexpr Kernels<Real> made(Numbers<k...>) {
  return {width<Real>, {point_of<Real>(k)...}, c2c<Real, false>, c2c<Real, true>, c2c_rows<Real, false>, c2c_rows<Real, true>, r2c<Real>, c2r<Real>};
}

}  // namespace
}  // namespace weft::lanes

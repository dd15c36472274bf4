// The kernels of lanes.hpp for AVX-512; compiled with its options, like all that it includes.
#include "complex.hpp"
#include "real.hpp"

namespace weft::lanes {
namespace {

template <class Real, int... k>
constexpr Kernels<Real> made(Numbers<k...>) {
  return {width<Real>, {point_of<Real>(k)...}, c2c<Real, false>, c2c<Real, true>, c2c_rows<Real, false>, c2c_rows<Real, true>, r2c<Real>, c2r<Real>};
}

}  // namespace

const Kernels<double> avx512_double = made<double>(Lane<double>());
const Kernels<float> avx512_float = made<float>(Lane<float>());

}  // namespace weft::lanes

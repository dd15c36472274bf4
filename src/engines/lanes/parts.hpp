// The parts of the kernels, each for a file of its own. What includes this is compiled with the
// options of one instruction set, and has all else to itself: the namespace has no name.
#pragma once

#include "complex.hpp"
#include "real.hpp"

namespace weft::lanes {
namespace {

template <class Real, int... k>
constexpr ComplexKernels<Real> complex_kernels(Numbers<k...>) {
  return {registers, width<Real>, {point_of<Real>(k)...}, c2c<Real, false>, c2c<Real, true>};
}

template <class Real>
constexpr ComplexKernels<Real> part_complex = complex_kernels<Real>(Lane<Real>());
template <class Real>
constexpr RealKernels<Real> part_real{r2c<Real>, c2r<Real>, convolve_lines<Real>};
template <class Real>
constexpr RunRows<Real> part_rows_forward = c2c_rows<Real, false>;
template <class Real>
constexpr RunRows<Real> part_rows_backward = c2c_rows<Real, true>;

}  // namespace
}  // namespace weft::lanes

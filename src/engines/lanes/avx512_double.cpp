#include "avx512.hpp"

namespace weft::lanes {

const Kernels<double> avx512_double = made<double>(Lane<double>());

}  // namespace weft::lanes

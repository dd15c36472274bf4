#include "avx512.hpp"

namespace weft::lanes {

const Kernels<float> avx512_float = made<float>(Lane<float>());

}  // namespace weft::lanes

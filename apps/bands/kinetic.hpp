// -Laplace/2: |k+G|^2 / 2 for each plane wave.
#pragma once

#include "basis.hpp"
#include "block.hpp"

namespace bands {

/// out += |k+G|^2 / 2 in, of `count` columns.
inline void add_kinetic(const Basis& basis, const Complex* in, Complex* out, long count) {
  const std::size_t rows = basis.kinetic.size();
  for (long c = 0; c < count; ++c, in += rows, out += rows)
    for (std::size_t i = 0; i < rows; ++i) out[i] += basis.kinetic[i] * in[i];
}

}  // namespace bands

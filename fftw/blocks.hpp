// FFTW's rule for cutting an axis: blocks of one size, the last ones shorter or empty.
#pragma once

#include <algorithm>
#include <cstddef>

namespace drop_in {

/// The block that FFTW takes for FFTW_MPI_DEFAULT_BLOCK: a block a rank.
inline std::ptrdiff_t block_of(std::ptrdiff_t n, std::ptrdiff_t given, int ranks) {
  return given != 0 ? given : std::max<std::ptrdiff_t>((n + ranks - 1) / ranks, 1);
}

/// What a rank has of an axis. Of an empty part the start is 0.
struct Part {
  std::ptrdiff_t start = 0, count = 0;
  Part(std::ptrdiff_t n, std::ptrdiff_t block, int rank) {
    if (block <= 0 || rank > (n - 1) / block || n <= 0) return;
    start = rank * block;
    count = std::min(block, n - start);
  }
};

}  // namespace drop_in

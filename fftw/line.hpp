// FFTW's rule for cutting one long line: as m rows of r points among the ranks, before or after a
// turn to r rows of m.
#pragma once

#include <fftw3-mpi.h>

#include <cmath>

#include "blocks.hpp"

namespace drop_in {

/// n = rows * columns as FFTW's forward transform has it; backward has them the other way round.
struct LineCut {
  std::ptrdiff_t rows = 0, columns = 0;  ///< 0: one rank has all

  LineCut(std::ptrdiff_t n, int ranks) {
    if (n < 1) return;
    std::ptrdiff_t factor = 0;
    if (n % ranks == 0 && n / ranks >= ranks) {
      factor = n / ranks;
    } else {
      factor = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(n)));
      while (factor * factor > n) --factor;
      while ((factor + 1) * (factor + 1) <= n) ++factor;
      while (n % factor != 0) ++factor;
    }
    if (factor == 1 || factor == n) return;
    rows = n / factor, columns = factor;
  }

  /// A rank's points before a transform (`after`: after it), of a line that can be cut.
  Part part(bool after, int sign, unsigned flags, int ranks, int rank) const {
    const bool scrambled = flags & (after ? FFTW_MPI_SCRAMBLED_OUT : FFTW_MPI_SCRAMBLED_IN);
    const bool turned = (after != (sign == FFTW_BACKWARD)) != scrambled;
    const std::ptrdiff_t n = turned ? columns : rows, row = turned ? rows : columns;
    Part part(n, block_of(n, 0, ranks), rank);
    part.start *= row, part.count *= row;
    return part;
  }
};

}  // namespace drop_in

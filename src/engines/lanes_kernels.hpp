// What lanes.cpp plans and a file of kernels for one instruction set runs. Such a file includes nothing else that has code in it: what it compiled
// of another header's inline functions might be linked into the whole program, and run on other processors.
#pragma once

#include <cstddef>

namespace weft::lanes {

inline constexpr int most_passes = 32;

/// Columns of a row that are combined first where rows are not put in lanes: as many as there are butterflies for, and lanes of doubles.
inline constexpr int combined = 8;

/// A transform of `points` complex points (half the line where it is real): passes of these radices, from the first to the last.
template <class Real>
struct Program {
  std::ptrdiff_t points = 1;
  int passes = 0;
  int radix[most_passes] = {};
  const Real* twiddles[most_passes] = {};  ///< m x (radix - 1) complex numbers for each pass but the last, m points being left after it
  const std::ptrdiff_t* block = nullptr;   ///< for blocks of the last pass, in the order of results: which of those that the passes before leave
  const Real* halves = nullptr;            ///< exp(-2 pi i k / (2 points)) for k up to points / 2, where lines are real
  const Program* rest = nullptr;           ///< of rows that are not put in lanes: what follows when `combined` points have been
  const Real* across = nullptr;            ///< before that, for as many points j of rest's at a time as there are lanes and each k from 1 below `combined`, exp(-2 pi i j k / points): real, then imaginary parts
};

/// Lines in memory; distances in reals. A stride of 2 or less means contiguous points.
template <class Real>
struct Batch {
  const Real* in;
  std::ptrdiff_t in_stride, in_step;
  Real* out;
  std::ptrdiff_t out_stride, out_step;
  std::ptrdiff_t lines;
  Real* work;  ///< 2 x (points + 1) x 2 vectors, on a cache line
};

/// Columns side by side in rows that lie anywhere.
template <class Real>
struct Rows {
  const Real* const* in;
  Real* const* out;
  std::ptrdiff_t columns;
  Real scale;    ///< of what is written
  bool streams;  ///< past the caches; then every row begins a cache line
  Real* work;    ///< as a batch's
};

template <class Real>
struct Kernels {
  int lanes;      ///< in a vector register
  int point[16];  ///< which of so many neighbouring points each has
  void (*forward)(const Program<Real>&, Batch<Real>);
  void (*backward)(const Program<Real>&, Batch<Real>);
  void (*rows_forward)(const Program<Real>&, const Rows<Real>&);
  void (*rows_backward)(const Program<Real>&, const Rows<Real>&);
  void (*r2c)(const Program<Real>&, Batch<Real>);
  void (*c2r)(const Program<Real>&, Batch<Real>);
};

extern const Kernels<double> avx512_double;
extern const Kernels<float> avx512_float;

}  // namespace weft::lanes

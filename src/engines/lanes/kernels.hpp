// What lanes.cpp plans and a file of kernels for one instruction set runs. Such a file includes
// nothing else that has code in it: what it compiled of another header's inline functions might be
// linked into the whole program, and run on other processors.
#pragma once

#include <cstddef>

namespace weft::lanes {

inline constexpr int most_passes = 32;

/// Parts of a row that are combined first where rows are not put in lanes: as many as there are
/// lanes of doubles, or half as many where rows are short and two fill a register.
inline constexpr int combined = 8, few_combined = 4;

/// The passes of such short rows that registers do not hold: code exists for these radices alone.
inline constexpr int few_first = 4, few_last = 6;

/// Of the `radix` parts of a line, which a first pass can take for zeros and not read, and a last
/// one not write: a hole in the middle.
struct Hole {
  int first = 0, last = 0;  ///< half-open
};
constexpr Hole hole_of(int radix) { return radix >= 4 && radix % 2 == 0 ? Hole{radix / 4 + 1, 3 * radix / 4} : Hole{}; }

/// The largest radix that is no prime, of an instruction set with so many registers.
constexpr int largest_composite(int registers) { return registers < 32 ? 8 : 12; }
/// Whether some rows are not put in lanes: that takes many registers, of as many doubles as such a
/// row has parts.
constexpr bool keeps_rows(int registers, std::ptrdiff_t bytes) { return registers >= 32 && bytes >= 8 * combined; }
/// Whether complex rows of 16, 32 and 64 points in double precision stay as they lie in memory:
/// that takes registers of several points.
constexpr bool keeps_short_rows(std::ptrdiff_t bytes) { return bytes >= 32; }

template <class Real>
struct Program;

/// A line of another length that is transformed as a convolution: of a prime one in the order of
/// powers of a generator, else by a chirp.
template <class Real>
struct Convolution {
  std::ptrdiff_t points = 0;  ///< of the line
  /// Where the convolution's points come from and go to, all but the line's first; or null, and
  const int *from = nullptr, *to = nullptr;
  const Real* chirp = nullptr;   ///< so many complex numbers
  const Real* kernel = nullptr;  ///< the transform of what is convolved with, divided by its length
  void (*run)(const Program<Real>&, Real* line, Real* work) = nullptr;  ///< does it, to lines in lanes
};

/// A transform of `points` complex points (half the line where it is real and even): passes of
/// these radices, from the first to the last.
template <class Real>
struct Program {
  std::ptrdiff_t points = 1;
  int passes = 0;
  int radix[most_passes] = {};
  /// For each pass but the last m x (radix - 1) complex numbers, m points being left after it.
  const Real* twiddles[most_passes] = {};
  /// For blocks of the last pass, in the order of results: which of those that the passes before
  /// leave.
  const std::ptrdiff_t* block = nullptr;
  /// The first pass (of rows that are not put in lanes: what is combined) or the last leaves a hole
  /// out: these points of the line.
  bool zero = false, unwanted = false;
  std::ptrdiff_t hole_first = 0, hole_last = 0;
  /// exp(-2 pi i k / (2 points)) for k up to points / 2, where lines are real and even.
  const Real* halves = nullptr;
  /// The same where rows are not put in lanes, times -i/2 forward, conjugate and times i backward.
  /// For half as many k as there are lanes at a time: the real parts, each twice, then the
  /// imaginary ones.
  const Real* turns = nullptr;
  const Convolution<Real>* convolution = nullptr;  ///< what the transform is for, if not for itself
  /// Of rows that are not put in lanes: what follows when its parts have been combined.
  const Program* rest = nullptr;
  /// Before that, for as many points j of rest's at a time as there are lanes and each part k but
  /// the first, exp(-2 pi i j k / points): real, then imaginary parts. Of rows in registers for
  /// half as many j, conjugate backward, each real part twice, and each imaginary part with either
  /// sign, minus first.
  const Real* across = nullptr;
};

/// What memory is to bring meanwhile: so many addresses, each with so many bytes behind it.
struct Memory {
  const std::byte* const* rows = nullptr;
  std::ptrdiff_t count = 0, bytes = 0;
  bool near = false;  ///< into the first-level cache, else the second
};

/// Lines in memory; distances in reals. A stride of 2 or less means contiguous points.
template <class Real>
struct Batch {
  const Real* in;
  std::ptrdiff_t in_stride, in_step;
  Real* out;
  std::ptrdiff_t out_stride, out_step;
  std::ptrdiff_t lines;
  Real* work;    ///< 2 x (points + 1) x 2 vectors, on a cache line
  bool streams;  ///< contiguous lines are written past the caches; then each begins a cache line
  Memory reads = Memory(), writes = Memory();  ///< asked for by complex rows that are not put in lanes
};

/// Columns side by side in rows that lie anywhere.
template <class Real>
struct Rows {
  const Real* const* in;
  Real* const* out;
  std::ptrdiff_t columns;
  Real scale;  ///< of what is written
  /// Past the caches, but for so many rows from the first kept one on; then every row begins a
  /// cache line.
  bool streams;
  std::ptrdiff_t first_kept, kept;
  Memory reads, writes;
  Real* work;  ///< as a batch's
};

// The kernels of one instruction set and precision come in parts, each of which is compiled by
// itself: parts.hpp has their definitions, src/CMakeLists.txt makes a file of each.
template <class Real>
using Run = void (*)(const Program<Real>&, Batch<Real>);
template <class Real>
using RunRows = void (*)(const Program<Real>&, Rows<Real>);

template <class Real>
struct ComplexKernels {
  int registers;  ///< of the instruction set
  int lanes;      ///< in a vector register
  int point[16];  ///< which of so many neighbouring points each has
  Run<Real> forward, backward;
};
template <class Real>
struct RealKernels {
  Run<Real> r2c, c2r;
  decltype(Convolution<Real>::run) convolve;
};
template <class Real>
struct Kernels {
  ComplexKernels<Real> complex;
  RealKernels<Real> real;
  RunRows<Real> rows_forward, rows_backward;
};

#define WEFT_KERNELS(set)                                                             \
  extern const ComplexKernels<double> set##_complex_double;                           \
  extern const ComplexKernels<float> set##_complex_float;                             \
  extern const RealKernels<double> set##_real_double;                                 \
  extern const RealKernels<float> set##_real_float;                                   \
  extern const RunRows<double> set##_rows_forward_double, set##_rows_backward_double; \
  extern const RunRows<float> set##_rows_forward_float, set##_rows_backward_float
WEFT_KERNELS(avx512);
WEFT_KERNELS(avx2);
WEFT_KERNELS(neon);
#undef WEFT_KERNELS

}  // namespace weft::lanes

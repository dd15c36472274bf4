// Fourier lines fused with what reads and writes them: as many lines as a vector register has lanes are read from rows or columns into registers, one
// line a lane, transformed, and written. FFTW vectorises inside a line, and so shuffles at every step and leaves half of a long register unused.
//
// Stockham's transform by decimation in frequency with radices 2 to 8, 10, 12 and the primes up to 31 (C. Van Loan, Computational Frameworks for the Fast Fourier Transform,
// SIAM 1992, ch. 1.7); real lines of an even length as complex ones of half of it (ibid. ch. 4.3), odd ones without what the first pass leaves twice. Larger primes by convolution (convolved.hpp).
//
// Always true: lanes never meet, so the bits of a line depend on nothing but its values. Kernels are chosen for the processor at run time.
#pragma once

#include <memory>

#include "engine.hpp"

namespace weft {

/// Whether this build and processor have kernels for `spec`: c2c, r2c and c2r of at most 32768 points that have two factors at least (of half the length where real lines have an even one), and none that is a
/// prime above 31; or of 37 points at least, as convolutions. What is strided must lie side by side.
bool fits_lanes(const LineSpec& spec);
/// The lines of a spec that has them.
std::shared_ptr<const Lines> in_lanes(const LineSpec& spec);

}  // namespace weft

// Fourier lines fused with what reads and writes them: as many lines as a vector register has lanes
// are read from rows or columns into registers, one line a lane, transformed, and written. FFTW
// vectorises inside a line, and so shuffles at every step and leaves half of a long register
// unused.
//
// Stockham's transform by decimation in frequency with radices 2 to 8, 10, 12 and the primes up to
// 31 (C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, ch. 1.7);
// real lines of an even length as complex ones of half of it (ibid. ch. 4.3), odd ones without what
// the first pass leaves twice. Larger primes by convolution (convolved.hpp).
//
// There are kernels for AVX-512, for AVX2 with fused multiply-add, and for NEON, from the same
// templates. The processor's best set is chosen at run time; the environment variable WEFT_KERNELS
// names another one, or `none`.
//
// Always true: lanes never meet, so the bits of a line depend on nothing but its values and the
// set.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace weft {

/// The sets that this build and processor have, best first: "avx512", "avx2"; "neon".
std::vector<std::string> kernel_sets();
/// The one in use, or "none". This and all that follow throw `Error` if WEFT_KERNELS names no set
/// that is here.
std::string_view kernel_set();
/// What wisdom says of lines that go to the set in use: "lanes" for AVX-512, "lanes-SET" for
/// others.
std::string_view lanes_manner();

/// Whether the set in use has kernels for `spec`: c2c, r2c and c2r of at most 32768 points that
/// have two factors at least (of half the length where real lines have an even one), and none that
/// is a prime above 31; or of 37 points at least, as convolutions. What is strided must lie side by
/// side.
bool fits_lanes(const LineSpec& spec);
/// The lines of a spec that has them, by the set in use or another one that is here.
std::shared_ptr<const Lines> in_lanes(const LineSpec& spec, std::string_view set = {});

}  // namespace weft

// Fourier lines as convolutions: for lengths with a large prime factor, where a transform of a
// neighbouring, smooth length is much faster.
//
//   rader      a prime length n: a cyclic convolution of length n-1, which should be smooth; twice a transform of n-1
//              C. M. Rader, Proc. IEEE 56 (1968) 1107, doi:10.1109/PROC.1968.6477
//   bluestein  any length n: a convolution padded to a smooth length of at least 2n-1; twice a transform of that
//              L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451, doi:10.1109/TAU.1970.1162132
//
// Always true: every line goes the same way, alone, through aligned scratch; c2c, r2c and c2r are
// the same complex transform.
#pragma once

#include <memory>
#include <vector>

#include "engine.hpp"

namespace weft {

/// Lengths that both know how to transform: what is longer keeps to the engine's own way.
inline constexpr Index longest_convolved = Index{1} << 24;

/// n-1 for a prime n whose n-1 has no prime factor above 7; 0 for others.
Index rader_length(Index n);
/// The smallest 2^k, 3 2^k, 5 2^k or 7 2^k of at least 2n-1.
Index bluestein_length(Index n);

/// Whether n is a prime number.
bool is_prime(Index n);
/// Of a prime n: the powers g^q and g^-q of its smallest primitive root g, modulo n, for q from 0
/// to below n - 1.
struct Powers {
  std::vector<int> there, back;
};
Powers powers(Index n);

/// Lines for `spec` (c2c, r2c or c2r) over `inner`: c2c forward of rader_length or
/// bluestein_length, of the same precision, that neither batches nor uses scratch between aligned
/// arrays.
std::shared_ptr<const Lines> rader(const LineSpec& spec, std::shared_ptr<const Lines> inner);
std::shared_ptr<const Lines> bluestein(const LineSpec& spec, std::shared_ptr<const Lines> inner);

}  // namespace weft

// The definition of every kind, as FFTW's manual has it, in long double.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <weft/kind.hpp>

namespace weft {

// What a point j of a line of n contributes to the point k.
inline std::complex<long double> weight_of(Kind kind, Index n, Index j, Index k) {
  const long double pi = std::numbers::pi_v<long double>;
  const auto x = static_cast<long double>(j), y = static_cast<long double>(k), N = static_cast<long double>(n);
  const long double sign = k % 2 ? -1 : 1;
  switch (kind) {
    case Kind::c2c:
    case Kind::r2c:
      return std::polar(1.0L, -2 * pi * static_cast<long double>(j * k % n) / N);
    case Kind::c2r:
      break;
    case Kind::dct1:
      return j == 0 ? 1 : j == n - 1 ? sign : 2 * std::cos(pi * x * y / (N - 1));
    case Kind::dct2:
      return 2 * std::cos(pi * (x + 0.5L) * y / N);
    case Kind::dct3:
      return j == 0 ? 1 : 2 * std::cos(pi * x * (y + 0.5L) / N);
    case Kind::dct4:
      return 2 * std::cos(pi * (x + 0.5L) * (y + 0.5L) / N);
    case Kind::dst1:
      return 2 * std::sin(pi * (x + 1) * (y + 1) / (N + 1));
    case Kind::dst2:
      return 2 * std::sin(pi * (x + 0.5L) * (y + 1) / N);
    case Kind::dst3:
      return j == n - 1 ? sign : 2 * std::sin(pi * (x + 1) * (y + 0.5L) / N);
    case Kind::dst4:
      return 2 * std::sin(pi * (x + 0.5L) * (y + 0.5L) / N);
    case Kind::r2hc:  // the real part of mode k, and minus its sine for mode n - k
      return 2 * k <= n ? std::cos(2 * pi * x * y / N) : -std::sin(2 * pi * x * (N - y) / N);
    case Kind::hc2r: {  // Hermitian: every mode but the first and the middle one counts with its mirror image
      if (j == 0 || 2 * j == n) return std::cos(2 * pi * x * y / N);
      return 2 * j < n ? 2 * std::cos(2 * pi * x * y / N) : -2 * std::sin(2 * pi * (N - x) * y / N);
    }
    case Kind::dht:
      return std::cos(2 * pi * x * y / N) + std::sin(2 * pi * x * y / N);
  }
  throw Error("not a kind of forward");
}

// Of a real-to-real kind that of (j, k) at k * n + j; of c2c and r2c that of (j, k) at j * k % n.
inline std::vector<std::complex<long double>> weights_of(Kind kind, Index n) {
  std::vector<std::complex<long double>> weights;
  for (Index k = real_to_real(kind) ? 0 : 1; k < (real_to_real(kind) ? n : 2); ++k)
    for (Index j = 0; j < n; ++j) weights.push_back(weight_of(kind, n, j, k));
  return weights;
}

}  // namespace weft

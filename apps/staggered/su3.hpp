// Matrices and vectors of three colours.
#pragma once

#include <array>
#include <complex>
#include <cstdint>

namespace staggered {

using Complex = std::complex<double>;

constexpr int colours = 3;
template <class Real>
using BasicVector = std::array<std::complex<Real>, colours>;
using Vector = BasicVector<double>;
using SingleVector = BasicVector<float>;
/// Row by row.
using Matrix = std::array<Vector, colours>;

constexpr Matrix unit_matrix{Vector{1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0}, Vector{0.0, 0.0, 1.0}};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t k = 0; k < colours; ++k)
      for (std::size_t j = 0; j < colours; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

inline Matrix adjoint(const Matrix& a) {
  Matrix b;
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t j = 0; j < colours; ++j) b[i][j] = std::conj(a[j][i]);
  return b;
}

/// Re tr(a b^+).
inline double trace_of_product(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t j = 0; j < colours; ++j) sum += a[i][j].real() * b[i][j].real() + a[i][j].imag() * b[i][j].imag();
  return sum;
}

/// Normally distributed numbers that depend on two seeds alone, such as a run's and a site's: the
/// same everywhere.
class Normal {
 public:
  explicit Normal(std::uint64_t seed, std::uint64_t site = 0);
  double operator()();
  Complex complex();

 private:
  double uniform();  // in (0, 1)
  std::uint64_t state_;
};

/// A complex Gaussian matrix made unitary, row by row (the Q of its QR), a cube root of its
/// determinant divided out.
Matrix random_special_unitary(Normal& normal);

}  // namespace staggered

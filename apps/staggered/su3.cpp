#include "su3.hpp"

#include <cmath>
#include <numbers>

namespace staggered {

Normal::Normal(std::uint64_t seed, std::uint64_t site)
    : state_(seed * 0xd1342543de82ef95U + site * 0x2545f4914f6cdd1dU) {
  uniform();
}

// splitmix64: a counter, and a mixture of its bits.
double Normal::uniform() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
}

Complex Normal::complex() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return std::polar(radius, 2 * std::numbers::pi * uniform());
}

double Normal::operator()() { return complex().real(); }

Matrix random_special_unitary(Normal& normal) {
  Matrix m;
  for (std::size_t i = 0; i < colours; ++i) {
    for (Complex& value : m[i]) value = normal.complex();
    for (std::size_t j = 0; j < i; ++j) {
      Complex dot = 0;
      for (std::size_t k = 0; k < colours; ++k) dot += std::conj(m[j][k]) * m[i][k];
      for (std::size_t k = 0; k < colours; ++k) m[i][k] -= dot * m[j][k];
    }
    double square = 0;
    for (const Complex& value : m[i]) square += std::norm(value);
    for (Complex& value : m[i]) value /= std::sqrt(square);
  }
  const Complex determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                              m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                              m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  const Complex root = std::polar(1.0, -std::arg(determinant) / 3);
  for (Vector& row : m)
    for (Complex& value : row) value *= root;
  return m;
}

}  // namespace staggered

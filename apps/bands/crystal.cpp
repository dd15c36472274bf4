#include "crystal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bands {

double Crystal::volume() const { return std::abs(dot(cell[0], cross(cell[1], cell[2]))); }

Matrix3 Crystal::reciprocal() const {
  const double signed_volume = dot(cell[0], cross(cell[1], cell[2]));
  Matrix3 b;
  for (std::size_t i = 0; i < 3; ++i) {
    b[i] = cross(cell[(i + 1) % 3], cell[(i + 2) % 3]);
    for (double& component : b[i]) component *= 2 * std::numbers::pi / signed_volume;
  }
  return b;
}

Matrix3 Crystal::metric() const {
  const Matrix3 b = reciprocal();
  Matrix3 products;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      products[i][j] = dot(b[std::min(i, j)], b[std::max(i, j)]);  // symmetric bit by bit
  return products;
}

std::complex<double> structure_factor(const Crystal& crystal, std::size_t species, const weft::GVector& g) {
  std::complex<double> sum = 0;
  for (const Atom& atom : crystal.atoms) {
    if (atom.species != species) continue;
    double turns = 0;
    for (std::size_t a = 0; a < 3; ++a) turns += static_cast<double>(g[a]) * atom.at[a];
    sum += std::polar(1.0, -2 * std::numbers::pi * turns);
  }
  return sum;
}

double least_distance(const Crystal& crystal) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < crystal.atoms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      Vector3 apart;
      for (std::size_t a = 0; a < 3; ++a) {
        apart[a] = crystal.atoms[i].at[a] - crystal.atoms[j].at[a];
        apart[a] -= std::round(apart[a]);
      }
      for (int n = 0; n < 27; ++n) {
        const Vector3 image{apart[0] + n % 3 - 1, apart[1] + n / 3 % 3 - 1, apart[2] + n / 9 - 1};
        const Vector3 d = combine(image, crystal.cell);
        least = std::min(least, std::sqrt(dot(d, d)));
      }
    }
  return least;
}

}  // namespace bands

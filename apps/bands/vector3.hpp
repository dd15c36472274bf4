// Vectors of space and matrices of three rows.
#pragma once

#include <array>
#include <cstddef>

namespace bands {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// sum_i c_i rows[i]
template <class Number>
Vector3 combine(const std::array<Number, 3>& c, const Matrix3& rows) {
  Vector3 sum{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t a = 0; a < 3; ++a) sum[a] += static_cast<double>(c[i]) * rows[i][a];
  return sum;
}

}  // namespace bands

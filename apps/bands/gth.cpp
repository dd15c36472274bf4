#include "gth.hpp"

#include <cmath>
#include <numbers>

namespace bands {

namespace {

using std::numbers::pi;

/// C1 + C2 (3 - x) + ... at x = t^2.
double polynomial(const std::vector<double>& c, double x) {
  const double terms[] = {1, 3 - x, 15 - 10 * x + x * x, 105 - 105 * x + 21 * x * x - x * x * x};
  double sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) sum += c[i] * terms[i];
  return sum;
}

}  // namespace

double local_part(const Gth& gth, double q_squared) {
  if (q_squared == 0) return 0;
  const double r = gth.radius, x = q_squared * r * r;
  return 4 * pi * r * r * (-gth.charge + std::sqrt(pi / 2) * r * x * polynomial(gth.local, x)) * std::exp(-x / 2) / x;
}

double local_limit(const Gth& gth) {
  const double r = gth.radius;
  return 4 * pi * (gth.charge * r * r / 2 + std::sqrt(pi / 2) * r * r * r * polynomial(gth.local, 0));
}

double projector(const Channel& channel, int l, std::size_t i, double q) {
  const double r = channel.radius, x = q * q * r * r;
  const double common = std::pow(pi, 1.25) * std::exp(-x / 2) * std::sqrt(std::pow(r, 3 + 2 * l)) * std::pow(q, l);
  switch (l) {
    case 0: {
      const double terms[] = {4 * std::sqrt(2.0), 8 * std::sqrt(2.0 / 15) * (3 - x),
                              16.0 / 3 * std::sqrt(2.0 / 105) * (15 - 10 * x + x * x)};
      return common * terms[i];
    }
    case 1: {
      const double terms[] = {8 * std::sqrt(1.0 / 3), 16 * std::sqrt(1.0 / 105) * (5 - x),
                              32.0 / 3 * std::sqrt(1.0 / 1155) * (35 - 14 * x + x * x)};
      return common * terms[i];
    }
    default: {
      const double terms[] = {8 * std::sqrt(2.0 / 15), 16.0 / 3 * std::sqrt(2.0 / 105) * (7 - x)};
      return common * terms[i];
    }
  }
}

double harmonic(int l, int m, const std::array<double, 3>& n) {
  const auto [x, y, z] = n;
  if (l == 0) return std::sqrt(1 / (4 * pi));
  if (l == 1) return std::sqrt(3 / (4 * pi)) * n[static_cast<std::size_t>(m)];
  const double c = std::sqrt(15 / (4 * pi));
  const double all[] = {c * x * y, c * y * z, c * z * x, c / 2 * (x * x - y * y),
                        c / std::sqrt(12.0) * (2 * z * z - x * x - y * y)};
  return all[m];
}

}  // namespace bands

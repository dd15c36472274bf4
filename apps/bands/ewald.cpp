#include "ewald.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace bands {

namespace {

/// Calls f(integers) for all that can lead to a vector sum n_i rows[i] + shift of at most `radius`; `dual` are the
/// rows' reciprocals, 2 pi included; |shift| components are at most one.
template <class F>
void within(double radius, const Matrix3& dual, F&& f) {
  std::array<int, 3> most;
  for (std::size_t i = 0; i < 3; ++i)
    most[i] = static_cast<int>(std::ceil(radius * std::sqrt(dot(dual[i], dual[i])) / (2 * std::numbers::pi))) + 1;
  for (int i = -most[0]; i <= most[0]; ++i)
    for (int j = -most[1]; j <= most[1]; ++j)
      for (int k = -most[2]; k <= most[2]; ++k) f(std::array<int, 3>{i, j, k});
}

}  // namespace

double ewald(const Crystal& crystal, const std::vector<double>& charges) {
  constexpr double pi = std::numbers::pi, range = 6.5;  // erfc and the Gaussian of this are below 1e-18
  const double volume = crystal.volume();
  const Matrix3 b = crystal.reciprocal();
  // As many terms in both sums.
  const double eta = std::sqrt(pi) / std::cbrt(volume) * std::pow(static_cast<double>(crystal.atoms.size()), 1.0 / 6);

  double total = 0, squares = 0;
  for (const Atom& atom : crystal.atoms) {
    total += charges[atom.species];
    squares += charges[atom.species] * charges[atom.species];
  }
  double energy = -squares * eta / std::sqrt(pi) - total * total * pi / (2 * volume * eta * eta);

  within(2 * eta * range, crystal.cell, [&](const std::array<int, 3>& n) {
    if (n == std::array<int, 3>{0, 0, 0}) return;
    const Vector3 g = combine(n, b);
    const double squared = dot(g, g), decay = squared / (4 * eta * eta);
    if (decay > range * range) return;
    std::complex<double> charge = 0;
    for (std::size_t s = 0; s < charges.size(); ++s)
      charge += charges[s] * structure_factor(crystal, s, {n[0], n[1], n[2]});
    energy += 2 * pi / volume * std::norm(charge) * std::exp(-decay) / squared;
  });
  within(range / eta, b, [&](const std::array<int, 3>& n) {
    for (const Atom& one : crystal.atoms)
      for (const Atom& other : crystal.atoms) {
        Vector3 apart;
        for (std::size_t a = 0; a < 3; ++a) {
          apart[a] = one.at[a] - other.at[a];
          apart[a] += n[a] - std::round(apart[a]);
        }
        const Vector3 d = combine(apart, crystal.cell);
        const double r = std::sqrt(dot(d, d));
        if (r > 1e-9 && r * eta < range)
          energy += charges[one.species] * charges[other.species] * std::erfc(eta * r) / (2 * r);
      }
  });
  return energy;
}

}  // namespace bands

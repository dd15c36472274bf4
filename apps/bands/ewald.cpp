#include "ewald.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace bands {

namespace {

/// Calls f(integers) for all that can lead to a vector sum n_i rows[i] + shift of at most `radius`;
/// `dual` are the rows' reciprocals, 2 pi included; |shift| components are at most one.
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

namespace {

using std::numbers::pi;
constexpr double range = 6.5;  // erfc and the Gaussian of this are below 1e-18

/// The width of the Gaussians that part the sums, 1/bohr: as many terms in both.
double width(const Crystal& crystal) {
  return std::sqrt(pi) / std::cbrt(crystal.volume()) * std::pow(static_cast<double>(crystal.atoms.size()), 1.0 / 6);
}

/// Calls f(G, exp(-G^2 / 4 eta^2) / G^2, sum of all charges times exp(-i G.R), integers of G) for
/// every G that counts.
template <class F>
void each_wave(const Crystal& crystal, const std::vector<double>& charges, double eta, F&& f) {
  const Matrix3 b = crystal.reciprocal();
  within(2 * eta * range, crystal.cell, [&](const std::array<int, 3>& n) {
    if (n == std::array<int, 3>{0, 0, 0}) return;
    const Vector3 g = combine(n, b);
    const double squared = dot(g, g), decay = squared / (4 * eta * eta);
    if (decay > range * range) return;
    const weft::GVector integers{n[0], n[1], n[2]};
    std::complex<double> charge = 0;
    for (std::size_t s = 0; s < charges.size(); ++s) charge += charges[s] * structure_factor(crystal, s, integers);
    f(g, std::exp(-decay) / squared, charge, integers);
  });
}

/// Calls f(one, other, vector from `other` to `one`, its length) for all pairs and images in reach,
/// both ways round.
template <class F>
void each_pair(const Crystal& crystal, double eta, F&& f) {
  within(range / eta, crystal.reciprocal(), [&](const std::array<int, 3>& n) {
    for (std::size_t one = 0; one < crystal.atoms.size(); ++one)
      for (std::size_t other = 0; other < crystal.atoms.size(); ++other) {
        Vector3 apart;
        for (std::size_t a = 0; a < 3; ++a) {
          apart[a] = crystal.atoms[one].at[a] - crystal.atoms[other].at[a];
          apart[a] += n[a] - std::round(apart[a]);
        }
        const Vector3 d = combine(apart, crystal.cell);
        const double r = std::sqrt(dot(d, d));
        if (r > 1e-9 && r * eta < range) f(one, other, d, r);
      }
  });
}

}  // namespace

double ewald(const Crystal& crystal, const std::vector<double>& charges) {
  const double volume = crystal.volume(), eta = width(crystal);
  double total = 0, squares = 0;
  for (const Atom& atom : crystal.atoms) {
    total += charges[atom.species];
    squares += charges[atom.species] * charges[atom.species];
  }
  double energy = -squares * eta / std::sqrt(pi) - total * total * pi / (2 * volume * eta * eta);
  each_wave(crystal, charges, eta,
            [&](const Vector3&, double factor, const std::complex<double>& charge, const weft::GVector&) {
              energy += 2 * pi / volume * std::norm(charge) * factor;
            });
  each_pair(crystal, eta, [&](std::size_t one, std::size_t other, const Vector3&, double r) {
    energy +=
        charges[crystal.atoms[one].species] * charges[crystal.atoms[other].species] * std::erfc(eta * r) / (2 * r);
  });
  return energy;
}

std::vector<Vector3> ewald_forces(const Crystal& crystal, const std::vector<double>& charges) {
  const double volume = crystal.volume(), eta = width(crystal);
  std::vector<Vector3> forces(crystal.atoms.size(), Vector3{});
  each_wave(crystal, charges, eta,
            [&](const Vector3& g, double factor, const std::complex<double>& charge, const weft::GVector& integers) {
              for (std::size_t n = 0; n < forces.size(); ++n) {
                const Atom& atom = crystal.atoms[n];
                double turns = 0;
                for (std::size_t a = 0; a < 3; ++a) turns += static_cast<double>(integers[a]) * atom.at[a];
                const double pull = 4 * pi / volume * charges[atom.species] * factor *
                                    (std::conj(charge) * std::polar(1.0, -2 * pi * turns)).imag();
                for (std::size_t a = 0; a < 3; ++a) forces[n][a] -= pull * g[a];
              }
            });
  each_pair(crystal, eta, [&](std::size_t one, std::size_t other, const Vector3& d, double r) {
    const double product = charges[crystal.atoms[one].species] * charges[crystal.atoms[other].species];
    const double push =
        product * (std::erfc(eta * r) / r + 2 * eta / std::sqrt(pi) * std::exp(-eta * eta * r * r)) / (r * r);
    for (std::size_t a = 0; a < 3; ++a) forces[one][a] += push * d[a];
  });
  return forces;
}

}  // namespace bands

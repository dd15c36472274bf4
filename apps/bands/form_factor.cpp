#include "form_factor.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "units.hpp"

namespace bands {

namespace {

double of_shell(const std::vector<Shell>& shells, double squared) {
  for (const Shell& shell : shells)
    if (std::abs(shell.squared - squared) < 1e-6) return shell.value;
  return 0;
}

}  // namespace

FormFactor shells(const Crystal& crystal, std::vector<Shell> symmetric, std::vector<Shell> antisymmetric) {
  const double unit = std::pow(2 * std::numbers::pi / crystal.constant, 2);
  return [unit, s = std::move(symmetric), a = std::move(antisymmetric)](std::size_t species, double g_squared) {
    const double squared = g_squared / unit;
    return of_shell(s, squared) + (species == 0 ? 1 : -1) * of_shell(a, squared);
  };
}

FormFactor four_parameters(std::vector<std::array<double, 4>> coefficients) {
  return [all = std::move(coefficients)](std::size_t species, double g_squared) {
    const auto& c = all[species];
    return ry_in_ha * c[0] * (g_squared - c[1]) / (c[2] * std::exp(c[3] * g_squared) - 1);
  };
}

std::complex<double> empirical_potential(const Crystal& crystal, const FormFactor& v, const weft::GVector& g,
                                         double g_squared) {
  if (g == weft::GVector{0, 0, 0}) return 0;
  std::complex<double> sum = 0;
  for (std::size_t s = 0; s < crystal.species.size(); ++s)
    if (const double value = v(s, g_squared); value != 0) sum += value * structure_factor(crystal, s, g);
  return sum / static_cast<double>(crystal.atoms.size());
}

}  // namespace bands

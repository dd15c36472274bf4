#include "occupation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <weft/error.hpp>

namespace bands {

namespace {

/// Of a state `x` widths below the Fermi energy: the share of it that is occupied, and what it adds
/// to -T S in widths.
struct Share {
  double occupied, entropy;
};

Share share(double x, bool cold) {
  if (cold) {
    const double y = x - std::numbers::sqrt2 / 2, bell = std::exp(-y * y) / std::sqrt(2 * std::numbers::pi);
    return {0.5 * std::erfc(-y) + bell, y * bell};
  }
  const double f = x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  return {f, f > 0 && f < 1 ? f * std::log(f) + (1 - f) * std::log(1 - f) : 0};
}

double held(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights, double fermi,
            const Smearing& smearing) {
  double sum = 0;
  for (std::size_t k = 0; k < energies.size(); ++k)
    for (const double e : energies[k])
      sum += 2 * weights[k] * share((fermi - e) / smearing.width, smearing.cold).occupied;
  return sum;
}

}  // namespace

void check_electrons(double electrons, std::size_t bands, const Smearing& smearing) {
  if (2 * static_cast<double>(bands) < electrons)
    throw weft::Error(fmt::format("{} bands cannot hold {} electrons; raise bands.count to at least {}", bands,
                                  electrons, std::ceil(electrons / 2)));
  if (smearing.width == 0 && std::abs(electrons / 2 - std::round(electrons / 2)) > 1e-9)
    throw weft::Error(fmt::format("{} electrons do not fill whole bands; give scf.smearing_ha", electrons));
}

Occupation occupy(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights,
                  double electrons, const Smearing& smearing) {
  Occupation result;
  const std::size_t bands = energies.front().size();
  check_electrons(electrons, bands, smearing);
  if (smearing.width == 0) {
    const auto full = static_cast<std::size_t>(std::llround(electrons / 2));
    for (const auto& e : energies) {
      result.electrons.emplace_back(bands, 0.0);
      std::fill_n(result.electrons.back().begin(), full, 2.0);
      result.fermi = &e == &energies.front() ? e[full - 1] : std::max(result.fermi, e[full - 1]);
    }
    return result;
  }

  double low = energies[0][0], high = low;
  for (const auto& e : energies)
    for (const double value : e) low = std::min(low, value), high = std::max(high, value);
  low -= 50 * smearing.width, high += 50 * smearing.width;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (held(energies, weights, middle, smearing) < electrons ? low : high) = middle;
  }
  result.fermi = (low + high) / 2;
  for (std::size_t k = 0; k < energies.size(); ++k) {
    result.electrons.emplace_back();
    for (const double e : energies[k]) {
      const Share of = share((result.fermi - e) / smearing.width, smearing.cold);
      result.electrons.back().push_back(2 * of.occupied);
      result.entropy += 2 * weights[k] * smearing.width * of.entropy;
    }
  }
  return result;
}

}  // namespace bands

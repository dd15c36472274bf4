#include "occupation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <weft/error.hpp>

namespace bands {

namespace {

double fermi_dirac(double x) { return x > 0 ? std::exp(-x) / (1 + std::exp(-x)) : 1 / (1 + std::exp(x)); }

double held(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights, double fermi,
            double smearing) {
  double sum = 0;
  for (std::size_t k = 0; k < energies.size(); ++k)
    for (const double e : energies[k]) sum += 2 * weights[k] * fermi_dirac((e - fermi) / smearing);
  return sum;
}

}  // namespace

Occupation occupy(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights,
                  double electrons, double smearing) {
  Occupation result;
  const std::size_t bands = energies.front().size();
  if (2 * static_cast<double>(bands) < electrons)
    throw weft::Error(fmt::format("{} bands cannot hold {} electrons; raise bands.count to at least {}", bands,
                                  electrons, std::ceil(electrons / 2)));
  if (smearing == 0) {
    const auto full = static_cast<std::size_t>(std::llround(electrons / 2));
    if (std::abs(electrons - 2 * static_cast<double>(full)) > 1e-9)
      throw weft::Error(fmt::format("{} electrons do not fill whole bands; give scf.smearing_ha", electrons));
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
  low -= 50 * smearing, high += 50 * smearing;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (held(energies, weights, middle, smearing) < electrons ? low : high) = middle;
  }
  result.fermi = (low + high) / 2;
  for (std::size_t k = 0; k < energies.size(); ++k) {
    result.electrons.emplace_back();
    for (const double e : energies[k]) {
      const double f = fermi_dirac((e - result.fermi) / smearing);
      result.electrons.back().push_back(2 * f);
      if (f > 0 && f < 1) result.entropy += 2 * weights[k] * smearing * (f * std::log(f) + (1 - f) * std::log(1 - f));
    }
  }
  return result;
}

}  // namespace bands

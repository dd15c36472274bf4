#include "field.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace {

using Line = std::vector<std::complex<double>>;

/// The definition, summed in long double: what is checked against it shall be the worse of the two.
Line transform(const Line& line) {
  const std::size_t n = line.size();
  std::vector<std::complex<long double>> roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(
        1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n));
  Line modes;
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (std::size_t x = 0, at = 0; x < n; ++x, at = (at + k) % n)
      sum += std::complex<long double>(line[x]) * roots[at];
    modes.emplace_back(sum);
  }
  return modes;
}

}  // namespace

Field::Field(const Case& what) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto line = [&](weft::Index n) {
    Line values;
    for (weft::Index x = 0; x < n; ++x) values.emplace_back(uniform(random), what.real ? 0 : uniform(random));
    return values;
  };
  before_.push_back(line(what.batch));
  after_.push_back(before_.front());
  for (const weft::Index n : what.shape) {
    before_.push_back(line(n));
    after_.push_back(transform(before_.back()));
  }
}

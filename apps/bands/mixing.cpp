#include "mixing.hpp"

#include <algorithm>
#include <cmath>

namespace bands {

namespace {

/// Electrostatic products weigh long waves, where self-consistency is hardest.
double product(const Space& space, const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (space.squared()[i] > 0) sum += space.weight(i) * (std::conj(a[i]) * b[i]).real() / space.squared()[i];
  return sum;
}

}  // namespace

std::vector<Complex> Mixing::next(const Ranks& ranks, const Space& space, const std::vector<Complex>& in,
                                  const std::vector<Complex>& out) {
  if (densities_.size() == most_) {
    densities_.erase(densities_.begin());
    residuals_.erase(residuals_.begin());
  }
  densities_.push_back(in);
  residuals_.push_back(out);
  for (std::size_t i = 0; i < in.size(); ++i) residuals_.back()[i] -= in[i];

  // The least |sum of c_i residual_i| with c summing up to 1: c is proportional to A^-1 (1, ...,
  // 1).
  const auto count = static_cast<long>(residuals_.size());
  Block products(count, count);
  for (long i = 0; i < count; ++i)
    for (long j = 0; j < count; ++j)
      products(i, j) = product(space, residuals_[static_cast<std::size_t>(i)], residuals_[static_cast<std::size_t>(j)]);
  MPI_Allreduce(MPI_IN_PLACE, products.column(0), static_cast<int>(2 * count * count), MPI_DOUBLE, MPI_SUM, ranks.comm);
  // Residuals shrink by orders of magnitude: each counts in its own size.
  std::vector<double> size(static_cast<std::size_t>(count)), share(size.size());
  for (long i = 0; i < count; ++i)
    size[static_cast<std::size_t>(i)] = std::sqrt(std::max(products(i, i).real(), 1e-300));
  for (long i = 0; i < count; ++i)
    for (long j = 0; j < count; ++j)
      products(i, j) /= size[static_cast<std::size_t>(i)] * size[static_cast<std::size_t>(j)];
  Eigen solved(ranks, products, count, count);
  const Block& vectors = solved.vectors();
  for (long e = 0; e < count; ++e) {
    const double value = solved.values[static_cast<std::size_t>(e)];
    if (value < 1e-13 * solved.values.back()) continue;  // a direction that tells nothing
    Complex part = 0;
    for (long i = 0; i < count; ++i) part += std::conj(vectors(i, e)) / size[static_cast<std::size_t>(i)] / value;
    for (long i = 0; i < count; ++i)
      share[static_cast<std::size_t>(i)] += (vectors(i, e) * part).real() / size[static_cast<std::size_t>(i)];
  }
  double sum = 0;
  for (const double s : share) sum += s;

  std::vector<Complex> mixed(in.size());
  const double k = screening_.wavenumber * screening_.wavenumber;
  for (std::size_t h = 0; h < share.size(); ++h)
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double g = space.squared()[i];
      const double damped = screening_.share * (k > 0 ? (g + k / screening_.constant) / (g + k) : 1);
      mixed[i] += share[h] / sum * (densities_[h][i] + damped * residuals_[h][i]);
    }
  for (std::size_t i = 0; i < in.size(); ++i)
    if (space.squared()[i] == 0) mixed[i] = in[i];
  return mixed;
}

}  // namespace bands

#include "solve.hpp"

#include <algorithm>
#include <cmath>

namespace staggered {
namespace {

double norm(const Vector& v) { return std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]); }

}  // namespace

Solution solve(MPI_Comm comm, Operator& d, int parity, double mass, const Vector* b, Vector* x, double tolerance,
               int most) {
  const std::size_t sites = d.sites(parity);
  std::vector<Vector> r(b, b + sites), p(d.elements(parity)), ap(sites), between(d.elements(1 - parity));
  const double shift = 4 * mass * mass;
  Solution found;
  found.history.reserve(static_cast<std::size_t>(std::max(most, 0)));
  const auto sum = [&](double mine) {
    const double before = MPI_Wtime();
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    found.sums_seconds += MPI_Wtime() - before;
    return all;
  };
  const auto square = [&](const auto& v) {
    double mine = 0;
    for (std::size_t i = 0; i < sites; ++i) mine += norm(v[i]);
    return sum(mine);
  };
  std::fill(x, x + sites, Vector{});
  std::copy(r.begin(), r.end(), p.begin());
  const double whole = square(b);
  double rr = whole;
  found.sums_seconds = 0;
  const double begin = MPI_Wtime();
  while (rr > 0 && rr >= tolerance * tolerance * whole && found.iterations < most) {
    d.apply(1 - parity, p.data(), between.data());
    const double alpha = rr / sum(d.apply_shifted(parity, shift, p.data(), between.data(), ap.data()));
    double mine = 0;
    for (std::size_t i = 0; i < sites; ++i) {
      for (std::size_t c = 0; c < colours; ++c) r[i][c] -= alpha * ap[i][c];
      mine += norm(r[i]);
    }
    const double next = sum(mine), beta = next / rr;
    for (std::size_t i = 0; i < sites; ++i)
      for (std::size_t c = 0; c < colours; ++c) {
        x[i][c] += alpha * p[i][c];
        p[i][c] = r[i][c] + beta * p[i][c];
      }
    rr = next;
    ++found.iterations;
    found.history.push_back(rr / whole);
  }
  found.seconds = MPI_Wtime() - begin;
  if (whole > 0) {
    const double sums_seconds = found.sums_seconds;
    d.apply(1 - parity, x, between.data());
    d.apply_shifted(parity, shift, x, between.data(), ap.data());
    for (std::size_t i = 0; i < sites; ++i)
      for (std::size_t c = 0; c < colours; ++c) ap[i][c] = b[i][c] - ap[i][c];
    found.residual = std::sqrt(square(ap) / whole);
    found.sums_seconds = sums_seconds;
  }
  return found;
}

double flops_of_iteration(const Operator& d) { return d.hops() > 2 * directions ? 1187 : 606; }

double bytes_of_iteration(const Operator& d) {
  const double hop = sizeof(double) * 18 + sizeof(std::uint32_t), vector = sizeof(Vector);
  const double both_operators = 2 * (static_cast<double>(d.hops()) * hop + sizeof(std::uint32_t));
  const double vectors = vector * (2 + 3 + 3 + 5);  // read and written by D, by shift - D, with r, with x and p
  return (both_operators + vectors) / 2;            // only sites of one parity have them
}

}  // namespace staggered

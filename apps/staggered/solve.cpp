#include "solve.hpp"

#include <algorithm>
#include <cmath>

namespace staggered {
namespace {

/// How far the residual of mixed precision falls before it is computed anew.
constexpr double single_digits = 1e-5;

template <class Real>
double norm(const BasicVector<Real>& v) {
  return std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]);
}

/// (4 mass^2 - D D) of one parity, and conjugate gradients with it.
template <class Real>
class Gradients {
 public:
  using Vector = BasicVector<Real>;

  Gradients(MPI_Comm comm, BasicOperator<Real>& d, int parity, double mass, Solution& found)
      : comm_(comm),
        d_(d),
        parity_(parity),
        shift_(4 * mass * mass),
        found_(found),
        r_(d.sites(parity)),
        p_(d.elements(parity)),
        ap_(d.sites(parity)),
        between_(d.elements(1 - parity)) {}

  std::vector<Vector>& residual() { return r_; }

  double sum(double mine) {
    const double before = MPI_Wtime();
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_);
    found_.sums_seconds += MPI_Wtime() - before;
    return all;
  }

  double square(const Vector* v) {
    double mine = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) mine += norm<Real>(v[i]);
    return sum(mine);
  }

  /// The residual becomes b - A x. Returns its square.
  double begin(const Vector* b, Vector* x) {
    d_.apply(1 - parity_, x, between_.data());
    d_.apply_shifted(parity_, shift_, x, between_.data(), ap_.data());
    for (std::size_t i = 0; i < r_.size(); ++i)
      for (std::size_t c = 0; c < colours; ++c) r_[i][c] = b[i][c] - ap_[i][c];
    return square(r_.data());
  }

  /// Adds to x until the residual's square, `rr` now, is below `enough`. `whole`: of b.
  void descend(Vector* x, double rr, double enough, double whole, int most) {
    std::copy(r_.begin(), r_.end(), p_.begin());
    while (rr > 0 && rr >= enough && found_.iterations < most) {
      d_.apply(1 - parity_, p_.data(), between_.data());
      const double product = sum(d_.apply_shifted(parity_, shift_, p_.data(), between_.data(), ap_.data()));
      const Real alpha = static_cast<Real>(rr / product);
      double mine = 0;
      for (std::size_t i = 0; i < r_.size(); ++i) {
        for (std::size_t c = 0; c < colours; ++c) r_[i][c] -= alpha * ap_[i][c];
        mine += norm<Real>(r_[i]);
      }
      const double next = sum(mine);
      const Real beta = static_cast<Real>(next / rr);
      for (std::size_t i = 0; i < r_.size(); ++i)
        for (std::size_t c = 0; c < colours; ++c) {
          x[i][c] += alpha * p_[i][c];
          p_[i][c] = r_[i][c] + beta * p_[i][c];
        }
      rr = next;
      ++found_.iterations;
      found_.history.push_back(rr / whole);
    }
  }

 private:
  MPI_Comm comm_;
  BasicOperator<Real>& d_;
  int parity_;
  double shift_;
  Solution& found_;
  std::vector<Vector> r_, p_, ap_, between_;
};

/// x = 0, then `iterate(gradients, square of b)`, and how good x is.
template <class Iterate>
Solution solved(MPI_Comm comm, Operator& d, int parity, double mass, const Vector* b, Vector* x, int most,
                Iterate iterate) {
  Solution found;
  found.history.reserve(static_cast<std::size_t>(std::max(most, 0)));
  Gradients<double> gradients(comm, d, parity, mass, found);
  const std::size_t sites = d.sites(parity);
  std::fill(x, x + sites, Vector{});
  std::copy(b, b + sites, gradients.residual().begin());
  const double whole = gradients.square(b);
  found.sums_seconds = 0;
  const double begin = MPI_Wtime();
  iterate(gradients, whole, found);
  found.seconds = MPI_Wtime() - begin;
  if (whole > 0) {
    const double sums_seconds = found.sums_seconds;
    found.residual = std::sqrt(gradients.begin(b, x) / whole);
    found.sums_seconds = sums_seconds;
  }
  return found;
}

}  // namespace

Solution solve(MPI_Comm comm, Operator& d, int parity, double mass, const Vector* b, Vector* x, double tolerance,
               int most) {
  return solved(comm, d, parity, mass, b, x, most, [&](Gradients<double>& gradients, double whole, Solution&) {
    gradients.descend(x, whole, tolerance * tolerance * whole, whole, most);
  });
}

Solution solve(MPI_Comm comm, Operator& d, SingleOperator& single, int parity, double mass, const Vector* b, Vector* x,
               double tolerance, int most) {
  return solved(comm, d, parity, mass, b, x, most, [&](Gradients<double>& gradients, double whole, Solution& found) {
    Gradients<float> rough(comm, single, parity, mass, found);
    std::vector<SingleVector> step(single.elements(parity));
    const double enough = tolerance * tolerance * whole;
    double rr = whole;
    while (rr > 0 && rr >= enough && found.iterations < most) {
      const std::vector<Vector>& r = gradients.residual();
      for (std::size_t i = 0; i < r.size(); ++i)
        for (std::size_t c = 0; c < colours; ++c) rough.residual()[i][c] = static_cast<std::complex<float>>(r[i][c]);
      std::fill(step.begin(), step.end(), SingleVector{});
      rough.descend(step.data(), rr, std::max(enough / 4, single_digits * single_digits * rr), whole, most);
      for (std::size_t i = 0; i < r.size(); ++i)
        for (std::size_t c = 0; c < colours; ++c) x[i][c] += static_cast<Complex>(step[i][c]);
      rr = gradients.begin(b, x);
      ++found.restarts;
    }
  });
}

double flops_of_iteration(const Operator& d) { return d.hops() > 2 * directions ? 1187 : 606; }

double bytes_of_iteration(const Operator& d) {
  const double hop = sizeof(double) * 18 + sizeof(std::uint32_t), vector = sizeof(Vector);
  const double both_operators = 2 * (static_cast<double>(d.hops()) * hop + sizeof(std::uint32_t));
  const double vectors = vector * (2 + 3 + 3 + 5);  // read and written by D, by shift - D, with r, with x and p
  return (both_operators + vectors) / 2;            // only sites of one parity have them
}

}  // namespace staggered

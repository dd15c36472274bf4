// Conjugate gradients on sites of one parity.
#pragma once

#include <vector>

#include "operator.hpp"

namespace staggered {

/// How a solve went.
struct Solution {
  int iterations = 0;
  int restarts = 0;             ///< of mixed precision: how often the residual was computed anew
  std::vector<double> history;  ///< |r|^2 / |b|^2 after every iteration, by recurrence
  double residual = 0;          ///< |b - A x| / |b|, computed
  double seconds = 0;           ///< of all iterations
  double sums_seconds = 0;      ///< of these, in sums over all ranks
};

/// Collective: solves (4 mass^2 - D D) x = b on one parity by conjugate gradients from x = 0, until
/// |r|^2 / |b|^2 is below `tolerance` squared, or for `most` iterations. Arrays hold own sites; x
/// has room for ghost sites, too. Sums are in an order that does not depend on how ghost sites are
/// filled.
Solution solve(MPI_Comm comm, Operator& d, int parity, double mass, const Vector* b, Vector* x, double tolerance,
               int most);

/// The same in mixed precision: `single`, of the same links, does the iterations, and `d` computes
/// what is left of b whenever the residual has fallen by five digits; then they begin anew with it.
Solution solve(MPI_Comm comm, Operator& d, SingleOperator& single, int parity, double mass, const Vector* b, Vector* x,
               double tolerance, int most);

/// Floating point operations of one iteration, for each site of the whole lattice, as lattice codes
/// count them: of one link 606, with long links 1187.
double flops_of_iteration(const Operator& d);

/// Bytes that one iteration reads and writes at least, for each site of the whole lattice: links
/// and numbers of neighbours once a hop, and each vector once a loop over sites.
double bytes_of_iteration(const Operator& d);

}  // namespace staggered

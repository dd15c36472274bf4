// Where time goes, by the categories of large codes: transforms and the transpositions in them,
// matrix products, sums over ranks, slabs of densities and potentials that are gathered, small
// dense problems.
#pragma once

#include <mpi.h>

namespace bands {

struct Seconds {
  double transforms = 0;  ///< the local potential applied, densities: with the exchanges inside
  double exchanges = 0;   ///< of these: in exchanges between ranks
  double products = 0;    ///< matrix products of this rank's coefficients
  double sums = 0;        ///< overlaps summed over ranks
  double slabs = 0;       ///< potentials and densities that ranks gather and sum
  double dense = 0;       ///< eigenproblems of the subspace
};

/// Adds the time of its own life to a category.
class Stopwatch {
 public:
  explicit Stopwatch(double& category) : category_(category), start_(MPI_Wtime()) {}
  ~Stopwatch() { category_ += MPI_Wtime() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& category_;
  double start_;
};

}  // namespace bands

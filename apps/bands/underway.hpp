// Collectives of numbers that travel while this rank works on, after Hoefler and Zerah's proposal
// for orthogonalisation: non-blocking reductions.
#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

namespace bands {

class Underway {
 public:
  /// Of the ranks of `comm`. Unless they travel they are done when they are called. What they take
  /// of this rank's time is added to `seconds`.
  Underway(MPI_Comm comm, bool travels, double& seconds) : comm_(comm), travels_(travels), seconds_(&seconds) {}
  /// Waits for all.
  ~Underway() { wait(); }
  Underway(Underway&&) noexcept = default;
  Underway& operator=(Underway&&) = delete;

  /// Collective: values become their sums over ranks. Until `wait` they may be neither read nor
  /// written.
  void sum(double* values, long count);
  /// Collective: values become those of rank 0. Until `wait` they may not be written, and read by
  /// rank 0 alone.
  void spread(double* values, long count);
  /// Returns when the first so many have ended; without a number, all.
  void wait(std::size_t calls);
  void wait() { wait(requests_.size()); }

 private:
  /// Starts one more, unless it is done at once.
  template <class Start>
  void start(Start&& start);

  MPI_Comm comm_;
  bool travels_;
  double* seconds_;
  std::vector<MPI_Request> requests_;
  std::size_t ended_ = 0;
};

}  // namespace bands

// Pools of ranks: each works on k-points of its own, and its ranks share the plane waves of one
// k-point.
#pragma once

#include <cstddef>

#include <mpi.h>

#include "seconds.hpp"

namespace bands {

class Pools {
 public:
  /// Collective. 0 pools: as many as divide the ranks evenly, and not more than k-points. Throws
  /// Error where there are more pools than ranks.
  Pools(MPI_Comm comm, int pools, std::size_t kpoints);
  ~Pools();
  Pools(const Pools&) = delete;
  Pools& operator=(const Pools&) = delete;

  MPI_Comm all() const { return all_; }
  MPI_Comm mine() const { return mine_; }
  int count() const { return count_; }
  int number() const { return number_; }  ///< of this rank's pool
  bool has(std::size_t kpoint) const { return static_cast<int>(kpoint % static_cast<std::size_t>(count_)) == number_; }
  bool speaks() const { return speaks_; }  ///< the first rank of this pool, which hands results on

 private:
  MPI_Comm all_, mine_ = MPI_COMM_NULL;
  int count_ = 1, number_ = 0;
  bool speaks_ = false;
};

}  // namespace bands

#include "ring.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>

using Flag = std::atomic<int>;

Ring::Ring(const World& world) : world_(world) {
  MPI_Comm node;
  int ranks = 0;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  int own = ranks == world.ranks && ranks > 1 && ranks <= sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_MIN, world.comm);
  if (own) {
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_allocate_shared(world.rank == 0 ? sizeof(Flag) : 0, 1, MPI_INFO_NULL, node, &flag_, &window_);
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &flag_);
    if (world.rank == 0) new (flag_) Flag(0);
    MPI_Barrier(node);
  }
  MPI_Comm_free(&node);
}

Ring::~Ring() {
  if (exists()) MPI_Win_free(&window_);
}

double Ring::seconds() {
  if (!exists()) return 0;
  constexpr int tries = 3, rounds = 50;
  auto& flag = *static_cast<Flag*>(flag_);
  double least = INFINITY;
  for (int t = 0; t < tries; ++t) {
    MPI_Barrier(world_.comm);
    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; ++round, passed_ += world_.ranks) {
      while (flag.load(std::memory_order_acquire) != passed_ + world_.rank) continue;
      flag.store(passed_ + world_.rank + 1, std::memory_order_release);
    }
    least = std::min(least, (MPI_Wtime() - start) / (rounds * world_.ranks));
  }
  MPI_Bcast(&least, 1, MPI_DOUBLE, 0, world_.comm);
  return least;
}

#include "pools.hpp"

#include <fmt/format.h>

#include <weft/error.hpp>

namespace bands {

Pools::Pools(MPI_Comm comm, int pools, std::size_t kpoints) : all_(comm), count_(pools) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (pools < 0 || pools > ranks)
    throw weft::Error(
        fmt::format("{} pools were asked for of {} ranks; give 1 to {}, or 0: as many as pay", pools, ranks, ranks));
  if (pools == 0)
    for (count_ = ranks; ranks % count_ != 0 || static_cast<std::size_t>(count_) > kpoints;) --count_;
  number_ = static_cast<int>(static_cast<long long>(rank) * count_ / ranks);
  MPI_Comm_split(comm, number_, rank, &mine_);
  MPI_Comm_rank(mine_, &rank);
  speaks_ = rank == 0;
}

Pools::~Pools() { MPI_Comm_free(&mine_); }

}  // namespace bands

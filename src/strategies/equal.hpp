// One MPI_Alltoall a tile over blocks of equal size: what `alltoall` and `padded` have in common.
#pragma once

#include "strategies/packed.hpp"

namespace weft {

class EqualExchange final : public PackedExchange {
 public:
  EqualExchange(const Demand& demand, MPI_Comm group, const std::string& declined = {})
      : PackedExchange(demand, group, Blocks::equal, declined) {
    for (int t = 0; t < tiles(); ++t) calls_.push_back(mpi::Alltoall::even(comm_, out_count(t, 0), element_));
  }

  void start(int t) override {
    // A tile's blocks are empty on all ranks or on none.
    if (out_count(t, 0) > 0) calls_[static_cast<std::size_t>(t)](comm_, out_region(t), in_region(t));
  }
  void finish(int) override {}

 private:
  std::vector<mpi::Alltoall> calls_;
};

inline Cost equal_cost(const Demand& demand) {
  Cost cost = packed_cost(demand, Blocks::equal);
  cost.calls = cost.depth;
  // MPI copies the rank's block to itself
  if (demand.pattern.ranks() > 1) cost.copied = cost.bytes / (demand.pattern.ranks() - 1);
  return cost;
}

}  // namespace weft

// ialltoall: one non-blocking collective a tile: MPI_Ialltoall where all pairs exchange equally much, MPI_Ialltoallv elsewhere.
//
//   messages      one call a tile; P - 1 messages in it, or log P longer ones: as MPI chooses
//   extra memory  a send and a receive buffer, one request a tile
//   wins          overlap with work on many ranks, where MPI progresses collectives or is tested often enough
//   loses         without overlap, as alltoallv at best; on one node, where moving data is work for the same cores
//   source        Hoefler & Zerah, "Transforming the high-performance 3d-FFT in ABINIT to enable the use of non-blocking collectives"
#include "strategies/packed.hpp"

namespace weft {
namespace {

/// Equal blocks leave room for a block to itself, as MPI_Ialltoall wants it; where all tiles are even they are what there is to send.
Blocks blocks(const Pattern& pattern) {
  for (int t = 0; t < pattern.tiles(); ++t)
    if (!pattern.even(t)) return Blocks::exact;
  return Blocks::equal;
}

class IalltoallExchange final : public PackedExchange {
 public:
  IalltoallExchange(const Demand& demand, MPI_Comm group, Blocks blocks)
      : PackedExchange(demand, group, blocks), under_way_(static_cast<std::size_t>(tiles())) {
    for (mpi::Requests& request : under_way_) request = mpi::Requests(1);
    if (blocks == Blocks::exact)
      calls_ = mpi::Alltoall::uneven(comm_, out_, in_, element_);
    else
      for (int t = 0; t < tiles(); ++t) calls_.push_back(mpi::Alltoall::even(comm_, out_count(t, 0), element_));
  }

  void start(int t) override {
    const auto i = static_cast<std::size_t>(t);
    if (comm_.size() > 1) calls_[i].start(comm_, out_region(t), in_region(t), under_way_[i]);
  }
  bool test() override {
    bool all = true;
    for (mpi::Requests& request : under_way_) all = request.test_all() && all;
    return all;
  }
  void finish(int t) override { under_way_[static_cast<std::size_t>(t)].wait_all(); }

 private:
  std::vector<mpi::Alltoall> calls_;
  std::vector<mpi::Requests> under_way_;  // by tile
};

class Ialltoall final : public Strategy {
 public:
  std::string_view name() const override { return "ialltoall"; }
  std::string_view summary() const override { return "MPI_Ialltoall or MPI_Ialltoallv: one non-blocking collective a tile"; }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override {
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.calls = demand.pattern.ranks() > 1 ? demand.pattern.tiles() : 0;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<IalltoallExchange>(demand, group, blocks(demand.pattern));
  }
};

}  // namespace

std::unique_ptr<Strategy> ialltoall() { return std::make_unique<Ialltoall>(); }

}  // namespace weft

// ialltoall: one non-blocking collective a tile: MPI_Ialltoall where all pairs exchange equally
// much, MPI_Ialltoallv elsewhere.
//
//   messages      one call a tile; P - 1 messages in it, or log P longer ones: as MPI chooses
//   extra memory  a send and a receive buffer, one request a tile
//   wins          overlap with work on many ranks, where MPI progresses collectives or is tested
//                 often enough
//   loses         without overlap, as alltoallv at best; on one node, where moving data is work for
//                 the same cores
//   source        Hoefler & Zerah, "Transforming the high-performance 3d-FFT in ABINIT to enable
//                 the use of non-blocking collectives"
#include "strategies/packed.hpp"

namespace weft {
namespace {

/// Equal blocks leave room for a block to itself, as MPI_Ialltoall wants it; where all tiles are
/// even they are what there is to send.
Blocks blocks(const Pattern& pattern) {
  for (int t = 0; t < pattern.tiles(); ++t)
    if (!pattern.even(t)) return Blocks::exact;
  return Blocks::equal;
}

class IalltoallExchange final : public OverlappedExchange<mpi::Requests> {
 public:
  IalltoallExchange(const Demand& demand, MPI_Comm group, Blocks blocks) : OverlappedExchange(demand, group, blocks) {
    for (int t = 0; t < tiles(); ++t) under_way(t) = mpi::Requests(1);
    if (blocks == Blocks::exact)
      calls_ = mpi::Alltoall::uneven(comm_, out_, in_, element_);
    else
      for (int t = 0; t < tiles(); ++t) calls_.push_back(mpi::Alltoall::even(comm_, out_count(t, 0), element_));
  }

  void start(int t) override {
    if (comm_.size() > 1) calls_[static_cast<std::size_t>(t)].start(comm_, out_region(t), in_region(t), under_way(t));
  }

 private:
  std::vector<mpi::Alltoall> calls_;
};

class Ialltoall final : public Strategy {
 public:
  std::string_view name() const override { return "ialltoall"; }
  std::string_view summary() const override {
    return "MPI_Ialltoall or MPI_Ialltoallv: one non-blocking collective a tile";
  }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override { return collective_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<IalltoallExchange>(demand, group, blocks(demand.pattern));
  }
};

}  // namespace

std::unique_ptr<Strategy> ialltoall() { return std::make_unique<Ialltoall>(); }

}  // namespace weft

// neighbor: one neighbourhood collective a tile, MPI_Ineighbor_alltoallv, on a graph of those ranks
// that exchange anything.
//
//   messages      one call a tile; one message a partner in it
//   extra memory  a send and a receive buffer, one request a tile
//   wins          few partners among many ranks (halos, sparse patterns) in one call, which MPI may
//                 order and aggregate
//   loses         dense patterns, as isend with one call less to make; MPIs that send to all
//                 partners of the graph in every tile
//   source        MPI-3.1, sections 7.5.4 and 7.7; Hoefler & Schneider, SC 2012,
//                 doi:10.1109/SC.2012.95
#include "strategies/packed.hpp"

namespace weft {
namespace {

class NeighborExchange final : public OverlappedExchange<mpi::Requests> {
 public:
  NeighborExchange(const Demand& demand, MPI_Comm group) : OverlappedExchange(demand, group, Blocks::exact) {
    std::vector<int> sources, targets;
    around(comm_.rank(), comm_.size(), [&](int to, int from) {
      Index leaves = 0, arrives = 0;
      for (int t = 0; t < tiles(); ++t) leaves += out_count(t, to), arrives += in_count(t, from);
      if (leaves > 0) targets.push_back(to);
      if (arrives > 0) sources.push_back(from);
    });
    comm_ = comm_.graph(sources, targets);
    for (int t = 0; t < tiles(); ++t) {
      calls_.emplace_back(comm_, out_[static_cast<std::size_t>(t)].of(targets),
                          in_[static_cast<std::size_t>(t)].of(sources), element_);
      under_way(t) = mpi::Requests(1);
    }
  }

  void start(int t) override {
    if (comm_.size() > 1) calls_[static_cast<std::size_t>(t)].start(comm_, out_region(t), in_region(t), under_way(t));
  }

 private:
  std::vector<mpi::NeighborAlltoall> calls_;
};

class Neighbor final : public Strategy {
 public:
  std::string_view name() const override { return "neighbor"; }
  std::string_view summary() const override {
    return "MPI_Ineighbor_alltoallv: one non-blocking collective a tile, among partners only";
  }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override { return collective_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<NeighborExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> neighbor() { return std::make_unique<Neighbor>(); }

}  // namespace weft

// neighbor: one neighbourhood collective a tile, MPI_Ineighbor_alltoallv, on a graph of those ranks that exchange anything.
//
//   messages      one call a tile; one message a partner in it
//   extra memory  a send and a receive buffer, one request a tile
//   wins          few partners among many ranks (halos, sparse patterns) in one call, which MPI may order and aggregate
//   loses         dense patterns, as isend with one call less to make; MPIs that send to all partners of the graph in every tile
//   source        MPI-3.1, sections 7.5.4 and 7.7; Hoefler & Schneider, SC 2012, doi:10.1109/SC.2012.95
#include "strategies/packed.hpp"

namespace weft {
namespace {

class NeighborExchange final : public PackedExchange {
 public:
  NeighborExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::exact) {
    std::vector<int> sources, targets;
    for (int s = 1; s < comm_.size(); ++s) {
      const int to = (comm_.rank() + s) % comm_.size(), from = (comm_.rank() + comm_.size() - s) % comm_.size();
      Index leaves = 0, arrives = 0;
      for (int t = 0; t < tiles(); ++t) leaves += out_count(t, to), arrives += in_count(t, from);
      if (leaves > 0) targets.push_back(to);
      if (arrives > 0) sources.push_back(from);
    }
    comm_ = comm_.graph(sources, targets);
    for (int t = 0; t < tiles(); ++t)
      calls_.emplace_back(comm_, out_[static_cast<std::size_t>(t)].of(targets), in_[static_cast<std::size_t>(t)].of(sources), element_);
    under_way_.resize(calls_.size());
    for (mpi::Requests& request : under_way_) request = mpi::Requests(1);
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
  std::vector<mpi::NeighborAlltoall> calls_;
  std::vector<mpi::Requests> under_way_;  // by tile
};

class Neighbor final : public Strategy {
 public:
  std::string_view name() const override { return "neighbor"; }
  std::string_view summary() const override { return "MPI_Ineighbor_alltoallv: one non-blocking collective a tile, among partners only"; }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override {
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.calls = demand.pattern.ranks() > 1 ? demand.pattern.tiles() : 0;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<NeighborExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> neighbor() { return std::make_unique<Neighbor>(); }

}  // namespace weft

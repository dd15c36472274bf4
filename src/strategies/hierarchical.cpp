// hierarchical: inside a node as direct, between nodes aggregated, by one rank of each node or by
// several.
//
//   messages      a tile and pair of nodes one up to 60 KiB, which ranks take turns to carry; a
//                 longer block goes in pieces of as much, from 384 KiB on by several ranks, each at
//                 least 192 KiB, mostly what it wrote itself
//   extra memory  in shared memory, as much as isend's buffers; 5 pairs of cache lines a rank and
//                 tile
//   wins          several nodes, short messages and long ones; many nodes, since a node's ranks
//                 share the work of talking to them
//   loses         where sending 60 KiB is dear and sending more is not; on one node, where direct
//                 also spares the buffers; one rank a node, as node
//   source        Traeff & Rougier, hierarchical alltoall, EuroMPI/ASIA 2014,
//                 doi:10.1145/2642769.2642770; several leaders: Kandalla et al., IPDPS 2009,
//                 doi:10.1109/IPDPS.2009.5160896
#include "strategies/aggregated.hpp"

namespace weft {
namespace {

class Hierarchical final : public Strategy {
 public:
  std::string_view name() const override { return "hierarchical"; }
  std::string_view summary() const override {
    return "read in place inside a node, aggregated between nodes, by one rank or several";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override { return aggregated_cost(demand, Carriers::many); }
  const Strategy* instead() const override { return &strategy("leader"); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<AggregatedExchange>(demand, group, Carriers::many);
  }
};

}  // namespace

std::unique_ptr<Strategy> hierarchical() { return std::make_unique<Hierarchical>(); }

}  // namespace weft

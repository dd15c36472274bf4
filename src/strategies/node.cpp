// node: one buffer a node. Every rank writes what leaves straight into it, the nodes' leaders
// exchange one message for each pair of nodes, and
// every rank reads what came where it lies.
//
//   messages      one a tile for each pair of nodes, an MPI_Isend and an MPI_Irecv of the leaders:
//                 of 288 ranks, 24 a node, 132 and not 82656
//   extra memory  the node's buffer in shared memory, as large as its ranks' send and receive
//                 buffers; 5 pairs of cache lines a rank and tile
//   wins          several nodes with many ranks each and short messages: starting one costs more
//                 than sending it
//   loses         long messages: one rank of a node works for the link while the others wait; one
//                 rank a node, where isend does the same with less ado
//   source        Bethune, HECToR dCSE report 2010 on stick redistribution: the shared-memory
//                 alltoallv
#include "strategies/aggregated.hpp"

namespace weft {
namespace {

class Node final : public Strategy {
 public:
  std::string_view name() const override { return "node"; }
  std::string_view summary() const override {
    return "ranks of a node write into one buffer; leaders send one message for each pair of nodes";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override { return aggregated_cost(demand, Carriers::leader); }
  const Strategy* instead() const override { return &strategy("leader"); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<AggregatedExchange>(demand, group, Carriers::leader);
  }
};

}  // namespace

std::unique_ptr<Strategy> node() { return std::make_unique<Node>(); }

}  // namespace weft

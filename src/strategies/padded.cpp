// padded: one MPI_Alltoall a tile whose blocks are all as large as the largest that any two ranks
// exchange.
//
//   messages      one call a tile; P - 1 messages in it, or log P longer ones: as MPI chooses
//   extra memory  a send and a receive buffer of P times the largest block
//   wins          short messages on many ranks, nearly even: MPI aggregates what MPI_Alltoallv
//                 cannot
//   loses         uneven or sparse patterns: the padding travels too
//   source        Bethune, HECToR dCSE report 2010 on stick redistribution: the padded alltoall
#include "strategies/equal.hpp"

namespace weft {
namespace {

class Padded final : public Strategy {
 public:
  std::string_view name() const override { return "padded"; }
  std::string_view summary() const override { return "MPI_Alltoall with every block as large as the largest"; }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override { return equal_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<EqualExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> padded() { return std::make_unique<Padded>(); }

}  // namespace weft

// alltoall: one MPI_Alltoall a tile; all pairs of ranks have to exchange the same number of
// elements.
//
//   messages      one call a tile; P - 1 messages in it, or log P longer ones: as MPI chooses
//   extra memory  a send and a receive buffer
//   wins          short messages on many ranks, which MPI may aggregate; networks with a hardware
//                 alltoall
//   loses         the block to itself is copied although nobody reads the copy; uneven shapes are
//                 declined
//   source        Dubey & Tessera, "Redistribution strategies for portable parallel FFT": the
//                 oneplane and allplanes kernels
#include "strategies/equal.hpp"

namespace weft {
namespace {

class Alltoall final : public Strategy {
 public:
  std::string_view name() const override { return "alltoall"; }
  std::string_view summary() const override { return "MPI_Alltoall: one collective call a tile, even shapes only"; }
  std::string declines(const Demand& demand) const override {
    for (int t = 0; t < demand.pattern.tiles(); ++t)
      if (!demand.pattern.even(t))
        return "not all pairs of ranks exchange equally much (in tile " + std::to_string(t) +
               "); use padded or alltoallv";
    return {};
  }
  Cost cost(const Demand& demand) const override { return equal_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    const std::string declined = declines(demand);
    return std::make_unique<EqualExchange>(demand, group, declined.empty() ? declined : "alltoall: " + declined);
  }
};

}  // namespace

std::unique_ptr<Strategy> alltoall() { return std::make_unique<Alltoall>(); }

}  // namespace weft

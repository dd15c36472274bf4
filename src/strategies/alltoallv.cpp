// alltoallv: one MPI_Alltoallv a tile, with exactly what there is to send.
//
//   messages      one call a tile; usually P - 1 messages in it
//   extra memory  a send and a receive buffer
//   wins          everywhere a good second: uneven and sparse patterns, any MPI, large messages
//   loses         short messages on many ranks, where MPI_Alltoall aggregates and MPI_Alltoallv
//                 cannot; on one node, where direct needs no copy
//   source        MPI-3.1, section 5.8; the usual way of distributed FFTs since MPI-1
#include "strategies/packed.hpp"

namespace weft {
namespace {

class AlltoallvExchange final : public PackedExchange {
 public:
  AlltoallvExchange(const Demand& demand, MPI_Comm group)
      : PackedExchange(demand, group, Blocks::exact), calls_(mpi::Alltoall::uneven(comm_, out_, in_, element_)) {}

  void start(int t) override {
    if (comm_.size() > 1) calls_[static_cast<std::size_t>(t)](comm_, out_region(t), in_region(t));
  }
  void finish(int) override {}

 private:
  std::vector<mpi::Alltoall> calls_;
};

class Alltoallv final : public Strategy {
 public:
  std::string_view name() const override { return "alltoallv"; }
  std::string_view summary() const override {
    return "MPI_Alltoallv: one collective call a tile, exactly what there is to send";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override { return collective_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<AlltoallvExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> alltoallv() { return std::make_unique<Alltoallv>(); }

}  // namespace weft

// sendrecv_replace: MPI_Sendrecv_replace with one peer after the other: what arrives lies where
// what left has lain.
//
//   messages      at most P - 1 a tile, one MPI_Sendrecv_replace each; pairs follow one another
//   extra memory  one buffer; MPI may take another message's worth inside the call
//   wins          memory: half the buffers of the others
//   loses         a pair's messages are padded to the larger direction, and MPI copies each once
//                 more
//   source        Dubey & Tessera, "Redistribution strategies for portable parallel FFT": the
//                 replace kernel
#include "strategies/packed.hpp"

namespace weft {
namespace {

class ReplaceExchange final : public PackedExchange {
 public:
  ReplaceExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::shared) {
    for (int t = 0; t < tiles(); ++t) {
      std::vector<Message>& swaps = swaps_.emplace_back();
      pairwise(comm_.rank(), comm_.size(), [&](int peer) {
        if (out_count(t, peer) > 0) swaps.push_back(out_message(t, peer));
      });
    }
  }

  void start(int t) override {
    for (const Message& swap : swaps_[static_cast<std::size_t>(t)])
      mpi::sendrecv_replace(comm_, swap.data, swap.amount, swap.peer, tag(t));
  }
  void finish(int) override {}

 private:
  std::vector<std::vector<Message>> swaps_;  // by tile, in pairwise order
};

class SendrecvReplace final : public Strategy {
 public:
  std::string_view name() const override { return "sendrecv_replace"; }
  std::string_view summary() const override {
    return "MPI_Sendrecv_replace in pairwise order: one buffer for both directions";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override {
    Cost cost = packed_cost(demand, Blocks::shared);
    cost.calls = cost.messages;
    cost.copied = cost.bytes;
    cost.depth = static_cast<int>(cost.messages);
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<ReplaceExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> sendrecv_replace() { return std::make_unique<SendrecvReplace>(); }

}  // namespace weft

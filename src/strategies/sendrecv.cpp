// sendrecv: MPI_Send and MPI_Recv with one peer after the other, in pairwise order.
//
//   messages      at most P - 1 a tile, each an MPI_Send and an MPI_Recv; pairs follow one another
//   extra memory  a send and a receive buffer
//   wins          networks that congest: at any time a rank has one partner; MPIs with slow
//                 collectives
//   loses         everything waits for the slower of a pair, and the two directions do not overlap
//   source        Dubey & Tessera, "Redistribution strategies for portable parallel FFT": the
//                 standard kernel
//
// Always true: in step s partners are r and s - r (modulo P), each other's; the lower rank sends
// first and the higher one receives first.
// So no cycle of ranks can wait for one another, whether MPI buffers a send or not.
#include "strategies/packed.hpp"

namespace weft {
namespace {

class SendrecvExchange final : public PackedExchange {
 public:
  SendrecvExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::exact) {
    for (int t = 0; t < tiles(); ++t) {
      std::vector<Directed>& messages = messages_.emplace_back();
      pairwise(comm_.rank(), comm_.size(), [&](int peer) {
        const auto add = [&](bool sends) {
          if ((sends ? out_count(t, peer) : in_count(t, peer)) > 0)
            messages.push_back({sends ? out_message(t, peer) : in_message(t, peer), sends});
        };
        add(comm_.rank() < peer);
        add(comm_.rank() > peer);
      });
    }
  }

  void start(int t) override {
    for (const auto& [message, sends] : messages_[static_cast<std::size_t>(t)])
      if (sends)
        mpi::send(comm_, message.data, message.amount, message.peer, tag(t));
      else
        mpi::receive(comm_, message.data, message.amount, message.peer, tag(t));
  }
  void finish(int) override {}

 private:
  struct Directed {
    Message message;
    bool sends;
  };
  std::vector<std::vector<Directed>> messages_;  // by tile, in the order in which they go
};

class Sendrecv final : public Strategy {
 public:
  std::string_view name() const override { return "sendrecv"; }
  std::string_view summary() const override {
    return "MPI_Send and MPI_Recv with one peer after the other, in pairwise order";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override {
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.depth = static_cast<int>(cost.calls);
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<SendrecvExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> sendrecv() { return std::make_unique<Sendrecv>(); }

}  // namespace weft

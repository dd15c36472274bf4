// isend: MPI_Isend and MPI_Irecv of what is not empty, waited for when the tile is needed.
//
//   messages      at most P - 1 a tile, each an MPI_Isend and an MPI_Irecv
//   extra memory  a send and a receive buffer, 2 (P - 1) requests a tile
//   wins          sparse patterns (halos, partners only); overlap with work, where MPI progresses
//                 large messages
//   loses         many ranks: all messages are under way at once; short messages, as alltoallv
//   source        Dubey & Tessera, "Redistribution strategies for portable parallel FFT": the
//                 overlap kernel
#include "strategies/packed.hpp"

namespace weft {
namespace {

class IsendExchange final : public OverlappedExchange<mpi::Requests> {
 public:
  IsendExchange(const Demand& demand, MPI_Comm group) : OverlappedExchange(demand, group, Blocks::exact) {
    for (int t = 0; t < tiles(); ++t) {
      std::vector<Message> out, in;
      around(comm_.rank(), comm_.size(), [&](int to, int from) {
        if (out_count(t, to) > 0) out.push_back(out_message(t, to));
        if (in_count(t, from) > 0) in.push_back(in_message(t, from));
      });
      under_way(t) = mpi::Requests(out.size() + in.size());
      out_messages_.push_back(std::move(out));
      in_messages_.push_back(std::move(in));
    }
  }

  void start(int t) override {
    const auto i = static_cast<std::size_t>(t);
    for (const Message& in : in_messages_[i]) mpi::ireceive(comm_, in.data, in.amount, in.peer, tag(t), under_way(t));
    for (const Message& out : out_messages_[i]) mpi::isend(comm_, out.data, out.amount, out.peer, tag(t), under_way(t));
  }

 private:
  std::vector<std::vector<Message>> out_messages_, in_messages_;  // by tile
};

class Isend final : public Strategy {
 public:
  std::string_view name() const override { return "isend"; }
  std::string_view summary() const override {
    return "MPI_Isend and MPI_Irecv with partners only, waited for when needed";
  }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override { return packed_cost(demand, Blocks::exact); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<IsendExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> isend() { return std::make_unique<Isend>(); }

}  // namespace weft

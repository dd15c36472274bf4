// persistent: one persistent collective a tile, MPI_Alltoallv_init, made when planning and started
// each time. Where MPI has none, persistent
// sends and receives with the partners.
//
//   messages      one MPI_Start(all) a tile; usually P - 1 messages in it
//   extra memory  a send and a receive buffer, one request a tile; without persistent collectives 2
//                 (P - 1)
//   wins          short messages, often: what MPI finds out in every call of isend and ialltoall it
//                 finds out once
//   loses         nothing against ialltoall where MPI does it well; today's MPIs repeat the same
//                 messages
//   source        MPI-4.0, section 6.13, in Open MPI from version 4 as an extension; persistent
//                 sends: MPI-1.1, section 3.9
#include "mpi/prepared.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

class PersistentExchange final : public OverlappedExchange<mpi::Prepared> {
 public:
  PersistentExchange(const Demand& demand, MPI_Comm group) : OverlappedExchange(demand, group, Blocks::exact) {
    if (mpi::persistent_collectives) {
      calls_ = mpi::Alltoall::uneven(comm_, out_, in_, element_);
      for (int t = 0; t < tiles(); ++t)
        calls_[static_cast<std::size_t>(t)].prepare(comm_, out_region(t), in_region(t), under_way(t));
    } else {
      for (int t = 0; t < tiles(); ++t) prepare_messages(t);
    }
  }

  void start(int t) override {
    if (comm_.size() > 1) under_way(t).start(comm_);
  }

 private:
  void prepare_messages(int t) {
    around(comm_.rank(), comm_.size(), [&](int to, int from) {
      if (in_count(t, from) > 0) {
        const Message& in = messages_.emplace_back(in_message(t, from));
        mpi::prepare_receive(comm_, in.data, in.amount, from, tag(t), under_way(t));
      }
      if (out_count(t, to) > 0) {
        const Message& out = messages_.emplace_back(out_message(t, to));
        mpi::prepare_send(comm_, out.data, out.amount, to, tag(t), under_way(t));
      }
    });
  }

  std::vector<mpi::Alltoall> calls_;
  std::vector<Message> messages_;  // what the requests refer to
};

class Persistent final : public Strategy {
 public:
  std::string_view name() const override { return "persistent"; }
  std::string_view summary() const override {
    return "MPI_Alltoallv_init: one persistent collective a tile, made once and started each time";
  }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override { return collective_cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<PersistentExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> persistent() { return std::make_unique<Persistent>(); }

}  // namespace weft

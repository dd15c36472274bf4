// persistent: one persistent collective a tile, MPI_Alltoallv_init, made when planning and started each time. Where MPI has none, persistent
// sends and receives with the partners.
//
//   messages      one MPI_Start(all) a tile; usually P - 1 messages in it
//   extra memory  a send and a receive buffer, one request a tile; without persistent collectives 2 (P - 1)
//   wins          short messages, often: what MPI finds out in every call of isend and ialltoall it finds out once
//   loses         nothing against ialltoall where MPI does it well; today's MPIs repeat the same messages
//   source        MPI-4.0, section 6.13, in Open MPI from version 4 as an extension; persistent sends: MPI-1.1, section 3.9
#include "mpi/prepared.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

class PersistentExchange final : public PackedExchange {
 public:
  PersistentExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::exact) {
    prepared_.resize(static_cast<std::size_t>(tiles()));
    if (mpi::persistent_collectives) {
      calls_ = mpi::Alltoall::uneven(comm_, out_, in_, element_);
      for (int t = 0; t < tiles(); ++t)
        calls_[static_cast<std::size_t>(t)].prepare(comm_, out_region(t), in_region(t), prepared_[static_cast<std::size_t>(t)]);
    } else {
      for (int t = 0; t < tiles(); ++t) prepare_messages(t, prepared_[static_cast<std::size_t>(t)]);
    }
  }

  void start(int t) override {
    if (comm_.size() > 1) prepared_[static_cast<std::size_t>(t)].start(comm_);
  }
  bool test() override {
    bool all = true;
    for (mpi::Prepared& prepared : prepared_) all = prepared.test() && all;
    return all;
  }
  void finish(int t) override { prepared_[static_cast<std::size_t>(t)].wait(); }

 private:
  void prepare_messages(int t, mpi::Prepared& prepared) {
    for (int s = 1; s < comm_.size(); ++s) {
      const int to = (comm_.rank() + s) % comm_.size(), from = (comm_.rank() + comm_.size() - s) % comm_.size();
      if (in_count(t, from) > 0)
        mpi::prepare_receive(comm_, in_block(t, from), amounts_.emplace_back(in_count(t, from), element_), from, tag(t), prepared);
      if (out_count(t, to) > 0)
        mpi::prepare_send(comm_, out_block(t, to), amounts_.emplace_back(out_count(t, to), element_), to, tag(t), prepared);
    }
  }

  std::vector<mpi::Alltoall> calls_;
  std::vector<mpi::Amount> amounts_;
  std::vector<mpi::Prepared> prepared_;  // by tile
};

class Persistent final : public Strategy {
 public:
  std::string_view name() const override { return "persistent"; }
  std::string_view summary() const override {
    return "MPI_Alltoallv_init: one persistent collective a tile, made once and started each time";
  }
  std::string declines(const Demand&) const override { return {}; }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override {
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.calls = demand.pattern.ranks() > 1 ? demand.pattern.tiles() : 0;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<PersistentExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> persistent() { return std::make_unique<Persistent>(); }

}  // namespace weft

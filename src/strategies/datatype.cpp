// datatype: one MPI_Alltoallw a tile straight from and to the arrays: derived datatypes gather,
// scatter and transpose, nothing is packed by us.
//
//   messages      one call a tile; usually P - 1 messages in it
//   extra memory  none of its own; MPI may pack inside the call
//   wins          memory; networks and MPIs that move strided data by themselves
//   loses         where MPI packs element by element: often several times slower than packing in
//                 the transform's own touch
//   source        Hoefler & Gottlieb, EuroMPI 2010, doi:10.1007/978-3-642-15646-5_14
#include <algorithm>

#include "geometry/boxes.hpp"
#include "mpi/type_map.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

class DatatypeExchange final : public Exchange {
 public:
  DatatypeExchange(const Demand& demand, MPI_Comm group, const std::string& declined)
      : comm_(mpi::Communicator::of(group)),
        slots_(*demand.slots),
        from_(demand.from_slot),
        to_(demand.to_slot),
        element_bytes_(demand.element_bytes) {
    comm_.agree([&] {
      if (!declined.empty()) throw Error(declined);
      const Pattern& pattern = demand.pattern;
      if (pattern.from().has_boxes())
        array_ = pattern.from().view(pattern.members()[static_cast<std::size_t>(pattern.rank())], from_);
      for (int t = 0; t < pattern.tiles(); ++t) {
        const Tile& tile =
            tiles_.emplace_back(Tile{in_slot(pattern.tile(t).gives, from_), in_slot(pattern.tile(t).takes, to_)});
        calls_.push_back(mpi::Alltoall::typed(comm_, types(tile.out, demand), types(tile.in, demand)));
      }
    });
  }

  Traffic traffic() const override { return comm_.traffic(); }
  Promises promises(int self) const override { return by_messages(*this, self); }
  std::vector<Type> datatypes() const override {
    std::vector<Type> all;
    for (int t = 0; t < tiles(); ++t)
      for (const bool out : {true, false}) {
        const auto& made = out ? calls_[static_cast<std::size_t>(t)].send_types()
                               : calls_[static_cast<std::size_t>(t)].receive_types();
        for (int peer = 0; peer < comm_.size(); ++peer) {
          std::vector<View> views;
          for (const Piece& piece : out ? tile(t).out : tile(t).in)
            if (piece.peer == peer) views.push_back(piece.at);
          if (views.empty()) continue;
          const mpi::TypeMap map(made[static_cast<std::size_t>(peer)].raw());
          all.push_back({t, peer, out, map.text(), map.difference(views, element_bytes_)});
        }
      }
    return all;
  }
  // Addresses are looked up here: the caller's arrays may change between executions.
  void start(int t) override {
    calls_[static_cast<std::size_t>(t)](comm_, slots_[static_cast<std::size_t>(from_)],
                                        slots_[static_cast<std::size_t>(to_)]);
  }
  void finish(int) override {}

 private:
  static std::vector<Piece> in_slot(std::vector<Piece> pieces, int slot) {
    for (Piece& piece : pieces) piece.at.slot = slot;
    return pieces;
  }
  /// By member: what it gets of the pieces, or gives.
  static std::vector<mpi::Datatype> types(const std::vector<Piece>& pieces, const Demand& demand) {
    std::vector<mpi::Datatype> all;
    for (int p = 0; p < demand.pattern.ranks(); ++p) all.push_back(mpi::Datatype::of(pieces, p, demand.element_bytes));
    return all;
  }

  mpi::Communicator comm_;
  const Slots& slots_;
  int from_, to_;
  Index element_bytes_;
  std::vector<mpi::Alltoall> calls_;
};

class Datatype final : public Strategy {
 public:
  std::string_view name() const override { return "datatype"; }
  std::string_view summary() const override {
    return "MPI_Alltoallw with derived datatypes, straight from and to the arrays";
  }
  std::string declines(const Demand& demand) const override {
    if (demand.from_slot < 0 || demand.to_slot < 0) return "no arrays to send from and receive into are on offer";
    if (demand.from_slot == demand.to_slot)
      return "it cannot send from the array that it receives into; work out of place";
    if (demand.pattern.accumulates())
      return "values that come from several ranks are to be added, which MPI_Alltoallw cannot";
    return {};
  }
  Cost cost(const Demand& demand) const override {
    const Pattern& pattern = demand.pattern;
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.calls = pattern.tiles();
    for (int m = 0; m < pattern.ranks(); ++m) {
      Index stays = 0;
      for (int t = 0; t < pattern.tiles(); ++t) stays += pattern.count(t, m, m);
      cost.copied = std::max(cost.copied, stays * demand.element_bytes);
    }
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    const std::string declined = declines(demand);
    return std::make_unique<DatatypeExchange>(demand, group, declined.empty() ? declined : "datatype: " + declined);
  }
};

}  // namespace

std::unique_ptr<Strategy> datatype() { return std::make_unique<Datatype>(); }

}  // namespace weft

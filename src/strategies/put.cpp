// put: one-sided. Every rank writes what leaves into its peers' receive buffers with MPI_Put, and
// tells them with an empty message.
//
//   messages      at most P - 1 a tile, an MPI_Put each, and two empty ones more for every one of
//                 them: "written", "read"
//   extra memory  a send and a receive buffer, the latter in a window; 4 (P - 1) requests a tile
//   wins          networks with remote direct memory access, where MPI neither matches messages nor
//                 copies them; few partners
//   declines      some of the ranks only, with Open MPI 4, which mixes up windows of groups side by
//                 side; when bound, where MPI has no window for its ranks, as Open MPI 4 between
//                 hosts joined by TCP unless it is told --mca osc ^rdma
//   loses         short messages: three for one; MPIs that emulate a put by messages, and wait in
//                 it for a target that computes
//   source        MPI-3.1, chapter 11
//
// Always true: what a rank puts into a tile of a peer has been preceded by that peer's "read" of
// the round before, so that nothing is
// overwritten that somebody still reads. "Written" follows the flush: then the data are there.
#include <algorithm>

#include "mpi/memory.hpp"
#include "mpi/prepared.hpp"
#include "mpi/window.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

class PutExchange final : public PackedExchange {
 public:
  PutExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::exact) {
    if (comm_.size() == 1) return;
    comm_ = mpi::Communicator::duplicate(group);  // its messages go when tiles are closed, which is in no order
    try {
      // without memory there is nothing for MPI to register
      window_ = mpi::Window::create(comm_, in_memory(), WithoutMemory::here() ? 0 : in_bytes());
    } catch (const Error&) {  // alike on all ranks
      window_ = mpi::Window::allocate(comm_, in_bytes());
      receive_into(window_.memory(), *demand.slots);
    }
    const std::vector<Index> places = places_there(group);
    rounds_.resize(static_cast<std::size_t>(tiles()));
    for (int t = 0; t < tiles(); ++t) {
      Round& round = rounds_[static_cast<std::size_t>(t)];
      around(comm_.rank(), comm_.size(), [&](int to, int from) {
        if (in_count(t, from) > 0) {
          promises_.waits.push_back({.verb = Verb::finish, .tile = t, .member = from, .of = Verb::start, .of_tile = t});
          mpi::prepare_receive(comm_, nullptr, nothing_, from, tag(2 * t), round.written);
          mpi::prepare_send(comm_, nullptr, nothing_, from, tag(2 * t + 1), round.read);
        }
        if (out_count(t, to) > 0) {
          round.puts.push_back({out_message(t, to), places[index(t, to)]});
          const View there{Box::whole({out_count(t, to)}), named(to), places[index(t, to)] / element_.size(), {1}};
          promises_.touches.push_back({t, Verb::start, Verb::start, there, true});
          promises_.waits.push_back(
              {.verb = Verb::start, .tile = t, .member = to, .of = Verb::close, .of_tile = t, .rounds = 1});
          mpi::prepare_send(comm_, nullptr, nothing_, to, tag(2 * t), round.written);
          mpi::prepare_receive(comm_, nullptr, nothing_, to, tag(2 * t + 1), round.read);
        }
      });
      for (const Piece& piece : tile(t).out)
        if (piece.peer != comm_.rank()) promises_.touches.push_back({t, Verb::start, Verb::start, piece.at, false});
    }
    for (int p = 0; p < comm_.size(); ++p) promises_.shared.push_back({p == comm_.rank() ? in_slot() : named(p), p});
  }

  Promises promises(int) const override { return promises_; }
  void start(int t) override {
    if (rounds_.empty()) return;
    Round& round = rounds_[static_cast<std::size_t>(t)];
    round.read.wait();
    for (const auto& [message, at] : round.puts) window_.put(comm_, message.data, message.amount, message.peer, at);
    for (const Put& put : round.puts) window_.flush(put.message.peer);
    round.written.start(comm_);
  }
  bool test() override {
    return std::all_of(rounds_.begin(), rounds_.end(), [](Round& round) { return round.written.test(); });
  }
  void finish(int t) override {
    if (rounds_.empty()) return;
    rounds_[static_cast<std::size_t>(t)].written.wait();
    window_.sync();
  }
  void close(int t) override {
    if (!rounds_.empty()) rounds_[static_cast<std::size_t>(t)].read.start(comm_);
  }

 private:
  struct Put {
    Message message;
    Index at;  // bytes from the begin of the peer's window
  };
  struct Round {
    std::vector<Put> puts;
    mpi::Prepared written, read;  // each to and from the partners
  };

  std::size_t index(int t, int peer) const { return static_cast<std::size_t>(peer * tiles() + t); }
  /// Where this rank's block of a tile begins in a peer's window, by peer and tile.
  std::vector<Index> places_there(MPI_Comm group) const {
    std::vector<Index> here(static_cast<std::size_t>(comm_.size() * tiles())), there(here.size());
    for (int peer = 0; peer < comm_.size(); ++peer)
      for (int t = 0; t < tiles(); ++t) here[index(t, peer)] = in_block(t, peer) - in_region(0);
    const mpi::Communicator planning = mpi::Communicator::of(group);  // what it sends is not the exchange's traffic
    const mpi::Datatype number = mpi::Datatype::bytes(sizeof(Index));
    const auto all = mpi::Alltoall::even(planning, tiles(), number);
    planning.hear();
    all(planning, here.data(), there.data());
    return there;
  }

  /// A slot's name for a peer's receive buffer, of which there is no address here.
  static int named(int peer) { return -2 - peer; }

  mpi::Amount nothing_;
  Promises promises_;  // what the messages "written" and "read" say
  mpi::Window window_;
  std::vector<Round> rounds_;  // by tile; none where there are no others
};

class Put final : public Strategy {
 public:
  std::string_view name() const override { return "put"; }
  std::string_view summary() const override {
    return "MPI_Put into the peers' receive buffers, one-sided; empty messages tell when";
  }
  std::string declines(const Demand& demand) const override { return mpi::Window::declines(demand.pattern.ranks()); }
  Cost cost(const Demand& demand) const override {
    const Pattern& pattern = demand.pattern;
    std::vector<Index> puts(static_cast<std::size_t>(pattern.ranks()), 0), told = puts;
    for (int t = 0; t < pattern.tiles(); ++t)
      pattern.each_count(t, [&](int source, int target, Index count) {
        if (source == target || count == 0) return true;
        ++puts[static_cast<std::size_t>(source)];
        ++told[static_cast<std::size_t>(source)], ++told[static_cast<std::size_t>(target)];
        return true;
      });
    Cost cost = packed_cost(demand, Blocks::exact);
    cost.node_messages *= 3;  // at most: what is told goes both ways
    cost.calls = *std::max_element(puts.begin(), puts.end());
    if (pattern.ranks() > 1) cost.calls += 2 * pattern.tiles();
    cost.messages = 0;
    for (std::size_t r = 0; r < puts.size(); ++r) cost.messages = std::max(cost.messages, puts[r] + told[r]);
    cost.depth *= 3;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<PutExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> put() { return std::make_unique<Put>(); }

}  // namespace weft

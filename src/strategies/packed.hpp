// Packed buffers: the memory that all strategies which send messages offer for writing and reading.
//
// Every tile has a region of its own, so that any number of tiles may be under way. A region has
// one contiguous block a peer, and a block holds the pieces for that peer one behind the other,
// each dense in the memory order that the demand wishes for. What stays on this rank is written
// into the region once and read where it was written: its out- and in-views are the same memory.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <weft/exchange.hpp>

#include "mpi/messages.hpp"
#include "strategies/promises.hpp"

namespace weft {

/// How large the block is that one member sends another in a tile.
enum class Blocks {
  exact,   ///< what there is to send
  equal,   ///< as large as the largest between any two members of the tile
  shared,  ///< the larger of both directions; out- and in-memory are one
};

/// The memory order of a piece inside its block.
Order block_order(const Demand& demand, const Box& box);

/// An exchange whose out- and in-memory are packed buffers.
class PackedExchange : public Exchange {
 public:
  Traffic traffic() const override { return comm_.traffic(); }
  Promises promises(int self) const override { return by_messages(*this, self); }

 protected:
  /// Collective. Throws on all ranks when `declined` is not empty on one, or memory is short on
  /// one.
  PackedExchange(const Demand& demand, MPI_Comm group, Blocks blocks, const std::string& declined = {});

  std::size_t peers() const { return static_cast<std::size_t>(comm_.size()); }
  /// A tile's region, from which `out_` and `in_` count.
  std::byte* out_region(int t) const { return region(out_memory_.get(), out_begin_, t); }
  std::byte* in_region(int t) const { return region(in_begins_at_, in_begin_, t); }
  std::byte* out_block(int t, int peer) const { return out_region(t) + offset(out_, t, peer); }
  std::byte* in_block(int t, int peer) const { return in_region(t) + offset(in_, t, peer); }
  Index out_count(int t, int peer) const {
    return out_[static_cast<std::size_t>(t)].counts[static_cast<std::size_t>(peer)];
  }
  Index in_count(int t, int peer) const {
    return in_[static_cast<std::size_t>(t)].counts[static_cast<std::size_t>(peer)];
  }

  /// What goes to one peer or comes from it; empty messages are for nobody.
  struct Message {
    int peer;
    std::byte* data;
    mpi::Amount amount;
  };
  Message out_message(int t, int peer) const {
    return {peer, out_block(t, peer), mpi::Amount(out_count(t, peer), element_)};
  }
  Message in_message(int t, int peer) const {
    return {peer, in_block(t, peer), mpi::Amount(in_count(t, peer), element_)};
  }

  /// Receives into memory of somebody else's, as large as `in_bytes`, instead of its own. For
  /// constructors.
  void receive_into(std::byte* memory, Slots& slots);
  Index in_bytes() const { return in_bytes_; }
  const std::shared_ptr<std::byte>& in_memory() const { return in_memory_; }
  int in_slot() const { return in_slot_; }

  mpi::Communicator comm_;
  mpi::Datatype element_;
  std::vector<mpi::Parts> out_, in_;  ///< by tile: every peer's block, in elements from the region's begin

 private:
  void lay_out(const Demand& demand, Blocks blocks);
  std::shared_ptr<std::byte> buffer(Index elements, Slots& slots, int& slot);
  std::byte* region(std::byte* memory, const std::vector<Index>& begin, int t) const {
    return memory + begin[static_cast<std::size_t>(t)] * element_.size();
  }
  Index offset(const std::vector<mpi::Parts>& side, int t, int peer) const {
    return side[static_cast<std::size_t>(t)].offsets[static_cast<std::size_t>(peer)] * element_.size();
  }

  bool shared_;
  std::shared_ptr<std::byte> out_memory_, in_memory_;  ///< no in-memory where blocks are shared
  std::byte* in_begins_at_ = nullptr;
  int in_slot_ = -1;
  Index in_bytes_ = 0;
  std::vector<Index> out_begin_, in_begin_;  ///< of every tile's region, in elements
};

/// A packed exchange whose tiles travel while others are made: for each tile the `mpi::Requests` of
/// what is under way, or an `mpi::Prepared`.
template <class Requests>
class OverlappedExchange : public PackedExchange {
 public:
  /// Up to the first tile that is still on its way: asking for that lets all of them progress, and
  /// every question costs.
  bool test() override {
    return std::all_of(under_way_.begin(), under_way_.end(), [](Requests& requests) { return requests.test(); });
  }
  /// Waiting for what is sent as well leaves nothing that peers could wait for while this rank is
  /// away from MPI, and `open` nothing to do.
  void finish(int t) override { under_way(t).wait(); }

 protected:
  OverlappedExchange(const Demand& demand, MPI_Comm group, Blocks blocks)
      : PackedExchange(demand, group, blocks), under_way_(static_cast<std::size_t>(tiles())) {}
  Requests& under_way(int t) { return under_way_[static_cast<std::size_t>(t)]; }

 private:
  std::vector<Requests> under_way_;  // by tile
};

/// One call for every message sent and received, where there is something to send; no message of a
/// tile waits for another.
Cost packed_cost(const Demand& demand, Blocks blocks);
/// The same messages in one collective call a tile.
Cost collective_cost(const Demand& demand);
/// Tags tell tiles apart; MPI promises no more of them than this, and messages of one tag keep
/// their order.
inline int tag(int tile) { return tile % 32768; }

/// Calls visit(to, from) for every other rank to send to, its next neighbour first, so that no rank
/// gets all messages first; `from` is the one that does so towards this rank.
template <class Visit>
void around(int rank, int ranks, Visit visit) {
  for (int step = 1; step < ranks; ++step) visit((rank + step) % ranks, (rank + ranks - step) % ranks);
}

/// Calls visit(peer) for every other rank in pairwise order: in each of `ranks` steps the partner
/// of every rank has it as its partner too.
template <class Visit>
void pairwise(int rank, int ranks, Visit visit) {
  for (int step = 0; step < ranks; ++step)
    if (const int peer = (step - rank + ranks) % ranks; peer != rank) visit(peer);
}

}  // namespace weft

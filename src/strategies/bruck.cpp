// bruck: store and forward. In ceil(log2 P) rounds every rank hands on to one rank what is meant
// for many, all blocks as large as the largest.
//
//   messages      ceil(log2 P) a tile, each an MPI_Sendrecv of about half of all blocks; rounds
//                 follow one another
//   extra memory  a send and a receive buffer of P times the largest block, and half of one to
//                 gather a round's blocks in
//   wins          short messages on many ranks, where starting messages is what costs: O(log P + n
//                 log P) against O(P + n) for P messages and n bytes
//   loses         long messages: every byte travels log2(P)/2 times, and is copied before it does;
//                 uneven or sparse patterns, as padded
//   source        Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997) 1143,
//                 doi:10.1109/71.642949; as the reason for padding: Bethune, HECToR dCSE report
//                 2010 on stick redistribution
//
// Always true: the block that goes i ranks on (0 < i < P) travels in the rounds of the bits of i.
// Until it arrives it lies, on every rank that it
// passes, where the block from i ranks back will lie in the end; so nothing is turned round before
// or after.
#include <algorithm>
#include <bit>
#include <cstring>

#include "mpi/memory.hpp"
#include "strategies/nodes.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

int rounds(int ranks) { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))); }

/// How far the blocks of a round go in all: those whose distance has that bit.
std::vector<int> distances(int round, int ranks) {
  std::vector<int> all;
  for (int i = 1; i < ranks; ++i)
    if (i >> round & 1) all.push_back(i);
  return all;
}

class BruckExchange final : public PackedExchange {
 public:
  BruckExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::equal) {
    comm_.agree([&] {
      Index largest = 0;
      for (int t = 0; t < tiles(); ++t) {
        tile_rounds_.emplace_back();
        if (out_count(t, 0) == 0) continue;  // on all ranks alike
        for (int r = 0; r < rounds(comm_.size()); ++r) {
          tile_rounds_.back().push_back(make_round(t, r));
          largest = std::max(largest, tile_rounds_.back().back().leaves.bytes());
        }
      }
      gathered_ = allocate(largest);
      bytes_owned_ += largest;
    });
  }

  void start(int t) override {
    for (const Round& round : tile_rounds_[static_cast<std::size_t>(t)]) {
      std::byte* next = gathered_.get();
      for (const std::byte* block : round.blocks) next = std::copy_n(block, round.block_bytes, next);
      mpi::sendrecv(comm_, gathered_.get(), round.leaves, round.to, in_region(t), round.arrives, round.from, tag(t));
    }
  }
  void finish(int) override {}

 private:
  struct Round {
    int to, from;
    std::vector<const std::byte*> blocks;  // that leave, in the order of the message
    Index block_bytes;
    mpi::Datatype places;  // where blocks arrive, from the region's begin
    mpi::Amount leaves, arrives;
  };

  Round make_round(int t, int r) {
    const int ranks = comm_.size(), rank = comm_.rank(), step = 1 << r;
    const Index block = out_count(t, 0);
    Round round{(rank + step) % ranks, (rank - step + ranks) % ranks, {}, block * element_.size(), {}, {}, {}};
    std::vector<View> arrive;
    for (const int i : distances(r, ranks)) {
      const int place = (rank - i + ranks) % ranks;
      const bool here_from_the_start = i % step == 0;  // it has travelled in no earlier round
      round.blocks.push_back(here_from_the_start ? out_block(t, (rank + i) % ranks) : in_block(t, place));
      arrive.push_back(
          {Box::whole({block}), -1, in_[static_cast<std::size_t>(t)].offsets[static_cast<std::size_t>(place)], {1}});
    }
    round.places = mpi::Datatype::of(arrive, element_.size());
    round.leaves = mpi::Amount(block * static_cast<Index>(arrive.size()), element_);
    round.arrives = mpi::Amount(1, round.places);
    return round;
  }

  std::vector<std::vector<Round>> tile_rounds_;  // by tile
  std::shared_ptr<std::byte> gathered_;          // the blocks of a round, one behind the other
};

class Bruck final : public Strategy {
 public:
  std::string_view name() const override { return "bruck"; }
  std::string_view summary() const override {
    return "store and forward in log2 P rounds of MPI_Sendrecv, blocks as large as the largest";
  }
  std::string declines(const Demand&) const override { return {}; }
  Cost cost(const Demand& demand) const override {
    const int ranks = demand.pattern.ranks();
    Cost cost;
    Leaving leaving(demand);
    for (int t = 0; t < demand.pattern.tiles(); ++t) {
      const Index block = demand.pattern.largest(t) * demand.element_bytes;
      if (block == 0) continue;
      for (int r = 0; r < rounds(ranks); ++r) {
        ++cost.depth;
        const Index bytes = static_cast<Index>(distances(r, ranks).size()) * block;
        cost.bytes += bytes;
        for (int rank = 0; rank < ranks; ++rank) leaving.add(rank, (rank + (1 << r)) % ranks, 1, bytes);
      }
    }
    leaving.into(cost);
    cost.calls = cost.messages = cost.depth;
    cost.copied = cost.bytes;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<BruckExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> bruck() { return std::make_unique<Bruck>(); }

}  // namespace weft

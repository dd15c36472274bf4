#include "strategies/packed.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/memory.hpp"
#include "strategies/nodes.hpp"

namespace weft {

namespace {

constexpr Index alignment_bytes = 64;

std::vector<Index> counts(const std::vector<Piece>& pieces, int ranks) {
  std::vector<Index> all(static_cast<std::size_t>(ranks), 0);
  for (const Piece& piece : pieces) all[static_cast<std::size_t>(piece.peer)] += piece.at.box.volume();
  return all;
}

std::vector<Index> offsets(const std::vector<Index>& counts) {
  std::vector<Index> all(counts.size(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), all.begin(), Index{0});
  return all;
}

Index total(const mpi::Parts& parts) { return parts.offsets.back() + parts.counts.back(); }

/// Every rank's own pieces, placed one behind the other in their peers' blocks.
std::vector<Piece> placed(std::vector<Piece> pieces, const Demand& demand, std::vector<Index> next, int own,
                          const std::pair<int, int>& slots) {
  for (Piece& piece : pieces) {
    Index& offset = next[static_cast<std::size_t>(piece.peer)];
    const int slot = piece.peer == own ? slots.first : slots.second;
    piece.at = dense_view(piece.at.box, block_order(demand, piece.at.box), {}, slot, offset);
    offset += piece.at.box.volume();
  }
  return pieces;
}

}  // namespace

Order block_order(const Demand& demand, const Box& box) {
  for (const Order* order : {&demand.order, &demand.pattern.from().order()})
    if (order->size() == box.axes()) return *order;
  return c_order(box.axes());
}

PackedExchange::PackedExchange(const Demand& demand, MPI_Comm group, Blocks blocks, const std::string& declined)
    : comm_(mpi::Communicator::of(group)),
      element_(mpi::Datatype::bytes(demand.element_bytes)),
      shared_(blocks == Blocks::shared) {
  comm_.agree([&] {
    if (!declined.empty()) throw Error(declined);
    lay_out(demand, blocks);
  });
}

void PackedExchange::lay_out(const Demand& demand, Blocks blocks) {
  const Pattern& pattern = demand.pattern;
  const int own = pattern.rank();
  const auto self = static_cast<std::size_t>(own);
  const Index align = alignment_bytes / std::gcd(alignment_bytes, demand.element_bytes);  // in elements
  const auto aligned = [&](Index elements) { return (elements + align - 1) / align * align; };

  std::vector<Index> own_begin;  // of what stays here, in the out-memory
  Index out_end = 0, in_end = 0;
  for (int t = 0; t < pattern.tiles(); ++t) {
    mpi::Parts out{counts(pattern.tile(t).gives, pattern.ranks()), {}},
        in{counts(pattern.tile(t).takes, pattern.ranks()), {}};
    const Index stays = std::exchange(out.counts[self], 0);
    in.counts[self] = 0;
    if (blocks == Blocks::equal) out.counts.assign(out.counts.size(), pattern.largest(t)), in.counts = out.counts;
    if (shared_)
      for (std::size_t p = 0; p < out.counts.size(); ++p)
        in.counts[p] = out.counts[p] = std::max(out.counts[p], in.counts[p]);
    out.offsets = offsets(out.counts);
    in.offsets = offsets(in.counts);

    const bool fits = stays <= out.counts[self];
    out_begin_.push_back(out_end);
    own_begin.push_back(out_end + (fits ? out.offsets[self] : total(out)));
    out_end = aligned(out_end + total(out) + (fits ? 0 : stays));
    in_begin_.push_back(shared_ ? out_begin_.back() : in_end);
    in_end = aligned(in_end + total(in));
    out_.push_back(std::move(out));
    in_.push_back(std::move(in));
  }

  int out_slot = -1;
  out_memory_ = buffer(out_end, *demand.slots, out_slot);
  in_slot_ = out_slot;
  in_bytes_ = in_end * element_.size();
  if (!shared_) in_memory_ = buffer(in_end, *demand.slots, in_slot_);
  in_begins_at_ = (shared_ ? out_memory_ : in_memory_).get();
  for (int t = 0; t < pattern.tiles(); ++t) {
    const auto i = static_cast<std::size_t>(t);
    const auto begins = [&](Index region, std::vector<Index> offset) {
      for (Index& o : offset) o += region;
      offset[self] = own_begin[i];
      return offset;
    };
    tiles_.push_back(
        {placed(pattern.tile(t).gives, demand, begins(out_begin_[i], out_[i].offsets), own, {out_slot, out_slot}),
         placed(pattern.tile(t).takes, demand, begins(in_begin_[i], in_[i].offsets), own, {out_slot, in_slot_})});
  }
}

std::shared_ptr<std::byte> PackedExchange::buffer(Index elements, Slots& slots, int& slot) {
  // Never none: to some MPIs two buffers at one address, null included, mean in place.
  const Index lines = std::max<Index>((elements * element_.size() + alignment_bytes - 1) / alignment_bytes, 1),
              bytes = lines * alignment_bytes;
  auto memory = allocate(bytes);
  slot = static_cast<int>(slots.size());
  slots.push_back(memory.get());
  bytes_owned_ += bytes;
  return memory;
}

void PackedExchange::receive_into(std::byte* memory, Slots& slots) {
  in_begins_at_ = memory;
  in_memory_.reset();
  slots[static_cast<std::size_t>(in_slot_)] = memory;
}

Cost packed_cost(const Demand& demand, Blocks blocks) {
  const Pattern& pattern = demand.pattern;
  const auto ranks = static_cast<std::size_t>(pattern.ranks());
  std::vector<Index> messages(ranks, 0), received(ranks, 0), elements(ranks, 0);
  Leaving leaving(demand);
  Cost cost;
  for (int t = 0; t < pattern.tiles(); ++t) {
    bool any = false;
    const auto send = [&](std::size_t source, std::size_t target, Index count) {
      if (count == 0) return;
      any = true;
      ++messages[source];
      ++received[target];
      elements[source] += count;
      leaving.add(static_cast<int>(source), static_cast<int>(target), 1, count * demand.element_bytes);
    };
    std::vector<Index> both(blocks == Blocks::shared ? ranks * ranks : 0, 0);
    const Index largest = blocks == Blocks::equal ? pattern.largest(t) : 0;
    pattern.each_count(t, [&](int s, int d, Index count) {
      const auto source = static_cast<std::size_t>(s), target = static_cast<std::size_t>(d);
      if (source == target) return true;
      if (blocks != Blocks::shared)
        send(source, target, blocks == Blocks::equal ? largest : count);
      else
        for (Index* pair : {&both[source * ranks + target], &both[target * ranks + source]})
          *pair = std::max(*pair, count);
      return true;
    });
    for (std::size_t pair = 0; pair < both.size(); ++pair) send(pair / ranks, pair % ranks, both[pair]);
    cost.depth += any;
  }
  for (std::size_t r = 0; r < ranks; ++r) cost.calls = std::max(cost.calls, messages[r] + received[r]);
  cost.messages = *std::max_element(messages.begin(), messages.end());
  cost.bytes = *std::max_element(elements.begin(), elements.end()) * demand.element_bytes;
  leaving.into(cost);
  return cost;
}

Cost collective_cost(const Demand& demand) {
  Cost cost = packed_cost(demand, Blocks::exact);
  cost.calls = demand.pattern.ranks() > 1 ? demand.pattern.tiles() : 0;
  return cost;
}

}  // namespace weft

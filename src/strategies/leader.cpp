// leader: everything through the node's leader, without shared memory: MPI_Gatherv, one message for
// each pair of nodes, MPI_Scatterv.
//
//   messages      one a tile for each pair of nodes; inside a node one to the leader and one from
//                 it for each other rank
//   extra memory  a send and a receive buffer; on a leader four times those of its node besides,
//                 for one tile
//   wins          many ranks a node, very short messages, and no shared memory to be had
//   loses         against node everywhere else: each byte is copied four times more, the leader's
//                 twice over, and data that stay on the node travel too
//   source        Bethune, HECToR dCSE report 2010 on stick redistribution: the gather/scatter
//                 alltoallv
//
// Always true: a start returns when the tile has moved. The leader's memory serves one tile after
// the other.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "mpi/memory.hpp"
#include "strategies/nodes.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

Index sum(const std::vector<Index>& counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

/// Blocks one behind the other.
mpi::Parts parts(const std::vector<Index>& counts) {
  mpi::Parts all{counts, std::vector<Index>(counts.size(), 0)};
  std::exclusive_scan(counts.begin(), counts.end(), all.offsets.begin(), Index{0});
  return all;
}

class LeaderExchange final : public PackedExchange {
 public:
  LeaderExchange(const Demand& demand, MPI_Comm group) : PackedExchange(demand, group, Blocks::exact) {
    const Nodes nodes(demand);
    const auto& members = nodes.beside(comm_.rank());
    node_ = comm_.group(members);
    leads_ = node_.rank() == 0;
    const Most most = node_.together([&] { return lay_out_turns(nodes, members); });
    comm_.agree([&] {
      const bool alone = members.size() == 1;  // then the rank's own buffers are what would be gathered and scattered
      for (auto [memory, elements] : {std::pair{&gathered_, alone ? 0 : most.out},
                                      {&scattered_, alone ? 0 : most.in},
                                      {&sent_, most.sent},
                                      {&received_, most.received}}) {
        const Index bytes = volume({elements, element_.size()});
        *memory = allocate(bytes);
        bytes_owned_ += bytes;
      }
    });
  }

  Traffic traffic() const override {
    const Traffic between = comm_.traffic(), inside = node_.traffic();
    return {between.calls + inside.calls, between.messages + inside.messages, between.bytes + inside.bytes};
  }

  void start(int t) override {
    Turn& tile = turns_[at(t)];
    const bool alone = node_.size() == 1;
    std::byte* const gathered = alone ? out_region(t) : gathered_.get();
    std::byte* const scattered = alone ? in_region(t) : scattered_.get();
    if (!alone) tile.gather.gather(node_, out_region(t), gathered);
    if (leads_) {
      for (const Message& in : tile.receives)
        mpi::ireceive(comm_, received_.get() + in.at * element_.size(), in.amount, in.peer, tag(t), tile.under_way);
      copy(tile.leave, gathered, sent_.get());
      for (const Message& out : tile.sends)
        mpi::isend(comm_, sent_.get() + out.at * element_.size(), out.amount, out.peer, tag(t), tile.under_way);
      copy(tile.inside, gathered, scattered);
      tile.under_way.wait();
      copy(tile.arrive, received_.get(), scattered);
    }
    if (!alone) tile.scatter.scatter(node_, scattered, in_region(t));
  }
  void finish(int) override {}

 private:
  /// Of any tile, in elements.
  struct Most {
    Index out = 0, in = 0, sent = 0, received = 0;
  };
  /// What the node's ranks do tile by tile; they tell each other how much they have.
  Most lay_out_turns(const Nodes& nodes, const std::vector<int>& members) {
    const int self = comm_.rank();
    Most most;
    for (int t = 0; t < tiles(); ++t) {
      Turn& tile = turns_.emplace_back();
      // by place and peer; what stays on a rank is not counted
      const auto out = node_.gather_all(out_[at(t)].counts), in = node_.gather_all(in_[at(t)].counts);
      std::vector<Index> out_totals, in_totals;
      for (std::size_t k = 0; k < out.size(); ++k) out_totals.push_back(sum(out[k])), in_totals.push_back(sum(in[k]));
      const mpi::Parts gathered = parts(out_totals), scattered = parts(in_totals);
      if (members.size() > 1) {
        tile.gather = mpi::Rooted(node_, sum(out_[at(t)].counts), gathered, element_);
        tile.scatter = mpi::Rooted(node_, sum(in_[at(t)].counts), scattered, element_);
      }
      if (!leads_) continue;
      const auto out_place = [&](std::size_t k, int peer) {
        return gathered.offsets[k] + sum({out[k].begin(), out[k].begin() + peer});
      };
      const auto in_place = [&](std::size_t k, int peer) {
        return scattered.offsets[k] + sum({in[k].begin(), in[k].begin() + peer});
      };
      Index sent = 0, received = 0;
      for (int n = 0; n < nodes.count(); ++n) {
        const auto& others = nodes.members[at(n)];
        if (n == nodes.of[at(self)]) {
          for (std::size_t k = 0; k < members.size(); ++k)
            for (std::size_t to = 0; to < members.size(); ++to)
              add(tile.inside, out_place(k, members[to]), in_place(to, members[k]), out[k][at(members[to])]);
          continue;
        }
        const Index send_begin = sent, receive_begin = received;
        for (std::size_t k = 0; k < members.size(); ++k)
          for (const int peer : others) {
            add(tile.leave, out_place(k, peer), sent, out[k][at(peer)]);
            sent += out[k][at(peer)];
          }
        for (const int peer : others)
          for (std::size_t k = 0; k < members.size(); ++k) {
            add(tile.arrive, received, in_place(k, peer), in[k][at(peer)]);
            received += in[k][at(peer)];
          }
        if (sent > send_begin)
          tile.sends.push_back({others.front(), send_begin, mpi::Amount(sent - send_begin, element_)});
        if (received > receive_begin)
          tile.receives.push_back({others.front(), receive_begin, mpi::Amount(received - receive_begin, element_)});
      }
      tile.under_way = mpi::Requests(tile.sends.size() + tile.receives.size());
      most.out = std::max(most.out, sum(out_totals)), most.in = std::max(most.in, sum(in_totals));
      most.sent = std::max(most.sent, sent), most.received = std::max(most.received, received);
    }
    return most;
  }

  struct Copy {
    Index from, to, count;  // elements
  };
  struct Message {
    int peer;
    Index at;  // elements
    mpi::Amount amount;
  };
  struct Turn {
    mpi::Rooted gather, scatter;
    std::vector<Copy> leave, inside, arrive;
    std::vector<Message> sends, receives;
    mpi::Requests under_way;
  };

  static void add(std::vector<Copy>& list, Index from, Index to, Index count) {
    if (count == 0) return;
    if (!list.empty() && list.back().from + list.back().count == from && list.back().to + list.back().count == to)
      list.back().count += count;
    else
      list.push_back({from, to, count});
  }
  void copy(const std::vector<Copy>& list, const std::byte* from, std::byte* to) const {
    for (const Copy& c : list)
      std::memcpy(to + c.to * element_.size(), from + c.from * element_.size(),
                  static_cast<std::size_t>(c.count * element_.size()));
  }

  mpi::Communicator node_;
  bool leads_ = false;
  std::vector<Turn> turns_;  // by tile
  std::shared_ptr<std::byte> gathered_, sent_, received_, scattered_;
};

class Leader final : public Strategy {
 public:
  std::string_view name() const override { return "leader"; }
  std::string_view summary() const override {
    return "MPI_Gatherv to the node's leader, one message for each pair of nodes, MPI_Scatterv";
  }
  std::string declines(const Demand&) const override { return {}; }

  Cost cost(const Demand& demand) const override {
    const Pattern& pattern = demand.pattern;
    const Nodes nodes(demand);
    const std::size_t count = nodes.members.size(), ranks = at(pattern.ranks());
    Leaving leaving(demand);
    std::vector<Index> calls(ranks, 0), messages(ranks, 0), elements(ranks, 0), copied(count, 0);
    Cost cost;
    for (int t = 0; t < pattern.tiles(); ++t) {
      std::vector<Index> blocks(count * count, 0), out(ranks, 0), in(ranks, 0);
      pattern.each_count(t, [&](int source, int target, Index sent) {
        if (source == target) return true;
        out[at(source)] += sent, in[at(target)] += sent;
        blocks[at(nodes.of[at(source)]) * count + at(nodes.of[at(target)])] += sent;
        return true;
      });
      for (std::size_t n = 0; n < count; ++n) {
        const auto& members = nodes.members[n];
        const auto leader = at(members.front());
        for (const int member : members) {
          if (members.size() > 1) calls[at(member)] += 2;
          copied[n] += out[at(member)] + in[at(member)];
          if (at(member) == leader) continue;
          messages[at(member)] += out[at(member)] > 0;
          elements[at(member)] += out[at(member)];
          messages[leader] += in[at(member)] > 0;
          elements[leader] += in[at(member)];
        }
        for (std::size_t to = 0; to < count; ++to) {
          const Index block = to == n ? 0 : blocks[n * count + to];
          if (block == 0) continue;
          ++messages[leader];
          ++calls[leader], ++calls[at(nodes.members[to].front())];
          elements[leader] += block;
          leaving.add(members.front(), nodes.members[to].front(), 1, block * demand.element_bytes);
        }
      }
      if (pattern.ranks() > 1) cost.depth += count == ranks ? 1 : count == 1 ? 2 : 3;
    }
    cost.calls = *std::max_element(calls.begin(), calls.end());
    cost.messages = *std::max_element(messages.begin(), messages.end());
    cost.bytes = *std::max_element(elements.begin(), elements.end()) * demand.element_bytes;
    cost.copied = *std::max_element(copied.begin(), copied.end()) * demand.element_bytes;
    leaving.into(cost);
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<LeaderExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> leader() { return std::make_unique<Leader>(); }

}  // namespace weft

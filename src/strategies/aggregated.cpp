#include "strategies/aggregated.hpp"

#include <algorithm>
#include <numeric>

#include "strategies/packed.hpp"

namespace weft {
namespace {

/// No rank carries less of a block than this where several do, and no message of theirs is longer
/// than a piece: measured over TCP between two hosts with 2 ranks each
/// (docs/reproductions/stick_redistribution.md). Open MPI sends 64 KiB there without asking first;
/// what is longer takes up to twice as long.
constexpr Index part_bytes = Index{192} << 10, piece_bytes = Index{60} << 10;

constexpr Index flag_bytes = sizeof(mpi::Flag), line_bytes = 64;

/// By tile and peer: how much a rank of the node gives to a peer, or takes from it.
class Counts {
 public:
  Counts(const mpi::Communicator& node, const Pattern& pattern, bool gives) : peers_(at(pattern.ranks())) {
    std::vector<Index> own(at(pattern.tiles()) * peers_, 0);
    for (int t = 0; t < pattern.tiles(); ++t)
      for (const Piece& piece : gives ? pattern.tile(t).gives : pattern.tile(t).takes)
        own[at(t) * peers_ + at(piece.peer)] += piece.at.box.volume();
    of_ = node.gather_all(own);
  }
  /// Of the rank at a place of the node.
  Index operator()(int place, int t, int peer) const { return of_[at(place)][at(t) * peers_ + at(peer)]; }
  Index sum(int place, int t, const std::vector<int>& peers) const {
    Index all = 0;
    for (const int peer : peers) all += (*this)(place, t, peer);
    return all;
  }

 private:
  std::size_t peers_;
  std::vector<std::vector<Index>> of_;
};

/// Where something lies: the part of a place of the node, and elements from its begin.
struct Spot {
  int place = 0;
  Index offset = 0;
};

/// A tile's memory on the node.
struct Region {
  std::vector<Spot> inside;   ///< by place: what that rank gives to ranks of the node, itself included, by target
  std::vector<Spot> out, in;  ///< by node: the block for it, and the block from it
  std::vector<Index> out_count, in_count;
};

/// Elements of a block.
struct Range {
  Index begin, end;
};

/// By place, what a rank of the node has in a block: what it writes of one that leaves, or reads of
/// one that arrives.
class Shares {
 public:
  explicit Shares(int places) : of_(at(places)) {}
  void add(int place, Index elements) {
    if (elements > 0) of_[at(place)].push_back({end_, end_ + elements});
    end_ += elements;
  }
  bool touched(int place, const Carried& part) const {
    const auto& own = of_[at(place)];
    return std::any_of(own.begin(), own.end(),
                       [&](const Range& r) { return r.begin < part.first + part.count && part.first < r.end; });
  }

 private:
  std::vector<std::vector<Range>> of_;
  Index end_ = 0;
};

/// Pieces, one behind the other in their peers' blocks.
std::vector<Piece> placed(std::vector<Piece> pieces, const Demand& demand, const std::vector<Spot>& begins,
                          const std::vector<int>& slots) {
  std::vector<Spot> next = begins;
  for (Piece& piece : pieces) {
    Spot& spot = next[at(piece.peer)];
    piece.at = dense_view(piece.at.box, block_order(demand, piece.at.box), {}, slots[at(spot.place)], spot.offset);
    spot.offset += piece.at.box.volume();
  }
  return pieces;
}

}  // namespace

std::vector<Carried> carried(const Nodes& nodes, Carriers carriers, int from, int to, Index elements,
                             Index element_bytes) {
  const auto &sources = nodes.members[at(from)], &targets = nodes.members[at(to)];
  if (elements == 0) return {};
  if (carriers == Carriers::leader) return {{sources.front(), targets.front(), 0, elements}};
  const Index most = static_cast<Index>(std::min(sources.size(), targets.size()));
  const Index parts = std::clamp<Index>(elements * element_bytes / part_bytes, 1, std::min(most, elements));
  std::vector<Carried> all;
  for (Index i = 0; i < parts; ++i) {
    const Index first = elements * i / parts, end = elements * (i + 1) / parts;
    // One of those whose own share of the block the part mostly is. They take turns by the number
    // of the other node, so that each has about as many to talk to.
    const auto turn = [&](const std::vector<int>& members, int other) {
      const Index all_members = static_cast<Index>(members.size()), begin = all_members * i / parts,
                  share = all_members * (i + 1) / parts - begin;
      return members[static_cast<std::size_t>(begin + other % share)];
    };
    const Index pieces = std::min(((end - first) * element_bytes + piece_bytes - 1) / piece_bytes, end - first);
    for (Index piece = 0; piece < pieces; ++piece) {
      const Index begin = first + (end - first) * piece / pieces;
      all.push_back(
          {turn(sources, to), turn(targets, from), begin, first + (end - first) * (piece + 1) / pieces - begin});
    }
  }
  return all;
}

AggregatedExchange::AggregatedExchange(const Demand& demand, MPI_Comm group, Carriers carriers)
    : comm_(mpi::Communicator::of(group)), element_(mpi::Datatype::bytes(demand.element_bytes)) {
  const Pattern& pattern = demand.pattern;
  const Nodes nodes(demand);
  const int self = pattern.rank(), here = nodes.of[at(self)], place = nodes.place[at(self)];
  const std::vector<int>& members = nodes.beside(self);
  const int places = static_cast<int>(members.size());
  node_ = comm_.group(members);
  const auto counts = [&](bool of_gives) { return node_.together([&] { return Counts(node_, pattern, of_gives); }); };
  const Counts gives = counts(true), takes = counts(false);

  // where everything lies
  std::vector<Index> ends(at(places), 0);
  const Index line = line_bytes / std::gcd(line_bytes, demand.element_bytes);  // in elements
  const auto take = [&](int owner, Index elements) {
    Index& end = ends[at(owner)];
    const Spot spot{owner, end};
    end = (end + elements + line - 1) / line * line;
    return spot;
  };
  const auto all_of = [&](int t) {
    Region region;
    for (int k = 0; k < places; ++k)
      region.inside.push_back(take(carriers == Carriers::leader ? 0 : k, gives.sum(k, t, members)));
    for (int n = 0; n < nodes.count(); ++n) {
      for (const bool leaves : {true, false}) {
        Index count = 0;
        for (int k = 0; k < places && n != here; ++k) count += (leaves ? gives : takes).sum(k, t, nodes.members[at(n)]);
        // with the first of those who carry it
        const auto messages = leaves ? carried(nodes, carriers, here, n, count, demand.element_bytes)
                                     : carried(nodes, carriers, n, here, count, demand.element_bytes);
        const int owner =
            messages.empty() ? 0 : nodes.place[at(leaves ? messages.front().source : messages.front().target)];
        (leaves ? region.out : region.in).push_back(take(owner, count));
        (leaves ? region.out_count : region.in_count).push_back(count);
      }
    }
    return region;
  };
  std::vector<Region> regions;
  for (int t = 0; t < pattern.tiles(); ++t) regions.push_back(all_of(t));
  comm_.agree([&] {
    for (const Index end : ends)
      flags_at_.push_back(volume({(volume({end, demand.element_bytes}) + flag_bytes - 1) / flag_bytes, flag_bytes}));
  });

  std::string refused;
  try {
    std::vector<Index> bytes = flags_at_;
    for (Index& part : bytes) part += signs * pattern.tiles() * flag_bytes;
    segments_ = node_.together([&] { return std::make_unique<mpi::Segments>(node_, bytes); });
  } catch (const Error& why) {
    refused = std::string("on its node, ") + why.what();  // whose ranks have other numbers
  }
  comm_.agree([&] {
    if (!refused.empty()) throw Error(refused);
  });
  bytes_owned_ = segments_->bytes_held();
  std::vector<int> slots;
  for (int k = 0; k < places; ++k) {
    slots.push_back(static_cast<int>(demand.slots->size()));
    demand.slots->push_back(segments_->part(k));
    promises_.shared.push_back({slots.back(), members[at(k)]});
  }

  states_.resize(at(pattern.tiles()));
  for (int t = 0; t < pattern.tiles(); ++t) {
    const Region& region = regions[at(t)];
    // by peer, where this rank writes for it and reads from it
    std::vector<Spot> out(at(pattern.ranks())), in(out);
    for (int n = 0; n < nodes.count(); ++n) {
      const auto& others = nodes.members[at(n)];
      if (n == here) {
        Spot next = region.inside[at(place)];
        for (int k = 0; k < places; ++k) {
          out[at(members[at(k)])] = next;
          next.offset += gives(place, t, members[at(k)]);
          Spot& from = in[at(members[at(k)])] = region.inside[at(k)];
          for (int before = 0; before < place; ++before) from.offset += gives(k, t, members[at(before)]);
        }
        continue;
      }
      Spot next = region.out[at(n)];
      for (int before = 0; before < place; ++before) next.offset += gives.sum(before, t, others);
      for (const int target : others) {
        out[at(target)] = next;
        next.offset += gives(place, t, target);
      }
      next = region.in[at(n)];
      for (const int source : others)
        for (int k = 0; k < places; ++k) {
          if (k == place) in[at(source)] = next;
          next.offset += takes(k, t, source);
        }
    }
    tiles_.push_back(
        {placed(pattern.tile(t).gives, demand, out, slots), placed(pattern.tile(t).takes, demand, in, slots)});

    State& state = states_[at(t)];
    state.own = flag(place, t, written);
    const auto waits = [&](Verb verb, int member, Verb of, int rounds, bool begun = false) {
      promises_.waits.push_back({verb, t, member, of, t, rounds, begun});
    };
    for (int k = 0; k < places; ++k) {
      const int member = members[at(k)];
      if (k == place) continue;
      if (gives(k, t, self) > 0) {
        state.coming.flags.push_back(flag(k, t, written));
        waits(Verb::finish, member, Verb::start, 0, true);
        state.tell.push_back(flag(k, t, read));
        state.bytes_read += gives(k, t, self) * demand.element_bytes;
      }
      if (gives(place, t, member) == 0) continue;
      ++state.readers;
      waits(Verb::open, member, Verb::close, 1);
    }
    // by place: whose data this rank carries away, and who carries this rank's; who takes what this
    // rank carries here, and who carries it here for this rank
    std::vector<bool> givers(at(places), false), away(givers), takers(givers), towards(givers);
    for (int n = 0; n < nodes.count(); ++n) {
      if (n == here) continue;
      const auto& others = nodes.members[at(n)];
      Shares leave(places), arrive(places);
      for (int k = 0; k < places; ++k) leave.add(k, gives.sum(k, t, others));
      for (const int source : others)
        for (int k = 0; k < places; ++k) arrive.add(k, takes(k, t, source));
      const auto message = [&](int peer, const Spot& block, const Carried& part, bool arrives) {
        const View bytes{Box::whole({part.count}), slots[at(block.place)], block.offset + part.first, {1}};
        promises_.touches.push_back({t, Verb::start, Verb::start, bytes, arrives});
        return Message{peer, segments_->part(block.place) + (block.offset + part.first) * demand.element_bytes,
                       mpi::Amount(part.count, element_)};
      };
      for (const Carried& part : carried(nodes, carriers, here, n, region.out_count[at(n)], demand.element_bytes)) {
        const int carrier = nodes.place[at(part.source)];
        if (leave.touched(place, part)) away[at(carrier)] = true;
        if (carrier != place) continue;
        state.out.push_back(message(part.target, region.out[at(n)], part, false));
        for (int k = 0; k < places; ++k) givers[at(k)] = givers[at(k)] || leave.touched(k, part);
      }
      for (const Carried& part : carried(nodes, carriers, n, here, region.in_count[at(n)], demand.element_bytes)) {
        const int carrier = nodes.place[at(part.target)];
        if (arrive.touched(place, part)) towards[at(carrier)] = true;
        if (carrier != place) continue;
        state.in.push_back(message(part.source, region.in[at(n)], part, true));
        for (int k = 0; k < places; ++k) takers[at(k)] = takers[at(k)] || arrive.touched(k, part);
      }
    }
    state.leaving = mpi::Requests(state.out.size());
    state.arriving = mpi::Requests(state.in.size());
    for (int k = 0; k < places; ++k) {
      const int member = members[at(k)];
      if (k == place) continue;
      if (away[at(k)]) {
        state.carry_away.push_back(flag(k, t, left));
        waits(Verb::open, member, Verb::start, 1);
      }
      if (towards[at(k)]) {
        state.coming.flags.push_back(flag(k, t, arrived));
        waits(Verb::finish, member, Verb::start, 0);
        state.tell.push_back(flag(k, t, taken));
      }
      if (givers[at(k)]) {
        state.givers.push_back(flag(k, t, written));
        waits(Verb::start, member, Verb::start, 0, true);
      }
      if (takers[at(k)]) {
        ++state.takers;
        waits(Verb::start, member, Verb::close, 1);
      }
    }
  }
}

mpi::Flag* AggregatedExchange::flag(int place, int t, Sign sign) const {
  return reinterpret_cast<mpi::Flag*>(segments_->part(place) + flags_at_[at(place)]) + signs * t + sign;
}

Traffic AggregatedExchange::traffic() const {
  Traffic traffic = comm_.traffic();
  traffic.bytes += bytes_read_;
  return traffic;
}

void AggregatedExchange::open(int t) {
  const State& state = states_[at(t)];
  state.own[read].wait(state.coming.round * state.readers, comm_);
  for (const mpi::Flag* carrier : state.carry_away) carrier->wait(state.coming.round, comm_);
}

void AggregatedExchange::start(int t) {
  State& state = states_[at(t)];
  const std::uint64_t round = ++state.coming.round;
  state.own[written].raise(round);
  // Nothing arrives over what is still read
  if (!state.in.empty()) state.own[taken].wait((round - 1) * state.takers, comm_);
  // No persistent requests: with those MPICH 4.0.2 over TCP does not return from MPI_Finalize.
  for (const Message& in : state.in) mpi::ireceive(comm_, in.data, in.amount, in.peer, tag(t), state.arriving);
  for (const mpi::Flag* giver : state.givers) giver->wait(round, comm_);
  for (const Message& out : state.out) mpi::isend(comm_, out.data, out.amount, out.peer, tag(t), state.leaving);
  state.arriving.wait();
  if (!state.in.empty()) state.own[arrived].raise(round);
  state.leaving.wait();
  if (!state.out.empty()) state.own[left].raise(round);
}

bool AggregatedExchange::test() {
  return std::all_of(states_.begin(), states_.end(), [](const State& state) { return state.coming.here(); });
}

void AggregatedExchange::finish(int t) {
  State& state = states_[at(t)];
  state.coming.wait(comm_);
  bytes_read_ += state.bytes_read;
}

void AggregatedExchange::close(int t) {
  for (mpi::Flag* counter : states_[at(t)].tell) counter->add();
}

Cost aggregated_cost(const Demand& demand, Carriers carriers) {
  const Pattern& pattern = demand.pattern;
  const Nodes nodes(demand);
  const std::size_t count = nodes.members.size();
  Leaving leaving(demand);
  std::vector<Index> messages(at(pattern.ranks()), 0), calls = messages, bytes = messages;
  Cost cost;
  for (int t = 0; t < pattern.tiles(); ++t) {
    std::vector<Index> blocks(count * count, 0);
    pattern.each_count(t, [&](int source, int target, Index elements) {
      const int from = nodes.of[at(source)], to = nodes.of[at(target)];
      if (from != to)
        blocks[at(from) * count + at(to)] += elements;
      else if (source != target)
        bytes[at(target)] += elements * demand.element_bytes;
      return true;
    });
    bool any = false;
    for (int from = 0; from < nodes.count(); ++from)
      for (int to = 0; to < nodes.count(); ++to) {
        int before = -1;
        for (const Carried& part :
             carried(nodes, carriers, from, to, blocks[at(from) * count + at(to)], demand.element_bytes)) {
          any = true;
          ++messages[at(part.source)];
          ++calls[at(part.source)], ++calls[at(part.target)];
          bytes[at(part.source)] += part.count * demand.element_bytes;
          leaving.add(part.source, part.target, part.source != before, part.count * demand.element_bytes);
          before = part.source;
        }
      }
    cost.depth += any;
  }
  cost.calls = *std::max_element(calls.begin(), calls.end());
  cost.messages = *std::max_element(messages.begin(), messages.end());
  cost.bytes = *std::max_element(bytes.begin(), bytes.end());
  leaving.into(cost);
  return cost;
}

}  // namespace weft

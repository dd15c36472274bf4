// direct: peers of the node read in place. What leaves is written once, into shared memory in the from-layout's own order, and whoever gets
// it reads it there. No copy, no message, no barrier: a flag a tile says "written", a counter a tile says "read".
//
//   messages      none
//   extra memory  the from-array itself, which a plan may take as its own first array; two cache lines a tile
//   wins          wherever all members share a node: bytes cross memory once, and each tile is waited for alone
//   loses         across nodes (declined); where readers are on another socket and read the same bytes several times
//   source        MPI-3 shared memory windows: Hoefler et al., Computing 95 (2013) 1121, doi:10.1007/s00607-013-0324-2
//
// Always true: flags count rounds and are never reset; only its owner raises `written`, and all who read a tile add to `read`, so that the
// tile may be written again when the sum is rounds times readers.

#include <algorithm>
#include <numeric>
#include <type_traits>

#include <weft/exchange.hpp>

#include "mpi/messages.hpp"
#include "mpi/segment.hpp"

namespace weft {
namespace {

/// A piece as its giver sees it, sent to its taker when planning.
struct Given {
  int tile;
  View at;
};
static_assert(std::is_trivially_copyable_v<Given>);

/// By member, what each gives to this one: tile by tile, then in the order of Pattern::Tile.
std::vector<std::vector<Given>> swap_gives(const Pattern& pattern, const mpi::Communicator& group) {
  std::vector<std::vector<Given>> gives(static_cast<std::size_t>(group.size())), takes(gives.size());
  for (int t = 0; t < pattern.tiles(); ++t)
    for (const Piece& piece : pattern.tile(t).gives) gives[static_cast<std::size_t>(piece.peer)].push_back({t, piece.at});

  mpi::Parts leave, arrive;
  std::vector<Given> leaving;
  for (const auto& list : gives) {
    leave.offsets.push_back(static_cast<Index>(leaving.size()));
    leave.counts.push_back(static_cast<Index>(list.size()));
    leaving.insert(leaving.end(), list.begin(), list.end());
  }
  arrive.counts.resize(gives.size());
  const mpi::Datatype number = mpi::Datatype::bytes(sizeof(Index)), given = mpi::Datatype::bytes(sizeof(Given));
  mpi::Alltoall::even(group, 1, number)(group, leave.counts.data(), arrive.counts.data());
  arrive.offsets.resize(gives.size());
  std::exclusive_scan(arrive.counts.begin(), arrive.counts.end(), arrive.offsets.begin(), Index{0});
  std::vector<Given> arrived(static_cast<std::size_t>(arrive.offsets.back() + arrive.counts.back()));
  mpi::Alltoall::uneven(group, leave, arrive, given)(group, leaving.data(), arrived.data());
  for (std::size_t p = 0; p < takes.size(); ++p)
    takes[p].assign(arrived.begin() + arrive.offsets[p], arrived.begin() + arrive.offsets[p] + arrive.counts[p]);
  return takes;
}

/// The pieces that this rank takes, each lying where its giver has it.
std::vector<std::vector<Piece>> in_place(const Pattern& pattern, const std::vector<std::vector<Given>>& given,
                                         const std::vector<int>& slots) {
  std::vector<std::vector<Piece>> tiles;
  std::vector<std::size_t> next(given.size());
  for (int t = 0; t < pattern.tiles(); ++t) {
    std::vector<Piece>& in = tiles.emplace_back();
    for (const Piece& take : pattern.tile(t).takes) {
      // Boxes come alike on both sides; runs may be joined differently, then a piece is read in several.
      const auto p = static_cast<std::size_t>(take.peer);
      for (Box part; part.hi != take.at.box.hi;) {
        if (next[p] == given[p].size() || given[p][next[p]].tile != t)
          throw Error("direct: what is taken from member " + std::to_string(p) + " is more than it gives");
        const View& give = given[p][next[p]].at;
        part = give.box.intersect(take.at.box);
        if (part.empty())
          throw Error("direct: member " + std::to_string(p) + " gives " + to_string(give.box) + " where " + to_string(take.at.box) +
                      " is taken");
        in.push_back({take.peer, give.cut(part)});
        in.back().at.slot = slots[p];
        if (part.hi == give.box.hi) ++next[p];
      }
    }
  }
  return tiles;
}

/// The other members in a list of pieces, once each.
std::vector<int> others(const std::vector<Piece>& pieces, int self) {
  std::vector<int> peers;
  for (const Piece& piece : pieces)
    if (piece.peer != self && (peers.empty() || peers.back() != piece.peer)) peers.push_back(piece.peer);
  return peers;
}

constexpr Index flag_bytes = sizeof(mpi::Flag);

class InPlace final : public Exchange {
 public:
  InPlace(const Demand& demand, MPI_Comm group)
      : group_(mpi::Communicator::duplicate(group)),
        flags_at_(flags_at(demand)),
        segments_(group_, flags_at_[static_cast<std::size_t>(group_.rank())] + 2 * flag_bytes * demand.pattern.tiles()),
        states_(static_cast<std::size_t>(demand.pattern.tiles())) {
    const Pattern& pattern = demand.pattern;
    const int self = group_.rank();
    std::vector<int> slots;
    for (int p = 0; p < group_.size(); ++p) {
      slots.push_back(static_cast<int>(demand.slots->size()));
      demand.slots->push_back(segments_.part(p));
    }
    const int own = slots[static_cast<std::size_t>(self)];
    if (pattern.from().has_boxes()) array_ = pattern.from().view(pattern.members()[static_cast<std::size_t>(self)], own);
    bytes_owned_ = segments_.bytes_held();

    const auto given = swap_gives(pattern, group_);
    auto in = group_.agree([&] { return in_place(pattern, given, slots); });
    for (int t = 0; t < pattern.tiles(); ++t) {
      Tile& tile = tiles_.emplace_back(Tile{pattern.tile(t).gives, std::move(in[static_cast<std::size_t>(t)])});
      for (Piece& piece : tile.out) piece.at.slot = own;

      State& state = states_[static_cast<std::size_t>(t)];
      state.written = written(self, t);
      state.read = state.written + 1;
      state.readers = others(tile.out, self).size();
      for (const int p : others(tile.in, self)) state.sources.push_back(written(p, t));
      for (const Piece& piece : tile.in)
        if (piece.peer != self) state.bytes += piece.at.box.volume() * demand.element_bytes;
    }
  }

  Traffic traffic() const override { return {0, 0, bytes_read_}; }
  std::string note() const override { return segments_.note(); }

  void open(int t) override {
    const State& state = states_[static_cast<std::size_t>(t)];
    state.read->wait(state.round * state.readers, group_);
  }

  void start(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    state.written->raise(++state.round);
  }

  bool test() override {
    return std::all_of(states_.begin(), states_.end(), [](const State& state) {
      return state.finished == state.round ||
             std::all_of(state.sources.begin(), state.sources.end(), [&](const mpi::Flag* source) { return source->reached(state.round); });
    });
  }

  void finish(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    for (const mpi::Flag* source : state.sources) source->wait(state.round, group_);
    state.finished = state.round;
    bytes_read_ += state.bytes;
  }

  void close(int t) override {
    for (mpi::Flag* source : states_[static_cast<std::size_t>(t)].sources) source[1].add();
  }

 private:
  /// A tile's two flags lie behind one another: `written`, raised by its owner to the round, and `read`, to which every reader adds.
  struct State {
    mpi::Flag *written = nullptr, *read = nullptr;
    std::vector<mpi::Flag*> sources;  ///< `written` of those from whom something comes
    std::uint64_t readers = 0, round = 0, finished = 0;
    Index bytes = 0;
  };

  /// By member, where its flags begin behind its array. Throws where that is beyond 63 bits, alike on all members.
  static std::vector<Index> flags_at(const Demand& demand) {
    std::vector<Index> all;
    for (const int rank : demand.pattern.members()) {
      const Index bytes = volume({demand.pattern.from().elements(rank), demand.element_bytes});
      all.push_back(volume({(bytes + flag_bytes - 1) / flag_bytes, flag_bytes}));
    }
    return all;
  }

  mpi::Flag* written(int member, int t) const {
    return reinterpret_cast<mpi::Flag*>(segments_.part(member) + flags_at_[static_cast<std::size_t>(member)]) + 2 * t;
  }

  mpi::Communicator group_;
  std::vector<Index> flags_at_;  // by member
  mpi::Segments segments_;
  std::vector<State> states_;
  Index bytes_read_ = 0;
};

class Direct final : public Strategy {
 public:
  std::string_view name() const override { return "direct"; }
  std::string_view summary() const override { return "peers' memory read in place, no copies; one node only"; }
  bool overlaps() const override { return true; }

  std::string declines(const Demand& demand) const override {
    for (std::size_t m = 1; m < demand.nodes.size(); ++m)
      if (demand.nodes[m] != demand.nodes[0])
        return "members 0 and " + std::to_string(m) + " are on different nodes, and memory can be read in place on one node only";
    return {};
  }

  /// Nothing passes through MPI; the bytes are those read from others.
  Cost cost(const Demand& demand) const override {
    const Pattern& pattern = demand.pattern;
    std::vector<Index> read(static_cast<std::size_t>(pattern.ranks()), 0);
    for (int t = 0; t < pattern.tiles(); ++t)
      pattern.each_count(t, [&](int source, int target, Index count) {
        if (source != target) read[static_cast<std::size_t>(target)] += count;
        return true;
      });
    Cost cost;
    cost.bytes = *std::max_element(read.begin(), read.end()) * demand.element_bytes;
    return cost;
  }

  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override { return std::make_unique<InPlace>(demand, group); }
};

}  // namespace

std::unique_ptr<Strategy> direct() { return std::make_unique<Direct>(); }

}  // namespace weft

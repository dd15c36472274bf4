#include "strategies/in_place.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "mpi/messages.hpp"

namespace weft {
namespace {

/// A piece as one end has it, sent to the other.
struct Told {
  int tile;
  View at;
};
static_assert(std::is_trivially_copyable_v<Told>);

/// By member, how many pieces it tells this one.
std::vector<Index> told_counts(const mpi::Communicator& group, const std::vector<Index>& telling) {
  std::vector<Index> counts(telling.size());
  const mpi::Datatype number = mpi::Datatype::bytes(sizeof(Index));
  const auto exchange = mpi::Alltoall::even(group, 1, number);
  group.hear();
  exchange(group, telling.data(), counts.data());
  return counts;
}

/// By member, where it has what it shares with this one: tile by tile, then in the order of
/// Pattern::Tile. Boxes come alike on both sides, as many as are `mine`.
std::vector<std::vector<Told>> tell(const mpi::Communicator& group, const Pieces& mine, const Pieces& yours,
                                    bool boxes) {
  std::vector<std::vector<Told>> telling(static_cast<std::size_t>(group.size())), told(telling.size());
  for (std::size_t t = 0; t < yours.size(); ++t)
    for (const Piece& piece : yours[t])
      telling[static_cast<std::size_t>(piece.peer)].push_back({static_cast<int>(t), piece.at});

  mpi::Parts leave, arrive;
  std::vector<Told> leaving;
  for (const auto& list : telling) {
    leave.offsets.push_back(static_cast<Index>(leaving.size()));
    leave.counts.push_back(static_cast<Index>(list.size()));
    leaving.insert(leaving.end(), list.begin(), list.end());
  }
  arrive.counts.resize(telling.size());
  if (boxes)
    for (const auto& tile : mine)
      for (const Piece& piece : tile) ++arrive.counts[static_cast<std::size_t>(piece.peer)];
  else
    arrive.counts = told_counts(group, leave.counts);
  const mpi::Datatype one = mpi::Datatype::bytes(sizeof(Told));
  arrive.offsets.resize(telling.size());
  std::exclusive_scan(arrive.counts.begin(), arrive.counts.end(), arrive.offsets.begin(), Index{0});
  std::vector<Told> arrived(static_cast<std::size_t>(arrive.offsets.back() + arrive.counts.back()));
  const auto pieces = mpi::Alltoall::uneven(group, leave, arrive, one);
  group.hear();
  pieces(group, leaving.data(), arrived.data());
  for (std::size_t p = 0; p < told.size(); ++p)
    told[p].assign(arrived.begin() + arrive.offsets[p], arrived.begin() + arrive.offsets[p] + arrive.counts[p]);
  return told;
}

constexpr Index flag_size = sizeof(mpi::Flag);

std::vector<Index> flags_at(const Demand& demand, const std::vector<Index>& elements) {
  std::vector<Index> all;
  for (const Index held : elements) {
    const Index bytes = volume({held, demand.element_bytes});
    all.push_back(volume({(bytes + flag_size - 1) / flag_size, flag_size}));
  }
  return all;
}

std::vector<Index> with_flags(std::vector<Index> flags_at, int tiles) {
  for (Index& bytes : flags_at) bytes += 2 * flag_size * tiles;
  return flags_at;
}

}  // namespace

SharedArrays::SharedArrays(const Demand& demand, const std::vector<Index>& elements, const mpi::Communicator& group)
    : flags_at_(flags_at(demand, elements)), segments_(group, with_flags(flags_at_, demand.pattern.tiles())) {
  for (int p = 0; p < group.size(); ++p) {
    slots_.push_back(static_cast<int>(demand.slots->size()));
    demand.slots->push_back(segments_.part(p));
  }
}

std::vector<Exchange::Promises::Shared> SharedArrays::shared() const {
  std::vector<Exchange::Promises::Shared> all;
  for (std::size_t p = 0; p < slots_.size(); ++p) all.push_back({slots_[p], static_cast<int>(p)});
  return all;
}

mpi::Flag* SharedArrays::flag(int member, int tile, int which) const {
  return reinterpret_cast<mpi::Flag*>(segments_.part(member) + flags_at_[static_cast<std::size_t>(member)]) + 2 * tile +
         which;
}

Pieces gives(const Pattern& pattern) {
  Pieces all;
  for (int t = 0; t < pattern.tiles(); ++t) all.push_back(pattern.tile(t).gives);
  return all;
}

Pieces takes(const Pattern& pattern) {
  Pieces all;
  for (int t = 0; t < pattern.tiles(); ++t) all.push_back(pattern.tile(t).takes);
  return all;
}

Pieces theirs(std::string_view strategy, const mpi::Communicator& group, const std::vector<int>& slots,
              const Pieces& mine, const Pieces& yours, const Pattern& pattern) {
  const auto told = tell(group, mine, yours, pattern.from().has_boxes() && pattern.to().has_boxes());
  Pieces tiles;
  std::vector<std::size_t> next(told.size());
  for (std::size_t t = 0; t < mine.size(); ++t) {
    std::vector<Piece>& placed = tiles.emplace_back();
    for (const Piece& own : mine[t]) {
      // Boxes come alike on both sides; runs may be joined differently, then a piece lies in
      // several.
      const auto p = static_cast<std::size_t>(own.peer);
      for (Box part; part.hi != own.at.box.hi;) {
        if (next[p] == told[p].size() || told[p][next[p]].tile != static_cast<int>(t))
          throw Error(std::string(strategy) + ": member " + std::to_string(p) + " has less than is shared with it");
        const View& there = told[p][next[p]].at;
        part = there.box.intersect(own.at.box);
        if (part.empty())
          throw Error(std::string(strategy) + ": member " + std::to_string(p) + " has " + to_string(there.box) +
                      " where " + to_string(own.at.box) + " is shared");
        placed.push_back({own.peer, there.cut(part)});
        placed.back().at.slot = slots[p];
        if (part.hi == there.box.hi) ++next[p];
      }
    }
  }
  return tiles;
}

std::string apart(const Demand& demand, const char* done) {
  for (std::size_t m = 1; m < demand.nodes.size(); ++m)
    if (demand.nodes[m] != demand.nodes[0])
      return "members 0 and " + std::to_string(m) + " are on different nodes, and memory can be " + done +
             " in place on one node only";
  return {};
}

Index most_bytes(const Demand& demand, int Pair::*end) {
  const Pattern& pattern = demand.pattern;
  std::vector<Index> elements(static_cast<std::size_t>(pattern.ranks()), 0);
  for (int t = 0; t < pattern.tiles(); ++t)
    pattern.each_count(t, [&](int source, int target, Index count) {
      if (source != target) elements[static_cast<std::size_t>(Pair{source, target}.*end)] += count;
      return true;
    });
  return *std::max_element(elements.begin(), elements.end()) * demand.element_bytes;
}

std::vector<int> others(const std::vector<Piece>& pieces, int self) {
  std::vector<int> peers;
  for (const Piece& piece : pieces)
    if (piece.peer != self && (peers.empty() || peers.back() != piece.peer)) peers.push_back(piece.peer);
  return peers;
}

}  // namespace weft

// What strategies share that read or write peers' memory in place: arrays in one memory, flags behind them, and where peers have what one shares with them.
#pragma once

#include <functional>

#include <weft/exchange.hpp>

#include "mpi/segment.hpp"

namespace weft {

/// Every member's array of one layout of a pattern, in memory that all see, each followed by two flags a tile.
class SharedArrays {
 public:
  /// Collective over `group`; appends a slot for every member's array to the demand's. Throws alike on all members, also where sizes are beyond 63 bits.
  /// `elements`: how many of the layout's a rank has at a time.
  SharedArrays(const Demand& demand, const std::function<Index(int rank)>& elements, const mpi::Communicator& group);

  const std::vector<int>& slots() const { return slots_; }  ///< by member
  mpi::Flag* flag(int member, int tile, int which) const;
  Index bytes_held() const { return segments_.bytes_held(); }
  const std::string& note() const { return segments_.note(); }

 private:
  std::vector<Index> flags_at_;  // by member, bytes
  mpi::Segments segments_;
  std::vector<int> slots_;
};

/// One side of a tile: what leaves, or what arrives.
using Way = std::vector<Piece> Pattern::Tile::*;

/// Collective over `group`, the pattern's members. For every tile this rank's pieces of `mine`, each lying where the peer at its other end has it in its
/// `yours`, in slot `slots[peer]`; pieces of runs are cut where either side cuts them. Throws Error, named by `strategy`, when the two sides do not match.
std::vector<std::vector<Piece>> theirs(std::string_view strategy, const Pattern& pattern, const mpi::Communicator& group, const std::vector<int>& slots,
                                       Way mine, Way yours);

/// Why members on different nodes cannot have their memory `done` in place ("read", "written"); empty where all are on one.
std::string apart(const Demand& demand, const char* done);

struct Pair {
  int source, target;
};
/// The most bytes that go between a member, as that end of a pair, and all others.
Index most_bytes(const Demand& demand, int Pair::*end);

/// The other members in a list of pieces, once each.
std::vector<int> others(const std::vector<Piece>& pieces, int self);

}  // namespace weft

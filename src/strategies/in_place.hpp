// What strategies share that read or write peers' memory in place: arrays in one memory, flags
// behind them, and where peers have what one shares with them.
#pragma once

#include <weft/exchange.hpp>

#include "mpi/segment.hpp"

namespace weft {

/// Every member's array of one layout of a pattern, in memory that all see, each followed by two
/// flags a tile.
class SharedArrays {
 public:
  /// Collective over `group`; appends a slot for every member's array to the demand's. Throws alike
  /// on all members, also where sizes are beyond 63 bits. `elements`: how many each member has at a
  /// time.
  SharedArrays(const Demand& demand, const std::vector<Index>& elements, const mpi::Communicator& group);

  const std::vector<int>& slots() const { return slots_; }  ///< by member
  std::vector<Exchange::Promises::Shared> shared() const;
  mpi::Flag* flag(int member, int tile, int which) const;
  Index bytes_held() const { return segments_.bytes_held(); }
  const std::string& note() const { return segments_.note(); }

 private:
  std::vector<Index> flags_at_;  // by member, bytes
  mpi::Segments segments_;
  std::vector<int> slots_;
};

/// One side of every tile: what leaves, or what arrives.
using Pieces = std::vector<std::vector<Piece>>;
Pieces gives(const Pattern& pattern);
Pieces takes(const Pattern& pattern);

/// Collective over `group`, the pattern's members, inside of a `together` of theirs. This rank's
/// pieces of `mine`, each lying where the peer at its other end has it in what is `yours` there: the
/// same side on all members, the other one than `mine`. In slot `slots[peer]`; pieces of runs are
/// cut where either side cuts them. Throws Error, named by `strategy`, when the two sides do not
/// match.
Pieces theirs(std::string_view strategy, const mpi::Communicator& group, const std::vector<int>& slots,
              const Pieces& mine, const Pieces& yours, const Pattern& pattern);

/// Why members on different nodes cannot have their memory `done` in place ("read", "written");
/// empty where all are on one.
std::string apart(const Demand& demand, const char* done);

struct Pair {
  int source, target;
};
/// The most bytes that go between a member, as that end of a pair, and all others.
Index most_bytes(const Demand& demand, int Pair::*end);

/// The other members in a list of pieces, once each.
std::vector<int> others(const std::vector<Piece>& pieces, int self);

}  // namespace weft

#include "plan/moves.hpp"

#include <algorithm>

namespace weft {

std::vector<Piece> for_peer(int peer, std::vector<Piece> pieces) {
  std::erase_if(pieces, [&](const Piece& piece) { return piece.peer != peer; });
  return pieces;
}

std::vector<Piece> in_slot(std::vector<Piece> pieces, int slot) {
  for (Piece& piece : pieces) piece.at.slot = slot;
  return pieces;
}

Moves moves(const std::vector<Piece>& gives, const std::vector<Piece>& takes, const Exchange::Tile& tile, int self) {
  Moves all;
  bool skips = true;  // what stays here would be read where it is written
  each_common(for_peer(self, tile.out), for_peer(self, tile.in),
              [&](int, const View& out, const View& in) { skips = skips && same_memory(out, in); });
  if (skips)
    each_common(for_peer(self, gives), for_peer(self, takes), [&](int, const View& give, const View& take) {
      all.stay.push_back({give, take});
    });
  const auto add = [&](std::vector<Move>& list, int peer, const View& from, const View& to) {
    if ((peer != self || !skips) && !same_memory(from, to)) list.push_back({from, to});
  };
  each_common(gives, tile.out, [&](int peer, const View& give, const View& out) { add(all.leave, peer, give, out); });
  each_common(takes, tile.in, [&](int peer, const View& take, const View& in) { add(all.arrive, peer, in, take); });
  return all;
}

}  // namespace weft

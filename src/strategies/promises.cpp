#include "strategies/promises.hpp"

#include "strategies/in_place.hpp"

namespace weft {

Exchange::Promises by_messages(const Exchange& exchange, int self) {
  using Verb = Exchange::Verb;
  Exchange::Promises promises;
  for (int t = 0; t < exchange.tiles(); ++t) {
    const Exchange::Tile& tile = exchange.tile(t);
    for (const int giver : others(tile.in, self))
      promises.waits.push_back(
          {.verb = Verb::finish, .tile = t, .member = giver, .of = Verb::start, .of_tile = t, .begun = true});
    for (const bool writes : {false, true})
      for (const Piece& piece : writes ? tile.in : tile.out)
        if (piece.peer != self) promises.touches.push_back({t, Verb::start, Verb::finish, piece.at, writes});
  }
  return promises;
}

Exchange::Promises Exchange::promises(int self) const {
  Promises promises = by_messages(*this, self);
  for (int t = 0; t < tiles(); ++t)
    for (const int taker : others(tile(t).out, self))
      promises.waits.push_back(
          {.verb = Verb::open, .tile = t, .member = taker, .of = Verb::close, .of_tile = t, .rounds = 1});
  return promises;
}

}  // namespace weft

// What is copied around an exchange: from where its caller has it to where the exchange sends it
// from, and from where the exchange receives it to where the caller wants it.
#pragma once

#include <vector>

#include <weft/exchange.hpp>

namespace weft {

/// Views of equal extents, whose boxes may differ in position.
struct Move {
  View from, to;
};

struct Moves {
  std::vector<Move> leave;   ///< before the exchange starts
  std::vector<Move> stay;    ///< from the caller's memory to the caller's, at any time
  std::vector<Move> arrive;  ///< when the exchange has finished, by peer in ascending order
};

/// Calls visit(peer, a's view, b's view) for what two lists of the same pieces in the same order
/// have in common: they may be cut differently.
template <class Visit>
void each_common(const std::vector<Piece>& a, const std::vector<Piece>& b, Visit visit) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const Box common = x->at.box.intersect(y->at.box);
    visit(x->peer, x->at.cut(common), y->at.cut(common));
    const bool x_ends = common.hi == x->at.box.hi, y_ends = common.hi == y->at.box.hi;
    x += x_ends;
    y += y_ends;
  }
}

std::vector<Piece> for_peer(int peer, std::vector<Piece> pieces);
std::vector<Piece> in_slot(std::vector<Piece> pieces, int slot);

/// The copies around a tile of an exchange, as member `self`. `gives` and `takes` are the pattern's
/// pieces in the caller's slots. No copy is made between two views that are the same memory; what
/// stays on this rank goes from the caller's memory to the caller's at once, unless the exchange
/// itself moves it.
Moves moves(const std::vector<Piece>& gives, const std::vector<Piece>& takes, const Exchange::Tile& tile, int self);

}  // namespace weft

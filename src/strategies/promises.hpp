// What exchanges promise between members, for those that have it in common.
#pragma once

#include <weft/exchange.hpp>

namespace weft {

/// Of messages: between start and finish what leaves is read and what comes is written, both in
/// this member's own memory; a tile is finished when all who give to it have started it. Nobody
/// waits for a close.
Exchange::Promises by_messages(const Exchange& exchange, int self);

}  // namespace weft

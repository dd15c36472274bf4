// Reduced precision on the wire: doubles that travel as floats, whatever the strategy that sends
// them.
#pragma once

#include <memory>

#include <weft/exchange.hpp>

namespace weft {

/// The strategy, sending half the bytes: elements of the demand are doubles, or several, that are
/// rounded to floats when a tile starts and become doubles again when it is finished. What stays on
/// a rank is not rounded. Declines where no messages are sent.
std::shared_ptr<const Strategy> single_on_wire(const Strategy&);

}  // namespace weft

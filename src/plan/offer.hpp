// What a strategy offers for a demand: its cost, or why it declines. Plans that choose and
// forecasts both ask here.
#pragma once

#include <string>

#include <weft/exchange.hpp>

namespace weft {

struct Offer {
  std::string declined;  ///< empty: it does not decline
  Cost cost;
};

/// `arrives`: bytes that this rank takes, which a strategy without a landing copies once more where
/// they are a result.
inline Offer offer_of(const Strategy& strategy, const Demand& demand, Index arrives) {
  Offer offer{strategy.declines(demand), {}};
  if (!offer.declined.empty()) return offer;
  offer.cost = strategy.cost(demand);
  if (demand.to_is_result && !strategy.has_landing()) offer.cost.copied += arrives;
  return offer;
}

}  // namespace weft

// From a strategy's name to an exchange: "auto" is resolved by cost, and what one rank declines all
// decline.
#pragma once

#include <weft/plan.hpp>

#include "mpi/communicator.hpp"

namespace weft {

struct Bound {
  const Strategy* strategy = nullptr;
  std::unique_ptr<Exchange> exchange;
  std::string reason;                  ///< why this strategy, one line
  std::vector<Considered> considered;  ///< by "auto", the cheapest first and those that decline last
};

/// Collective over `comm`, whose ranks are those of the demand's layouts. Throws alike on all
/// ranks: Error when the name is unknown, Declined when the strategy of that name declines, with
/// the reason. `demand.nodes` says it of all ranks of `comm`. `single`: elements are doubles that
/// travel as floats.
Bound bind_strategy(const mpi::Communicator& comm, Demand demand, const std::string& name, bool single = false,
                    const Machine& machine = {});

}  // namespace weft

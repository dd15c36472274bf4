#include "plan/bind.hpp"

#include <algorithm>
#include <cstdio>

#include "plan/wire.hpp"

namespace weft {
namespace {

// A first guess at a machine: what a call or message costs, how fast bytes are sent and copied, and the same of a node's link to others, which its ranks
// share. Ranks the strategies, no more.
double seconds(const Cost& cost) {
  return 1e-6 * static_cast<double>(cost.calls + cost.messages) + static_cast<double>(cost.bytes) / 5e9 + static_cast<double>(cost.copied) / 10e9 +
         5e-6 * static_cast<double>(cost.node_messages) + static_cast<double>(cost.node_bytes) / 2e9;
}

}  // namespace

Bound bind_strategy(const mpi::Communicator& comm, Demand demand, const std::string& name, bool single) {
  std::vector<int> nodes;
  for (const int member : demand.pattern.members()) nodes.push_back(demand.nodes[static_cast<std::size_t>(member)]);
  demand.nodes = std::move(nodes);

  const mpi::Communicator group = comm.split(demand.pattern.members().front(), comm.rank());
  const auto sent = [&](const Strategy& chosen) {
    return single ? single_on_wire(chosen) : std::shared_ptr<const Strategy>(std::shared_ptr<void>(), &chosen);
  };
  // groups of ranks may fail apart: then all fail
  const auto alone = [&](const Strategy& chosen, const std::string& reason) -> Bound { return {&chosen, comm.agree([&] { return sent(chosen)->bind(demand, group.raw()); }), reason}; };
  const auto bound = [&](const Strategy& chosen, const std::string& reason) -> Bound {
    try {
      return alone(chosen, reason);
    } catch (const Error& refused) {  // alike on all ranks
      if (!chosen.instead()) throw;
      return alone(*chosen.instead(), reason + ", but in the place of " + std::string(chosen.name()) + ": " + refused.what());
    }
  };

  if (name != "auto") {
    const Strategy* chosen = comm.agree([&] { return &strategy(name); });
    const std::string refusal = comm.agree([&] { return sent(*chosen)->declines(demand); });
    try {
      comm.agree([&] {
        if (!refusal.empty()) throw Error("strategy \"" + name + "\" declines: " + refusal);
      });
    } catch (const Error& declined) {
      throw Declined(declined.what());
    }
    return bound(*chosen, "as requested");
  }

  const Index arrives = demand.pattern.to().elements(demand.pattern.members()[static_cast<std::size_t>(demand.pattern.rank())]) * demand.element_bytes;
  std::string refusals;
  std::vector<std::pair<double, const Strategy*>> candidates;
  for (const Strategy* candidate : strategies()) {
    const std::string refusal = sent(*candidate)->declines(demand);
    if (comm.max(refusal.empty() ? 0 : 1))
      refusals += "\n  " + std::string(candidate->name()) + ": " + (refusal.empty() ? "declined on another rank" : refusal);
    else
      candidates.emplace_back(comm.max(seconds(sent(*candidate)->cost(demand)) + seconds({.copied = demand.lands && !sent(*candidate)->lands() ? arrives : 0})), candidate);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, candidate] : candidates) {
    char text[96];
    std::snprintf(text, sizeof text, "auto: cheapest by cost, %.3g s an exchange", cost);
    try {
      return alone(*candidate, text + (refusals.empty() ? std::string() : "; without" + refusals));
    } catch (const Error& e) {  // alike on all ranks: the machine refuses what it needs, such as shared memory
      refusals += "\n  " + std::string(candidate->name()) + ": " + e.what();
    }
  }
  throw Error("every strategy declines:" + refusals);
}

}  // namespace weft

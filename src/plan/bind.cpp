#include "plan/bind.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <weft/quote.hpp>

#include "plan/offer.hpp"
#include "plan/route/problem.hpp"
#include "plan/wire.hpp"

namespace weft {

Bound bind_strategy(const mpi::Communicator& comm, Demand demand, const std::string& name, bool single,
                    const Machine& machine) {
  std::vector<int> nodes;
  for (const int member : demand.pattern.members()) nodes.push_back(demand.nodes[static_cast<std::size_t>(member)]);
  demand.nodes = std::move(nodes);

  const mpi::Communicator group = comm.group(demand.pattern.members());
  const auto sent = [&](const Strategy& chosen) {
    return single ? single_on_wire(chosen) : std::shared_ptr<const Strategy>(std::shared_ptr<void>(), &chosen);
  };
  const auto alone = [&](const Strategy& chosen, const std::string& reason) -> Bound {
    const auto bind = [&] { return group.together([&] { return sent(chosen)->bind(demand, group.raw()); }); };
    // groups of ranks may fail apart: then all fail
    return {&chosen, group.size() == comm.size() ? bind() : agree_or_decline(comm, bind), reason, {}};
  };
  const auto bound = [&](const Strategy& chosen, const std::string& reason) -> Bound {
    try {
      return alone(chosen, reason);
    } catch (const Declined& declined) {
      throw Declined("strategy \"" + shown(name) + "\" declines: " + declined.what());
    } catch (const Error& refused) {  // alike on all ranks
      if (!chosen.instead()) throw;
      return alone(*chosen.instead(),
                   reason + ", but in the place of " + std::string(chosen.name()) + ": " + refused.what());
    }
  };

  if (name != "auto") {
    const Strategy& chosen = strategy(name);
    const std::string refusal = sent(chosen)->declines(demand);
    if (!refusal.empty()) throw Declined("strategy \"" + shown(name) + "\" declines: " + refusal);
    return bound(chosen, "as requested");
  }

  const Index arrives =
      demand.pattern.to().elements(demand.pattern.members()[static_cast<std::size_t>(demand.pattern.rank())]) *
      demand.element_bytes;
  std::string refusals;
  std::vector<Considered> candidates, refused;
  // lists of candidates state facts; advice is for who is left without any
  std::string advised;
  const auto refuse = [&](std::string_view by, const std::string& fact, const std::string& advice) {
    refused.push_back({std::string(by), {}, 0, fact});
    refusals += "\n      " + std::string(by) + ": " + fact;
    advised += "\n  " + std::string(by) + ": " + fact + advice;
  };
  // all strategies are asked before ranks compare notes; who declines costs more than anything
  constexpr double declined = std::numeric_limits<double>::infinity();
  std::vector<std::string> mine;
  std::vector<Cost> own;
  std::vector<double> costs;
  for (const Strategy* candidate : strategies()) {
    Offer offer = offer_of(*sent(*candidate), demand, arrives);
    mine.push_back(std::move(offer.declined));
    own.push_back(offer.cost);
    costs.push_back(mine.back().empty() ? seconds(machine, own.back()) : declined);
  }
  // groups of ranks may have other costs
  if (!comm.alike(std::string(reinterpret_cast<const char*>(costs.data()), costs.size() * sizeof(double))))
    costs = comm.max(std::move(costs));
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const std::string_view by = strategies()[k]->name();
    if (costs[k] == declined) {
      const std::string why = mine[k].empty() ? "declined on another rank" : mine[k];
      const std::size_t end = std::min(why.find("; "), why.size());
      refuse(by, why.substr(0, end), why.substr(end));
      continue;
    }
    candidates.push_back({std::string(by), own[k], costs[k], ""});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  for (auto candidate = candidates.begin(); candidate != candidates.end();) {
    char text[96];
    std::snprintf(text, sizeof text, "auto: cheapest by cost, %.3g s an exchange", candidate->seconds);
    try {
      Bound chosen =
          alone(strategy(candidate->strategy), text + (refusals.empty() ? std::string() : "; declined:" + refusals));
      chosen.considered = std::move(candidates);
      chosen.considered.insert(chosen.considered.end(), refused.begin(), refused.end());
      return chosen;
    } catch (const Error& e) {  // alike on all ranks: the machine refuses what it needs, such as shared memory
      refuse(candidate->strategy, e.what(), "");
      candidate = candidates.erase(candidate);
    }
  }
  throw Error("every strategy declines:" + advised);
}

}  // namespace weft

#include "plan/bind.hpp"

#include <algorithm>
#include <cstdio>

#include <weft/quote.hpp>

#include "plan/route/problem.hpp"
#include "plan/wire.hpp"

namespace weft {

Bound bind_strategy(const mpi::Communicator& comm, Demand demand, const std::string& name, bool single, const Machine& machine) {
  std::vector<int> nodes;
  for (const int member : demand.pattern.members()) nodes.push_back(demand.nodes[static_cast<std::size_t>(member)]);
  demand.nodes = std::move(nodes);

  const mpi::Communicator group = comm.group(demand.pattern.members());
  const auto sent = [&](const Strategy& chosen) {
    return single ? single_on_wire(chosen) : std::shared_ptr<const Strategy>(std::shared_ptr<void>(), &chosen);
  };
  // groups of ranks may fail apart: then all fail
  const auto alone = [&](const Strategy& chosen, const std::string& reason) -> Bound {
    const auto bind = [&] { return sent(chosen)->bind(demand, group.raw()); };
    return {&chosen, agree_or_decline(comm, [&] { return group.together(bind); }), reason, {}};
  };
  const auto bound = [&](const Strategy& chosen, const std::string& reason) -> Bound {
    try {
      return alone(chosen, reason);
    } catch (const Declined& declined) {
      throw Declined("strategy \"" + shown(name) + "\" declines: " + declined.what());
    } catch (const Error& refused) {  // alike on all ranks
      if (!chosen.instead()) throw;
      return alone(*chosen.instead(), reason + ", but in the place of " + std::string(chosen.name()) + ": " + refused.what());
    }
  };

  if (name != "auto") {
    const Strategy* chosen = comm.agree([&] { return &strategy(name); });
    const std::string refusal = comm.agree([&] { return sent(*chosen)->declines(demand); });
    agree_or_decline(comm, [&] {
      if (!refusal.empty()) throw Declined("strategy \"" + shown(name) + "\" declines: " + refusal);
    });
    return bound(*chosen, "as requested");
  }

  const Index arrives = demand.pattern.to().elements(demand.pattern.members()[static_cast<std::size_t>(demand.pattern.rank())]) * demand.element_bytes;
  std::string refusals;
  std::vector<Considered> candidates, refused;
  // lists of candidates state facts; advice is for who is left without any
  std::string advised;
  const auto refuse = [&](std::string_view by, const std::string& fact, const std::string& advice) {
    refused.push_back({std::string(by), {}, 0, fact});
    refusals += "\n      " + std::string(by) + ": " + fact;
    advised += "\n  " + std::string(by) + ": " + fact + advice;
  };
  // all strategies are asked before ranks compare notes, once about what declines and once about costs
  std::vector<std::shared_ptr<const Strategy>> asked;
  std::vector<std::string> mine;
  std::vector<double> declined, costs;
  for (const Strategy* candidate : strategies()) {
    asked.push_back(sent(*candidate));
    mine.push_back(asked.back()->declines(demand));
    declined.push_back(mine.back().empty() ? 0 : 1);
  }
  declined = comm.max(std::move(declined));
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const std::string_view by = strategies()[k]->name();
    if (declined[k] > 0) {
      const std::string why = mine[k].empty() ? "declined on another rank" : mine[k];
      const std::size_t end = std::min(why.find("; "), why.size());
      refuse(by, why.substr(0, end), why.substr(end));
      continue;
    }
    Cost cost = asked[k]->cost(demand);
    if (demand.lands && !asked[k]->lands()) cost.copied += arrives;
    candidates.push_back({std::string(by), cost, 0, ""});
    costs.push_back(seconds(machine, cost));
  }
  costs = comm.max(std::move(costs));
  for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].seconds = costs[k];
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
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

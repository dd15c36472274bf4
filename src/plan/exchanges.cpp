// Exchanges of a plan: strategies bound to the patterns between stages.
#include <algorithm>

#include <weft/quote.hpp>

#include "plan/bind.hpp"
#include "plan/plan.hpp"
#include "plan/policy/hardware.hpp"
#include "plan/policy/limits.hpp"
#include "plan/route/problem.hpp"

namespace weft {

// A name for every exchange of a transform, in its order.
std::vector<std::string> AnyPlan::Body::names_along(const Transform& transform) const {
  std::vector<std::string> names = strategy_names(requested.strategy);
  const auto& list = transform.transitions;
  const auto exchanges = [](const Transition& h) { return h.exchanges; };
  const auto count = static_cast<std::size_t>(std::count_if(list.begin(), list.end(), exchanges));
  if (count > 0 && names.size() > count)  // alike on all ranks
    throw Error("strategy \"" + shown(requested.strategy) + "\" names " + std::to_string(names.size()) +
                " strategies, and this plan has " + std::to_string(count) + (count == 1 ? " exchange" : " exchanges") +
                "; give at most one for each, the last serves all that follow");
  names.resize(count, names.back());
  if (&transform == &backward) std::reverse(names.begin(), names.end());
  return names;
}

// What is asked of the strategy between stages h and h + 1. Callers' own arrays are on offer where
// the stage beside the exchange may use them as they are.
Demand AnyPlan::Body::demand(const Transform& transform, std::size_t h) {
  const int rank = comm.rank();
  const Transition& transition = transform.transitions[h];
  const Index element = transform.bytes[h + 1], bytes = transition.from.elements(rank) * element;
  Demand demand{.pattern = Pattern(transition.from, transition.to, rank, transition.cut),
                .element_bytes = element,
                .slots = &slots,
                .nodes = nodes};
  const bool numbered = waves && waves->pencils();  // rows there are ordered otherwise, even where all are held
  const bool overwrite = !numbered && (overwrites() || requested.in_place()) && h == 0 &&
                         transform.bytes[0] == transform.bytes[1] &&
                         same_memory_layout(transform.first, transition.from, rank);
  const bool last = !numbered && !requested.in_place() && h + 1 == transform.transitions.size() &&
                    element == transform.bytes[h + 2] && same_memory_layout(transform.last, transition.to, rank);
  const auto whole = [&](bool lent) {
    return h == 0 && overwrites() && (lent || transform.bytes[0] < transform.bytes[1]);
  };
  const bool fits = bytes <= limits::stays_overwritten ||
                    ranks_here() * bytes <= hardware().last_level(ranks_here()) / limits::stays_cache_share;
  const auto stays = [&](bool lent) {
    const bool pays = bytes >= limits::stays_in_output && (h > 0 || !overwrites() || (whole(lent) && fits));
    return last && !waves && takes_up(transform) && pays;
  };
  const auto [lent, in_last, stays_lent, stays_else] = comm.min<int, 4>({overwrite, last, stays(true), stays(false)});
  demand.from_slot = lent ? transform.first_slot : new_array(bytes);
  demand.from_preserved = !requested.in_place();
  demand.to_slot = in_last ? transform.last_slot : new_array(transition.to.elements(rank) * element);
  demand.wants_array = whole(lent);
  demand.local_slot = (lent ? stays_lent : stays_else) ? transform.last_slot : -1;
  demand.to_is_result = arrives_as_result(transform, h);
  demand.buffered_tiles = in_step() ? buffered_tiles() : 0;
  return demand;
}

void AnyPlan::Body::bind(Transform& transform) {
  const std::vector<std::string> names = names_along(transform);
  std::vector<std::string> bound_names;
  transform.strategies.resize(transform.transitions.size());
  transform.reasons.resize(transform.transitions.size());
  transform.considered.resize(transform.transitions.size());
  for (std::size_t h = 0; h < transform.transitions.size(); ++h) {
    transform.exchanges.emplace_back();
    transform.selves.push_back(-1);
    if (!transform.transitions[h].exchanges) continue;
    Demand asked = demand(transform, h);
    transform.selves.back() = asked.pattern.rank();
    const bool single = requested.wire == "single";
    Bound bound = bind_strategy(comm, std::move(asked), names[bound_names.size()], single, machine);
    bound_names.emplace_back(bound.strategy->name());
    if (arrives_as_result(transform, h) && bound.exchange->landing().slot >= 0) bound.exchange->lend_landing();
    for (int t = 0; t < bound.exchange->tiles(); ++t)
      for (const auto* pieces : {&bound.exchange->tile(t).out, &bound.exchange->tile(t).in})
        for (const Piece& piece : *pieces) need(piece.at.slot);
    transform.strategies[h] = bound.strategy->name();
    transform.reasons[h] = std::move(bound.reason);
    transform.considered[h] = std::move(bound.considered);
    transform.exchanges[h] = std::move(bound.exchange);
    owned_bytes += transform.exchanges[h]->bytes_owned();
  }
  note_effective(transform, std::move(bound_names));
}

// The strategies that were bound, and what of the schedule they can do.
void AnyPlan::Body::note_effective(const Transform& transform, std::vector<std::string> names) {
  if (&transform == &forward && !names.empty()) {
    // the last serves all that follow
    while (names.size() > 1 && names.back() == names[names.size() - 2]) names.pop_back();
    effective.strategy = names.front();
    for (std::size_t k = 1; k < names.size(); ++k) effective.strategy += "+" + names[k];
  }
  // a tile that has arrived when its start returns is never under way
  const auto overlaps = [](const std::string& name) { return !name.empty() && strategy(name).overlaps(); };
  if (std::any_of(transform.strategies.begin(), transform.strategies.end(), overlaps)) return;
  if (&transform == &forward)
    effective.schedule.window = 1, effective.schedule.test = 0;
  else if (effective.backward_schedule)
    effective.backward_schedule->window = 1, effective.backward_schedule->test = 0;
}

// Whether fields of a batch go through all exchanges in step, there, back and in a map, so that an
// exchange need not hold them all. Not in place, for there a field may arrive where another is
// still read; nor where a thread exchanges, which waits for out-memory first.
bool AnyPlan::Body::in_step() const {
  if (requested.batch == 1 || requested.in_place() || requested.schedule.communicate == "thread" ||
      buffered_tiles() == 0)
    return false;
  Index fields = 0;
  const auto alike = [&](const Transition& transition, const Cut& cut) {
    if (!transition.exchanges) return true;
    if (fields == 0) fields = cut.size;
    return cut.axis == 0 && cut.size == fields;
  };
  for (const Transition& transition : route.transitions)
    if (!alike(transition, transition.cut)) return false;
  const Route& home = homeward();
  for (std::size_t h = 0; h < home.transitions.size(); ++h)
    if (!alike(home.transitions[h], back_cut(home, h))) return false;
  return fields > 0;
}

// Whether the first exchange may have the input for its array. Not where few fields of a batch are
// held at a time, in caches, which an input that peers read is not.
bool AnyPlan::Body::overwrites() const { return requested.overwrites_input() && (waves || !in_step()); }

// Ranks of this node.
Index AnyPlan::Body::ranks_here() const {
  return std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm.rank())]);
}

// Tiles that are on their way, and one that is written meanwhile; 0: all.
int AnyPlan::Body::buffered_tiles() const {
  const Index there = requested.schedule.window, back = requested.backward_schedule.value_or(requested.schedule).window;
  return there > 0 && back > 0 ? static_cast<int>(std::min<Index>(std::max(there, back), requested.batch)) + 1 : 0;
}

// Whether the last stage may find in its output what it reads there and puts its results in its
// place: columns from rows, which it transforms where they lie.
bool AnyPlan::Body::takes_up(const Transform& transform) const {
  const auto& list = transform.operations.back();
  return list.size() == 1 && list.front().first && list.front().first->takes_rows() && !list.front().second &&
         !list.front().map;
}

// Whether what arrives in transition h is what the caller gets. All ranks say the same.
bool AnyPlan::Body::arrives_as_result(const Transform& transform, std::size_t h) const {
  if (h + 1 != transform.transitions.size() || !transform.transitions[h].exchanges ||
      !transform.operations.back().empty() || requested.in_place())
    return false;
  for (int r = 0; r < comm.size(); ++r)
    if (!same_memory_layout(transform.transitions[h].to, transform.last, r)) return false;
  return true;
}

}  // namespace weft

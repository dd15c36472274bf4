// Stages of a plan: what each is, and which of its variants are tried while the plan runs.
#include <algorithm>

#include "plan/plan.hpp"
#include "plan/policy/variants.hpp"

namespace weft {

// Whether stage s writes what the caller gets.
bool AnyPlan::Body::returns(const Transform& transform, std::size_t s) const {
  return s == transform.transitions.size() ||
         (arrives_as_result(transform, s) && transform.exchanges[s]->landing().slot >= 0);
}

// A stage's place in the plan, as far as its variants depend on it.
StageFacts AnyPlan::Body::facts(const Transform& transform, std::size_t s) const {
  StageFacts facts;
  facts.first = s == 0;
  facts.last = s == transform.transitions.size();
  facts.returns = returns(transform, s);
  facts.sends = !facts.last && transform.exchanges[s];
  facts.overwrites = facts.first && overwrites();
  facts.paired_rows = rows_axis >= 0;
  facts.ranks = ranks_here();
  const Side& to = transform.sides[2 * s + 1];
  facts.bytes_at_once = facts.ranks * to.box.volume() * to.bytes;
  if (facts.sends && in_step() && transform.exchanges[s]->array().slot < 0)
    facts.bytes_at_once = facts.bytes_at_once / transform.exchanges[s]->tiles() * buffered_tiles();
  return facts;
}

// Stages whose variants cannot be told apart in advance are tried while the plan runs. Collective:
// all ranks try the same settings, each from its own guess.
void AnyPlan::Body::select_variants() {
  const auto each_stage = [&](auto visit) {
    for (const Transform* transform : transforms())
      for (std::size_t s = 0; s < transform->stages.size(); ++s) {
        const Stage& stage = *transform->stages[s];
        Trials tries = trials(stage.spec(), stage.variants(), facts(*transform, s), hardware());
        tries.in_runs = tries.in_runs && stage.blocks() > 0;
        visit(*transform, *transform->stages[s], tries);
      }
  };
  int any = 0;
  each_stage([&](const Transform&, const Stage&, const Trials& tries) { any |= tries.in_runs || tries.streams; });
  if (comm.max(any) == 0) return;
  each_stage([&](const Transform& transform, Stage& stage, const Trials& tries) {
    const auto add = [&](auto set, bool guess) {
      selector.add(
          number(transform),
          [&stage, set](bool value) {
            Choice changed = stage.chosen();
            set(changed, value);
            stage.choose(changed);
          },
          guess);
    };
    if (comm.max(tries.in_runs) > 0) add([](Choice& c, bool v) { c.in_runs = v; }, false);
    if (comm.max(tries.streams) == 0) return;
    add([](Choice& c, bool v) { c.streams = v; }, tries.streams_guess);
    if (comm.max(tries.retains) > 0) add([](Choice& c, bool v) { c.retains = v; }, true);
  });
}

StageSpec AnyPlan::Body::spec(const Transform& transform, std::size_t s) const {
  StageSpec r;
  r.operations = transform.operations[s];
  r.precision = problem.precision;
  r.from = transform.sides[2 * s];
  r.to = transform.sides[2 * s + 1];
  r.from.views = merge(r.from.views);
  r.to.views = merge(r.to.views);
  const auto tiles = [&](std::size_t h, bool writes) {
    if (!transform.exchanges[h] || transform.transitions[h].cut.axis < 0) return;
    std::vector<Index> bounds;
    for (int t = 0; t < transform.exchanges[h]->tiles(); ++t)
      for (const Piece& piece : writes ? transform.exchanges[h]->tile(t).out : transform.exchanges[h]->tile(t).in) {
        bounds.push_back(piece.at.box.lo[transform.transitions[h].cut.axis]);
        bounds.push_back(piece.at.box.hi[transform.transitions[h].cut.axis]);
      }
    r.tile_axes.push_back(transform.transitions[h].cut.axis);
    r.bounds.push_back(std::move(bounds));
  };
  if (s < transform.transitions.size()) tiles(s, true);
  if (s > 0) tiles(s - 1, false);
  const auto waits = [&](const View& v) { return v.slot == transform.last_slot; };
  if (!returns(transform, s) && std::any_of(r.to.views.begin(), r.to.views.end(), waits))
    r.retained_slot = transform.last_slot;
  r.threads = requested.threads;
  if (&transform == &map) r.one_memory = {map.first_slot, map.last_slot};
  // Half a spectrum is a little longer than the real numbers it comes from: from the end on it may
  // take their place.
  r.descending = s == 0 && transform.bytes[0] < transform.bytes[1] && !transform.transitions.empty() &&
                 transform.exchanges[0] && transform.exchanges[0]->tiles() == 1;
  return r;
}

std::unique_ptr<Stage> AnyPlan::Body::stage(const Transform& transform, std::size_t s) const {
  const StageSpec planned = spec(transform, s);
  return Stage::undisturbed(planned, variants(planned, facts(transform, s), hardware()));
}

void AnyPlan::Body::build(Transform& transform) {
  const int rank = comm.rank();
  const std::size_t stages = transform.operations.size();
  transform.sides.resize(2 * stages);
  transform.sides.front() = side(transform.first, rank, transform.first_slot, transform.bytes.front());
  transform.sides.back() = side(transform.last, rank, transform.last_slot, transform.bytes.back());
  for (std::size_t h = 0; h < transform.transitions.size(); ++h) {
    const Transition& transition = transform.transitions[h];
    Side &left = transform.sides[2 * h + 1], &right = transform.sides[2 * h + 2];
    left = {transition.from.box(rank), {}, transform.bytes[h + 1]};
    right = {transition.to.box(rank), {}, transform.bytes[h + 1]};
    if (const Exchange* exchange = transform.exchanges[h].get()) {
      for (int t = 0; t < exchange->tiles(); ++t) {
        for (const Piece& piece : exchange->tile(t).out) left.views.push_back(piece.at);
        for (const Piece& piece : exchange->tile(t).in) right.views.push_back(piece.at);
      }
      const auto waits = [&](const View& v) { return v.slot == transform.last_slot; };
      if (exchange->array().slot >= 0 && std::none_of(left.views.begin(), left.views.end(), waits))
        left.views = {exchange->array()};
      continue;
    }
    left = right = link(transform, h);
  }
  if (waves) enter_sphere(transform);
  for (std::size_t s = 0; s < stages; ++s) transform.stages.push_back(stage(transform, s));
}

// Where an array between two stages lies: at its end already, in the memory that the next exchange
// sends from, where it came from, or in memory of its own.
Side AnyPlan::Body::link(Transform& transform, std::size_t h) {
  const int rank = comm.rank();
  const Index bytes = transform.bytes[h + 1];
  const Box& box = transform.transitions[h].to.box(rank);
  std::size_t next = h + 1;
  while (next < transform.transitions.size() && !transform.transitions[next].exchanges) ++next;
  const bool to_end = next == transform.transitions.size();
  const Side& before = transform.sides[2 * h];
  const bool stays = (requested.overwrites_input() || requested.in_place()) && before.views.size() == 1 &&
                     before.views.front().slot == transform.first_slot && before.bytes == bytes && before.box == box;
  // A last stage of one axis is faster from array to array than in place, where the axes' order
  // changes: so what may stay stays. Rows of several axes would be read planes apart.
  if (to_end && transform.last.box(rank) == box && transform.bytes.back() == bytes &&
      (requested.in_place() ? h == 0 : !stays || transform.operations.back().size() > 1))
    return side(transform.last, rank, transform.last_slot, bytes);
  if (!to_end && transform.exchanges[next]->array().slot >= 0 && transform.exchanges[next]->array().box == box &&
      transform.bytes[next + 1] == bytes)
    return {box, {transform.exchanges[next]->array()}, bytes};
  if (stays) return before;
  const int slot = new_array(transform.transitions[h].to.elements(rank) * bytes);
  need(slot);
  return side(transform.transitions[h].to, rank, slot, bytes);
}

}  // namespace weft

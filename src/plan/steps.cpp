// The steps of a plan, in the order in which they are executed.
#include <algorithm>

#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"

namespace weft {

// Most tiles of a transform that are on their way at once. Stages of a batch in tiles either read
// what is in no cache or write past the caches, and cores with a cache in common write no faster
// past it together than one alone. So every other rank reads what has arrived a tile earlier: it
// writes results while its neighbours read input. Not with several exchanges, whose starts would come
// in another order on every other rank.
Index AnyPlan::Body::window(const Transform& transform, const ScheduleOptions& planned,
                            const ScheduleOptions& asked) const {
  if (planned.window == 1) return 1;
  const auto exchanged = [](const std::string& name) { return !name.empty(); };
  const auto first = std::find_if(transform.strategies.begin(), transform.strategies.end(), exchanged);
  const bool alternates = in_step() &&
                          std::count_if(transform.strategies.begin(), transform.strategies.end(), exchanged) == 1 &&
                          strategy(*first).reads_in_place();
  return alternates && comm.rank() % 2 == 0 ? asked.window - 1 : asked.window;
}

void AnyPlan::Body::schedule(Transform& transform) {
  std::vector<const Stage*> stages;
  for (const auto& stage : transform.stages) stages.push_back(stage.get());
  std::vector<const Exchange*> exchanges;
  for (const auto& exchange : transform.exchanges) exchanges.push_back(exchange.get());
  // where input and output are, or may be, one memory; in step a field is written when it has been
  // read
  const int held = in_step()              ? -1
                   : transform.turn >= 0  ? transform.turn
                   : requested.in_place() ? static_cast<int>(stages.size()) - 1
                                          : -1;
  // a map of plane waves begins backward
  const bool back = waves ? &transform != &forward : way_back && &transform == &backward;
  const ScheduleOptions &planned = back ? *effective.backward_schedule : effective.schedule,
                        &asked = back ? requested.backward_schedule.value_or(requested.schedule) : requested.schedule;
  transform.steps = make_steps(stages, exchanges,
                               {window(transform, planned, asked), planned.test, held,
                                limits::pipeline * requested.threads, in_step(), static_cast<int>(requested.threads)});
  // what callers hold as output may be written again only when they have come back
  if (const std::size_t h = transform.transitions.size() - 1;
      !transform.transitions.empty() && arrives_as_result(transform, h) && transform.exchanges[h]->landing().slot >= 0)
    std::stable_partition(transform.steps.begin(), transform.steps.end(),
                          [&](const Step& s) { return s.kind == Step::Kind::close && s.of == static_cast<int>(h); });
  // Memory that callers may hold must be theirs again when the call returns. In a map that is also
  // what the way back sends from.
  const int lent_slots[] = {lent(forward, backward).second, lent(backward, forward).second};
  const auto holds = [&](std::size_t h, int slot) {
    return slot >= 0 && (h == 0 || slot == lent_slots[0] || slot == lent_slots[1]);
  };
  for (std::size_t h = 0; h < transform.exchanges.size(); ++h)
    if (transform.exchanges[h] && holds(h, transform.exchanges[h]->array().slot))
      for (int t = 0; t < transform.exchanges[h]->tiles(); ++t)
        transform.steps.push_back({Step::Kind::open, static_cast<int>(h), t, 0});
  follow(transform);
}

// Where a stage's last block before another's turn asks for memory, it asks for what that one
// reads: not for what it leaves itself, nor for what is on its way only then.
void AnyPlan::Body::follow(Transform& transform) {
  const Step* before = nullptr;
  std::vector<const Step*> started;  // since then
  bool late = false;
  for (const Step& step : transform.steps) {
    if (step.kind == Step::Kind::start) started.push_back(&step);
    if (step.kind == Step::Kind::finish)
      late = late || std::any_of(started.begin(), started.end(),
                                 [&](const Step* s) { return s->of == step.of && s->first == step.first; });
    if (step.kind != Step::Kind::work) continue;
    if (before && before->of != step.of && !late &&
        (step.of != before->of + 1 || transform.exchanges[static_cast<std::size_t>(before->of)]))
      transform.stages[static_cast<std::size_t>(before->of)]->follow(
          before->last - 1, *transform.stages[static_cast<std::size_t>(step.of)], step.first);
    before = &step, started.clear(), late = false;
  }
}

void AnyPlan::Body::conduct(Transform& transform) {
  std::vector<const Stage*> stages;
  for (const auto& stage : transform.stages) stages.push_back(stage.get());
  transform.conductor = std::make_unique<Conductor>(transform.steps, std::move(stages), *team, workspaces);
}

}  // namespace weft

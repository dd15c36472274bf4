// Arrays between stages that would destroy in place what they have still to read.
#include <algorithm>

#include "plan/plan.hpp"

namespace weft {

// Collective, for ranks have the same stages whatever they own. Out of place no stage reads and
// writes the same memory.
void AnyPlan::Body::lay_arrays_between(Transform& transform) {
  if (!requested.in_place()) return;
  for (;;) {
    int last = -1;
    for (std::size_t s = 0; s < transform.stages.size(); ++s)
      if (transform.stages[s]->disturbs()) last = static_cast<int>(s);
    last = comm.max(last);
    if (last < 0) return;
    lay_array_behind(transform, static_cast<std::size_t>(last));
  }
}

// Stage s leaves its results in an array, from where the next one takes them; or it takes them
// itself from one where the stage before it leaves them. A stage that has exchanges on both sides
// gets one behind it that copies.
void AnyPlan::Body::lay_array_behind(Transform& transform, std::size_t s) {
  const auto array_at = [&](std::size_t h) {
    return h < transform.transitions.size() && !transform.transitions[h].exchanges;
  };
  std::size_t h = s;
  if (!array_at(s) && s > 0 && array_at(s - 1)) {
    h = s - 1;
  } else if (!array_at(s)) {
    const auto at = static_cast<std::ptrdiff_t>(s);
    const Layout& left = s == transform.transitions.size() ? transform.last : transform.transitions[s].from;
    const Index bytes = transform.bytes[s + 1];
    transform.transitions.insert(transform.transitions.begin() + at, Transition{left, left, false, {}});
    transform.operations.emplace(transform.operations.begin() + at + 1);
    transform.bytes.insert(transform.bytes.begin() + at + 1, bytes);
    transform.exchanges.emplace(transform.exchanges.begin() + at);
    transform.strategies.emplace(transform.strategies.begin() + at);
    if (&transform != &map)
      transform.reasons.emplace(transform.reasons.begin() + at),
          transform.considered.emplace(transform.considered.begin() + at);
    transform.selves.insert(transform.selves.begin() + at, -1);
    transform.sides.insert(transform.sides.begin() + 2 * at + 1, 2, transform.sides[2 * s + 1]);
    transform.stages.emplace(transform.stages.begin() + at + 1);
    if (static_cast<int>(s) < transform.turn) ++transform.turn;
  }
  const Layout& layout = transform.transitions[h].to;
  const int rank = comm.rank(), slot = new_array(layout.elements(rank) * transform.bytes[h + 1]);
  need(slot);
  transform.sides[2 * h + 1] =
      transform.sides[2 * h + 2] = {layout.box(rank), {layout.view(rank, slot)}, transform.bytes[h + 1]};
  for (const std::size_t k : {h, h + 1}) transform.stages[k] = stage(transform, k);
}

}  // namespace weft

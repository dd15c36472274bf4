// Arrays between stages that would destroy in place what they have still to read.
#include <algorithm>

#include "plan/plan.hpp"

namespace weft {

// Collective, for ranks have the same stages whatever they own. Out of place no stage reads and writes the same memory.
void AnyPlan::Body::lay_arrays_between(Chain& chain) {
  if (!requested.in_place()) return;
  for (;;) {
    int last = -1;
    for (std::size_t s = 0; s < chain.stages.size(); ++s)
      if (chain.stages[s]->disturbs()) last = static_cast<int>(s);
    last = comm.max(last);
    if (last < 0) return;
    comm.agree([&] { lay_array_behind(chain, static_cast<std::size_t>(last)); });
  }
}

// Stage s leaves its results in an array, from where the next one takes them; or it takes them itself from one where the stage before it
// leaves them. A stage that has exchanges on both sides gets one behind it that copies.
void AnyPlan::Body::lay_array_behind(Chain& chain, std::size_t s) {
  const auto array_at = [&](std::size_t h) { return h < chain.hops.size() && !chain.hops[h].exchanges; };
  std::size_t h = s;
  if (!array_at(s) && s > 0 && array_at(s - 1)) {
    h = s - 1;
  } else if (!array_at(s)) {
    const auto at = static_cast<std::ptrdiff_t>(s);
    const Layout& left = s == chain.hops.size() ? chain.last : chain.hops[s].from;
    const Index bytes = chain.bytes[s + 1];
    chain.hops.insert(chain.hops.begin() + at, Hop{left, left, false, {}});
    chain.operations.emplace(chain.operations.begin() + at + 1);
    chain.bytes.insert(chain.bytes.begin() + at + 1, bytes);
    chain.exchanges.emplace(chain.exchanges.begin() + at);
    chain.strategies.emplace(chain.strategies.begin() + at);
    if (&chain != &map) chain.reasons.emplace(chain.reasons.begin() + at), chain.considered.emplace(chain.considered.begin() + at);
    chain.selves.insert(chain.selves.begin() + at, -1);
    chain.sides.insert(chain.sides.begin() + 2 * at + 1, 2, chain.sides[2 * s + 1]);
    chain.stages.emplace(chain.stages.begin() + at + 1);
    if (static_cast<int>(s) < chain.turn) ++chain.turn;
  }
  const Layout& layout = chain.hops[h].to;
  const int rank = comm.rank(), slot = new_array(layout.elements(rank) * chain.bytes[h + 1]);
  need(slot);
  chain.sides[2 * h + 1] = chain.sides[2 * h + 2] = {layout.box(rank), {layout.view(rank, slot)}, chain.bytes[h + 1]};
  for (const std::size_t k : {h, h + 1}) chain.stages[k] = stage(chain, k);
}

}  // namespace weft

// A transform: one direction of a plan, or its map.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weft/plan.hpp>

#include "plan/route/route.hpp"
#include "plan/run/conductor.hpp"
#include "plan/schedule.hpp"
#include "plan/stage/stage.hpp"

namespace weft {

/// One direction: stages, what lies between them, and the steps that run them. Element s of
/// `transitions`, `exchanges`, `strategies` and `reasons` is between stages s and s+1; `bytes` has
/// one entry more than there are stages: an element before, between and after them.
struct Transform {
  Layout first = Layout::slab({1}, 0, 1), last = first;
  int first_slot = 0, last_slot = 1;
  int turn = -1;  // of a map: the stage that maps; exchanges from this number on belong to the way back
  std::vector<std::vector<Operation>> operations;
  std::vector<Index> bytes;
  std::vector<Transition> transitions;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  std::vector<std::string> strategies, reasons;     // names, and why these
  std::vector<std::vector<Considered>> considered;  // by "auto"
  std::vector<int> selves;                          // this rank's number in each exchange's group
  std::vector<Side> sides;                          // from and to of every stage
  std::vector<std::unique_ptr<Stage>> stages;
  std::vector<Step> steps;
  int list = 0;                          // its number where executions are recorded
  std::unique_ptr<Conductor> conductor;  // where one thread does nothing but exchanges
};

/// The array of a layout, as one side of a stage.
inline Side side(const Layout& layout, int rank, int slot, Index bytes) {
  return {layout.box(rank), {layout.view(rank, slot)}, bytes};
}

inline bool same_memory_layout(const Layout& a, const Layout& b, int rank) {
  return a.box(rank).empty() || same_memory(a.view(rank), b.view(rank));
}

}  // namespace weft

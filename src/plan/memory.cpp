// Memory of a plan: slots that are allocated when somebody needs them, the workspace of a thread, and arrays that
// callers get.
#include "mpi/memory.hpp"
#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"

namespace weft {

int AnyPlan::Body::new_array(Index bytes) {
  const int slot = static_cast<int>(slots.size());
  slots.push_back(nullptr);
  wanted_bytes.resize(slots.size());
  wanted_bytes.back() = bytes;
  return slot;
}

void AnyPlan::Body::need(int slot) {
  if (slot < 2 || slots[static_cast<std::size_t>(slot)] || slot >= static_cast<int>(wanted_bytes.size())) return;
  const Index bytes = wanted_bytes[static_cast<std::size_t>(slot)];
  auto memory = allocate(bytes);
  slots[static_cast<std::size_t>(slot)] = memory.get();
  arrays.push_back(std::move(memory));
  owned_bytes += bytes;
}

Workspace AnyPlan::Body::make_workspace() {
  std::vector<const Stage*> stages;
  for (const Transform* transform : transforms())
    for (const auto& stage : transform->stages) stages.push_back(stage.get());
  const auto rounded = [](Index bytes) { return (bytes + 127) / 64 * 64; };  // a line between neighbours
  Index line = 0, bytes = 0;
  std::size_t segments = 0, rows = 0, ahead_rows = 0;
  for (const Stage* stage : stages) {
    line = std::max(line, stage->line_bytes());
    segments = std::max(segments, stage->segments());
    rows = std::max(rows, stage->rows());
    ahead_rows = std::max(ahead_rows, stage->ahead_rows());
  }
  // blocks begin the workspace and batches of lines end it: a stage that needs no batches may have its block there
  for (const Stage* stage : stages)
    bytes = std::max(bytes, rounded(stage->block_bytes()) + (stage->line_bytes() > 0 ? 2 * rounded(line) : 0));
  Workspace workspace;
  workspace.memory = allocate(bytes);
  workspace.block = workspace.memory.get();
  if (line > 0)
    for (int k : {0, 1}) workspace.lines[k] = workspace.block + bytes - (2 - k) * rounded(line);
  workspace.from.resize(segments);
  workspace.to.resize(segments);
  workspace.ahead_rows.resize(ahead_rows);
  workspace.from_rows.resize(rows);
  workspace.to_rows.resize(rows);
  owned_bytes += bytes;
  return workspace;
}

// An exchange's memory that a caller may have for the array that `from` starts with and `to` ends with; -1: none.
std::pair<std::shared_ptr<Exchange>, int> AnyPlan::Body::lent(const Transform& from, const Transform& to) const {
  // the memory that the last exchange brings the result to
  if (const std::size_t h = to.transitions.size() - 1;
      !to.transitions.empty() && arrives_as_result(to, h) && to.exchanges[h]->landing().slot >= 0)
    return {to.exchanges[h], to.exchanges[h]->landing().slot};
  const Exchange* first = from.exchanges.empty() ? nullptr : from.exchanges[0].get();
  // The memory that the first exchange sends from, where the first stage may leave its result in its input; threads,
  // with blocks of their own, keep no order.
  if (first && overwrites() && !requested.in_place() && first->array().slot > 1 &&
      (from.bytes[0] == from.bytes[1]
           ? same_memory(first->array(), View{from.first.view(comm.rank(), first->array().slot)})
           : from.bytes[0] < from.bytes[1] && requested.threads == 1 && first->array().offset == 0 &&
                 from.stages[0]->overlays(first->array().slot)))
    return {from.exchanges[0], first->array().slot};
  return {nullptr, -1};
}

std::shared_ptr<std::byte> AnyPlan::Body::memory(Transform& from, Transform& to, std::shared_ptr<std::byte>& mine,
                                                 Index bytes) {
  if (mine) return mine;
  // What is sent from is not lent where second-level caches hold all: what a peer has just read is written again
  // slowly, line by line (memory policy, M1).
  if (const auto [exchange, slot] = lent(from, to);
      slot >= 0 && (bytes > limits::small_array || slot != from.exchanges[0]->array().slot))
    return mine = std::shared_ptr<std::byte>(exchange, slots[static_cast<std::size_t>(slot)]);
  owned_bytes += bytes;
  return mine = allocate(bytes);
}

}  // namespace weft

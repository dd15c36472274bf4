// Memory of a plan: slots that are allocated when somebody needs them, the workspace of a thread,
// and arrays that callers get.
#include <algorithm>
#include <memory>
#include <utility>

#include "mpi/memory.hpp"
#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"

namespace weft {
namespace {

// Parts of a caller's workspace begin pages, as large arrays of the plan's own do.
constexpr Index part_begins = 4096;
Index room(Index bytes) { return (bytes + part_begins - 1) / part_begins * part_begins; }

}  // namespace

int AnyPlan::Body::new_array(Index bytes) {
  const int slot = static_cast<int>(slots.size());
  slots.push_back(nullptr);
  wanted_bytes.resize(slots.size());
  wanted_bytes.back() = bytes;
  return slot;
}

void AnyPlan::Body::need(int slot) {
  if (slot < 2 || slot >= static_cast<int>(wanted_bytes.size()) || slots[static_cast<std::size_t>(slot)]) return;
  const Index bytes = wanted_bytes[static_cast<std::size_t>(slot)];
  const auto known = [&](const auto& array) { return array.first == slot; };
  if (std::none_of(work_arrays.begin(), work_arrays.end(), known)) work_arrays.emplace_back(slot, bytes);
}

void AnyPlan::Body::make_workspaces() {
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
  // blocks begin the workspace and batches of lines end it: a stage that needs no batches may have
  // its block there
  for (const Stage* stage : stages)
    bytes = std::max(bytes, rounded(stage->block_bytes()) + (stage->line_bytes() > 0 ? 2 * rounded(line) : 0));
  Workspace workspace;
  workspace.bytes = bytes;
  workspace.line_bytes = line > 0 ? rounded(line) : 0;
  workspace.from.resize(segments);
  workspace.to.resize(segments);
  workspace.ahead_rows.resize(ahead_rows);
  workspace.from_rows.resize(rows);
  workspace.to_rows.resize(rows);
  workspaces.assign(static_cast<std::size_t>(requested.threads), workspace);
}

// Asks where each part of the workspace lies: place(bytes).
template <class Place>
void AnyPlan::Body::place_workspace(Place place) {
  for (const auto& [slot, bytes] : work_arrays) {
    std::byte* const array = place(bytes);
    if (slot < static_cast<int>(slots.size()))
      slots[static_cast<std::size_t>(slot)] = array;
    else
      map_spectrum = array;
  }
  for (Workspace& workspace : workspaces) workspace.place(place(workspace.bytes));
  has_workspace = true;
}

void AnyPlan::Body::allocate_workspace() {
  if (works_in == Memory::callers) return;
  place_workspace([this](Index bytes) {
    arrays.push_back(allocate(bytes));
    owned_bytes += bytes;
    return arrays.back().get();
  });
}

Index AnyPlan::Body::workspace_bytes() const {
  Index bytes = part_begins - 1;
  for (const auto& array : work_arrays) bytes += room(array.second);
  for (const Workspace& workspace : workspaces) bytes += room(workspace.bytes);
  return bytes;
}

void AnyPlan::Body::use_workspace(void* memory, Index bytes) {
  if (works_in != Memory::callers)
    throw Error(std::string("use_workspace: this plan ") +
                (works_in == Memory::own ? "works in memory of its own" : "has no memory and cannot execute") +
                "; plan with weft::Memory::callers");
  if (!memory)
    throw Error("use_workspace: the memory is null on rank " + std::to_string(comm.rank()) +
                "; give workspace_bytes() = " + std::to_string(workspace_bytes()) + " bytes");
  if (bytes < workspace_bytes())
    throw Error("use_workspace: " + std::to_string(bytes) + " bytes given on rank " + std::to_string(comm.rank()) +
                "; this plan needs workspace_bytes() = " + std::to_string(workspace_bytes()));
  auto left = static_cast<std::size_t>(bytes);
  auto* next = static_cast<std::byte*>(std::align(part_begins, 1, memory, left));
  place_workspace([&](Index part) { return std::exchange(next, next + room(part)); });
}

// An exchange's memory that a caller may have for the array that `from` starts with and `to` ends
// with; -1: none.
std::pair<std::shared_ptr<Exchange>, int> AnyPlan::Body::lent(const Transform& from, const Transform& to) const {
  // the memory that the last exchange brings the result to
  if (const std::size_t h = to.transitions.size() - 1;
      !to.transitions.empty() && arrives_as_result(to, h) && to.exchanges[h]->landing().slot >= 0)
    return {to.exchanges[h], to.exchanges[h]->landing().slot};
  const Exchange* first = from.exchanges.empty() ? nullptr : from.exchanges[0].get();
  const auto in_workspace = [&](int slot) {
    return std::any_of(work_arrays.begin(), work_arrays.end(), [&](const auto& array) { return array.first == slot; });
  };
  if (works_in == Memory::callers && first && in_workspace(first->array().slot)) return {nullptr, -1};
  // The memory that the first exchange sends from, where the first stage may leave its result in
  // its input; threads, with blocks of their own, keep no order.
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
  if (works_in == Memory::none)
    throw Error("the plan has no memory (weft::Memory::none) and none to give out; call make_input() or make_output()");
  // What is sent from is not lent where second-level caches hold all: what a peer has just read is
  // written again slowly, line by line (memory policy, M1).
  if (const auto [exchange, slot] = lent(from, to);
      slot >= 0 && (bytes > limits::small_array || slot != from.exchanges[0]->array().slot)) {
    std::byte* const lent_memory = slots[static_cast<std::size_t>(slot)];
    // An exchange may send from an array of the plan's: who has it keeps the array, not the exchange.
    for (const auto& array : arrays)
      if (array.get() == lent_memory) return mine = array;
    return mine = std::shared_ptr<std::byte>(exchange, lent_memory);
  }
  owned_bytes += bytes;
  return mine = allocate(bytes);
}

}  // namespace weft

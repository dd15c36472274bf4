// What a rank reads and writes in a plan or a redistribution, as data, for checks of its order.
#include <algorithm>
#include <map>

#include "check/order.hpp"
#include "plan/plan.hpp"
#include "plan/redistribute.hpp"
#include "plan/report/exchange_program.hpp"

namespace weft {
namespace {

// What arrays of the caller and memory that exchanges share are called; other memory is its slot.
constexpr int real_array = -1, spectrum = -2, second_array = -3, mapped_spectrum = -4;
constexpr int most_transitions = 64;  // of a direction, so that keys of exchanges differ

/// What of a numbered axis the lines of a block name: half-open ranges, ascending.
std::vector<std::pair<Index, Index>> numbers(const Table& table, const Box& block, bool writes) {
  std::vector<std::pair<Index, Index>> all;
  for (Index l = block.lo[table.line_axis]; l < block.hi[table.line_axis]; ++l) {
    const Index line = l - table.first_line;
    if (line < 0 || line >= static_cast<Index>(table.lines.size())) continue;
    for (const Table::Entry& e : table.lines[static_cast<std::size_t>(line)])
      if (!writes || !e.mirror) all.push_back({e.number, e.number + e.count});
  }
  std::sort(all.begin(), all.end());
  std::vector<std::pair<Index, Index>> joined;
  for (const auto& [lo, hi] : all)
    if (!joined.empty() && lo <= joined.back().second)
      joined.back().second = std::max(joined.back().second, hi);
    else
      joined.push_back({lo, hi});
  return joined;
}

template <class Memory>
void access(std::vector<check::Access>& all, const Side& side, const Box& block, bool writes, int part, Memory memory) {
  const auto add = [&](const Box& box) {
    for (const View& view : side.views)
      if (check::Region region = check::region(view, box, side.bytes, memory(view.slot)); region.run > 0)
        all.push_back({std::move(region), writes, part});
  };
  if (!side.table) return add(block);
  Box box;
  for (int a = 0; a <= side.table->number_axis; ++a) box.lo.push_back(block.lo[a]), box.hi.push_back(block.hi[a]);
  for (const auto& [lo, hi] : numbers(*side.table, block, writes)) {
    box.lo[side.table->number_axis] = lo, box.hi[side.table->number_axis] = hi;
    add(box);
  }
}

/// The program of a plan on one rank; `Plan` is its body, whose name is private.
template <class Plan>
class PlanProgram {
 public:
  explicit PlanProgram(const Plan& plan) : plan_(plan), rank_(plan.comm.rank()) {}

  check::Program make() {
    for (const Transform* transform : {&plan_.forward, &plan_.backward}) name_exchanges(*transform);
    for (const auto& [number, name] : {std::pair(real_array, "the input array"),
                                       {spectrum, "the output array"},
                                       {second_array, "the output array of a map"},
                                       {mapped_spectrum, "a map's array in the middle"}})
      program_.names.push_back({number, name});
    for (const Transform* transform : plan_.transforms())
      if (!transform->stages.empty()) add_execution(*transform);
    add_arrays();
    return std::move(program_);
  }

 private:
  bool maps(const Transform& transform) const { return transform.turn >= 0; }

  std::string way(const Transform& transform) const {
    return maps(transform) ? "map" : &transform == &plan_.forward ? "forward" : "backward";
  }

  std::vector<int> members(const Transition& transition) const {
    return Pattern(transition.from, transition.to, rank_, transition.cut).members();
  }

  void name_exchanges(const Transform& transform) {
    for (std::size_t h = 0; h < transform.transitions.size(); ++h) {
      const Exchange* exchange = transform.exchanges[h].get();
      if (!exchange) continue;
      const int key = keys_[exchange] = most_transitions * plan_.number(transform) + static_cast<int>(h);
      share(shared_, *exchange, transform.selves[h], members(transform.transitions[h]), key);
      program_.names.push_back(
          {shared_memory + key, "the memory for exchange " + std::to_string(h) + " of " + way(transform)});
    }
  }

  check::Memory own(int slot) const {
    if (const auto found = shared_.find(slot); found != shared_.end()) return found->second;
    return {rank_, slot == 0 ? real_array : slot == 1 ? spectrum : slot};
  }

  int mapped() const { return plan_.waves ? spectrum : real_array; }
  // What the caller's array at an end of a map is called.
  check::Memory end(bool last) const { return {rank_, last && !plan_.requested.in_place() ? second_array : mapped()}; }

  // What a slot is called while a transform runs.
  check::Memory memory(const Transform& transform, int slot) const {
    if (!maps(transform)) return own(slot);
    if (slot == transform.first_slot || slot == transform.last_slot) return end(slot == transform.last_slot);
    return slot == (plan_.waves ? 0 : 1) ? check::Memory{rank_, mapped_spectrum} : own(slot);
  }

  void add_execution(const Transform& transform) {
    check::Execution& x = program_.kinds.emplace_back();
    x.name = way(transform);
    for (std::size_t h = 0; h < transform.transitions.size(); ++h) {
      const Exchange* exchange = transform.exchanges[h].get();
      if (!exchange) {
        x.exchanges.emplace_back();
        continue;
      }
      const bool after = static_cast<int>(h) >= transform.turn;
      const auto looked_up = [&](const View& view, Index bytes) {
        const bool at_end = maps(transform) && view.slot == (plan_.waves ? 1 : 0);
        return check::region(view, view.box, bytes, at_end ? end(after) : memory(transform, view.slot));
      };
      x.exchanges.push_back(described(*exchange, transform.selves[h], members(transform.transitions[h]),
                                      keys_.at(exchange), transform.bytes[h + 1], looked_up));
    }
    const auto add = [&](const Step& step, int lane, int needs) {
      if (step.kind == Step::Kind::test) return;
      check::Event& event = x.events.emplace_back(check::Event{kind(step.kind), step.of, step.first, lane, needs, {}});
      if (step.kind == Step::Kind::work) add_work(event.accesses, transform, step);
    };
    if (transform.conductor)
      transform.conductor->each(add);
    else
      for (const Step& step : transform.steps) add(step, 0, 0);
  }

  void add_work(std::vector<check::Access>& all, const Transform& transform, const Step& step) const {
    const int workers = plan_.team ? plan_.team->threads() - (transform.conductor ? 1 : 0) : 1;
    const Stage& stage = *transform.stages[static_cast<std::size_t>(step.of)];
    const int count = step.last - step.first;
    const auto named = [&](int slot) { return memory(transform, slot); };
    for (int b = step.first; b < step.last; ++b) {
      int part = 0;  // whose thread's
      while (count >= workers && b >= step.first + count * (part + 1) / workers) ++part;
      Box to = stage.block(b);
      for (int a = 0; a < to.axes(); ++a)
        if (stage.transforms(a)) to.lo[a] = stage.spec().to.box.lo[a], to.hi[a] = stage.spec().to.box.hi[a];
      access(all, stage.spec().from, stage.block(b), false, part, named);
      access(all, stage.spec().to, to, true, part, named);
    }
  }

  // What the caller gives, and what of it may be the plan's.
  void add_arrays() {
    const Index real = plan_.route.input.elements(rank_) * plan_.input_bytes;
    const Index transformed = plan_.route.output.elements(rank_) * plan_.output_bytes;
    const auto array = [&](int number, Index bytes) { program_.arrays.push_back({{rank_, number}, 0, bytes, {}}); };
    array(real_array, plan_.requested.in_place() ? plan_.array_bytes : real);
    if (plan_.requested.in_place()) return;
    array(spectrum, transformed), array(second_array, plan_.waves ? transformed : real);
    program_.joint.push_back({{rank_, second_array}, {rank_, mapped()}});
    const Transform &forward = plan_.forward, &backward = plan_.backward;
    if (const int slot = plan_.lent(forward, backward).second; slot >= 0)
      program_.lent.push_back({{rank_, real_array}, own(slot)});
    if (const int slot = plan_.lent(backward, forward).second; slot >= 0)
      program_.lent.push_back({{rank_, spectrum}, own(slot)});
  }

  const Plan& plan_;
  const int rank_;
  check::Program program_;
  Shared shared_;
  std::map<const Exchange*, int> keys_;
};

}  // namespace

check::Program AnyPlan::Body::program() const { return PlanProgram(*this).make(); }

AnyPlan::Ordering AnyPlan::ordering() const {
  const auto ranks = check::programs(*this);
  check::Finding found;
  if (body_->comm.rank() == 0) found = check::check(ranks);
  found.text = body_->comm.gather_all(found.text).front();
  const auto of_first = [&](Index number) { return body_->comm.gather_all(number).front(); };
  return {of_first(found.compared), of_first(found.unordered), of_first(found.hangs) != 0, found.text};
}

check::Program Redistribution::Body::program() const {
  const int rank = comm_.rank();
  check::Program program;
  Shared shared;
  share(shared, *bound_.exchange, pattern_.rank(), pattern_.members(), 0);
  const auto memory = [&](int slot) -> check::Memory {
    if (const auto found = shared.find(slot); found != shared.end()) return found->second;
    return {rank, slot == 0 ? real_array : slot == 1 ? spectrum : slot};
  };
  check::Execution& x = program.kinds.emplace_back();
  x.name = "redistribution";
  program.names = {
      {real_array, "the from-array"}, {spectrum, "the to-array"}, {shared_memory, "the memory for the exchange"}};
  const auto region = [&](const View& view, Index bytes) {
    return check::region(view, view.box, bytes, memory(view.slot));
  };
  x.exchanges.push_back(described(*bound_.exchange, pattern_.rank(), pattern_.members(), 0, bytes_, region));
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::test) continue;
    check::Event& event = x.events.emplace_back(check::Event{kind(step.kind), step.of, step.first, 0, 0, {}});
    if (step.kind != Step::Kind::work) continue;
    for (const Move& move : moves_[static_cast<std::size_t>(step.first * parts + step.of)])
      for (const bool writes : {false, true})
        event.accesses.push_back({region(writes ? move.to : move.from, bytes_), writes, 0});
  }
  for (const bool to : {false, true})
    program.arrays.push_back(
        {{rank, to ? spectrum : real_array}, 0, (to ? pattern_.to() : pattern_.from()).elements(rank) * bytes_, {}});
  return program;
}

namespace check {

std::vector<Program> programs(const AnyPlan& plan) {
  return gathered_programs(plan.body_->comm, plan.body_->comm.agree([&] { return plan.body_->program(); }));
}

std::vector<Program> programs(const Redistribution& redistribution) {
  const auto& body = *redistribution.body_;
  return gathered_programs(body.comm(), body.comm().agree([&] { return body.program(); }));
}

}  // namespace check
}  // namespace weft

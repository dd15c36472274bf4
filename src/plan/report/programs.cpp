// Programs: what a rank reads and writes in a plan or a redistribution, as data, for checks of its order.
#include <algorithm>
#include <map>

#include "check/order.hpp"
#include "plan/plan.hpp"
#include "plan/redistribute.hpp"

namespace weft {
namespace {

// What arrays of the caller are called, and what exchanges share; a rank's other memory is called by its slot.
constexpr int real_array = -1, spectrum = -2, second_array = -3, mapped_spectrum = -4, shared_memory = 1 << 20;
constexpr int most_hops = 64;  // of a direction, so that keys of exchanges differ

check::Kind kind(Exchange::Verb verb) {
  switch (verb) {
    case Exchange::Verb::open:
      return check::Kind::open;
    case Exchange::Verb::start:
      return check::Kind::start;
    case Exchange::Verb::finish:
      return check::Kind::finish;
    case Exchange::Verb::close:
      return check::Kind::close;
  }
  return check::Kind::open;
}

check::Kind kind(Step::Kind step) {
  switch (step) {
    case Step::Kind::open:
      return check::Kind::open;
    case Step::Kind::start:
      return check::Kind::start;
    case Step::Kind::finish:
      return check::Kind::finish;
    case Step::Kind::close:
      return check::Kind::close;
    case Step::Kind::work:
    case Step::Kind::test:
      break;
  }
  return check::Kind::work;
}

/// By slot: memory that an exchange shares between ranks.
using Shared = std::map<int, check::Memory>;

void share(Shared& all, const Exchange& exchange, int self, const std::vector<int>& members, int key) {
  for (const auto& [slot, member] : exchange.promises(self).shared)
    if (slot >= 0) all[slot] = {members[static_cast<std::size_t>(member)], shared_memory + key};
}

/// `memory(slot)` is what a slot is called while the exchange runs.
template <class Memory>
check::Exchange described(const Exchange& exchange, int self, const std::vector<int>& members, int key,
                          Index element_bytes, Memory memory) {
  const Exchange::Promises promises = exchange.promises(self);
  check::Exchange all{key, members, {}, {}};
  for (const auto& w : promises.waits)
    all.waits.push_back(
        {kind(w.verb), w.tile, members[static_cast<std::size_t>(w.member)], kind(w.of), w.of_tile, w.rounds, w.begun});
  std::map<int, check::Memory> named;
  for (const auto& [slot, member] : promises.shared)
    named[slot] = {members[static_cast<std::size_t>(member)], shared_memory + key};
  for (const auto& t : promises.touches) {
    const auto name = named.find(t.at.slot);
    const check::Memory there = name == named.end() ? memory(t.at.slot) : name->second;
    all.touches.push_back(
        {t.tile,
         kind(t.from),
         kind(t.to),
         {check::region(t.at, t.at.box, t.element_bytes > 0 ? t.element_bytes : element_bytes, there), t.writes, 0},
         t.until_begun});
  }
  return all;
}

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

/// The programs of all ranks from this rank's.
std::vector<check::Program> gathered(const mpi::Communicator& comm, const check::Program& mine) {
  std::vector<check::Program> all;
  for (const std::string& bytes : comm.gather_all(check::packed(mine))) all.push_back(check::unpacked(bytes));
  return all;
}

}  // namespace

check::Program AnyPlan::Body::program() const {
  const int rank = comm.rank();
  const bool in_place = requested.in_place();
  check::Program program;
  Shared shared;
  std::map<const Exchange*, int> keys;
  const auto way = [&](const Chain& chain) {
    return std::string(chain.turn >= 0 ? "map" : &chain == &forward ? "forward" : "backward");
  };
  const auto members = [&](const Hop& hop) { return Pattern(hop.from, hop.to, rank, hop.cut).members(); };
  for (const Chain* chain : {&forward, &backward})
    for (std::size_t h = 0; h < chain->hops.size(); ++h)
      if (const Exchange* exchange = chain->exchanges[h].get()) {
        const int key = keys[exchange] = most_hops * number(*chain) + static_cast<int>(h);
        share(shared, *exchange, chain->selves[h], members(chain->hops[h]), key);
        program.names.push_back(
            {shared_memory + key, "the memory for exchange " + std::to_string(h) + " of " + way(*chain)});
      }
  for (const auto& [number, name] : {std::pair(real_array, "the input array"),
                                     {spectrum, "the output array"},
                                     {second_array, "the output array of a map"},
                                     {mapped_spectrum, "a map's array in the middle"}})
    program.names.push_back({number, name});
  const auto own = [&](int slot) -> check::Memory {
    if (const auto found = shared.find(slot); found != shared.end()) return found->second;
    return {rank, slot == 0 ? real_array : slot == 1 ? spectrum : slot};
  };
  const int mapped = waves ? spectrum : real_array;
  for (const Chain* chain : {&forward, &backward, &map}) {
    if (chain->stages.empty()) continue;
    const bool maps = chain->turn >= 0;
    check::Execution& x = program.kinds.emplace_back();
    x.name = way(*chain);
    const auto end = [&](bool last) -> check::Memory { return {rank, last && !in_place ? second_array : mapped}; };
    const auto memory = [&](int slot) -> check::Memory {
      if (maps && (slot == chain->first_slot || slot == chain->last_slot)) return end(slot == chain->last_slot);
      if (maps && slot == (waves ? 0 : 1)) return {rank, mapped_spectrum};
      return own(slot);
    };
    for (std::size_t h = 0; h < chain->hops.size(); ++h) {
      const Exchange* exchange = chain->exchanges[h].get();
      if (!exchange) {
        x.exchanges.emplace_back();
        continue;
      }
      const auto looked_up = [&](int slot) {
        return maps && slot == (waves ? 1 : 0) ? end(static_cast<int>(h) >= chain->turn) : memory(slot);
      };
      x.exchanges.push_back(described(*exchange, chain->selves[h], members(chain->hops[h]), keys.at(exchange),
                                      chain->bytes[h + 1], looked_up));
    }
    const int workers = team ? team->threads() - (chain->conductor ? 1 : 0) : 1;
    const auto add = [&](const Step& step, int lane, int needs) {
      if (step.kind == Step::Kind::test) return;
      check::Event& event = x.events.emplace_back(check::Event{kind(step.kind), step.of, step.first, lane, needs, {}});
      if (step.kind != Step::Kind::work) return;
      const Stage& stage = *chain->stages[static_cast<std::size_t>(step.of)];
      const int count = step.last - step.first;
      for (int b = step.first; b < step.last; ++b) {
        int part = 0;  // whose thread's
        while (count >= workers && b >= step.first + count * (part + 1) / workers) ++part;
        Box to = stage.block(b);
        for (int a = 0; a < to.axes(); ++a)
          if (stage.transforms(a)) to.lo[a] = stage.spec().to.box.lo[a], to.hi[a] = stage.spec().to.box.hi[a];
        access(event.accesses, stage.spec().from, stage.block(b), false, part, memory);
        access(event.accesses, stage.spec().to, to, true, part, memory);
      }
    };
    if (chain->conductor)
      chain->conductor->each(add);
    else
      for (const Step& step : chain->steps) add(step, 0, 0);
  }
  const Index real = route.input.elements(rank) * input_bytes, transformed = route.output.elements(rank) * output_bytes;
  const auto array = [&](int number, Index bytes) { program.arrays.push_back({{rank, number}, 0, bytes, {}}); };
  array(real_array, in_place ? array_bytes : real);
  if (!in_place) {
    array(spectrum, transformed), array(second_array, waves ? transformed : real);
    program.joint.push_back({{rank, second_array}, {rank, mapped}});
    if (const int slot = lent(forward, backward).second; slot >= 0)
      program.lent.push_back({{rank, real_array}, own(slot)});
    if (const int slot = lent(backward, forward).second; slot >= 0)
      program.lent.push_back({{rank, spectrum}, own(slot)});
  }
  return program;
}

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
  x.exchanges.push_back(described(*bound_.exchange, pattern_.rank(), pattern_.members(), 0, bytes_, memory));
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::test) continue;
    check::Event& event = x.events.emplace_back(check::Event{kind(step.kind), step.of, step.first, 0, 0, {}});
    if (step.kind != Step::Kind::work) continue;
    for (const Move& move : moves_[static_cast<std::size_t>(step.first * parts + step.of)])
      for (const bool writes : {false, true}) {
        const View& view = writes ? move.to : move.from;
        event.accesses.push_back({check::region(view, view.box, bytes_, memory(view.slot)), writes, 0});
      }
  }
  for (const bool to : {false, true})
    program.arrays.push_back(
        {{rank, to ? spectrum : real_array}, 0, (to ? pattern_.to() : pattern_.from()).elements(rank) * bytes_, {}});
  return program;
}

namespace check {

std::vector<Program> programs(const AnyPlan& plan) {
  return gathered(plan.body_->comm, plan.body_->comm.agree([&] { return plan.body_->program(); }));
}

std::vector<Program> programs(const Redistribution& redistribution) {
  const auto& body = *redistribution.body_;
  return gathered(body.comm(), body.comm().agree([&] { return body.program(); }));
}

}  // namespace check
}  // namespace weft

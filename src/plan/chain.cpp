// Chains: exchanges bound, stages between their views, and the steps that run them.
#include <algorithm>

#include <weft/quote.hpp>

#include "plan/bind.hpp"
#include "mpi/memory.hpp"
#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"
#include "plan/policy/variants.hpp"
#include "plan/route/problem.hpp"

namespace weft {
namespace {

Side side(const Layout& layout, int rank, int slot, Index bytes) { return {layout.box(rank), {layout.view(rank, slot)}, bytes}; }

bool same_memory_layout(const Layout& a, const Layout& b, int rank) { return a.box(rank).empty() || same_memory(a.view(rank), b.view(rank)); }

}  // namespace

void AnyPlan::Body::rescale(Chain& chain, double by) {
  if (by == 1) return;
  for (auto list = chain.operations.rbegin(); list != chain.operations.rend(); ++list)
    if (!list->empty()) {
      list->back().scale *= by;
      return;
    }
}

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

void AnyPlan::Body::bind_chain(Chain& chain) {
  const int rank = comm.rank();
  std::vector<std::string> names = strategy_names(requested.strategy), bound_names;
  const auto count = static_cast<std::size_t>(std::count_if(chain.hops.begin(), chain.hops.end(), [](const Hop& h) { return h.exchanges; }));
  if (count > 0 && names.size() > count)  // alike on all ranks
    throw Error("strategy \"" + shown(requested.strategy) + "\" names " + std::to_string(names.size()) + " strategies, and this plan has " + std::to_string(count) +
                (count == 1 ? " exchange" : " exchanges") + "; give at most one for each, the last serves all that follow");
  names.resize(count, names.back());
  if (&chain == &backward) std::reverse(names.begin(), names.end());
  chain.strategies.resize(chain.hops.size());
  chain.reasons.resize(chain.hops.size());
  chain.considered.resize(chain.hops.size());
  for (std::size_t h = 0; h < chain.hops.size(); ++h) {
    const Hop& hop = chain.hops[h];
    chain.exchanges.emplace_back();
    chain.selves.push_back(-1);
    if (!hop.exchanges) continue;
    Demand demand{.pattern = comm.agree([&] { return Pattern(hop.from, hop.to, rank, hop.cut); }), .element_bytes = chain.bytes[h + 1], .slots = &slots, .nodes = nodes};
    // the caller's own arrays are on offer where the stage beside the exchange may use them as they are
    const bool numbered = waves && waves->pencils();  // rows there are ordered otherwise, even where all are held
    const bool overwrite = !numbered && (overwrites() || requested.in_place()) && h == 0 && chain.bytes[0] == chain.bytes[1] && same_memory_layout(chain.first, hop.from, rank);
    const bool last = !numbered && !requested.in_place() && h + 1 == chain.hops.size() && chain.bytes[h + 1] == chain.bytes[h + 2] && same_memory_layout(chain.last, hop.to, rank);
    const auto whole = [&](bool lent) { return h == 0 && overwrites() && (lent || chain.bytes[0] < chain.bytes[1]); };
    const Index bytes = hop.from.elements(rank) * chain.bytes[h + 1];
    const bool fits = bytes <= limits::stays_overwritten || ranks_here() * bytes <= hardware().last_level(ranks_here()) / limits::stays_cache_share;
    const auto stays = [&](bool lent) {
      const bool pays = bytes >= limits::stays_in_output && (h > 0 || !overwrites() || (whole(lent) && fits));
      return last && !waves && takes_up(chain) && pays;
    };
    const auto [lent, lands_there, stays_lent, stays_else] = comm.min<int, 4>({overwrite, last, stays(true), stays(false)});
    demand.from_slot = lent ? chain.first_slot : new_array(bytes);
    demand.from_lasts = !requested.in_place();
    demand.to_slot = lands_there ? chain.last_slot : new_array(hop.to.elements(rank) * chain.bytes[h + 1]);
    demand.from_whole = whole(lent);
    demand.stay_slot = (lent ? stays_lent : stays_else) ? chain.last_slot : -1;
    chain.selves.back() = demand.pattern.rank();
    demand.lands = lands(chain, h);
    demand.ring = in_step() ? ring() : 0;
    Bound bound = bind_strategy(comm, std::move(demand), names[bound_names.size()], requested.wire == "single", machine);
    bound_names.emplace_back(bound.strategy->name());
    if (lands(chain, h) && bound.exchange->landing().slot >= 0) bound.exchange->hold();
    comm.agree([&] {
      for (int t = 0; t < bound.exchange->tiles(); ++t)
        for (const auto* pieces : {&bound.exchange->tile(t).out, &bound.exchange->tile(t).in})
          for (const Piece& piece : *pieces) need(piece.at.slot);
    });
    chain.strategies[h] = bound.strategy->name();
    chain.reasons[h] = std::move(bound.reason);
    chain.considered[h] = std::move(bound.considered);
    chain.exchanges[h] = std::move(bound.exchange);
    owned_bytes += chain.exchanges[h]->bytes_owned();
  }
  if (&chain == &forward && !bound_names.empty()) {
    while (bound_names.size() > 1 && bound_names.back() == bound_names[bound_names.size() - 2]) bound_names.pop_back();  // the last serves all that follow
    effective.strategy = bound_names.front();
    for (std::size_t k = 1; k < bound_names.size(); ++k) effective.strategy += "+" + bound_names[k];
  }
  // a tile that has arrived when its start returns is never under way
  const auto overlaps = [](const std::string& name) { return !name.empty() && strategy(name).overlaps(); };
  if (std::any_of(chain.strategies.begin(), chain.strategies.end(), overlaps)) return;
  if (&chain == &forward) effective.schedule.window = 1, effective.schedule.test = 0;
  else if (effective.backward_schedule) effective.backward_schedule->window = 1, effective.backward_schedule->test = 0;
}

// Whether fields of a batch go through all exchanges in step, there, back and in a map, so that an exchange need not hold them all. Not in place, for there a field may arrive
// where another is still read; nor where a thread exchanges, which waits for out-memory first.
bool AnyPlan::Body::in_step() const {
  if (requested.batch == 1 || requested.in_place() || requested.schedule.communicate == "thread" || ring() == 0) return false;
  Index fields = 0;
  const auto alike = [&](const Hop& hop, const Cut& cut) {
    if (!hop.exchanges) return true;
    if (fields == 0) fields = cut.size;
    return cut.axis == 0 && cut.size == fields;
  };
  for (const Hop& hop : route.hops)
    if (!alike(hop, hop.cut)) return false;
  const Route& home = homeward();
  for (std::size_t h = 0; h < home.hops.size(); ++h)
    if (!alike(home.hops[h], back_cut(home, h))) return false;
  return fields > 0;
}

// Whether the first exchange may have the input for its array. Not where few fields of a batch are held at a time, in caches, which an input that peers read is not.
bool AnyPlan::Body::overwrites() const { return requested.overwrites_input() && (waves || !in_step()); }

// Ranks of this node.
Index AnyPlan::Body::ranks_here() const { return std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm.rank())]); }

// Tiles that are on their way, and one that is written meanwhile; 0: all.
int AnyPlan::Body::ring() const {
  const Index there = requested.schedule.window, back = requested.backward_schedule.value_or(requested.schedule).window;
  return there > 0 && back > 0 ? static_cast<int>(std::min<Index>(std::max(there, back), requested.batch)) + 1 : 0;
}

// Whether the last stage may find in its output what it reads there and puts its results in its place: columns from rows, which it transforms where they lie.
bool AnyPlan::Body::takes_up(const Chain& chain) const {
  const auto& list = chain.operations.back();
  return list.size() == 1 && list.front().first && list.front().first->takes_rows() && !list.front().second && !list.front().map;
}

// Whether what arrives in hop h is what the caller gets. All ranks say the same.
bool AnyPlan::Body::lands(const Chain& chain, std::size_t h) const {
  if (h + 1 != chain.hops.size() || !chain.hops[h].exchanges || !chain.operations.back().empty() || requested.in_place()) return false;
  for (int r = 0; r < comm.size(); ++r)
    if (!same_memory_layout(chain.hops[h].to, chain.last, r)) return false;
  return true;
}

// Whether stage s writes what the caller gets.
bool AnyPlan::Body::returns(const Chain& chain, std::size_t s) const { return s == chain.hops.size() || (lands(chain, s) && chain.exchanges[s]->landing().slot >= 0); }

// A stage's place in the plan, as far as its variants depend on it.
StageFacts AnyPlan::Body::facts(const Chain& chain, std::size_t s) const {
  StageFacts facts;
  facts.first = s == 0;
  facts.last = s == chain.hops.size();
  facts.returns = returns(chain, s);
  facts.sends = !facts.last && chain.exchanges[s];
  facts.overwrites = facts.first && overwrites();
  facts.paired_rows = rows_axis >= 0;
  facts.ranks = ranks_here();
  const Side& to = chain.sides[2 * s + 1];
  facts.bytes_at_once = facts.ranks * to.box.volume() * to.bytes;
  if (facts.sends && in_step() && chain.exchanges[s]->array().slot < 0) facts.bytes_at_once = facts.bytes_at_once / chain.exchanges[s]->tiles() * ring();
  return facts;
}

// Stages whose variants cannot be told apart in advance are tried while the plan runs. Collective: all ranks try the same settings, each from its own guess.
void AnyPlan::Body::select_variants() {
  const auto each_stage = [&](auto visit) {
    for (const Chain* chain : {&forward, &backward, &map})
      for (std::size_t s = 0; s < chain->stages.size(); ++s) {
        const Stage& stage = *chain->stages[s];
        Trials tries = trials(stage.spec(), stage.variants(), facts(*chain, s), hardware());
        tries.in_runs = tries.in_runs && stage.blocks() > 0;
        visit(*chain, *chain->stages[s], tries);
      }
  };
  int any = 0;
  each_stage([&](const Chain&, const Stage&, const Trials& tries) { any |= tries.in_runs || tries.streams; });
  if (comm.max(any) == 0) return;
  each_stage([&](const Chain& chain, Stage& stage, const Trials& tries) {
    const auto add = [&](auto set, bool guess) {
      selector.add(number(chain), [&stage, set](bool value) {
        Choice changed = stage.chosen();
        set(changed, value);
        stage.choose(changed);
      }, guess);
    };
    if (comm.max(tries.in_runs) > 0) add([](Choice& c, bool v) { c.in_runs = v; }, false);
    if (comm.max(tries.streams) == 0) return;
    add([](Choice& c, bool v) { c.streams = v; }, tries.streams_guess);
    if (comm.max(tries.retains) > 0) add([](Choice& c, bool v) { c.retains = v; }, true);
  });
}

StageSpec AnyPlan::Body::spec(const Chain& chain, std::size_t s) const {
  StageSpec r;
  r.operations = chain.operations[s];
  r.precision = problem.precision;
  r.from = chain.sides[2 * s];
  r.to = chain.sides[2 * s + 1];
  r.from.views = merge(r.from.views);
  r.to.views = merge(r.to.views);
  const auto tiles = [&](std::size_t h, bool writes) {
    if (!chain.exchanges[h] || chain.hops[h].cut.axis < 0) return;
    std::vector<Index> bounds;
    for (int t = 0; t < chain.exchanges[h]->tiles(); ++t)
      for (const Piece& piece : writes ? chain.exchanges[h]->tile(t).out : chain.exchanges[h]->tile(t).in) {
        bounds.push_back(piece.at.box.lo[chain.hops[h].cut.axis]);
        bounds.push_back(piece.at.box.hi[chain.hops[h].cut.axis]);
      }
    r.tile_axes.push_back(chain.hops[h].cut.axis);
    r.bounds.push_back(std::move(bounds));
  };
  if (s < chain.hops.size()) tiles(s, true);
  if (s > 0) tiles(s - 1, false);
  const auto waits = [&](const View& v) { return v.slot == chain.last_slot; };
  if (!returns(chain, s) && std::any_of(r.to.views.begin(), r.to.views.end(), waits)) r.retained_slot = chain.last_slot;
  r.threads = requested.threads;
  if (&chain == &map) r.one_memory = {map.first_slot, map.last_slot};
  // Half a spectrum is a little longer than the real numbers it comes from: from the end on it may take their place.
  r.descending = s == 0 && chain.bytes[0] < chain.bytes[1] && !chain.hops.empty() && chain.exchanges[0] && chain.exchanges[0]->tiles() == 1;
  return r;
}

std::unique_ptr<Stage> AnyPlan::Body::stage(const Chain& chain, std::size_t s) const {
  const StageSpec planned = spec(chain, s);
  return Stage::undisturbed(planned, variants(planned, facts(chain, s), hardware()));
}

void AnyPlan::Body::build(Chain& chain) {
  const int rank = comm.rank();
  const std::size_t stages = chain.operations.size();
  chain.sides.resize(2 * stages);
  chain.sides.front() = side(chain.first, rank, chain.first_slot, chain.bytes.front());
  chain.sides.back() = side(chain.last, rank, chain.last_slot, chain.bytes.back());
  for (std::size_t h = 0; h < chain.hops.size(); ++h) {
    const Hop& hop = chain.hops[h];
    Side &left = chain.sides[2 * h + 1], &right = chain.sides[2 * h + 2];
    left = {hop.from.box(rank), {}, chain.bytes[h + 1]};
    right = {hop.to.box(rank), {}, chain.bytes[h + 1]};
    if (const Exchange* exchange = chain.exchanges[h].get()) {
      for (int t = 0; t < exchange->tiles(); ++t) {
        for (const Piece& piece : exchange->tile(t).out) left.views.push_back(piece.at);
        for (const Piece& piece : exchange->tile(t).in) right.views.push_back(piece.at);
      }
      const auto waits = [&](const View& v) { return v.slot == chain.last_slot; };
      if (exchange->array().slot >= 0 && std::none_of(left.views.begin(), left.views.end(), waits)) left.views = {exchange->array()};
      continue;
    }
    left = right = link(chain, h);
  }
  if (waves) enter_sphere(chain);
  for (std::size_t s = 0; s < stages; ++s) chain.stages.push_back(stage(chain, s));
}

// Where an array between two stages lies: at its end already, in the memory that the next exchange sends from, where it came from, or in memory of its own.
Side AnyPlan::Body::link(Chain& chain, std::size_t h) {
  const int rank = comm.rank();
  const Index bytes = chain.bytes[h + 1];
  const Box& box = chain.hops[h].to.box(rank);
  std::size_t next = h + 1;
  while (next < chain.hops.size() && !chain.hops[next].exchanges) ++next;
  const bool to_end = next == chain.hops.size();
  const Side& before = chain.sides[2 * h];
  const bool stays = (requested.overwrites_input() || requested.in_place()) && before.views.size() == 1 && before.views.front().slot == chain.first_slot &&
                     before.bytes == bytes && before.box == box;
  // A last stage of one axis is faster from array to array than in place, where the axes' order changes: so what may stay stays. Rows of several axes
  // would be read planes apart.
  if (to_end && chain.last.box(rank) == box && chain.bytes.back() == bytes && (requested.in_place() ? h == 0 : !stays || chain.operations.back().size() > 1))
    return side(chain.last, rank, chain.last_slot, bytes);
  if (!to_end && chain.exchanges[next]->array().slot >= 0 && chain.exchanges[next]->array().box == box && chain.bytes[next + 1] == bytes)
    return {box, {chain.exchanges[next]->array()}, bytes};
  if (stays) return before;
  const int slot = new_array(chain.hops[h].to.elements(rank) * bytes);
  need(slot);
  return side(chain.hops[h].to, rank, slot, bytes);
}

// Most tiles of a chain that are on their way at once. Stages of a batch in tiles either read what is in no cache or write past the caches, and cores with a cache in common write no faster past it together than one alone. So every other rank reads what has arrived a tile earlier:
// it writes results while its neighbours read input. 32^3 x 64 took 0.97 of the time, 40^3 x 32 0.93, 48^3 x 24 0.97. Not with several exchanges, whose starts would come in another order on every other rank.
Index AnyPlan::Body::window(const Chain& chain, const ScheduleOptions& planned, const ScheduleOptions& asked) const {
  if (planned.window == 1) return 1;
  const auto exchanged = [](const std::string& name) { return !name.empty(); };
  const auto first = std::find_if(chain.strategies.begin(), chain.strategies.end(), exchanged);
  const bool alternates = in_step() && std::count_if(chain.strategies.begin(), chain.strategies.end(), exchanged) == 1 && strategy(*first).reads_in_place();
  return alternates && comm.rank() % 2 == 0 ? asked.window - 1 : asked.window;
}

void AnyPlan::Body::schedule(Chain& chain) {
  std::vector<const Stage*> stages;
  for (const auto& stage : chain.stages) stages.push_back(stage.get());
  std::vector<const Exchange*> exchanges;
  for (const auto& exchange : chain.exchanges) exchanges.push_back(exchange.get());
  // where input and output are, or may be, one memory; in step a field is written when it has been read
  const int held = in_step() ? -1 : chain.turn >= 0 ? chain.turn : requested.in_place() ? static_cast<int>(stages.size()) - 1 : -1;
  const bool back = waves ? &chain != &forward : way_back && &chain == &backward;  // a map of plane waves begins backward
  const ScheduleOptions &planned = back ? *effective.backward_schedule : effective.schedule, &asked = back ? requested.backward_schedule.value_or(requested.schedule) : requested.schedule;
  chain.steps = make_steps(stages, exchanges, {window(chain, planned, asked), planned.test, held, limits::pipeline * requested.threads, in_step(), static_cast<int>(requested.threads)});
  // what callers hold as output may be written again only when they have come back
  if (const std::size_t h = chain.hops.size() - 1; !chain.hops.empty() && lands(chain, h) && chain.exchanges[h]->landing().slot >= 0)
    std::stable_partition(chain.steps.begin(), chain.steps.end(), [&](const Step& s) { return s.kind == Step::Kind::close && s.of == static_cast<int>(h); });
  // Memory that callers may hold must be theirs again when the call returns. In a map that is also what the way back sends from.
  const int lent_slots[] = {lent(forward, backward).second, lent(backward, forward).second};
  const auto holds = [&](std::size_t h, int slot) { return slot >= 0 && (h == 0 || slot == lent_slots[0] || slot == lent_slots[1]); };
  for (std::size_t h = 0; h < chain.exchanges.size(); ++h)
    if (chain.exchanges[h] && holds(h, chain.exchanges[h]->array().slot))
      for (int t = 0; t < chain.exchanges[h]->tiles(); ++t) chain.steps.push_back({Step::Kind::open, static_cast<int>(h), t, 0});
  follow(chain);
}

// Where a stage's last block before another's turn asks for memory, it asks for what that one reads: not for what it leaves itself, nor for what is on its way only then.
void AnyPlan::Body::follow(Chain& chain) {
  const Step* before = nullptr;
  std::vector<const Step*> started;  // since then
  bool late = false;
  for (const Step& step : chain.steps) {
    if (step.kind == Step::Kind::start) started.push_back(&step);
    if (step.kind == Step::Kind::finish) late = late || std::any_of(started.begin(), started.end(), [&](const Step* s) { return s->of == step.of && s->first == step.first; });
    if (step.kind != Step::Kind::work) continue;
    if (before && before->of != step.of && !late && (step.of != before->of + 1 || chain.exchanges[static_cast<std::size_t>(before->of)]))
      chain.stages[static_cast<std::size_t>(before->of)]->follow(before->last - 1, *chain.stages[static_cast<std::size_t>(step.of)], step.first);
    before = &step, started.clear(), late = false;
  }
}

void AnyPlan::Body::conduct(Chain& chain) {
  std::vector<const Stage*> stages;
  for (const auto& stage : chain.stages) stages.push_back(stage.get());
  chain.conductor = std::make_unique<Conductor>(chain.steps, std::move(stages), *team, workspaces);
}

// One direction up to the last stage that transforms, which maps and transforms back, and the other direction from there.
void AnyPlan::Body::build_map(double scale) {
  const Chain &there = waves ? backward : forward, &back = waves ? forward : backward;
  const auto works = [](const std::vector<Operation>& list) { return !list.empty(); };
  const auto first_work = std::find_if(back.operations.begin(), back.operations.end(), works);
  const auto last_work = std::find_if(there.operations.rbegin(), there.operations.rend(), works);
  const auto turn = waves ? turning_stage(route) : static_cast<std::size_t>(there.operations.rend() - last_work) - 1;
  const auto mirrored = waves ? homeward().work.size() - 1 - turn : static_cast<std::size_t>(first_work - back.operations.begin());  // the same stage on the way back
  for (std::size_t s = 0; s < turn; ++s) map.operations.push_back(there.operations[s]);
  const auto& up = there.operations[turn];
  std::vector<Operation> middle(up.begin(), up.end() - 1);
  Operation top = up.back();
  top.map = true;
  if (top.axis == crossing_axis) top.first = lines.at(mapped_spec());
  const std::vector<LineSpec> down = returning_specs();
  top.second = lines.at(down.front());
  middle.push_back(top);
  for (std::size_t k = 1; k < down.size(); ++k) {
    Operation o;
    o.axis = up[up.size() - 1 - k].axis;
    o.first = lines.at(down[k]);
    middle.push_back(o);
  }
  map.operations.push_back(middle);
  for (std::size_t s = mirrored + 1; s < back.operations.size(); ++s) map.operations.push_back(back.operations[s]);
  for (auto& list : map.operations)
    for (Operation& o : list) o.scale = 1;
  rescale(map, scale);

  map.first = map.last = there.first;
  const auto stages = map.operations.size();
  map.sides.resize(2 * stages);
  map.bytes.assign(there.bytes.begin(), there.bytes.begin() + static_cast<std::ptrdiff_t>(turn) + 1);
  map.bytes.insert(map.bytes.end(), back.bytes.begin() + static_cast<std::ptrdiff_t>(mirrored) + 1, back.bytes.end());
  const auto share = [&](const Chain& of, std::size_t begin, std::size_t end) {
    for (std::size_t h = begin; h < end; ++h) {
      map.hops.push_back(of.hops[h]), map.exchanges.push_back(of.exchanges[h]);
      map.strategies.push_back(of.strategies[h]), map.selves.push_back(of.selves[h]);
    }
  };
  share(there, 0, turn), share(back, mirrored, back.hops.size());
  for (std::size_t s = 0; s <= turn; ++s) map.sides[2 * s] = there.sides[2 * s];
  for (std::size_t s = 0; s < turn; ++s) map.sides[2 * s + 1] = there.sides[2 * s + 1];
  for (std::size_t s = turn; s < stages; ++s) {
    map.sides[2 * s + 1] = back.sides[2 * (s - turn + mirrored) + 1];
    if (s > turn) map.sides[2 * s] = back.sides[2 * (s - turn + mirrored)];
  }
  for (std::size_t h = 0; h < turn; ++h) keep_apart(there, h);
  // The caller's input and output have slots of their own here, so that they may be two arrays. Exchanges look slot 0 up themselves: it is the
  // input until the first exchange of the way back starts, then the output; slot 1 is an array of the plan's own.
  map.turn = static_cast<int>(turn);
  map.first_slot = new_array(0);
  map.last_slot = new_array(0);
  bool in_spectrum = false;
  for (std::size_t k = 0; k < map.sides.size(); ++k)
    for (View& view : map.sides[k].views) {
      in_spectrum = in_spectrum || (view.slot == there.last_slot && !requested.in_place());
      if (view.slot == there.first_slot) view.slot = k <= 2 * turn ? map.first_slot : map.last_slot;
    }
  if (in_spectrum) {
    map_spectrum = allocate(route.output.elements(comm.rank()) * output_bytes);
    owned_bytes += route.output.elements(comm.rank()) * output_bytes;
  }
  for (std::size_t s = 0; s < stages; ++s) map.stages.push_back(stage(map, s));
}

// What stays on this rank in a hop of a map, and waits in the output array on the way there, lies in the exchange's array, or where that has no room for it in memory of its own: a map has no such output. Where messages arrive in that array, all of it is needed.
void AnyPlan::Body::keep_apart(const Chain& there, std::size_t h) {
  std::vector<View> &written = map.sides[2 * h + 1].views, &read = map.sides[2 * h + 2].views;
  const auto waits = [&](const View& v) { return v.slot == there.last_slot && std::find(written.begin(), written.end(), v) != written.end(); };
  if (requested.in_place() || std::none_of(read.begin(), read.end(), waits) || std::any_of(read.begin(), read.end(), [&](const View& v) { return v.slot == there.last_slot && !waits(v); })) return;
  const View array = map.exchanges[h] ? map.exchanges[h]->array() : View();
  const int slot = array.slot >= 0 ? array.slot : new_array(0);
  Index elements = 0;
  for (View& view : written) {
    if (view.slot != there.last_slot) continue;
    const View own = array.slot >= 0 ? array.cut(view.box) : dense_view(view.box, map.hops[h].to.order(), {}, slot, elements);
    std::replace(read.begin(), read.end(), View(view), own);
    view = own;
    elements += view.box.volume();
  }
  if (array.slot >= 0) {
    written = {array};
    return;
  }
  wanted_bytes.back() = elements * map.bytes[h + 1];
  need(slot);
}

Workspace AnyPlan::Body::make_workspace() {
  std::vector<const Stage*> stages;
  for (const Chain* chain : {&forward, &backward, &map})
    for (const auto& stage : chain->stages) stages.push_back(stage.get());
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
  for (const Stage* stage : stages) bytes = std::max(bytes, rounded(stage->block_bytes()) + (stage->line_bytes() > 0 ? 2 * rounded(line) : 0));
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

}  // namespace weft

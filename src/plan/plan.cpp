// Plans: a route, its stages and exchanges, and the schedule of each direction.
//
// Slots 0 and 1 are the caller's arrays in real and in transformed space (one slot when in place); all others belong to exchanges and
// work arrays. Always true: executing looks nothing up but these two, allocates nothing and decides nothing.
#include "plan/plan.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>

#include "plan/bind.hpp"
#include "plan/memory.hpp"

namespace weft {

AnyProblem problem(Precision precision, std::vector<Kind> kinds, Shape shape, Order axes) {
  AnyProblem p{precision, shape, axes.empty() ? c_order(shape.size()) : axes, {}};
  if (kinds.empty()) throw Error("a problem needs a kind: c2c, r2c, or a dct or dst for each axis");
  const bool repeat = kinds.size() == 1;
  p.kinds.assign(repeat ? static_cast<std::size_t>(p.axes.size()) : kinds.size(), kinds.front());
  if (!repeat) p.kinds = kinds;
  if (repeat && (kinds.front() == Kind::r2c || kinds.front() == Kind::c2r)) {  // c2r is backward of the same plan
    std::fill(p.kinds.begin(), p.kinds.end(), Kind::c2c);
    p.kinds.back() = Kind::r2c;
  }
  return p;
}

std::vector<std::pair<std::string, std::string>> engine_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Engine* e : engines()) list.emplace_back(e->name(), e->summary());
  return list;
}

namespace {

void check_problem(const AnyProblem& p, const Options& o) {
  if (p.shape.empty()) throw Error("the shape has no axes; give at least one extent");
  for (const Index n : p.shape)
    if (n < 1) throw Error("shape " + to_string(p.shape) + " has an extent of " + std::to_string(n) + "; every extent must be at least 1");
  if (p.axes.empty()) throw Error("no axes to transform; name at least one of 0.." + std::to_string(p.shape.size() - 1));
  for (int k = 0; k < p.axes.size(); ++k) {
    if (p.axes[k] < 0 || p.axes[k] >= p.shape.size())
      throw Error("axis " + std::to_string(p.axes[k]) + " is not one of the shape's, 0.." + std::to_string(p.shape.size() - 1));
    for (int l = 0; l < k; ++l)
      if (p.axes[k] == p.axes[l]) throw Error("axis " + std::to_string(p.axes[k]) + " is named twice; each axis can be transformed once");
  }
  if (static_cast<int>(p.kinds.size()) != p.axes.size())
    throw Error(std::to_string(p.kinds.size()) + " kinds are given for " + std::to_string(p.axes.size()) + " axes; give one, or one an axis");
  for (std::size_t k = 0; k < p.kinds.size(); ++k) {
    const bool last = k + 1 == p.kinds.size();
    if (p.kinds[k] == Kind::c2r) throw Error("c2r is backward of r2c; plan r2c and call backward");
    if (p.kinds[k] == Kind::r2c && !last) throw Error("r2c must be the kind of the last of the axes, which is halved; the others are c2c");
    if (real_to_real(p.kinds[k]) != real_to_real(p.kinds.front())) throw Error("real-to-real kinds do not mix with complex ones in one plan");
  }
  if (o.batch < 1) throw Error("batch is " + std::to_string(o.batch) + "; it must be at least 1");
  if (o.components < 1) throw Error("components is " + std::to_string(o.components) + "; it must be at least 1");
  if (p.shape.size() + (o.batch > 1) + (o.components > 1) > max_axes)
    throw Error("shape, batch and components make more than " + std::to_string(max_axes) + " axes");
  if (o.threads < 1 || o.threads > 1024) throw Error("threads is " + std::to_string(o.threads) + "; give 1 to 1024 a rank");
  const auto& s = o.schedule;
  if (s.tiles != "one" && s.tiles != "gathered" && s.tiles != "kept") throw Error("tiles is \"" + s.tiles + "\"; allowed are \"one\", \"gathered\" and \"kept\"");
  if (s.tile < 1) throw Error("tile is " + std::to_string(s.tile) + " planes; it must be at least 1");
  if (s.window < 0) throw Error("window is " + std::to_string(s.window) + "; give the most tiles on their way at once, or 0 for all");
  if (s.test < 0) throw Error("test is " + std::to_string(s.test) + "; give blocks between tests, or 0 for never");
  if (s.communicate != "caller" && s.communicate != "thread") throw Error("communicate is \"" + s.communicate + "\"; allowed are \"caller\" and \"thread\"");
  if (s.communicate == "thread" && o.threads < 2)
    throw Declined("communicate is \"thread\", but threads is " + std::to_string(o.threads) + "; give at least 2: one talks to MPI, the others compute");
  if (o.scale != "none" && o.scale != "full" && o.scale != "symmetric") throw Error("scale is \"" + o.scale + "\"; allowed are \"none\", \"full\" and \"symmetric\"");
  if (o.wire != "same" && o.wire != "single") throw Error("wire is \"" + o.wire + "\"; allowed are \"same\" and \"single\"");
  if (o.wire == "single" && p.precision != Precision::double_) throw Error("wire is \"single\", and the transform is in single precision already; leave it \"same\"");
  if (o.strategy != "auto") strategy(o.strategy);  // throws, naming those there are
  if (o.natural_output && o.output) throw Error("both natural_output and an output layout are given; give one of them");
  Shape all = p.shape;
  all.push_back(o.batch * o.components);
  all.push_back(static_cast<Index>(element_bytes(p.precision, true)));
  volume(all);  // throws when bytes overflow
}

// Everything that all ranks must agree on, as text.
std::vector<std::pair<std::string, std::string>> fingerprint(const AnyProblem& p, const Options& o) {
  std::string axes, grid;
  for (int k = 0; k < p.axes.size(); ++k) axes += " " + std::to_string(p.axes[k]) + ":" + std::string(to_string(p.kinds[static_cast<std::size_t>(k)]));
  for (const int g : o.grid) grid += (grid.empty() ? "" : "x") + std::to_string(g);
  return {{"the shape", to_string(p.shape)},
          {"the precision", std::string(to_string(p.precision))},
          {"the kinds of the axes", axes},
          {"the strategy", o.strategy},
          {"the precision on the wire", o.wire},
          {"the engine", o.engine + ", effort " + o.effort},
          {"the schedule", "tiles " + o.schedule.tiles + " of " + std::to_string(o.schedule.tile) + ", window " + std::to_string(o.schedule.window) + ", test " + std::to_string(o.schedule.test) + ", communicate " + o.schedule.communicate},
          {"the process grid", grid},
          {"batch, components, threads", std::to_string(o.batch) + ", " + std::to_string(o.components) + ", " + std::to_string(o.threads)},
          {"the options", std::string(o.in_place ? "in place, " : "") + (o.overwrite_input ? "overwriting, " : "") + (o.natural_output ? "natural output, " : "") + "scale " + o.scale},
          {"the input layout", o.input ? o.input->describe(true) : "default"},
          {"the output layout", o.output ? o.output->describe(true) : "default"}};
}

// Several times a second-level cache: at 16 MiB a rank streaming took 0.8 of the time of the last stage.
constexpr Index stream_budget = Index{8} << 20;

Side side(const Layout& layout, int rank, int slot, Index bytes) { return {layout.box(rank), {layout.view(rank, slot)}, bytes}; }

bool same_memory_layout(const Layout& a, const Layout& b, int rank) { return a.box(rank).empty() || same_memory(a.view(rank), b.view(rank)); }

// All ranks decline alike: what they check here is the same on all of them, or fails as something else.
template <class F>
auto agree_or_decline(const mpi::Communicator& comm, F&& f) {
  bool declined = false;
  try {
    return comm.agree([&] {
      try {
        return f();
      } catch (const Declined&) {
        declined = true;
        throw;
      }
    });
  } catch (const Error& e) {
    if (declined) throw Declined(e.what());
    throw;
  }
}

double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

AnyPlan::Body::Body(MPI_Comm user, const AnyProblem& given, const Options& options)
    : comm(mpi::Communicator::duplicate(user)), problem(given), requested(options), effective(options),
      route(agreed_route()) {
  if (comm.max(options.threads) > 1)
    comm.agree([&] {
      if (mpi::thread_level() < MPI_THREAD_FUNNELED)
        throw Error("threads is " + std::to_string(options.threads) + ", but MPI was initialised for a single thread; call MPI_Init_thread with MPI_THREAD_FUNNELED or more");
    });
  const int rank = comm.rank();
  const Index real_bytes = static_cast<Index>(element_bytes(given.precision, false)), complex_bytes = 2 * real_bytes;
  const bool real_all = real_to_real(given.kinds.front());
  input_bytes = real_all || route.halved >= 0 ? real_bytes : complex_bytes;
  output_bytes = real_all ? real_bytes : complex_bytes;
  spectrum_slot = options.in_place ? 0 : 1;
  slots.assign(2, nullptr);
  comm.agree([&] {
    if (!options.in_place) return;
    const Index in = route.input.elements(rank) * input_bytes, out = route.output.elements(rank) * output_bytes;
    array_bytes = std::max(in, out);
  });

  find_pair();
  plan_lines();

  // what each stage leaves: real until the halved axis is transformed
  std::vector<Index> bytes{input_bytes};
  for (const Order& axes : route.work)
    bytes.push_back(real_all || bytes.back() == complex_bytes || std::find(axes.begin(), axes.end(), route.halved) == axes.end() ? bytes.back() : complex_bytes);

  const double size = logical_points();
  const double forward_scale = options.scale == "full" ? 1 / size : options.scale == "symmetric" ? 1 / std::sqrt(size) : 1;
  const double backward_scale = options.scale == "symmetric" ? 1 / std::sqrt(size) : 1;

  const std::size_t stages = route.work.size();
  Chain &there = forward, &back = backward;
  for (std::size_t s = 0; s < stages; ++s) there.operations.push_back(operations(route.work[s], Direction::forward));
  there.bytes = bytes;
  there.hops = route.hops;
  there.first_slot = 0;
  there.last_slot = spectrum_slot;
  there.first = route.input;
  there.last = route.output;
  bind_chain(there);
  comm.agree([&] { rescale(there, forward_scale), build(there); });

  for (std::size_t s = stages; s-- > 0;) {
    back.operations.push_back(operations(mirrored(route.work[s]), Direction::backward));
  }
  back.bytes.assign(bytes.rbegin(), bytes.rend());
  for (std::size_t h = route.hops.size(); h-- > 0;) {
    Hop hop{route.hops[h].to, route.hops[h].from, route.hops[h].exchanges, route.hops[h].cut};
    // the gathered axis of the way back is the one that was cut on the way there
    if (hop.exchanges && options.schedule.tiles == "gathered" && hop.cut.axis >= 0) hop.cut.axis = scattered_axis(route.hops[h]);
    back.hops.push_back(hop);
  }
  back.first_slot = spectrum_slot;
  back.last_slot = 0;
  back.first = route.output;
  back.last = route.input;
  bind_chain(back);
  comm.agree([&] {
    rescale(back, backward_scale), build(back);
    build_map(forward_scale * backward_scale);
    for (int t = 0; t < options.threads; ++t) benches.push_back(make_bench());
    team = std::make_unique<Team>(options.threads);
    if (options.schedule.communicate == "thread")
      for (Chain* chain : {&forward, &backward, &map}) conduct(*chain);
  });
  team->run([&](int) {
    for (const Chain* chain : {&forward, &backward, &map})
      for (const auto& list : chain->operations)
        for (const Operation& o : list)
          for (const auto& planned : {o.first, o.second})
            if (planned) planned->prepare();
  });
  comm.barrier();
}

Route AnyPlan::Body::agreed_route() {
  agree_or_decline(comm, [&] { check_problem(problem, requested); });
  for (const auto& [what, text] : fingerprint(problem, requested)) comm.same(what, text);
  const Route planned = agree_or_decline(comm, [&] { return plan_route(problem, requested, comm.size()); });
  comm.same("how axes are cut among ranks", planned.input.describe(true) + planned.output.describe(true));
  // tiles as they are: no longer than what they cut, and one where nothing is cut
  Index longest = 0, most = 1;
  for (const Hop& hop : planned.hops)
    if (hop.cut.axis >= 0)
      for (int r = 0; r < comm.size(); ++r) {
        const Index extent = hop.from.box(r).empty() ? 0 : hop.from.box(r).extent(hop.cut.axis);
        longest = std::max(longest, extent);
        most = std::max(most, (extent + hop.cut.size - 1) / hop.cut.size);
      }
  ScheduleOptions& schedule = effective.schedule;
  if (schedule.communicate == "thread") schedule.test = 0;  // the thread tests whenever it waits
  if (longest == 0) schedule.tiles = "one";
  schedule.tile = std::min(schedule.tile, std::max<Index>(longest, 1));
  schedule.window = schedule.window == 0 ? most : std::min(schedule.window, most);
  return planned;
}

int AnyPlan::Body::scattered_axis(const Hop& hop) const {
  // the axis that is whole before the hop and not after it
  for (int a = 0; a < hop.from.axes(); ++a) {
    bool before = true, after = true;
    for (int r = 0; r < comm.size(); ++r) {
      before = before && (hop.from.box(r).empty() || hop.from.box(r).extent(a) == hop.from.shape()[a]);
      after = after && (hop.to.box(r).empty() || hop.to.box(r).extent(a) == hop.to.shape()[a]);
    }
    if (before && !after) return a;
  }
  return -1;
}

double AnyPlan::Body::logical_points() const {
  double points = 1;
  for (int k = 0; k < problem.axes.size(); ++k) points *= static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  return points;
}

// Where rows and the columns across them are transformed in one block, the rows are left a little apart, on an odd number of cache lines, so that
// columns do not fall on one another in the first-level cache, and columns are read where they lie. The bits of a line depend on how it is read: so
// this is decided by the route that cuts no tiles, and is the same for all strategies and schedules. Measured at 2 MiB of second-level cache: stages of
// 64^2 planes took 0.78 of the time, of 128^2 (256 KiB) 0.96 in place and 0.82 from array to array, but 1.3 at 192^2, where array, block and result no longer fit.
void AnyPlan::Body::find_pair() {
  constexpr Index plane_budget = 256 << 10;
  Options uncut = requested;
  uncut.schedule = ScheduleOptions();
  const int last = route.shape.size() - 1;
  const Shape spectrum = halved_shape(route.shape, route.halved);
  if (last < 1 || spectrum[last] * spectrum[last - 1] * static_cast<Index>(element_bytes(problem.precision, true)) > plane_budget) return;
  const Route plain = plan_route(problem, uncut, comm.size());
  for (std::size_t s = 0; s < plain.work.size(); ++s)
    for (int k = 0; k + 1 < plain.work[s].size(); ++k)
      if (plain.work[s][k] == last && plain.work[s][k + 1] == last - 1 && route.kinds[static_cast<std::size_t>(last - 1)] == Kind::c2c) {
        rows_axis = last, columns_axis = last - 1;
        // c2r comes after the columns that it would be read from; and rows that arrive from peers lie planes apart, where columns are read faster:
        // at 128^3 on two ranks rows first took 1.8 times as long
        paired_back = route.halved != last && (s >= plain.hops.size() || !plain.hops[s].exchanges);
      }
  const Index line = 64 / static_cast<Index>(element_bytes(problem.precision, true)), row = std::max(spectrum[last], 2 * line);  // no fewer than a batch of columns
  row_elements = ((row + line - 1) / line | 1) * line;
}

// The last stage that transforms: where forward_map_backward maps.
std::size_t AnyPlan::Body::turning_stage() const {
  std::size_t turn = route.work.size() - 1;
  while (turn > 0 && route.work[turn].empty()) --turn;
  return turn;
}

// What forward_map_backward undoes the stage of its map with, axis by axis in reverse order: plain lines, but that the first are read where forward leaves them.
std::vector<LineSpec> AnyPlan::Body::returning_specs() const {
  std::vector<LineSpec> specs;
  const Order& axes = route.work[turning_stage()];
  for (int k = axes.size() - 1; k >= 0; --k) specs.push_back(line_spec(axes[k], Direction::backward).as_plain());
  if (!specs.empty()) specs.front().in_distance = line_spec(axes[axes.size() - 1], Direction::forward).out_distance;
  return specs;
}

LineSpec AnyPlan::Body::line_spec(int axis, Direction direction) const {
  LineSpec spec{route.kinds[static_cast<std::size_t>(axis)], direction, problem.precision, route.shape[axis]};
  if (spec.kind != Kind::c2c) {
    if (direction == Direction::backward) spec.kind = inverse(spec.kind);
    spec.direction = spec.kind == Kind::c2r ? Direction::backward : Direction::forward;
  }
  if (direction == Direction::forward || paired_back) {
    if (axis == rows_axis) spec.out_distance = row_elements;
    if (axis == columns_axis) spec.in_stride = row_elements, spec.in_distance = 1, spec.out_distance = (spec.length + 1) / 2 * 2;
  }
  return spec;
}

// The way back's order: reversed, but rows stay before columns where they can.
Order AnyPlan::Body::mirrored(const Order& axes) const {
  Order order(axes);
  std::reverse(order.begin(), order.end());
  for (int k = 0; k + 1 < order.size(); ++k)
    if (order[k] == columns_axis && order[k + 1] == rows_axis && paired_back) std::swap(order[k], order[k + 1]);
  return order;
}

void AnyPlan::Body::plan_lines() {
  const Engine& chosen = comm.agree([&]() -> std::reference_wrapper<const Engine> { return engine(requested.engine); }).get();
  const auto plan_line = [&](const LineSpec& spec) {
    if (!lines.count(spec)) lines[spec] = chosen.plan(spec, requested.effort);
  };
  const auto plan_all = [&] {
    for (const Order& axes : route.work)
      for (const int a : axes) plan_line(line_spec(a, Direction::forward)), plan_line(line_spec(a, Direction::backward));
    for (const LineSpec& spec : returning_specs()) plan_line(spec);
  };
  // rank 0 searches, all others follow it: the same bits everywhere
  std::string wisdom;
  comm.agree([&] {
    if (comm.rank() == 0) plan_all(), wisdom = chosen.export_wisdom();
  });
  comm.bcast(wisdom);
  comm.agree([&] {
    if (comm.rank() != 0) chosen.import_wisdom(wisdom), plan_all();
  });
}

std::vector<Operation> AnyPlan::Body::operations(const Order& axes, Direction direction) const {
  std::vector<Operation> list;
  for (const int a : axes) {
    Operation o;
    o.axis = a;
    o.first = lines.at(line_spec(a, direction));
    list.push_back(std::move(o));
  }
  return list;
}

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
  for (std::size_t h = 0; h < chain.hops.size(); ++h) {
    const Hop& hop = chain.hops[h];
    chain.exchanges.emplace_back();
    chain.selves.push_back(-1);
    if (!hop.exchanges) continue;
    Demand demand{comm.agree([&] { return Pattern(hop.from, hop.to, rank, hop.cut); }), chain.bytes[h + 1], {}, -1, -1, &slots, {}};
    // the caller's own arrays are on offer where the stage beside the exchange may use them as they are
    const bool overwrite = (requested.overwrite_input || requested.in_place) && h == 0 && chain.bytes[0] == chain.bytes[1] && same_memory_layout(chain.first, hop.from, rank);
    demand.from_slot = comm.min(overwrite ? 1 : 0) ? chain.first_slot : new_array(hop.from.elements(rank) * chain.bytes[h + 1]);
    const bool last = !requested.in_place && h + 1 == chain.hops.size() && chain.bytes[h + 1] == chain.bytes[h + 2] && same_memory_layout(chain.last, hop.to, rank);
    demand.to_slot = comm.min(last ? 1 : 0) ? chain.last_slot : new_array(hop.to.elements(rank) * chain.bytes[h + 1]);
    chain.selves.back() = demand.pattern.rank();
    Bound bound = bind_strategy(comm, std::move(demand), requested.strategy, requested.wire == "single");
    if (effective.strategy == "auto" || effective.strategy == bound.strategy->name()) effective.strategy = bound.strategy->name();
    comm.agree([&] {
      for (int t = 0; t < bound.exchange->tiles(); ++t)
        for (const auto* pieces : {&bound.exchange->tile(t).out, &bound.exchange->tile(t).in})
          for (const Piece& piece : *pieces) need(piece.at.slot);
    });
    chain.strategies.resize(h + 1);
    chain.strategies[h] = std::string(bound.strategy->name()) + " (" + bound.reason + ")";
    chain.exchanges[h] = std::move(bound.exchange);
    owned_bytes += chain.exchanges[h]->bytes_owned();
  }
  chain.strategies.resize(chain.hops.size());
  // a tile that has arrived when its start returns is never under way
  const auto overlaps = [](const std::string& text) { return !text.empty() && strategy(text.substr(0, text.find(' '))).overlaps(); };
  if (&chain == &forward && std::none_of(chain.strategies.begin(), chain.strategies.end(), overlaps)) effective.schedule.window = 1, effective.schedule.test = 0;
}

Stage::Request AnyPlan::Body::request(const Chain& chain, std::size_t s) const {
  Stage::Request r;
  r.operations = chain.operations[s];
  r.precision = problem.precision;
  r.from = chain.sides[2 * s];
  r.to = chain.sides[2 * s + 1];
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
  // What the caller gets and no cache would hold goes past the caches, unless it is worked on where it lies.
  r.stream = s > 0 && s == chain.hops.size() && r.operations.size() == 1 && r.to.box.volume() * r.to.bytes >= stream_budget &&
             std::none_of(r.from.views.begin(), r.from.views.end(), [&](const View& v) { return v.slot == r.to.views.front().slot; });
  return r;
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
      if (exchange->array().slot >= 0) left.views = {exchange->array()};
      continue;
    }
    left = right = link(chain, h);
  }
  for (std::size_t s = 0; s < stages; ++s) chain.stages.push_back(std::make_unique<Stage>(request(chain, s)));
  schedule(chain);
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
  const bool stays = (requested.overwrite_input || requested.in_place) && before.views.size() == 1 && before.views.front().slot == chain.first_slot &&
                     before.bytes == bytes && before.box == box;
  // A last stage of one axis is faster from array to array than in place, where the axes' order changes: so what may stay stays. Rows of several axes
  // would be read planes apart.
  if (to_end && chain.last.box(rank) == box && chain.bytes.back() == bytes && (requested.in_place ? h == 0 : !stays || chain.operations.back().size() > 1))
    return side(chain.last, rank, chain.last_slot, bytes);
  if (!to_end && chain.exchanges[next]->array().slot >= 0 && chain.exchanges[next]->array().box == box && chain.bytes[next + 1] == bytes)
    return {box, {chain.exchanges[next]->array()}, bytes};
  if (stays) return before;
  const int slot = new_array(chain.hops[h].to.elements(rank) * bytes);
  need(slot);
  return side(chain.hops[h].to, rank, slot, bytes);
}

void AnyPlan::Body::schedule(Chain& chain) {
  std::vector<const Stage*> stages;
  for (const auto& stage : chain.stages) stages.push_back(stage.get());
  std::vector<const Exchange*> exchanges;
  for (const auto& exchange : chain.exchanges) exchanges.push_back(exchange.get());
  // where input and output are, or may be, one memory
  const int held = chain.turn >= 0 ? chain.turn : requested.in_place ? static_cast<int>(stages.size()) - 1 : -1;
  chain.steps = make_steps(stages, exchanges, {effective.schedule.window == 1 ? 1 : requested.schedule.window, effective.schedule.test, held});
  // memory that callers may hold must be theirs again when the call returns
  for (std::size_t h = 0; h < chain.exchanges.size(); ++h)
    if (chain.exchanges[h] && chain.exchanges[h]->array().slot >= 0 && h == 0)
      for (int t = 0; t < chain.exchanges[h]->tiles(); ++t) chain.steps.push_back({Step::Kind::open, static_cast<int>(h), t, 0});
}

void AnyPlan::Body::conduct(Chain& chain) {
  std::vector<const Stage*> stages;
  for (const auto& stage : chain.stages) stages.push_back(stage.get());
  chain.conductor = std::make_unique<Conductor>(chain.steps, std::move(stages), *team, benches);
}

// Forward up to the last stage that transforms, which maps and transforms back, and backward from there.
void AnyPlan::Body::build_map(double scale) {
  const std::size_t turn = turning_stage();
  const std::size_t mirrored = route.work.size() - 1 - turn;  // the same stage in backward
  for (std::size_t s = 0; s < turn; ++s) map.operations.push_back(forward.operations[s]);
  const auto& up = forward.operations[turn];
  std::vector<Operation> middle(up.begin(), up.end() - 1);
  Operation top = up.back();
  top.map = true;
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
  for (std::size_t s = mirrored + 1; s < backward.operations.size(); ++s) map.operations.push_back(backward.operations[s]);
  for (auto& list : map.operations)
    for (Operation& o : list) o.scale = 1;
  rescale(map, scale);

  map.first = map.last = route.input;
  const auto stages = map.operations.size();
  map.sides.resize(2 * stages);
  for (std::size_t h = 0; h < turn; ++h) map.hops.push_back(forward.hops[h]), map.exchanges.push_back(forward.exchanges[h]);
  for (std::size_t h = mirrored; h < backward.hops.size(); ++h) map.hops.push_back(backward.hops[h]), map.exchanges.push_back(backward.exchanges[h]);
  for (std::size_t s = 0; s <= turn; ++s) map.sides[2 * s] = forward.sides[2 * s];
  for (std::size_t s = 0; s < turn; ++s) map.sides[2 * s + 1] = forward.sides[2 * s + 1];
  for (std::size_t s = turn; s < stages; ++s) {
    map.sides[2 * s + 1] = backward.sides[2 * (s - turn + mirrored) + 1];
    if (s > turn) map.sides[2 * s] = backward.sides[2 * (s - turn + mirrored)];
  }
  // The caller's input and output have slots of their own here, so that they may be two arrays. Exchanges look slot 0 up themselves: it is the
  // input until the first exchange of the way back starts, then the output; slot 1 is an array of the plan's own.
  map.turn = static_cast<int>(turn);
  map.first_slot = new_array(0);
  map.last_slot = new_array(0);
  bool in_spectrum = false;
  for (std::size_t k = 0; k < map.sides.size(); ++k)
    for (View& view : map.sides[k].views) {
      in_spectrum = in_spectrum || view.slot == 1;
      if (view.slot == 0) view.slot = k <= 2 * turn ? map.first_slot : map.last_slot;
    }
  if (in_spectrum) {
    map_spectrum = allocate(route.output.elements(comm.rank()) * output_bytes);
    owned_bytes += route.output.elements(comm.rank()) * output_bytes;
  }
  for (std::size_t s = 0; s < stages; ++s) map.stages.push_back(std::make_unique<Stage>(request(map, s)));
  schedule(map);
}

Bench AnyPlan::Body::make_bench() {
  Index block = 0, line = 0;
  std::size_t segments = 0;
  for (const Chain* chain : {&forward, &backward, &map})
    for (const auto& stage : chain->stages) {
      block = std::max(block, stage->block_bytes());
      line = std::max(line, stage->line_bytes());
      segments = std::max(segments, stage->segments());
    }
  const auto rounded = [](Index bytes) { return (bytes + 127) / 64 * 64; };  // a line between neighbours
  const Index bytes = rounded(block) + 2 * rounded(line);
  Bench bench;
  bench.memory = allocate(bytes);
  bench.block = bench.memory.get();
  bench.lines[0] = bench.block + rounded(block);
  bench.lines[1] = bench.lines[0] + rounded(line);
  bench.from.resize(segments);
  bench.to.resize(segments);
  owned_bytes += bytes;
  return bench;
}

void AnyPlan::Body::execute(Chain& chain, const void* in, void* out, const std::function<void(const Line&)>* f) {
  slots[static_cast<std::size_t>(chain.first_slot)] = static_cast<std::byte*>(const_cast<void*>(in));
  slots[static_cast<std::size_t>(chain.last_slot)] = static_cast<std::byte*>(out);
  if (chain.turn >= 0) {
    slots[0] = slots[static_cast<std::size_t>(chain.first_slot)];
    slots[1] = map_spectrum.get();
  }
  const Round round{&slots, f};
  if (chain.conductor) {
    conducted = &chain;
    const Conductor::Seconds seconds = chain.conductor->run(round, talk, progress);
    spent.work_seconds += seconds.work;
    spent.exchange_seconds += seconds.exchange;
    return;
  }
  double last = measuring ? clock_seconds() : 0;
  for (const Step& step : chain.steps) {
    if (step.kind == Step::Kind::work)
      work(*chain.stages[static_cast<std::size_t>(step.of)], step.first, step.last, round);
    else
      exchange(chain, step);
    if (measuring) {
      const double time = clock_seconds();
      (step.kind == Step::Kind::work ? spent.work_seconds : spent.exchange_seconds) += time - last;
      last = time;
    }
  }
}

void AnyPlan::Body::exchange(Chain& chain, const Step& step) {
  Exchange& exchange = *chain.exchanges[static_cast<std::size_t>(step.of)];
  if (chain.turn >= 0 && step.of >= chain.turn && step.kind == Step::Kind::start) slots[0] = slots[static_cast<std::size_t>(chain.last_slot)];
  switch (step.kind) {
    case Step::Kind::open: exchange.open(step.first); break;
    case Step::Kind::start: streaming_fence(), exchange.start(step.first); break;
    case Step::Kind::test: exchange.test(); break;
    case Step::Kind::finish: exchange.finish(step.first); break;
    case Step::Kind::close: exchange.close(step.first); break;
    case Step::Kind::work: break;
  }
}

void AnyPlan::Body::work(const Stage& stage, int first, int last, const Round& round) {
  const int threads = team->threads();
  if (threads == 1) {
    for (int b = first; b < last; ++b)
      for (int p = 0; p < stage.passes(); ++p) stage.run(b, p, 0, 1, benches[0], round);
  } else if (last - first >= threads) {  // blocks apart
    now = {&stage, first, last, &round};
    team->run(apart);
  } else {  // together on each block, in the block memory of the first thread
    now = {&stage, first, last, &round};
    team->run(together);
  }
}

// ---- the public face ----

AnyPlan::AnyPlan(MPI_Comm comm, const AnyProblem& problem, const Options& options) : body_(std::make_unique<Body>(comm, problem, options)) {}
AnyPlan::~AnyPlan() = default;
AnyPlan::AnyPlan(AnyPlan&&) noexcept = default;
AnyPlan& AnyPlan::operator=(AnyPlan&&) noexcept = default;

void AnyPlan::Body::check_arrays(const void* in, const void* out, Index in_bytes, Index out_bytes, const char* what) const {
  if ((!in && in_bytes > 0) || (!out && out_bytes > 0)) throw Error(std::string(what) + ": the " + (in ? "output" : "input") + " array is null on rank " + std::to_string(comm.rank()));
  const auto *a = static_cast<const std::byte*>(in), *b = static_cast<const std::byte*>(out);
  if (requested.in_place) {
    if (in != out && (in_bytes > 0 || out_bytes > 0)) throw Error(std::string(what) + ": the plan is in place, but input and output are different arrays on rank " + std::to_string(comm.rank()) + "; pass the same pointer or plan without in_place");
  } else if (in_bytes > 0 && out_bytes > 0 && std::less<>{}(a, b + out_bytes) && std::less<>{}(b, a + in_bytes)) {
    throw Error(std::string(what) + ": input and output overlap on rank " + std::to_string(comm.rank()) + "; plan with in_place, or give two arrays");
  }
}

void AnyPlan::forward(const void* in, void* out) {
  body_->check_arrays(in, out, input_elements() * body_->input_bytes, output_elements() * body_->output_bytes, "forward");
  body_->execute(body_->forward, in, out, nullptr);
}

void AnyPlan::backward(const void* in, void* out) {
  body_->check_arrays(in, out, output_elements() * body_->output_bytes, input_elements() * body_->input_bytes, "backward");
  body_->execute(body_->backward, in, out, nullptr);
}

void AnyPlan::forward_map_backward(const void* in, void* out, const std::function<void(const Line&)>& f) {
  if (!f) throw Error("forward_map_backward: the map is empty; give a function of a line");
  if (body_->requested.in_place && in != out) throw Error("forward_map_backward: the plan is in place; pass the same pointer as input and output");
  if ((!in || !out) && input_elements() > 0) throw Error("forward_map_backward: an array is null on rank " + std::to_string(body_->comm.rank()));
  body_->execute(body_->map, in, out, &f);
}

double AnyPlan::scale() const { return body_->requested.scale == "none" ? 1 / body_->logical_points() : 1; }
const Layout& AnyPlan::input_layout() const { return body_->route.input; }
const Layout& AnyPlan::output_layout() const { return body_->route.output; }
View AnyPlan::input_view() const { return input_layout().view(body_->comm.rank()); }
View AnyPlan::output_view() const { return output_layout().view(body_->comm.rank()); }
Index AnyPlan::input_elements() const { return body_->array_bytes ? (body_->array_bytes + body_->input_bytes - 1) / body_->input_bytes : input_layout().elements(body_->comm.rank()); }
Index AnyPlan::output_elements() const { return body_->array_bytes ? (body_->array_bytes + body_->output_bytes - 1) / body_->output_bytes : output_layout().elements(body_->comm.rank()); }
const AnyProblem& AnyPlan::problem() const { return body_->problem; }
const Options& AnyPlan::requested() const { return body_->requested; }
const Options& AnyPlan::effective() const { return body_->effective; }
Index AnyPlan::bytes_owned() const { return body_->owned_bytes; }

void AnyPlan::measure(bool on) {
  body_->measuring = on;
  body_->spent = {};
  body_->traffic_before = body_->traffic();
}

AnyPlan::Spent AnyPlan::spent() const {
  Spent spent = body_->spent;
  const Traffic total = body_->traffic(), before = body_->traffic_before;
  spent.calls = total.calls - before.calls;
  spent.messages = total.messages - before.messages;
  spent.bytes = total.bytes - before.bytes;
  return spent;
}

Traffic AnyPlan::Body::traffic() const {
  Traffic sum;
  for (const Chain* chain : {&forward, &backward})
    for (const auto& exchange : chain->exchanges)
      if (exchange) {
        const Traffic t = exchange->traffic();
        sum.calls += t.calls;
        sum.messages += t.messages;
        sum.bytes += t.bytes;
      }
  return sum;
}

std::shared_ptr<std::byte> AnyPlan::Body::memory(Chain& chain, std::shared_ptr<std::byte>& mine, Index bytes) {
  if (mine) return mine;
  const Exchange* first = chain.exchanges.empty() ? nullptr : chain.exchanges[0].get();
  // the memory that the first exchange sends from, where the first stage may leave its result in its input
  if (first && requested.overwrite_input && !requested.in_place && first->array().slot > 1 && chain.bytes[0] == chain.bytes[1] &&
      same_memory(first->array(), View{chain.first.view(comm.rank(), first->array().slot)})) {
    mine = std::shared_ptr<std::byte>(chain.exchanges[0], slots[static_cast<std::size_t>(first->array().slot)]);
  } else {
    mine = allocate(bytes);
    owned_bytes += bytes;
  }
  return mine;
}

std::shared_ptr<std::byte> AnyPlan::input_memory() {
  return body_->memory(body_->forward, body_->input, input_elements() * body_->input_bytes);
}
std::shared_ptr<std::byte> AnyPlan::output_memory() {
  if (body_->requested.in_place) return input_memory();
  return body_->memory(body_->backward, body_->output, output_elements() * body_->output_bytes);
}

}  // namespace weft

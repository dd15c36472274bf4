// Plans: a route, its stages and exchanges, and the schedule of each direction.
//
// Slots 0 and 1 are the caller's arrays in real and in transformed space (one slot when in place); all others belong to exchanges and
// work arrays. Always true: executing looks nothing up but these two, allocates nothing and decides nothing.
#include "plan/plan.hpp"

#include <cmath>
#include <sstream>

#include "mpi/memory.hpp"
#include "plan/policy/limits.hpp"
#include "plan/route/problem.hpp"
#include "plan/route/sphere_route.hpp"

namespace weft {
AnyPlan::Body::Body(mpi::Communicator own, const AnyProblem& given, const Options& options,
                    const std::vector<int>& node_of, const Machine& known)
    : comm(std::move(own)), problem(given), called(to_string(given.shape) + ", strategy " + options.strategy), compares(compares_calls()), plan_number(comm.next_number()), requested(options), effective(options), machine(known), route(agreed_route()), nodes(node_of),
      traced(mpi::traced(comm)) {
  if (options.threads > 1)  // alike on all ranks
    comm.agree([&] {
      if (mpi::thread_level() < MPI_THREAD_FUNNELED)
        throw Error("threads is " + std::to_string(options.threads) + ", but MPI was initialised for a single thread; call MPI_Init_thread with MPI_THREAD_FUNNELED or more");
    });
  const int rank = comm.rank();
  const Index real_bytes = static_cast<Index>(element_bytes(given.precision, false)), complex_bytes = 2 * real_bytes;
  const bool real_all = !complex_output(given);
  input_bytes = complex_input(given) ? complex_bytes : real_bytes;
  output_bytes = real_all ? real_bytes : complex_bytes;
  spectrum_slot = options.in_place() ? 0 : 1;
  slots.assign(2, nullptr);
  comm.agree([&] {
    input_reach = route.input.view(rank).reach(), output_reach = route.output.view(rank).reach();
    if (!options.in_place()) return;
    const Index in = route.input.elements(rank) * input_bytes, out = route.output.elements(rank) * output_bytes;
    array_bytes = std::max(in, out);
    input_reach = (array_bytes + input_bytes - 1) / input_bytes, output_reach = (array_bytes + output_bytes - 1) / output_bytes;
  });

  find_pair();
  plan_lines();

  // what each stage leaves: real until the halved axis is transformed
  const auto bytes_along = [&](const Route& way) {
    std::vector<Index> bytes{input_bytes};
    for (const Order& axes : way.work)
      bytes.push_back(real_all || bytes.back() == complex_bytes || std::find(axes.begin(), axes.end(), way.halved) == axes.end() ? bytes.back() : complex_bytes);
    return bytes;
  };

  const double size = logical_points();
  const double forward_scale = options.scale == "full" ? 1 / size : options.scale == "symmetric" ? 1 / std::sqrt(size) : 1;
  const double backward_scale = options.scale == "symmetric" ? 1 / std::sqrt(size) : 1;

  Chain &there = forward, &back = backward;
  for (std::size_t s = 0; s < route.work.size(); ++s) there.operations.push_back(operations(route.work[s], Direction::forward));
  there.bytes = bytes_along(route);
  there.hops = route.hops;
  // What the first exchange sends from is the plan's own where the input is preserved or small, and has planes whole
  // that the first stage transforms.
  const Order &first_axes = route.work.front(), pair{rows_axis, columns_axis};
  const bool planes = columns_axis >= 0 && std::search(first_axes.begin(), first_axes.end(), pair.begin(), pair.end()) != first_axes.end();
  const auto overwritten_pays = [&](const Layout& from) {
    Index most = 0;
    for (int r = 0; r < comm.size(); ++r) most = std::max(most, route.input.elements(r) * input_bytes);
    return most <= limits::small_array && from.shape()[rows_axis] * from.shape()[columns_axis] * there.bytes[1] >= limits::least_plane;
  };
  if (planes && !waves && !options.in_place() && !there.hops.empty() && there.hops.front().exchanges && (!overwrites() || overwritten_pays(there.hops.front().from))) {
    Layout& from = there.hops.front().from;
    Order order;
    for (const int a : from.order())
      if (a != rows_axis && a != columns_axis) order.push_back(a);
    order.push_back(columns_axis), order.push_back(rows_axis);
    comm.agree([&] { from = from.ordered(order, {}); });
  }
  there.first_slot = 0;
  there.last_slot = spectrum_slot;
  there.first = route.input;
  there.last = route.output;
  bind_chain(there);
  comm.agree([&] { rescale(there, forward_scale), build(there); });
  lay_arrays_between(there);

  const Route& home = homeward();
  for (std::size_t s = home.work.size(); s-- > 0;) {
    Order axes = home.work[s];
    std::reverse(axes.begin(), axes.end());
    back.operations.push_back(operations(axes, Direction::backward));
  }
  back.bytes = bytes_along(home);
  std::reverse(back.bytes.begin(), back.bytes.end());
  for (std::size_t h = home.hops.size(); h-- > 0;) back.hops.push_back({home.hops[h].to, home.hops[h].from, home.hops[h].exchanges, back_cut(home, h)});
  back.first_slot = spectrum_slot;
  back.last_slot = 0;
  back.first = route.output;
  back.last = route.input;
  bind_chain(back);
  comm.agree([&] {
    rescale(back, backward_scale), build(back);
  });
  lay_arrays_between(back);
  comm.agree([&] { build_map(forward_scale * backward_scale); });
  lay_arrays_between(map);
  comm.agree([&] {
    for (Chain* chain : {&forward, &backward, &map}) schedule(*chain);
    for (int t = 0; t < options.threads; ++t) workspaces.push_back(make_workspace());
    team = std::make_unique<Team>(options.threads);
    if (options.schedule.communicate == "thread")
      for (Chain* chain : {&forward, &backward, &map}) conduct(*chain);
    record(traced);
  });
  select_variants();
  comm.agree([&] {
    team->run([&](int) {
      for (const Chain* chain : {&forward, &backward, &map})
        for (const auto& list : chain->operations)
          for (const Operation& o : list)
            for (const auto& planned : {o.first, o.second})
              if (planned) planned->prepare();
    });
  });
}

Route AnyPlan::Body::agreed_route() {
  if (problem.waves) share_waves();
  const Route planned = agree_or_decline(comm, [&] { return waves ? plan_sphere_route(problem, requested, comm.size(), *waves) : plan_route(problem, requested, comm.size()); });
  comm.same("how axes are cut among ranks", planned.input.describe(true) + planned.output.describe(true));
  // tiles as they are: no longer than what they cut, and one where nothing is cut
  const auto fit = [&](ScheduleOptions& schedule, const Route& way, bool back) {
    Index longest = 0, most = 1;
    for (std::size_t h = 0; h < way.hops.size(); ++h) {
      const Layout& from = back ? way.hops[h].to : way.hops[h].from;
      const Cut cut = back ? back_cut(way, h) : way.hops[h].cut;
      for (int r = 0; r < comm.size() && cut.axis >= 0; ++r) {
        const Index extent = from.box(r).empty() ? 0 : from.box(r).extent(cut.axis);
        longest = std::max(longest, extent);
        most = std::max(most, (extent + cut.size - 1) / cut.size);
      }
    }
    if (schedule.communicate == "thread") schedule.test = 0;  // the thread tests whenever it waits
    if (longest == 0) schedule.tiles = "one";
    schedule.tile = std::min(schedule.tile, std::max<Index>(longest, 1));
    schedule.window = schedule.window == 0 ? most : std::min(schedule.window, most);
  };
  fit(effective.schedule, planned, false);
  if (planned.sphere_hop >= 0) fit(effective.backward_schedule.emplace(requested.backward_schedule.value_or(requested.schedule)), planned, true);
  if (!requested.backward_schedule || problem.waves) return planned;
  way_back = agree_or_decline(comm, [&] {
    Options options = requested;
    options.schedule = *requested.backward_schedule;
    Route way = plan_route(problem, options, comm.size());
    if (way.work[turning_stage(way)] != planned.work[turning_stage(planned)])
      throw Declined("backward_schedule and schedule cut the stage where forward turns into backward differently; give both the same tiles");
    return way;
  });
  fit(*effective.backward_schedule, *way_back, true);
  return planned;
}

Cut AnyPlan::Body::back_cut(const Route& way, std::size_t h) const {
  const Hop& hop = way.hops[h];
  if (hop.back_cut) return *hop.back_cut;
  const ScheduleOptions& schedule = problem.waves ? requested.schedule : requested.backward_schedule.value_or(requested.schedule);
  if (hop.exchanges && schedule.tiles == "gathered" && hop.cut.axis >= 0) return {scattered_axis(hop), hop.cut.size};
  return hop.cut;
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

void AnyPlan::Body::execute(Chain& chain, const void* in, void* out, const std::function<void(const Line&)>* f) {
  const mpi::Task task(&chain == &forward ? "forward" : &chain == &backward ? "backward" : waves ? "backward_map_forward" : "forward_map_backward", called);
  slots[static_cast<std::size_t>(chain.first_slot)] = static_cast<std::byte*>(const_cast<void*>(in));
  slots[static_cast<std::size_t>(chain.last_slot)] = static_cast<std::byte*>(out);
  if (chain.turn >= 0) {
    slots[waves ? 1 : 0] = slots[static_cast<std::size_t>(chain.first_slot)];
    slots[waves ? 0 : 1] = map_spectrum.get();
  }
  const std::int64_t began = selector.empty() ? 0 : trace::now();
  std::optional<GuardedMap> map_lines;
  if (f) map_lines.emplace(*f);
  trace::Run run(recorder.get(), chain.list);
  const Traffic before = run ? traffic(chain) : Traffic{};
  try {
    run_steps(chain, {&slots, map_lines ? &*map_lines : nullptr}, run);
  } catch (...) {  // MPI has failed: exchanges are out of step, and would wait for ever
    failure = std::current_exception();
    throw;
  }
  if (run) {
    const Traffic after = traffic(chain);
    run.sent({after.calls - before.calls, after.messages - before.messages, after.bytes - before.bytes});
  }
  if (!selector.empty()) selector.took(number(chain), 1e-9 * static_cast<double>(trace::now() - began));
  if (map_lines) map_lines->rethrow();
}

void AnyPlan::Body::run_steps(Chain& chain, const Call& call, trace::Run& run) {
  if (chain.conductor) {
    conducted = &chain;
    return chain.conductor->run(call, talk, progress, run);
  }
  trace::Laps laps(run, 0);
  for (int k = 0; const Step& step : chain.steps) {
    if (step.kind == Step::Kind::work)
      work(*chain.stages[static_cast<std::size_t>(step.of)], k, step, call, run);
    else
      exchange(chain, step);
    laps.did(k++);
  }
}

void AnyPlan::Body::exchange(Chain& chain, const Step& step) {
  Exchange& exchange = *chain.exchanges[static_cast<std::size_t>(step.of)];
  if (chain.turn >= 0 && step.of >= chain.turn && step.kind == Step::Kind::start) slots[waves ? 1 : 0] = slots[static_cast<std::size_t>(chain.last_slot)];
  if (step.kind == Step::Kind::start) streaming_fence();
  take(exchange, step);
}

void AnyPlan::Body::work(const Stage& stage, int number, const Step& step, const Call& call, trace::Run& run) {
  const int threads = team->threads();
  if (threads == 1) {
    for (int b = step.first; b < step.last; ++b)
      for (int p = 0; p < stage.passes(); ++p) stage.run(b, p, 0, 1, workspaces[0], call);
    return;
  }
  now = {&stage, number, step.first, step.last, &call, &run};
  // blocks apart, or together on each block, in the block memory of the first thread
  team->run(step.last - step.first >= threads ? apart : together);
}

// ---- the public face ----

// The constructor, which may have to choose options first, is the tuner's (src/tune/choose.cpp).
AnyPlan::~AnyPlan() = default;
AnyPlan::AnyPlan(AnyPlan&&) noexcept = default;
AnyPlan& AnyPlan::operator=(AnyPlan&&) noexcept = default;

template <class Check>
void AnyPlan::Body::checked(const char* verb, Check&& check) const {
  const auto all = [&] {
    if (failure) throw_failed("plan", failure);
    check();
  };
  if (!compares) return all();
  const mpi::Task task("comparing calls", called);
  std::ostringstream call;
  call << verb << " of plan " << plan_number << " (" << called << ")";
  comm.same("the call", call.str());
  comm.agree(all);
}

void AnyPlan::Body::check_arrays(const void* in, const void* out, Index in_bytes, Index out_bytes, const char* verb) const {
  if ((!in && in_bytes > 0) || (!out && out_bytes > 0)) throw Error(std::string(verb) + ": the " + (in ? "output" : "input") + " array is null on rank " + std::to_string(comm.rank()));
  const auto *a = static_cast<const std::byte*>(in), *b = static_cast<const std::byte*>(out);
  if (requested.in_place()) {
    if (in != out && (in_bytes > 0 || out_bytes > 0)) throw Error(std::string(verb) + ": the plan is in place, but input and output are different arrays on rank " + std::to_string(comm.rank()) + "; pass the same pointer, or plan with placement \"preserve\" or \"overwrite\"");
  } else if (in_bytes > 0 && out_bytes > 0 && std::less<>{}(a, b + out_bytes) && std::less<>{}(b, a + in_bytes)) {
    throw Error(std::string(verb) + ": input and output overlap on rank " + std::to_string(comm.rank()) + "; give two arrays, or plan with placement \"in_place\" and give one");
  }
}

// A map comes back to where it began: to the same places, where both arrays are one.
void AnyPlan::Body::check_map_arrays(const void* in, const void* out, Index bytes, const char* verb) const {
  if (requested.in_place() || in != out) return check_arrays(in, out, bytes, bytes, verb);
  if (!in && bytes > 0) throw Error(std::string(verb) + ": the input array is null on rank " + std::to_string(comm.rank()));
}

void AnyPlan::forward(const void* in, void* out) {
  body_->checked("forward", [&] { body_->check_arrays(in, out, body_->input_reach * body_->input_bytes, body_->output_reach * body_->output_bytes, "forward"); });
  body_->execute(body_->forward, in, out);
}

void AnyPlan::backward(const void* in, void* out) {
  body_->checked("backward", [&] { body_->check_arrays(in, out, body_->output_reach * body_->output_bytes, body_->input_reach * body_->input_bytes, "backward"); });
  body_->execute(body_->backward, in, out);
}

void AnyPlan::forward_map_backward(const void* in, void* out, const std::function<void(const Line&)>& f) {
  body_->checked("forward_map_backward", [&] {
    if (!f) throw Error("forward_map_backward: the map is empty; give a function of a line");
    if (body_->waves) throw Error("forward_map_backward: plane waves are mapped in real space; call backward_map_forward, and change coefficients in their array");
    body_->check_map_arrays(in, out, body_->input_reach * body_->input_bytes, "forward_map_backward");
  });
  body_->execute(body_->map, in, out, &f);
}

void AnyPlan::backward_map_forward(const void* in, void* out, const std::function<void(const Line&)>& f) {
  body_->checked("backward_map_forward", [&] {
    if (!f) throw Error("backward_map_forward: the map is empty; give a function of a line");
    if (!body_->waves) throw Error("backward_map_forward: only plane waves are mapped in real space; call forward_map_backward, or plan a sphere");
    body_->check_map_arrays(in, out, body_->output_reach * body_->output_bytes, "backward_map_forward");
  });
  body_->execute(body_->map, in, out, &f);
}

double AnyPlan::scale() const { return body_->requested.scale == "none" ? 1 / body_->logical_points() : 1; }
const Layout& AnyPlan::input_layout() const { return body_->route.input; }
const Layout& AnyPlan::output_layout() const { return body_->route.output; }
View AnyPlan::input_view() const { return input_layout().view(body_->comm.rank()); }
View AnyPlan::output_view() const { return output_layout().view(body_->comm.rank()); }
Index AnyPlan::input_elements() const { return body_->array_bytes ? (body_->array_bytes + body_->input_bytes - 1) / body_->input_bytes : input_layout().elements(body_->comm.rank()); }
Index AnyPlan::output_elements() const { return body_->array_bytes ? (body_->array_bytes + body_->output_bytes - 1) / body_->output_bytes : output_layout().elements(body_->comm.rank()); }
Index AnyPlan::input_reach() const { return body_->input_reach; }
Index AnyPlan::output_reach() const { return body_->output_reach; }
const AnyProblem& AnyPlan::problem() const { return body_->problem; }
const std::vector<GVector>& AnyPlan::vectors() const { return body_->vectors; }
const Options& AnyPlan::requested() const { return body_->requested; }
const Options& AnyPlan::effective() const { return body_->effective; }
Index AnyPlan::bytes_owned() const { return body_->owned_bytes; }
bool AnyPlan::trying() const { return body_->selector.trying(); }
std::vector<std::vector<Considered>> AnyPlan::considered() const {
  std::vector<std::vector<Considered>> all;
  for (std::size_t h = 0; h < body_->forward.hops.size(); ++h)
    if (body_->forward.hops[h].exchanges) all.push_back(body_->forward.considered[h]);
  return all;
}

// An exchange's memory that a caller may have for the array that `from` starts with and `to` ends with; -1: none.
std::pair<std::shared_ptr<Exchange>, int> AnyPlan::Body::lent(const Chain& from, const Chain& to) const {
  // the memory that the last exchange brings the result to
  if (const std::size_t h = to.hops.size() - 1; !to.hops.empty() && lands(to, h) && to.exchanges[h]->landing().slot >= 0)
    return {to.exchanges[h], to.exchanges[h]->landing().slot};
  const Exchange* first = from.exchanges.empty() ? nullptr : from.exchanges[0].get();
  // The memory that the first exchange sends from, where the first stage may leave its result in its input; threads, with blocks of their own, keep no order.
  if (first && overwrites() && !requested.in_place() && first->array().slot > 1 &&
      (from.bytes[0] == from.bytes[1] ? same_memory(first->array(), View{from.first.view(comm.rank(), first->array().slot)})
                                      : from.bytes[0] < from.bytes[1] && requested.threads == 1 && first->array().offset == 0 && from.stages[0]->overlays(first->array().slot)))
    return {from.exchanges[0], first->array().slot};
  return {nullptr, -1};
}

std::shared_ptr<std::byte> AnyPlan::Body::memory(Chain& from, Chain& to, std::shared_ptr<std::byte>& mine, Index bytes) {
  if (mine) return mine;
  // What is sent from is not lent where second-level caches hold all: what a peer has just read is written again slowly,
  // line by line (memory policy, M1).
  if (const auto [exchange, slot] = lent(from, to); slot >= 0 && (bytes > limits::small_array || slot != from.exchanges[0]->array().slot))
    return mine = std::shared_ptr<std::byte>(exchange, slots[static_cast<std::size_t>(slot)]);
  owned_bytes += bytes;
  return mine = allocate(bytes);
}

std::shared_ptr<std::byte> AnyPlan::input_memory() {
  return body_->memory(body_->forward, body_->backward, body_->input, input_elements() * body_->input_bytes);
}
std::shared_ptr<std::byte> AnyPlan::make_input_memory() const { return allocate(input_elements() * body_->input_bytes); }
std::shared_ptr<std::byte> AnyPlan::make_output_memory() const { return allocate(output_elements() * body_->output_bytes); }
std::shared_ptr<std::byte> AnyPlan::output_memory() {
  if (body_->requested.in_place()) return input_memory();
  return body_->memory(body_->backward, body_->forward, body_->output, output_elements() * body_->output_bytes);
}

}  // namespace weft

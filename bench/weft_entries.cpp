// Weft's contenders: the ways of doing a case that a user would choose between.
#include <fmt/format.h>

#include "contender.hpp"

namespace {

/// Whose arrays the transform works on.
enum class Arrays { plan, caller };

weft::View with_batch_axis(weft::View view, const Case& what) {
  if (what.batch > 1) return view;
  weft::View all = view;
  all.box.lo = all.strides = {0}, all.box.hi = {1};
  for (int axis = 0; axis < view.box.axes(); ++axis) {
    all.box.lo.push_back(view.box.lo[axis]);
    all.box.hi.push_back(view.box.hi[axis]);
    all.strides.push_back(view.strides[axis]);
  }
  return all;
}

weft::AnyProblem problem(MPI_Comm comm, const Case& what) {
  if (!what.sphere()) return weft::problem(what.precision, {what.real ? weft::Kind::r2c : weft::Kind::c2c}, what.shape);
  World world{comm};
  MPI_Comm_rank(comm, &world.rank);
  MPI_Comm_size(comm, &world.ranks);
  return weft::problem(what.precision, what.shape, {.mine = what.vectors(world.rank, world.ranks)});
}

Contender make(MPI_Comm comm, const Case& what, weft::Options options, Arrays arrays) {
  options.batch = what.batch;
  const auto plan = std::make_shared<weft::AnyPlan>(comm, problem(comm, what), options);
  Contender c;
  c.vectors = plan->vectors();
  c.in.view = with_batch_axis(plan->input_view(), what), c.out.view = with_batch_axis(plan->output_view(), what);
  if (what.sphere()) c.out.view = coefficients(what, c.vectors).view;  // counted from 0 on every rank
  c.in.elements = plan->input_elements(), c.out.elements = plan->output_elements();
  if (arrays == Arrays::plan) {
    c.in.memory = plan->input_memory(), c.out.memory = plan->output_memory();
  } else {
    c.in.memory = memory(static_cast<std::size_t>(c.in.elements) * what.before_bytes());
    c.out.memory = memory(static_cast<std::size_t>(c.out.elements) * what.after_bytes());
  }
  std::byte *const in = c.in.memory.get(), *const out = c.out.memory.get();
  c.forward = [=] { plan->forward(in, out); };
  c.backward = [=] { plan->backward(out, in); };
  c.trying = [=] { return plan->trying(); };
  c.bytes_owned = plan->bytes_owned();
  return c;
}

/// Collective. Throws when no rank sends a message: such a strategy reads its peers' memory.
void check_sends(MPI_Comm comm, const Case& what, weft::Options options) {
  options.batch = what.batch;
  options.effort = "estimate";
  weft::AnyPlan plan(comm, problem(comm, what), options);
  const auto in = plan.input_memory(), out = plan.output_memory();
  plan.measure(true);
  plan.forward(in.get(), out.get());
  weft::Index messages = plan.spent().messages;
  MPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_INT64_T, MPI_MAX, comm);
  if (messages == 0) throw weft::Declined("no messages: it reads its peers' memory");
}

std::vector<Candidate> by_messages(const World& world, const Case& what) {
  std::vector<Candidate> candidates;
  for (const weft::Strategy* strategy : weft::strategies())
    for (const weft::ScheduleOptions& schedule :
         {weft::ScheduleOptions{}, weft::ScheduleOptions{.tiles = "gathered", .tile = 8, .window = 2}}) {
      if (schedule.tiles != "one" && !strategy->overlaps()) continue;
      weft::Options options{.strategy = std::string(strategy->name()), .schedule = schedule, .placement = "overwrite"};
      candidates.push_back({options.strategy + (schedule.tiles == "one" ? "" : ", gathered tiles of 8"), [=] {
                              check_sends(world.comm, what, options);
                              return make(world.comm, what, options, Arrays::plan);
                            }});
    }
  return candidates;
}

}  // namespace

std::vector<Entry> weft_entries(const World& world, const Case& what) {
  std::vector<Entry> entries;
  const auto add = [&](const std::string& name, const std::string& group, const Case& of,
                       std::vector<Candidate> candidates) {
    entries.push_back({.name = "weft " + name,
                       .group = group,
                       .peer = false,
                       .alone = false,
                       .what = of,
                       .candidates = std::move(candidates)});
  };
  const auto plan = [&](const std::string& text, const weft::Options& options, Arrays arrays,
                        const Case& of) -> std::vector<Candidate> {
    return {{text, [=] { return make(world.comm, of, options, arrays); }}};
  };
  const auto direct_of = [&](const std::string& text, weft::Options options, Arrays arrays) {
    auto candidates = plan("direct, " + text, options, arrays, what);
    if (what.batch > 1) {  // field by field, as the model has it
      options.strategy = "auto", options.wisdom = false;
      candidates.push_back(plan("auto, " + text, options, arrays, what).front());
    }
    return candidates;
  };
  const auto alone = [&](const std::string& name, const std::string& group, int threads) {
    const weft::Options options{.threads = threads, .placement = "overwrite"};
    add(name, group, what, {{fmt::format("1 rank, {} thread{}, overwriting", threads, threads == 1 ? "" : "s"), [=] {
                               return make(MPI_COMM_SELF, what, options, Arrays::plan);
                             }}});
    entries.back().alone = true;
  };

  if (what.sphere()) {
    const weft::Options direct{.strategy = world.ranks > 1 ? "direct" : "auto", .placement = "overwrite"};
    Case dense = what;
    dense.radius = 0, dense.boxcut = false, dense.returns = true;
    add("direct", "sphere", what, direct_of("caller's arrays", direct, Arrays::caller));
    if (world.ranks > 1) add("messages", "messages", what, by_messages(world, what));
    add("dense", "dense", dense,
        plan("direct, plan's arrays, overwriting, all of the grid", direct, Arrays::plan, dense));
    return entries;
  }
  if (world.ranks > 1) {
    const weft::Options direct{.strategy = "direct", .placement = "overwrite"};
    weft::Options preserving = direct, natural = direct, pencils = direct;
    weft::Options fftw_alone = direct;
    fftw_alone.engine = "fftw";
    preserving.placement = "preserve";
    natural.natural_output = true, natural.strategy = "direct+deposit";
    add("direct", "transposed", what, direct_of("plan's arrays, overwriting", direct, Arrays::plan));
    add("direct fftw alone", "fftw alone", what,
        plan("direct, plan's arrays, overwriting, no kernels but FFTW's", fftw_alone, Arrays::plan, what));
    add("direct preserving", "preserving", what,
        direct_of("caller's arrays, input preserved", preserving, Arrays::caller));
    auto naturally = plan("direct+deposit, plan's arrays, overwriting, natural output", natural, Arrays::plan, what);
    natural.strategy = "auto", natural.wisdom = false;  // backward it has strategies of its own
    naturally.push_back(plan("auto, plan's arrays, overwriting, natural output", natural, Arrays::plan, what).front());
    add("direct natural", "natural", what, naturally);
    add("messages", "messages", what, by_messages(world, what));
    if (what.shape.size() > 2) {
      int grid[2] = {0, 0};
      MPI_Dims_create(world.ranks, 2, grid);
      pencils.grid = {grid[1], grid[0]};  // {1, P} rather than {P, 1}, which is a slab
      add("pencils", "pencils", what,
          direct_of(fmt::format("{}x{} ranks, plan's arrays, overwriting", grid[1], grid[0]), pencils, Arrays::plan));
    }
    if (!what.is_double()) {
      Case twice = what;
      twice.precision = weft::Precision::double_;
      add("direct in double", "double", twice,
          plan("direct, plan's arrays, overwriting, double", direct, Arrays::plan, twice));
    }
    alone("1 rank with threads", "threads", world.ranks);
  }
  alone("1 rank", "one rank", 1);
  if (world.ranks > 1) {
    const weft::Options each{.threads = 1, .placement = "overwrite"};
    add("1 rank each", "each", what, {{"every rank alone, all at once, overwriting", [=] {
                                         return make(MPI_COMM_SELF, what, each, Arrays::plan);
                                       }}});
  }
  return entries;
}

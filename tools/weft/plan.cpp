// weft plan: makes a plan and prints what it will do; asked for times, it does it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "request.hpp"
#include "values.hpp"

namespace {

/// Forward of zeros, measured once it has run some times.
void execute(const World& world, weft::AnyPlan& plan) {
  with_types(plan.problem(), [&]<class In, class Out>(In, Out) {
    const auto in = input_of<In>(plan);
    const auto out = output_of<Out>(plan);
    for (In& value : in.span()) value = 0;
    for (int round = 0; round < 4; ++round) {
      plan.measure(round == 3);
      MPI_Barrier(world.comm);
      plan.forward(in.data(), out.data());
    }
  });
}

}  // namespace

Command plan_command(CLI::App& app) {
  struct Asked : Request {
    bool steps = false, times = false;
  };
  auto asked = std::make_shared<Asked>();
  asked->add_problem(app);
  asked->add_options(app);
  app.add_flag("--steps", asked->steps, "every step of the forward transform on rank 0");
  app.add_flag("--times", asked->times, "steps with when they began and how long they took in one execution");

  return [asked](const World& world) {
    weft::AnyPlan plan = planning([&] { return weft::AnyPlan(world.comm, asked->problem(), asked->options(world.ranks)); });
    if (asked->times) execute(world, plan);
    if (world.rank == 0) fmt::print("{}{}", plan.describe(), asked->steps || asked->times ? plan.steps() : "");
    return 0;
  };
}

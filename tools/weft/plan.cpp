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
  struct PlanRequest : Request {
    bool steps = false, times = false, explain = false, json = false, check = false, no_memory = false;
  };
  auto asked = std::make_shared<PlanRequest>();
  asked->add_problem(app);
  asked->add_options(app);
  app.add_flag("--steps", asked->steps, "every step of the forward transform on rank 0");
  CLI::Option* const times =
      app.add_flag("--times", asked->times, "steps with when they began and how long they took in one execution");
  app.add_flag("--no-memory", asked->no_memory, "take no memory for it, however much it would need")->excludes(times);
  CLI::Option* const check =
      app.add_flag("--check", asked->check,
                   "whether all that ranks read and write is in order, whatever the timing; exit code 1 if not");
  app.add_flag("--explain", asked->explain, "how strategy and schedule came to be: candidates, times, reason");
  app.add_flag("--json", asked->json, "that alone, as JSON")->needs("--explain")->excludes(check);
  const auto seconds = [&given = *asked](const std::string& word) { given.give("tune_seconds", word); };
  app.add_option_function<std::string>("--seconds", seconds, "short for --tune-seconds")->group("Short forms");

  return [asked](const World& world) {
    weft::AnyPlan plan = planning([&] {
      return weft::AnyPlan(world.comm, asked->problem(), asked->options(world.ranks),
                           asked->no_memory ? weft::Memory::none : weft::Memory::own);
    });
    if (asked->times) execute(world, plan);
    const weft::AnyPlan::Ordering order = asked->check ? plan.ordering() : weft::AnyPlan::Ordering{};
    const int code = order.unordered > 0 || order.hangs ? 1 : 0;
    if (world.rank != 0) return code;
    if (!asked->json) fmt::print("{}{}", plan.describe(), asked->steps || asked->times ? plan.steps() : "");
    if (asked->explain) fmt::print("{}{}", asked->json ? "" : "\n", plan.explain(asked->json));
    if (asked->check)
      fmt::print("order: {} pairs of accesses compared, {} not ordered{}\n{}", order.compared, order.unordered,
                 order.hangs ? ", and it never ends" : "", order.text);
    return code;
  };
}

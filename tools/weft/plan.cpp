// weft plan: makes a plan and prints what it will do, without doing it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "request.hpp"

Command plan_command(CLI::App& app) {
  struct Asked : Request {
    bool steps = false;
  };
  auto asked = std::make_shared<Asked>();
  asked->add_problem(app);
  asked->add_options(app);
  app.add_flag("--steps", asked->steps, "every step of the forward transform on rank 0");

  return [asked](const World& world) {
    const weft::AnyPlan plan = planning([&] { return weft::AnyPlan(world.comm, asked->problem(), asked->options(world.ranks)); });
    if (world.rank == 0) fmt::print("{}{}", plan.describe(), asked->steps ? plan.steps() : "");
    return 0;
  };
}

// weft types: prints the MPI datatypes that a plan sends and receives by, as MPI has them, and
// checks them against their patterns.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>

#include "request.hpp"

Command types_command(CLI::App& app) {
  struct TypesRequest : Request {
    int rank = 0;
  };
  auto asked = std::make_shared<TypesRequest>();
  asked->strategy = "datatype";
  asked->add_problem(app);
  asked->add_options(app);
  app.add_option("--rank", asked->rank, "whose types to print; those of all ranks are checked")->capture_default_str();
  app.footer(R"(Example:
  weft --ranks 3 types --shape 7x5 --rank 2
)");

  return [asked](const World& world) {
    if (asked->rank < 0 || asked->rank >= world.ranks)
      throw Usage(fmt::format("--rank {}: there are ranks 0 to {}", asked->rank, world.ranks - 1));
    const weft::AnyPlan plan =
        planning([&] { return weft::AnyPlan(world.comm, asked->problem(), asked->options(world.ranks)); });
    const weft::AnyPlan::Datatypes types = plan.datatypes();
    if (world.rank == asked->rank)
      fmt::print("{}rank {}: {}\n", types.text, world.rank,
                 types.made == 0
                     ? fmt::format("{} sends packed memory and makes no datatypes", plan.effective().strategy)
                 : types.different == 0
                     ? fmt::format("all {} datatypes match their patterns", types.made)
                     : fmt::format("{} of {} datatypes differ from their patterns", types.different, types.made));
    std::fflush(stdout);
    if (types.different > 0)
      throw weft::Error(fmt::format("rank {}: {} of {} datatypes differ from their patterns; see --rank {}", world.rank,
                                    types.different, types.made, world.rank));
    return 0;
  };
}

// weft tune: finds the fastest way to solve a problem within some seconds, says what it saw, and
// keeps it as wisdom.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>

#include <weft/quote.hpp>
#include <weft/wisdom.hpp>

#include "place.hpp"
#include "progress.hpp"
#include "request.hpp"

namespace {

struct TuneRequest : Request {
  weft::TuneOptions how;
  std::string json, trace;
};

int tune(const World& world, TuneRequest asked) {
  for (const std::string& path : {asked.json, asked.trace})
    if (!path.empty()) check_writable(world, path);
  weft::Options options = asked.options(world.ranks);
  Progress progress(world.rank == 0);
  std::string last;
  asked.how.progress = [&](const std::string& phase, int measured, const weft::Candidate& best) {
    if (phase != last) progress.phase("tuning " + (last = phase) + ":");
    progress.detail(
        fmt::format("{} measured, best so far {:.4g} ms: {}", measured, 1e3 * best.measured_seconds, best.name));
  };
  std::optional<weft::Trace> trace;
  if (!asked.trace.empty()) asked.how.trace = &trace.emplace(world.comm, trace_spans);
  const weft::Tuning found = planning([&] { return weft::tune(world.comm, asked.problem(), options, asked.how); });
  progress.clear();
  std::string note;
  if (trace) trace->write(asked.trace);
  if (options.wisdom) note = weft::remember(world.comm, asked.problem(), options, found);
  if (world.rank != 0) return 0;
  fmt::print("{}{:.3g} s, {} of {} candidates measured\n", found.text, found.seconds,
             std::count_if(found.candidates.begin(), found.candidates.end(),
                           [](const weft::Candidate& c) { return c.measurements > 0; }),
             found.candidates.size());
  if (trace && trace->left_out() > 0) fmt::print("{} has no room for {} executions\n", asked.trace, trace->left_out());
  if (options.wisdom) fmt::print("{}\n", note);
  std::fflush(stdout);
  nlohmann::ordered_json told = nlohmann::ordered_json::parse(found.json);
  told.update(place());
  if (!asked.json.empty() && !(std::ofstream(asked.json) << told.dump(2) << std::endl))
    throw weft::Error("cannot write " + weft::shown_path(asked.json));
  return 0;
}

}  // namespace

Command tune_command(CLI::App& app) {
  auto asked = std::make_shared<TuneRequest>();
  asked->strategy = "tune";
  asked->add_problem(app);
  asked->add_options(app, {"tune_seconds"});
  app.add_option("--seconds", asked->how.seconds, "how long to measure; what is being measured then is not interrupted")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  app.add_option("--skew", asked->how.skew_seconds,
                 "start ranks up to so many seconds apart, as those of real programs are")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  app.add_flag("--exhaustive", asked->how.exhaustive, "measure all there is, however long it takes");
  app.add_option("--json", asked->json, "write what was found to this file");
  app.add_option("--trace", asked->trace,
                 "write what every rank did when in one execution of every candidate to this file, for "
                 "https://ui.perfetto.dev and weft report");
  app.footer(
      R"(What is left open is looked for: the strategy where it is tune or auto, and with it the
schedule where no option names it; with --grid auto the process grid, with --groups auto groups of
plane waves, with --threads auto threads, with --effort auto the engine's effort. What is found is
remembered, and a plan of strategy auto uses it (docs/tuning.md).

Examples:
  weft --ranks 2 tune --shape 128x128x128 --seconds 10
  weft --ranks 8 tune --shape 96x96x96 --kind r2c --grid auto --json found.json
  weft --ranks 4 tune --shape 128x128x128 --sphere 32 --batch 16
)");
  return [asked](const World& world) { return tune(world, *asked); };
}

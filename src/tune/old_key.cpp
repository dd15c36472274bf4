#include "tune/old_key.hpp"

#include <algorithm>

#include "engines/engine.hpp"
#include "plan/route/problem.hpp"
#include "tune/choice.hpp"

namespace weft {
namespace {

std::string schedule_text(const ScheduleOptions& s) {
  return "tiles " + (s.tiles == "auto" ? "one" : s.tiles) + " of " + std::to_string(s.tile) + ", window " +
         std::to_string(s.window) + ", test " + std::to_string(s.test) + ", communicate " + s.communicate;
}

}  // namespace

std::string old_problem_key(const AnyProblem& problem, Options o) {
  if (strategy_open(o)) o.strategy = "open";
  std::string grid;
  for (const int g : o.grid) grid += (grid.empty() ? "" : "x") + std::to_string(g);
  std::vector<std::pair<std::string, std::string>> all = fingerprint(problem);
  all.insert(all.end(),
             {{"the strategy", o.strategy},
              {"the precision on the wire", o.wire},
              {"the engine", engine_in_keys(o.engine) + ", effort " + o.effort},
              {"the schedule", schedule_text(o.schedule) +
                                   (o.backward_schedule ? "; backward " + schedule_text(*o.backward_schedule) : "")},
              {"the process grid", grid},
              {"the groups", std::to_string(o.groups)},
              {"WEFT_CHECK", compares_calls() ? "1" : "0"},
              {"wisdom and tuning", std::string(o.wisdom ? "wisdom" : "no wisdom") + ", 0.000000 s"},
              {"batch, components, threads",
               std::to_string(o.batch) + ", " + std::to_string(o.components) + ", " + std::to_string(o.threads)},
              {"the options", std::string(o.in_place()           ? "in place, "
                                          : o.overwrites_input() ? "overwriting, "
                                                                 : "") +
                                  (o.natural_output ? "natural output, " : "") + "scale " + o.scale},
              {"the input layout", o.input ? o.input->describe(true) : "default"},
              {"the output layout", o.output ? o.output->describe(true) : "default"}});
  std::string text;
  for (const auto& [what, value] : all)
    if (!value.empty() && value != "none" && value != "default")
      text += (text.empty() ? "" : "; ") + what + " " + value;
  return text;
}

std::string engine_in_keys(const std::string& engine) {
  const auto& all = engines();
  const bool with_fftw = std::any_of(all.begin(), all.end(), [](const Engine* e) { return e->name() == "fftw"; });
  if (with_fftw && engine == "weft") return "fftw";
  return engine == "fftw" ? "fftw_alone" : engine;
}

}  // namespace weft

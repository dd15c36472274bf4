// What is chosen when options leave it open, and how that is written down.
#pragma once

#include <weft/tune.hpp>

#include "tune/json.hpp"

namespace weft {

/// Whether the strategy, and with it a schedule that nothing is said of, is to be chosen.
bool strategy_open(const Options& options);
bool schedule_open(const Options& options);
/// Whether anything is that wisdom, tuning or the model may know.
bool leaves_open(const Options& options);
/// With what stands in for all that is open until somebody knows better; the strategy is the
/// model's choice.
Options closed(Options options);

/// Of a field of a batch, an array of complex numbers, on each of so many ranks.
Index field_bytes(const AnyProblem& problem, const Options& options, int ranks);

/// How fields of a batch go through all stages in ranks that share memory: up to 1 MiB at a time,
/// which caches hold from one stage to the next, or 768 KiB where there is one exchange, in which
/// ranks take turns; larger ones one by one where the input is preserved, and of plane waves, whose
/// stages fill a cache, where one is not small. The default: all at once, or no batch.
ScheduleOptions batch_schedule(const AnyProblem& problem, const Options& options, int ranks);

/// "64x64x64 c2c, double, batch 4"
std::string summary(const AnyProblem& problem, const Options& options);
/// "isend, gathered axis, 8 planes a tile, window 2; backward one tile; grid 2x2; 2 threads"
std::string name_of(const Options& choice);

Json choice_json(const Options& choice);
/// `asked` with everything open as in the choice. Throws Error where the choice has not what it
/// should have.
Options with_choice(const Options& asked, const Json& choice);

/// Of what tuning found, or the model's candidates: lines for people.
std::string explanation(const Json& found);

}  // namespace weft

// Tuning: measures ways to solve a problem and tells the fastest, and what was seen of the others.
//
//     weft::Tuning found = weft::tune(comm, weft::c2c<double>({256, 256, 256}), {}, {.seconds = 20});
//     weft::Plan fft(comm, weft::c2c<double>({256, 256, 256}), found.choice);
//
// `Options::strategy = "tune"` does this while planning, and keeps what it finds as wisdom.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/plan.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// One way to solve a problem, and what is known of it. Seconds are of forward and backward
/// together, of the slowest rank.
struct Candidate {
  Options options;
  std::string name;              ///< what tells it from the others: "isend, kept axis, 8 planes a tile, window 2"
  double predicted_seconds = 0;  ///< by the model; 0: it says nothing
  double measured_seconds = 0;   ///< median; 0: not measured
  double forward_seconds = 0, backward_seconds = 0;  ///< medians of each alone
  int measurements = 0;
  int round = 0;        ///< the last in which it was measured: 1 strategies, 2 schedules, 3 mixtures, 4 final; 0: none
  std::string verdict;  ///< one line
};

/// What tuning found.
struct Tuning {
  Options choice;      ///< as asked for, with nothing left open: what plans with it does what was measured
  std::string reason;  ///< one line
  /// The fastest first, compared by way of the best that each ran against; what was not measured
  /// last
  std::vector<Candidate> candidates;
  double seconds = 0;  ///< that it took
  Machine machine;

  std::string text;  ///< many lines for people
  std::string json;  ///< the same for programs: "problem", "choice", "reason", "candidates", ...
};

struct TuneOptions {
  /// Stops when they are over; what is being measured then is not interrupted, and one candidate at
  /// least is measured. 0: the model's choice, not measured
  double seconds = 10;
  /// Ranks start each measurement up to so much apart, at random, as those of real programs do
  double skew_seconds = 0;
  bool exhaustive = false;  ///< measures all there is to choose from, alike and to the end, however long it takes
  Trace* trace = nullptr;   ///< of every candidate that proves itself one execution each way is left here; null: none
  /// Called on rank 0 when candidates have been measured, at least once: what is going on, how many
  /// have been, and the best.
  std::function<void(const std::string& phase, int measured, const Candidate& best)> progress;
};

/// Collective, and the same on every rank. Looks for what `options` leave open: the strategy where
/// it is "auto" or "tune", for all exchanges and for each; the schedule of each direction where it
/// is left as it is by default and the strategy is open; the process grid where it is {0}; groups
/// and threads where they are 0; the effort where it is "auto". Every candidate must transform
/// known data rightly, element by element, before it is measured. Best so far in the lead,
/// candidates take turns; the leaders are measured until one is ahead by more than the noise.
/// Throws Error for options that no plan can have, or when every candidate declines.
Tuning tune(MPI_Comm comm, const AnyProblem& problem, const Options& options = {}, const TuneOptions& how = {});

/// Collective: measures the machine, all ranks at work, in some hundredths of a second. `nodes` as
/// in `Options`.
Machine measure_machine(MPI_Comm comm, const std::vector<int>& nodes = {});

}  // namespace weft
#pragma GCC visibility pop

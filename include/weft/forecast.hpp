// Forecasts: how long a plan will take on ranks that need not be there, by each strategy, give or
// take.
//
//     weft::MachineProfile machine = weft::measure_profile(comm);         // or weft::profile_of(text of a file)
//     for (const weft::Forecast& f : weft::forecast(weft::c2c<double>({512, 512, 512}), {}, nodes_of_4096, machine))
//       std::cout << f.strategy << " " << f.seconds << " s, " << f.least_seconds << " to " << f.most_seconds << "\n";
#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// What the model says of one strategy. Seconds are of one execution, of the rank that has most to
/// do.
struct Forecast {
  std::string strategy;
  std::string declined;  ///< why the strategy declines; empty: it does not
  double seconds = 0;    ///< forward and backward together
  double forward_seconds = 0, backward_seconds = 0;
  double least_seconds = 0, most_seconds = 0;  ///< 95 of 100 plans lie between these, if they are like those measured
  double work_seconds = 0;                     ///< of both directions: lines and passes over memory
  double exchange_seconds = 0;                 ///< of both directions
  double overlapped_seconds = 0;               ///< what tiles save of the sum of the two
  Cost cost;                                   ///< of all exchanges of both directions
  std::string warning;  ///< why not to rely on it: one line; empty where the machine was measured like this
};

/// Local, and without communication: as many ranks as `nodes` has numbers, each the node that a
/// rank is on, as `weft::nodes` gives them. `options.strategy` "auto": all strategies, the fastest
/// first and those that decline last; else the one named. Engine, effort and wisdom count for
/// nothing. Throws Error for what no plan can have, for plane waves, and for more than 65536 ranks.
std::vector<Forecast> forecast(const AnyProblem& problem, const Options& options, const std::vector<int>& nodes,
                               const MachineProfile& profile);

/// Collective: the machine as all ranks see it when all are at work, with its rates by size; cubes
/// by every strategy, for `work`, `real_work` and `exchanges`; and what all that makes of a few other
/// plans, for `relative_error`. Cubes take `seconds`, more or less, the others a few. `nodes` as in `Options`.
MachineProfile measure_profile(MPI_Comm comm, const std::vector<int>& nodes = {}, double seconds = 60);

/// Collective: keeps a profile with wisdom, from where "auto" takes it: where tuning has found
/// nothing for a problem, plans on these ranks take the strategy of the least forecast. Says where
/// it is kept, or why not; the same on all ranks.
std::string remember(MPI_Comm comm, const MachineProfile& profile, const std::vector<int>& nodes = {});

/// A profile as JSON: the constants of `machine_rows` by name, "messages", "node_messages",
/// "copies", "lines" and "real_lines" as lists of [size, rate], "node_processor" as one of [size,
/// seconds], "work" and "real_work" as lists of [size, ratio], "exchanges" as an object of such, and
/// the rest of `MachineProfile` by name. All may be left out but one; what is
/// left out is a first guess.
std::string text_of(const MachineProfile& profile);
/// Throws Error, naming `where`, for text that is no profile: unknown names, numbers that are not
/// positive, sizes that do not ascend.
MachineProfile profile_of(const std::string& text, const std::string& where = "the profile");

}  // namespace weft
#pragma GCC visibility pop

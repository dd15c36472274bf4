// Problems and options: what is asked for, checked before anything is planned.
#pragma once

#include <weft/plan.hpp>

#include "mpi/communicator.hpp"

namespace weft {

/// Communicator::agree, but where some rank declined all do.
template <class F>
auto agree_or_decline(const mpi::Communicator& comm, F&& f) {
  bool declined = false;
  try {
    return comm.agree([&] {
      try {
        return f();
      } catch (const Declined&) {
        declined = true;
        throw;
      }
    });
  } catch (const Error& e) {
    if (comm.max(declined ? 1 : 0)) throw Declined(e.what());
    throw;
  }
}

/// Whether WEFT_CHECK=1 in the environment asks that ranks compare what they call before they
/// execute. Throws Error when it is neither 0 nor 1.
bool compares_calls();

/// Throws what calls say once MPI has failed in the middle of an execution.
[[noreturn]] void throw_failed(const char* what, const std::exception_ptr& failure);

/// Collective: what is asked for is possible as far as this tells, and the same on all ranks.
void check_alike(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options,
                 Memory works_in = Memory::own);

/// Throws Error, or Declined for what only another option forbids, naming what was given and what
/// is allowed.
void check_problem(const AnyProblem& problem, const Options& options);

/// The same of plane waves, whose shape and kinds are checked already. What only the G-vectors tell
/// is found when they are shared.
void check_waves(const AnyProblem& problem, const Options& options);
std::string fingerprint(const PlaneWaves& waves);

/// A strategy for every exchange, in the order of forward; the last serves all that follow:
/// "direct+deposit" -> direct, deposit. At least one.
std::vector<std::string> strategy_names(const std::string& strategy);

/// What tells a problem from all others, but for lists of G-vectors, which are each rank's own:
/// what, and as text.
std::vector<std::pair<std::string, std::string>> fingerprint(const AnyProblem& problem);

}  // namespace weft

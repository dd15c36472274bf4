// What a communicator's ranks remember of a problem: looked up and kept by rank 0, known to all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/tune.hpp>
#include <weft/wisdom.hpp>

#include "mpi/communicator.hpp"
#include "tune/json.hpp"

namespace weft {

/// Collective, all of it; the same on all ranks. Of a problem whose options go without wisdom
/// nothing is looked up, and nothing can be kept.
class [[gnu::visibility("hidden")]] Recollection {
 public:
  Recollection(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options,
               const std::vector<int>& nodes);

  const std::vector<std::string>& notes() const { return notes_; }
  /// What was found out about the problem (null: nothing); the engine knows what it knew then.
  const Json& found() const { return found_; }
  /// This machine as it was measured last; a first guess where it was not.
  Machine machine() const;
  /// The same of any ranks, `nodes` as in Options.
  static Machine machine_at(const mpi::Communicator& comm, const std::vector<int>& nodes);
  /// Keeps what was found, in this process and in the user's own file. Says where, or why not.
  std::string keep(const Tuning& tuning);

 private:
  const mpi::Communicator& comm_;
  std::string engine_;
  Json key_, found_, machine_;
  std::vector<std::string> notes_;
};

}  // namespace weft

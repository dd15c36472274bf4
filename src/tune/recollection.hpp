// What a communicator's ranks remember of a problem: looked up and kept by rank 0, known to all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/forecast.hpp>
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
  /// What forecasts know of it; nothing where nobody has measured that, or where a choice was
  /// found.
  std::optional<MachineProfile> profile() const;
  /// The same of any ranks, `nodes` as in Options.
  static Machine machine_at(const mpi::Communicator& comm, const std::vector<int>& nodes);
  /// Keeps what was found, in this process and in the user's own file. Says where, or why not.
  std::string keep(const Tuning& tuning);
  /// The same of what was measured of a machine; `nodes` as in Options.
  static std::string keep(const mpi::Communicator& comm, const std::vector<int>& nodes, const MachineProfile& profile);

 private:
  static std::string kept(Json entry);  // on rank 0

  const mpi::Communicator& comm_;
  std::string engine_;
  Json key_;  // on rank 0
  Json found_, machine_, profile_;
  std::vector<std::string> notes_;
};

}  // namespace weft

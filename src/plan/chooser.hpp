// Who chooses what options leave open: the strategy, its schedule, grids, threads. Plans are handed
// a chooser and know nothing of how it comes by its choice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "mpi/communicator.hpp"

namespace weft {

class [[gnu::visibility("hidden")]] Chooser {
 public:
  /// What is to be planned, alike on all ranks of `comm`, which have agreed on it.
  struct Asked {
    const mpi::Communicator& comm;
    const AnyProblem& problem;
    const Options& options;
    const std::vector<int>& nodes;  ///< of every rank
  };
  /// How the choice came about: as JSON, and in one line. Empty: the model chose, or nobody.
  struct Told {
    std::string story, line;
  };
  /// Makes the plan from options that leave nothing open but a strategy, for which the costs on
  /// this machine decide. Throws alike on all ranks where it cannot be.
  using Make = std::function<void(const Options& choice, const Machine& machine)>;

  virtual ~Chooser() = default;
  /// Collective. Calls `make` with one choice after the other until it returns; what it throws last
  /// is thrown.
  virtual Told choose(const Asked& asked, const Make& make) const = 0;
};

}  // namespace weft

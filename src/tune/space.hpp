// What there is to choose from where options leave it open, and what the model thinks of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <weft/tune.hpp>

#include "mpi/communicator.hpp"

namespace weft {

/// What candidates share that are cut alike: process grid, groups and threads.
struct Ground {
  Options options;  ///< the model's strategy, one tile
  std::vector<std::vector<Considered>> considered;
  double work_seconds = 0;               ///< of forward, predicted
  std::map<std::string, Index> longest;  ///< tiles: planes of the longest
};

/// The same on all ranks.
class Space {
 public:
  /// Collective: plans a few ways to learn what they cost and how they can be cut. Throws Error
  /// where none can be planned.
  Space(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const Machine& machine);

  const std::vector<Ground>& grounds() const { return grounds_; }
  /// Strategies; where nothing is exchanged "auto".
  std::vector<std::string> names() const;
  /// Of more than one tile.
  std::vector<ScheduleOptions> schedules(const Ground& ground, const std::string& name) const;
  /// The model's word on a candidate: seconds of forward and backward, less what may overlap. 0: it
  /// declines or says nothing.
  double predicted(const Ground& ground, const Options& options) const;

 private:
  std::vector<Options> open() const;
  /// Of a plan of the model's; says why it is none.
  std::string survey(const Options& options);

  const mpi::Communicator& comm_;
  const AnyProblem& problem_;
  const Options& asked_;
  const Machine& machine_;
  std::vector<Ground> grounds_;
};

}  // namespace weft

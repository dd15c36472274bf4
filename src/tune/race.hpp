// Candidates against each other: proved, timed in turns with the best so far, and those that are
// close once more until noise no longer decides.
//
// Always true: the best so far is a plan that has proved itself; every decision follows from
// numbers that all ranks have alike. Candidates take turns with the best so far, so that a machine
// that changes its pace does so for all of them, and few plans are in memory at once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tune/contender.hpp"
#include "tune/sample.hpp"
#include "tune/space.hpp"

namespace weft {

/// One candidate: seconds of all its turns since it came, and of those in the heat that it is in.
struct Entry {
  Candidate shown;
  const Ground* ground = nullptr;
  std::unique_ptr<Contender> runs;  ///< null: not in memory
  Index bytes = 0;                  ///< that the plan owns, the most of a rank
  std::vector<double> forward, backward, both, heat;
  /// Its time over that of the first one measured, by way of the best it ran against: what pace the
  /// machine had then does not count
  double score = 0;

  bool measured() const { return shown.measurements > 0; }
  double forward_score() const { return score * shown.forward_seconds / shown.measured_seconds; }
  double backward_score() const { return score * shown.backward_seconds / shown.measured_seconds; }
};

class Race {
 public:
  /// Time counts from `begin`.
  Race(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const TuneOptions& how,
       double begin);

  /// The entry of these options; a new one the first time.
  Entry& entry(const Ground& ground, const Options& options, double predicted_seconds);

  /// Those of a field that are new, a few at a time, in turns with the best so far, whom they must
  /// beat twice; what is much slower goes at once. Ends when that share of the time is over that
  /// the final does not need.
  void run(const std::string& phase, const std::vector<Entry*>& field, int repeats, int round, double share);
  /// Those that are close to the best, the first one among them, all in turn, the slower ones
  /// leaving, until it is known what those that are left need. Of the first one and the winner the
  /// first is the choice where nothing speaks for either.
  void final();

  /// Whether that share of the time is over, or would be after so many seconds more.
  bool over(double share = 1, double next_seconds = 0) const;

  const Entry* first() const { return first_; }  ///< the model's choice, or the next that proved itself
  Entry* best() const { return best_; }          ///< null: none has proved itself
  const std::vector<Entry*>& all() const { return order_; }
  std::vector<Entry*> by_time() const;  ///< those measured, the fastest first

 private:
  bool ready(Entry& entry);
  void turn(Entry& entry);
  void round(std::vector<Entry*> field);
  int burst(double seconds) const;
  bool lead(Entry& entry);
  void say(const std::string& phase) const;
  std::size_t finalists() const;
  double reserve() const;
  void make_room() const;
  void heat(std::vector<Entry*> field, int repeats, int round, double share);

  const mpi::Communicator& comm_;
  const AnyProblem& problem_;
  const TuneOptions& how_;
  const double begin_;
  Tags tags_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::vector<Entry*> order_;
  Entry *first_ = nullptr, *best_ = nullptr;  // the first that proved itself, and the best so far; both stay in memory
  int burst_ = 1;                             // executions a turn
  std::minstd_rand order_of_turns_;
  double noise_ = 0.1;  // of one turn's difference from the best's, of its time: by the last few
  double planning_seconds_ = 0, turn_seconds_ = 0;  // of one candidate, and of one turn, by the last few
};

}  // namespace weft

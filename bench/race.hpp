// Running contenders against each other: planned, verified, timed turn by turn, verified again.
#pragma once

#include <cstdint>

#include "../tools/weft/median.hpp"
#include "contender.hpp"

/// A plan that was tried.
struct Tried {
  std::string options;
  double median_seconds = 0;  ///< of a few turns, alone
  double final_seconds = 0;   ///< of turns with those nearly as fast; 0: it was not among them, or there were none
  std::string declined;       ///< why it has no time
};

/// What is known of an entry after the race; alike on all ranks but for `entry`.
struct Result {
  Entry entry;
  std::string options;  ///< of the plan that ran; empty when there was none
  std::vector<Tried> tried;
  double plan_seconds = 0;                       ///< to make the plan that ran
  std::vector<double> seconds;                   ///< of every turn, a transform: the slowest rank's
  double relative_error = 0;                     ///< 2-norm, the worst of all that were looked at
  weft::Index array_bytes = 0, bytes_owned = 0;  ///< of all ranks together

  bool ran() const { return !options.empty(); }
  double median() const;
  double least() const;
  double most() const;
};

/// Transforms between two barriers, alike for all contenders: more than one where one is too short
/// to be timed.
int transforms_a_turn(const Case& what, int ranks);

/// How near each other the ranks' cores were: see Ring.
struct Nearness {
  double hop_seconds = 0;  ///< the least time of a flag from rank to rank; 0: not known
  /// Cores are apart where it takes so many times the least: more than between two threads of one
  /// core and two cores with a cache in common, less than between cores without
  static constexpr double far = 4;
  /// Of all contenders; apart: it took more than `far` times that before or after the turn
  int turns = 0, turns_apart = 0;
  bool left_out = false;  ///< turns apart stand in no result; else, where too few others were left, they do
  bool moved = false;     ///< while plans found out what suits them, cores were elsewhere than in these turns
};

/// Collective. Turns that find the cores apart are repeated, up to as many times as there are
/// others; all are where cores have moved since plans settled, up to twice.
std::pair<std::vector<Result>, Nearness> race(const World& world, const Case& what, std::vector<Entry> entries,
                                              int repeats);

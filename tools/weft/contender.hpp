// One strategy in a benchmark: its plan, its data, and what was measured of it.
#pragma once

#include <string>
#include <vector>

#include "field.hpp"

/// Of one rank or, once `gathered`, of all: work is forward and backward together.
struct Measured {
  std::vector<double> seconds;  ///< of every repeat, the slowest rank's
  /// Mean over ranks, of the median repeat in which steps were timed
  double fft_seconds = 0, exchange_seconds = 0;
  weft::Index calls = 0, messages = 0, bytes_sent = 0, bytes_owned = 0;  ///< the most of any rank
  double relative_error = 0;  ///< 2-norm, the worse of forward and the way back
};

class Contender {
 public:
  virtual ~Contender() = default;
  /// Collective, all of them. `verify` starts from fresh data, checks single executions, and leaves
  /// data that `time` may transform any number of times; `verify_in_a_row` checks executions behind
  /// one another, with other data each, and comes after a `verify`.
  virtual void verify(const Field& field) = 0;
  virtual void verify_in_a_row() = 0;
  virtual void time() = 0;
  /// As `time`, and times nothing, until the plan has found out what suits the machine, or a second
  /// is over.
  virtual void settle() = 0;
  /// Apart from `time`, because looking at every step costs; in `trace` unless that is null.
  virtual void time_steps(int repeats, weft::Trace* trace) = 0;

  virtual const weft::AnyPlan& plan() const = 0;
  const Measured& measured() const { return measured_; }

 protected:
  Measured measured_;
};

/// Throws alike on all ranks: weft::Declined when the strategy declines, weft::Error when planning
/// fails.
std::unique_ptr<Contender> make_contender(const World& world, const weft::AnyProblem& problem,
                                          const weft::Options& options);

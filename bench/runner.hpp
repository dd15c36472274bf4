// A contender on its way: planned, checked, and timed.
#pragma once

#include "contender.hpp"
#include "field.hpp"

class Runner {
 public:
  /// Collective: plans. Throws weft::Declined alike on all ranks when it cannot.
  Runner(const World& world, const Entry& entry, const Candidate& candidate);

  double plan_seconds() const { return plan_seconds_; }
  weft::Index array_bytes() const;
  weft::Index bytes_owned() const { return here() ? contender_.bytes_owned : 0; }
  /// Collective: whether it still finds out what suits the machine; alike on all ranks.
  bool trying() const;

  /// Collective: the worst error of forward, of the way back, and of several executions behind one
  /// another with other data each.
  double verify(const Field& field);

  /// Collective: seconds of one of so many transforms. The data is set before, and again where it
  /// would grow beyond numbers; the first transform then is not timed, so that what is timed has
  /// its code, pages and as much of its data as fit in cache, as in a loop.
  double turn(int transforms);
  /// Collective: the same for a row of transforms, in which it finds out what suits the machine,
  /// and returns how long all of it took. In rows, since most that are timed come after others of
  /// their own: the first of a row finds its input fresh in cache, which makes what others have
  /// read cheap to overwrite.
  double settle(int transforms);

 private:
  bool here() const { return !alone_ || world_.rank == 0; }
  void run(const std::function<void()>& work) const {
    if (here()) work();
  }
  void once() const;
  void refresh() const;
  template <class T, class Expected>
  double error(const weft::Array<T>& array, Expected expected) const;
  template <class T>
  double norm(const weft::Array<T>& array) const;
  double most(double here) const;

  World world_;
  Case what_;
  bool alone_;
  Contender contender_;
  double plan_seconds_ = 0;
};

/// Rank 0 works while the others sleep. What it throws all ranks throw, as weft::Declined or
/// weft::Error.
void alone(const World& world, const std::function<void()>& work);

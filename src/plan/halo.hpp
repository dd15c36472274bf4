// What a halo is made of.
//
// Always true: field f's own points are slot 2f, and its array is slot 2f + 1. The exchange's own
// memory is in the slots after them. Filling reads the former and writes the latter, adding the
// other way round. All travels in one tile.
#pragma once

#include <weft/halo.hpp>

#include "check/order.hpp"
#include "mpi/tracing.hpp"
#include "plan/bind.hpp"
#include "plan/moves.hpp"
#include "plan/schedule.hpp"

namespace weft {

struct [[gnu::visibility("hidden")]] Halo::Body {
  /// What a halo is to do, as it was asked for.
  struct Problem {
    Layout from;                  ///< own points, in an array's memory from `first` on
    Layout to;                    ///< ghost points, in an array's memory from `behind` on
    Index first = 0, behind = 0;  ///< elements; of this rank
    Index elements = 0;           ///< of an array; of this rank
    Ghosts ghosts = Ghosts();     ///< of boxes
    Index element_bytes = 0;
    HaloOptions options = HaloOptions();
  };
  /// Collective: the same on all ranks, or an error.
  static Problem of_boxes(const mpi::Communicator& comm, const Layout& layout, Index element_bytes,
                          const HaloOptions& options);
  static Problem of_lists(const mpi::Communicator& comm, const Layout& layout, const Layout& ghosts,
                          Index element_bytes, const HaloOptions& options);

  /// Collective.
  Body(mpi::Communicator comm, const Problem& problem, const Machine& machine);

  void start(std::span<void* const> arrays, Adding adding, std::size_t number_bytes);
  bool test();
  void finish();
  std::string describe() const;
  void record(std::shared_ptr<trace::Recorder> on);
  check::Program program() const;
  const mpi::Communicator& comm() const { return comm_; }
  /// Of boxes: where this rank's own points lie in its array.
  View inside() const { return problem.to.view(comm_.rank()).cut(problem.from.box(comm_.rank())); }

  const Problem problem;
  std::string strategy;

 private:
  /// One of the two ways: ghost points are filled, or added to those that they are copies of.
  struct Way {
    Way(const mpi::Communicator& comm, const Pattern& pattern, const Problem& problem, const std::string& name,
        const Machine& machine);
    Pattern pattern;
    Slots slots;
    Bound bound;
    Moves moves;
    std::vector<Step> begin, end;      // the work of both is a part of `moves`
    int begin_list = 0, end_list = 0;  // their numbers where executions are recorded
  };
  enum Part { leave, stay, arrive };

  void check_call(std::span<void* const> arrays, const Way* way, std::size_t number_bytes) const;
  /// Runs the begin or the end of what was started.
  void run(const std::vector<Step>& steps, int list);
  void move(Part part) const;

  mpi::Communicator comm_;
  bool compares_;         // calls, before they execute
  std::uint64_t number_;  // on its communicator, where plans count too
  std::string called_;
  std::unique_ptr<Way> fill_, add_;            // an exchange refers to its way's slots
  Way* now_ = nullptr;                         // what was started and not finished
  Adding adding_ = nullptr;                    // null: it fills
  Index numbers_ = 0;                          // an element
  std::shared_ptr<trace::Recorder> recorder_;  // null: nothing records
  std::exception_ptr failure_;                 // of MPI, in the middle of an execution: null, or there are no more
};

}  // namespace weft

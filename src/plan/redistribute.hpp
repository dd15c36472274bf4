// What a redistribution is made of.
//
// Always true: the caller's arrays are slots 0 and 1, the exchange's own memory the slots after
// them. A copy whose two views are the same memory is not made, and what stays on this rank goes
// from array to array once, unless the exchange itself moves it.
#pragma once

#include <optional>

#include <weft/redistribute.hpp>

#include "check/order.hpp"
#include "mpi/tracing.hpp"
#include "plan/bind.hpp"
#include "plan/moves.hpp"
#include "plan/schedule.hpp"

namespace weft {

struct [[gnu::visibility("hidden")]] Redistribution::Body {
  /// Collective; "auto" chooses for this machine.
  Body(mpi::Communicator comm, const Layout& from, const Layout& to, Index element_bytes,
       const RedistributionOptions& options, const Machine& machine);

  void execute(const void* from, void* to);
  std::string describe() const;
  void record(std::shared_ptr<trace::Recorder> on);
  check::Program program() const;
  const mpi::Communicator& comm() const { return comm_; }

  std::string strategy;

 private:
  enum Part { leave, stay, arrive, parts };  // what is copied before, while and after the exchange moves the rest

  void check_call(const void* from, const void* to);
  void run_steps(trace::Run & run);
  /// Of arrays that overlap: throws Error, for this rank alone, where something would be
  /// overwritten before it has been read.
  void examine(const std::byte* from, const std::byte* to);
  void plan_tile(int number, const Pattern::Tile& caller, const Exchange::Tile& exchange);

  mpi::Communicator comm_;
  Pattern pattern_;
  Index bytes_;
  bool compares_;         // calls, before they execute
  std::uint64_t number_;  // on its communicator, where plans count too
  Slots slots_ = Slots(2, nullptr);
  Bound bound_;
  std::vector<std::vector<Move>> moves_;  // by tile and part
  std::vector<Step> steps_;
  bool overlap_ = false;                       // the arrays of this execution
  std::optional<std::ptrdiff_t> examined_;     // how far apart arrays that overlap were found to be fine
  std::shared_ptr<trace::Recorder> recorder_;  // null: nothing records
  int list_ = 0;                               // its number there
  std::exception_ptr failure_;                 // of MPI, in the middle of an execution: null, or there are no more
};

}  // namespace weft

// Traces: what every thread of every rank did when, on one clock.
//
//     weft::Trace trace(comm);
//     plan.record(trace);
//     plan.forward(u, u_hat);
//     trace.write("trace.json");     // for https://ui.perfetto.dev, chrome://tracing and weft report
//
// A program that says nothing of it is traced with WEFT_TRACE=FILE in its environment: then every
// plan, redistribution and halo is, from its making on, and the file is written when MPI is
// finalised. WEFT_TRACE_SPANS is the room for spans (65536).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

namespace mpi {
struct [[gnu::visibility("hidden")]] Tracing;
}

/// What one thread of one rank did from then till then. Spans of a thread follow one another, but
/// for those of phase "execution", which hold all others.
struct Span {
  int rank = 0, thread = 0;                   ///< thread 0 is the caller's, the only one in MPI
  double begin_seconds = 0, end_seconds = 0;  ///< on rank 0's clock, since the first execution began
  /// "execution" (all of a forward, backward, map or redistribution; of a halo its begin or its
  /// end), "work", the verbs of an exchange: "open", "start", "test", "finish", "close"; or "wait":
  /// a thread that can do nothing until another one is done.
  std::string phase;
  std::string name;  ///< "forward"; of work what is done: "FFT axis 2", "copy"; else the phase
  std::string plan;  ///< what is transformed and how
  int of = -1;       ///< stage of work, exchange of its verbs; -1: execution
  int tile = -1;     ///< of exchanges
  Index bytes = 0;   ///< of a start and of an execution: sent to other ranks
};

/// Everything that was recorded, at rank 0; nothing elsewhere.
struct Timeline {
  struct Rank {
    std::string host;
    /// Rank 0's clock minus this rank's when the trace was made, how much that may be off at most,
    /// and how it had changed at the end.
    double clock_offset_seconds = 0, clock_accuracy_seconds = 0, clock_drift_seconds = 0;
    /// Executions that were not recorded, for want of room or because another thread was executing
    Index left_out = 0;
  };
  std::vector<Rank> ranks;
  std::vector<Span> spans;
  /// n(t) of Dubey and Tessera: from that many seconds on so many ranks are inside a communication
  /// call (open, start, test, finish, close).
  std::vector<std::pair<double, int>> communicating;
  /// The area below n(t), and the sum over ranks of their communication time, which it must be.
  /// Rank-seconds.
  double integral_seconds = 0, communication_seconds = 0;
};

class Trace {
 public:
  /// Collective over `comm`, which is duplicated; compares its ranks' clocks. `spans` is the room
  /// for each thread of a rank: an execution that has no room is counted and left out. Throws Error
  /// on all ranks when that is not positive.
  explicit Trace(MPI_Comm comm, Index spans = 65536);
  ~Trace();
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;

  /// Collective: what plans have recorded until now, as a file of trace events in JSON. Throws
  /// Error on all ranks when rank 0 cannot write it.
  void write(const std::string& path);
  /// Collective.
  Timeline timeline();
  /// Executions of this rank that were not recorded, for want of room or because another one was
  /// being recorded.
  Index left_out() const;
  /// This rank's memory for spans, which grows when a plan with more threads is recorded.
  Index bytes_owned() const;

 private:
  friend class AnyPlan;
  friend class Redistribution;
  friend class Halo;
  std::unique_ptr<mpi::Tracing> tracing_;
};

}  // namespace weft
#pragma GCC visibility pop

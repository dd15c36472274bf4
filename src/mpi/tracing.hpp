// What is behind weft::Trace, and the trace of a whole process that WEFT_TRACE asks for.
#pragma once

#include <weft/trace.hpp>

#include "mpi/clock.hpp"

namespace weft::mpi {

struct [[gnu::visibility("hidden")]] Tracing {
  /// Collective.
  Tracing(Communicator comm, Index spans);
  /// Collective: of all ranks at rank 0, nothing elsewhere.
  std::vector<trace::Record> gather() const;
  void write(const std::string& path) const;

  Communicator comm;
  trace::Reading first;
  std::shared_ptr<trace::Recorder> recorder;
};

/// The recorder that WEFT_TRACE asks for, null when it is not set. Collective over a plan's ranks;
/// those that meet here for the first time share a trace, which is written at MPI_Finalize: to the
/// file named, and where rank 0 of the world is not among them to one with the number of their
/// first rank in its name.
std::shared_ptr<trace::Recorder> traced(const Communicator& comm);

}  // namespace weft::mpi

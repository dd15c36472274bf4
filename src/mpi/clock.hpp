// Clocks: how those of all ranks differ.
#pragma once

#include "mpi/communicator.hpp"
#include "trace/record.hpp"

namespace weft::mpi {

/// Collective. How this rank's clock differs from rank 0's, which asks each rank in turn for its
/// time, again and again: what was answered lies between asking and hearing, so the shortest of
/// these round trips says most, and half of it is how much the difference may be off. A difference
/// that is smaller than that cannot be told from none, and is none: ranks of one host have one
/// clock.
trace::Reading compare_clocks(const Communicator& comm);

}  // namespace weft::mpi

// What memory gives: the limit of a solver that reads each link once an application.
#pragma once

#include <mpi.h>

namespace staggered {

/// Collective: bytes a second that all ranks of `comm` read together, each from an array of its own
/// that no cache holds; the best of a few rounds.
double read_bytes_per_second(MPI_Comm comm);

}  // namespace staggered

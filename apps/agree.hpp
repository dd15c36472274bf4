// Failures that all ranks of an application hear of.
#pragma once

#include <exception>
#include <string>

#include <mpi.h>

#include <weft/error.hpp>

namespace apps {

/// Collective: runs f, which must not communicate on `comm`. Where it throws on some ranks, all
/// throw the message of the lowest.
template <class F>
void agree(MPI_Comm comm, F&& f) {
  std::string message;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int failed = ranks;
  try {
    f();
  } catch (const std::exception& e) {
    message = e.what();
    failed = rank;
  }
  int first = 0;
  MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, first, comm);
  throw weft::Error(message);
}

}  // namespace apps

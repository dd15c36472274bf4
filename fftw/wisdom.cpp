#include "wisdom.hpp"

#include <string>

namespace drop_in {
namespace {

std::string text_of(const WisdomCalls& calls) {
  char* const text = calls.export_text();
  if (!text) return {};
  std::string all(text);
  calls.release(text);
  return all;
}

constexpr int tag = 0;

}  // namespace

void broadcast_wisdom(MPI_Comm comm, const WisdomCalls& calls) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string text = rank == 0 ? text_of(calls) : std::string();
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  if (rank != 0 && length > 0) calls.import_text(text.c_str());
}

// Along a binomial tree: a rank hands on what it has heard, entries that both know once.
void gather_wisdom(MPI_Comm given, const WisdomCalls& calls) {
  MPI_Comm comm = MPI_COMM_NULL;  // so that its messages meet none of the program's
  MPI_Comm_dup(given, &comm);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int step = 1; step < ranks; step *= 2) {
    if (rank % (2 * step) != 0) {
      const std::string text = text_of(calls);
      MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank - step, tag, comm);
      break;
    }
    if (rank + step >= ranks) continue;
    MPI_Status status;
    int length = 0;
    MPI_Probe(rank + step, tag, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Recv(text.data(), length, MPI_CHAR, rank + step, tag, comm, MPI_STATUS_IGNORE);
    if (length > 0) calls.import_text(text.c_str());
  }
  MPI_Comm_free(&comm);
}

}  // namespace drop_in

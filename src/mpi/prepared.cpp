#include "mpi/prepared.hpp"

namespace weft::mpi {

Prepared::~Prepared() {
  if (all_.empty() || !running()) return;
  for (MPI_Request& request : all_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  live.requests -= count();
}

MPI_Request* Prepared::add(Index messages, Index bytes) {
  messages_ += messages;
  bytes_ += bytes;
  ++live.requests;
  return &all_.emplace_back(MPI_REQUEST_NULL);
}

void Prepared::start(const Communicator& comm) {
  check(MPI_Startall(count(), all_.data()), "MPI_Startall");
  comm.count(messages_, bytes_);
}

bool Prepared::test() {
  int finished = 0;
  check(MPI_Testall(count(), all_.data(), &finished, MPI_STATUSES_IGNORE), "MPI_Testall");
  return finished != 0;
}

void Prepared::wait() { check(MPI_Waitall(count(), all_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall"); }

}  // namespace weft::mpi

#include "mpi/prepared.hpp"

namespace weft::mpi {

Prepared::~Prepared() {
  if (all_.empty() || !running()) return;
  for (MPI_Request& request : all_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  live.requests -= count();
}

MPI_Request* Prepared::add(Index messages, Index bytes) {
  MPI_Request* const request = &all_.emplace_back(MPI_REQUEST_NULL);
  messages_ += messages;
  bytes_ += bytes;
  ++live.requests;
  return request;
}

void Prepared::start(const Communicator& comm) {
  MPI_Request none = MPI_REQUEST_NULL;  // some MPIs refuse a null pointer also where there is nothing to start
  check(MPI_Startall(count(), all_.empty() ? &none : all_.data()), "MPI_Startall");
  active_ = true;
  comm.count(messages_, bytes_);
}

bool Prepared::test() {
  if (!active_) return true;
  bool finished = true;
  for (MPI_Request& request : all_) {  // one by one: MPICH 4.0.2 fails in MPI_Testall of a persistent collective
    int one = 0;
    check(MPI_Test(&request, &one, MPI_STATUS_IGNORE), "MPI_Test");
    finished = finished && one;
  }
  active_ = !finished;
  return finished;
}

void Prepared::wait() {
  if (active_) check(MPI_Waitall(count(), all_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  active_ = false;
}

}  // namespace weft::mpi

#include "mpi/request.hpp"

namespace weft::mpi {

Requests::~Requests() {
  if (empty() || !running()) return;
  for (std::size_t i = 0; i < used_; ++i)
    if (all_[i] != MPI_REQUEST_NULL) {
      MPI_Cancel(&all_[i]);
      MPI_Request_free(&all_[i]);
    }
  done();
}

MPI_Request* Requests::add() {
  if (used_ == all_.size()) all_.push_back(MPI_REQUEST_NULL);
  ++live.requests;
  return &all_[used_++];
}

bool Requests::test() {
  if (empty()) return true;
  int finished = 0;
  check(MPI_Testall(static_cast<int>(used_), all_.data(), &finished, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (finished) done();
  return finished;
}

void Requests::wait() {
  if (empty()) return;
  check(MPI_Waitall(static_cast<int>(used_), all_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  done();
}

void Requests::done() {
  live.requests -= static_cast<Index>(used_);
  used_ = 0;
}

}  // namespace weft::mpi

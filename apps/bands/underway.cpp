#include "underway.hpp"

#include <algorithm>

#include "seconds.hpp"

namespace bands {

template <class Start>
void Underway::start(Start&& start) {
  const Stopwatch watch(*seconds_);
  start(&requests_.emplace_back());
  int done = 0;  // lets those before go on
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
}

void Underway::sum(double* values, long count) {
  const int length = static_cast<int>(count);
  if (travels_)
    return start([&](MPI_Request* request) {
      MPI_Iallreduce(MPI_IN_PLACE, values, length, MPI_DOUBLE, MPI_SUM, comm_, request);
    });
  const Stopwatch watch(*seconds_);
  MPI_Allreduce(MPI_IN_PLACE, values, length, MPI_DOUBLE, MPI_SUM, comm_);
}

void Underway::spread(double* values, long count) {
  const int length = static_cast<int>(count);
  if (travels_) return start([&](MPI_Request* request) { MPI_Ibcast(values, length, MPI_DOUBLE, 0, comm_, request); });
  const Stopwatch watch(*seconds_);
  MPI_Bcast(values, length, MPI_DOUBLE, 0, comm_);
}

void Underway::wait(std::size_t calls) {
  const std::size_t end = std::min(calls, requests_.size());
  if (end <= ended_) return;
  const Stopwatch watch(*seconds_);
  MPI_Waitall(static_cast<int>(end - ended_), requests_.data() + ended_, MPI_STATUSES_IGNORE);
  ended_ = end;
}

}  // namespace bands

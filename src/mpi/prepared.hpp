// Prepared calls: persistent requests, made once and started together any number of times.
#pragma once

#include <utility>
#include <vector>

#include "mpi/communicator.hpp"

namespace weft::mpi {

class Prepared {
 public:
  Prepared() = default;
  Prepared(Prepared&& other) noexcept { swap(other); }
  Prepared& operator=(Prepared&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Frees the requests, which nothing but an error leaves under way.
  ~Prepared();

  /// Where the call that makes a request puts it, and what it sends to other ranks each time.
  MPI_Request* add(Index messages, Index bytes);
  /// Starts all, which is one call.
  void start(const Communicator&);
  /// Lets MPI progress; true when all are done, or none was started.
  bool test();
  void wait();

 private:
  int count() const { return static_cast<int>(all_.size()); }
  void swap(Prepared& other) noexcept {
    all_.swap(other.all_);
    std::swap(messages_, other.messages_);
    std::swap(bytes_, other.bytes_);
    std::swap(active_, other.active_);
  }

  std::vector<MPI_Request> all_;
  Index messages_ = 0, bytes_ = 0;
  bool active_ = false;  // MPICH 4.0.2 fails to test, and never ends to wait for, collectives that were not started
};

}  // namespace weft::mpi

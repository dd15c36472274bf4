// Requests of non-blocking calls, made room for once: adding, testing and waiting never allocate.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <mpi.h>

#include "mpi/check.hpp"

namespace weft::mpi {

class Requests {
 public:
  Requests() = default;
  /// Room for so many requests under way at once.
  explicit Requests(std::size_t room) : all_(room, MPI_REQUEST_NULL) {}
  Requests(Requests&& other) noexcept { swap(other); }
  Requests& operator=(Requests&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Requests still under way, which only an error leaves, are cancelled and freed.
  ~Requests();

  /// Where the next call puts its request.
  MPI_Request* add();
  bool empty() const { return used_ == 0; }
  /// Lets MPI progress; true when all are done, and then none is left.
  bool test();
  void wait();

 private:
  void done();
  void swap(Requests& other) noexcept {
    all_.swap(other.all_);
    std::swap(used_, other.used_);
  }

  std::vector<MPI_Request> all_;
  std::size_t used_ = 0;
};

}  // namespace weft::mpi

// Windows: memory that other ranks of a communicator read and write, inside one passive epoch (lock_all) that lasts as long as the window.
#pragma once

#include <cstddef>
#include <utility>

#include "mpi/communicator.hpp"

namespace weft::mpi {

class Window {
 public:
  Window() = default;
  /// Collective; the memory is the caller's, from the heap: what is put into the stack, or into memory that MPI allocates
  /// (MPI_Win_allocate), has been seen to land elsewhere with MPICH 4.0.2 over UCX.
  static Window create(const Communicator&, std::byte* memory, Index bytes);
  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Collective.
  ~Window();

  MPI_Win raw() const { return raw_; }
  /// What this rank has started towards all others is complete there.
  void flush_all() const;
  /// Makes what others wrote visible here, and what was written here visible to others.
  void sync() const;

 private:
  explicit Window(MPI_Win own);
  void swap(Window& other) noexcept { std::swap(raw_, other.raw_); }

  MPI_Win raw_ = MPI_WIN_NULL;
};

}  // namespace weft::mpi

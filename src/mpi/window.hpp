// Windows: memory that other ranks of a communicator read and write, inside one passive epoch (lock_all) that lasts as long as the window.
#pragma once

#include <cstddef>
#include <utility>

#include "mpi/communicator.hpp"

namespace weft::mpi {

class Window {
 public:
  Window() = default;
  /// Collective: memory that the caller keeps, and memory that MPI allocates.
  static Window create(const Communicator&, std::byte* memory, Index bytes);
  static Window allocate(const Communicator&, Index bytes);
  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Collective.
  ~Window();

  std::byte* memory() const { return memory_; }
  MPI_Win raw() const { return raw_; }
  /// What this rank has started towards all others is complete there.
  void flush_all() const;
  /// Makes what others wrote visible here, and what was written here visible to others.
  void sync() const;

 private:
  Window(MPI_Win own, std::byte* memory);
  void swap(Window& other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(memory_, other.memory_);
  }

  MPI_Win raw_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
};

}  // namespace weft::mpi

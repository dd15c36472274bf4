// Windows: memory that other ranks of a communicator read and write, inside one passive epoch
// (lock_all) that lasts as long as the window.
#pragma once

#include <cstddef>
#include <memory>

#include "mpi/messages.hpp"

namespace weft::mpi {

class Window {
 public:
  Window() = default;
  /// Why a group of so many ranks should have no window; empty: it may. Open MPI 4 names what is
  /// behind a window after the job and the number of the communicator, which groups side by side
  /// share: they then open each other's, and put nowhere or fail.
  static std::string declines(int ranks);
  /// Collective, and fails on all ranks alike; the memory is the caller's, shared with the window,
  /// from the heap: what is put into the stack, or into memory that MPI allocates, has been seen to
  /// land elsewhere with MPICH 4.0.2 over UCX.
  static Window create(const Communicator&, std::shared_ptr<std::byte> memory, Index bytes);
  /// The same, the memory being MPI's, which is all that some MPIs can put into (Open MPI 4.1
  /// between processes that may not read each other). Throws Declined on all ranks where MPI has no
  /// such window, with what may help.
  static Window allocate(const Communicator&, Index bytes);
  /// Destructors are collective.
  MPI_Win raw() const { return own_->window; }
  std::byte* memory() const { return memory_; }
  /// Counted as a call on `comm`. The data may be changed once it is flushed; `at` counts bytes
  /// from the begin of the target's memory.
  void put(const Communicator& comm, const void* data, const Amount&, int to, Index at) const;
  /// What this rank has started towards one other is complete there.
  void flush(int to) const;
  /// What this rank has started towards all others is complete there.
  void flush_all() const;
  /// Makes what others wrote visible here, and what was written here visible to others.
  void sync() const;

 private:
  /// Collective: calls make(window), and fails on all ranks alike.
  template <class Make>
  static Window made(const Communicator&, const char* call, Make make);

  JointHandle own_;
  std::byte* memory_ = nullptr;
};

/// Local. MPIs take the memory of windows of their own from /dev/shm, and where that is too small
/// some hang, all ranks but one waiting for it: throws Error where so many bytes on this node are
/// known to be too many.
void check_window_room(Index bytes);

}  // namespace weft::mpi

#include "mpi/window.hpp"

namespace weft::mpi {

Window::Window(MPI_Win own) : raw_(own) {
  ++live.windows;
  check(MPI_Win_set_errhandler(raw_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, raw_), "MPI_Win_lock_all");
}

Window Window::create(const Communicator& comm, std::byte* memory, Index bytes) {
  MPI_Win own = MPI_WIN_NULL;
  check(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, comm.raw(), &own), "MPI_Win_create");
  return Window(own);
}

Window::~Window() {
  if (raw_ == MPI_WIN_NULL || !running()) return;
  MPI_Win_unlock_all(raw_);
  MPI_Win_free(&raw_);
  --live.windows;
}

void Window::flush_all() const { check(MPI_Win_flush_all(raw_), "MPI_Win_flush_all"); }
void Window::sync() const { check(MPI_Win_sync(raw_), "MPI_Win_sync"); }

}  // namespace weft::mpi

#include "mpi/window.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <string>

namespace weft::mpi {
namespace {

/// What helps where MPI has no window. Open MPI 4 reaches other hosts over TCP with its component pt2pt alone, which distributions exclude.
std::string remedy([[maybe_unused]] const Communicator& comm) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  const std::vector<int> nodes = comm.nodes();
  if (*std::max_element(nodes.begin(), nodes.end()) > 0)
    return "; between hosts joined by TCP Open MPI 4 has one with mpirun --mca osc ^rdma, or OMPI_MCA_osc=^rdma in the environment";
#endif
  return "; use another strategy";
}

}  // namespace

Window::Window(MPI_Win own, std::byte* memory) : raw_(own), memory_(memory) {
  ++live.windows;
  check(MPI_Win_set_errhandler(raw_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, raw_), "MPI_Win_lock_all");
}

std::string Window::declines([[maybe_unused]] int ranks) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  int all = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
  if (ranks > 1 && ranks < all)
    return "its group has " + std::to_string(ranks) + " of the job's " + std::to_string(all) + " ranks, and Open MPI 4 mixes up windows of groups side by side";
#endif
  return {};
}

Window Window::create(const Communicator& comm, std::byte* memory, Index bytes) {
  MPI_Win own = MPI_WIN_NULL;
  const int code = awaited("MPI_Win_create", [&] { return MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, comm.raw(), &own); });
  comm.agree([&] { check(code, "MPI_Win_create"); });
  return Window(own, memory);
}

Window Window::allocate(const Communicator& comm, Index bytes) {
  const Index all = comm.sum(bytes);
  comm.agree([&] { check_window_room(all); });
  MPI_Win own = MPI_WIN_NULL;
  void* memory = nullptr;
  const int code = awaited("MPI_Win_allocate", [&] { return MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm.raw(), &memory, &own); });
  try {
    comm.agree([&] { check(code, "MPI_Win_allocate"); });
  } catch (const Error& refused) {
    throw Declined(std::string("MPI has no window for its ranks (") + refused.what() + ")" + remedy(comm));
  }
  return Window(own, static_cast<std::byte*>(memory));
}

Window::~Window() {
  if (raw_ == MPI_WIN_NULL || !running()) return;
  const Wait wait("MPI_Win_free");
  MPI_Win_unlock_all(raw_);
  MPI_Win_free(&raw_);
  --live.windows;
}

void Window::put(const Communicator& comm, const void* data, const Amount& amount, int to, Index at) const {
  check(MPI_Put(data, amount.count(), amount.type(), to, at, amount.count(), amount.type(), raw_), "MPI_Put");
  comm.count(1, amount.bytes());
}

void Window::flush(int to) const { check(MPI_Win_flush(to, raw_), "MPI_Win_flush"); }
void Window::flush_all() const { check(MPI_Win_flush_all(raw_), "MPI_Win_flush_all"); }
void Window::sync() const { check(MPI_Win_sync(raw_), "MPI_Win_sync"); }

void check_window_room(Index bytes) {
  struct rlimit files {};  // MPI's window is a file, and where it may not grow Open MPI 4.1 does not return
  if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(bytes) > files.rlim_cur)
    throw Error("a window of MPI of " + std::to_string(bytes) + " bytes was needed, and files may have " + std::to_string(files.rlim_cur) +
                ": raise that limit, or use another strategy");
  struct statvfs s {};
  if (statvfs("/dev/shm", &s) != 0) return;                                                            // then MPI takes something else
  const Index left = static_cast<Index>(s.f_bavail * s.f_frsize), wanted = bytes + (Index{64} << 10);  // what MPI adds of its own
  if (wanted > left)
    throw Error("a window of MPI of " + std::to_string(wanted) + " bytes was needed, and /dev/shm has " + std::to_string(left) +
                ": make it larger, or use another strategy");
}

}  // namespace weft::mpi

#include "mpi/window.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace weft::mpi {
namespace {

/// What helps where MPI has no window. Open MPI 4 reaches other hosts over TCP with its component
/// pt2pt alone, which distributions exclude.
std::string remedy([[maybe_unused]] const Communicator& comm) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  const std::vector<int> nodes = comm.nodes();
  if (*std::max_element(nodes.begin(), nodes.end()) > 0)
    return "; between hosts joined by TCP Open MPI 4 has one with mpirun --mca osc ^rdma, or OMPI_MCA_osc=^rdma in the "
           "environment";
#endif
  return "; use another strategy";
}

}  // namespace

std::string Window::declines([[maybe_unused]] int ranks) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  int all = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
  if (ranks > 1 && ranks < all)
    return "its group has " + std::to_string(ranks) + " of the job's " + std::to_string(all) +
           " ranks, and Open MPI 4 mixes up windows of groups side by side";
#endif
  return {};
}

template <class Make>
Window Window::made(const Communicator& comm, const char* call, Make make) {
  Window window;
  window.own_.reset(new Joint);
  comm.hear();
  const int code = awaited(call, [&] { return make(&window.own_->window); });
  if (code == MPI_SUCCESS) ++live.windows;
  try {
    comm.agree([&] { check(code, call); });
  } catch (const Error&) {  // where it was made it cannot be freed: that takes all ranks
    if (code == MPI_SUCCESS) --live.windows;
    window.own_->window = MPI_WIN_NULL;
    throw;
  }
  check(MPI_Win_set_errhandler(window.raw(), MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.raw()), "MPI_Win_lock_all");
  window.own_->locked = true;
  return window;
}

Window Window::create(const Communicator& comm, std::shared_ptr<std::byte> memory, Index bytes) {
  Window window = made(comm, "MPI_Win_create", [&](MPI_Win* own) {
    return MPI_Win_create(memory.get(), bytes, 1, MPI_INFO_NULL, comm.raw(), own);
  });
  window.memory_ = memory.get();
  window.own_->memory = std::move(memory);
  return window;
}

Window Window::allocate(const Communicator& comm, Index bytes) {
  const Index all = comm.sum(bytes);
  comm.agree([&] { check_window_room(all); });
  void* memory = nullptr;
  try {
    Window window = made(comm, "MPI_Win_allocate", [&](MPI_Win* own) {
      return MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm.raw(), &memory, own);
    });
    window.memory_ = static_cast<std::byte*>(memory);
    return window;
  } catch (const Error& refused) {
    throw Declined(std::string("MPI has no window for its ranks (") + refused.what() + ")" + remedy(comm));
  }
}

void Window::put(const Communicator& comm, const void* data, const Amount& amount, int to, Index at) const {
  check(MPI_Put(data, amount.count(), amount.type(), to, at, amount.count(), amount.type(), raw()), "MPI_Put");
  comm.count(1, amount.bytes());
}

void Window::flush(int to) const { check(MPI_Win_flush(to, raw()), "MPI_Win_flush"); }
void Window::flush_all() const { check(MPI_Win_flush_all(raw()), "MPI_Win_flush_all"); }
void Window::sync() const { check(MPI_Win_sync(raw()), "MPI_Win_sync"); }

void check_window_room(Index bytes) {
  struct rlimit files {};  // MPI's window is a file, and where it may not grow Open MPI 4.1 does not return
  if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(bytes) > files.rlim_cur)
    throw Error("a window of MPI of " + std::to_string(bytes) + " bytes was needed, and files may have " +
                std::to_string(files.rlim_cur) + ": raise that limit, or use another strategy");
  // and where it cannot be mapped Open MPI 4.1 does not return either
  const auto mapped = static_cast<std::size_t>(bytes + (Index{4} << 20));
  void* const space = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    throw Error("a window of MPI of " + std::to_string(bytes) +
                " bytes was needed, and this process may not map as many (" + std::strerror(errno) +
                "): raise its limit of memory (ulimit -v), or use another strategy");
  munmap(space, mapped);
  struct statvfs s {};
  // Then MPI takes something else
  if (statvfs("/dev/shm", &s) != 0) return;
  // What MPI adds of its own
  const Index left = static_cast<Index>(s.f_bavail * s.f_frsize), wanted = bytes + (Index{64} << 10);
  if (wanted > left)
    throw Error("a window of MPI of " + std::to_string(wanted) + " bytes was needed, and /dev/shm has " +
                std::to_string(left) + ": make it larger, or use another strategy");
}

}  // namespace weft::mpi

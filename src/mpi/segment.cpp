#include "mpi/segment.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weft/quote.hpp>

#include "mpi/memory.hpp"
#include "mpi/window.hpp"

namespace weft::mpi {
namespace {

constexpr Index huge_page = Index{2} << 20;
// Not yet in every C library's headers; kernels that do not know them (before 5.14 and 6.1) say
// EINVAL.
constexpr int madv_populate_write = 23, madv_collapse = 25;
constexpr int spins = 32;  // a microsecond or so

Index page_bytes() { return sysconf(_SC_PAGESIZE); }
Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

/// Thrown where no shared memory may be used, neither our own nor a window.
class Forbidden : public Error {
 public:
  using Error::Error;
};

/// Throws unless memory may be our own rather than a window of MPI.
void check_own_permitted() {
  const char* const text = std::getenv("WEFT_SHARED_MEMORY");
  const std::string_view given = text ? text : "own";
  if (given == "own") return;
  if (given == "window") throw Error("WEFT_SHARED_MEMORY=window");
  if (given == "none")
    throw Forbidden(
        "shared memory is forbidden by WEFT_SHARED_MEMORY=none: allow own or window, or use another strategy");
  throw Forbidden("WEFT_SHARED_MEMORY=" + shown(given) + ": give own, window or none");
}

/// More than the machine has would be noticed only page by page, and by the kernel ending some
/// process. Throws alike on all ranks of a node.
void check_room(const std::vector<Index>& bytes) {
  const Index all = sysconf(_SC_PHYS_PAGES) * page_bytes();
  Index left = all;
  for (std::size_t r = 0; r < bytes.size(); left -= bytes[r++])
    if (bytes[r] > left)
      throw Error("shared memory of " + std::to_string(bytes[r]) + " bytes asked for by rank " + std::to_string(r) +
                  " of a node, which has " + std::to_string(all) + ", and " + std::to_string(left) +
                  " without the ranks before: use more nodes or another strategy");
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

[[noreturn]] void refuse(const char* call, int code = errno) {
  throw Error(std::string(call) + ": " + std::strerror(code));
}

}  // namespace

struct Segments::File {
  int descriptor = -1;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }

  void make(Index bytes) {
    // Beyond the limit the kernel would not refuse but end the process (SIGXFSZ).
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < static_cast<rlim_t>(bytes))
      refuse("RLIMIT_FSIZE", EFBIG);
    if ((descriptor = memfd_create("weft", MFD_CLOEXEC)) < 0) refuse("memfd_create");
    if (ftruncate(descriptor, bytes) != 0) refuse("ftruncate");
  }
  Address address() const {
    struct stat s {};
    if (fstat(descriptor, &s) != 0) refuse("fstat");
    return {getpid(), descriptor, static_cast<Index>(s.st_dev), static_cast<Index>(s.st_ino)};
  }
  void open_at(const Address& address) {
    const auto& [process, number, device, inode] = address;
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) refuse(path.c_str());
    if (static_cast<Index>(s.st_dev) != device || static_cast<Index>(s.st_ino) != inode)
      refuse(path.c_str(), ESTALE);  // process numbers of another name space
    if ((descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC)) < 0) refuse(path.c_str());
  }
};

Segments::Segments(const Communicator& group, Index bytes) : Segments(group, group.gather_all(bytes)) {}

Segments::Segments(const Communicator& group, std::vector<Index> bytes)
    : rank_(group.rank()), bytes_(std::move(bytes)) {
  for (std::size_t r = 0; r < bytes_.size(); ++r)
    if (bytes_[r] < 0)
      throw Error("rank " + std::to_string(r) + ": a segment of " + std::to_string(bytes_[r]) +
                  " bytes was asked for; 0 or more are allowed");
  if (WithoutMemory::here()) {  // on all ranks
    const auto room = static_cast<std::size_t>(place());
    group.agree([&] {
      base_ = reserve(room);
      if (!base_) refuse("mmap");
      reserved_ = {base_, Unmap{room}};
    });
    return;
  }
  check_room(bytes_);
  try {
    map(group);
  } catch (const Forbidden&) {  // alike on all ranks, as is the other
    throw;
  } catch (const Error& refused) {
    reserved_.reset();
    own_ = false;
    allocate_window(group, refused.what());
    note_ = std::string("shared memory is a window of MPI, without huge pages (") + refused.what() + ")";
  }
}

// The owner is the first to touch the pages of its part. Before ranks agree that all is mapped, so
// that nobody writes to a part before.
void Segments::clear() {
  std::memset(part(rank_), 0, static_cast<std::size_t>(bytes_[static_cast<std::size_t>(rank_)]));
}

void Segments::Unmap::operator()(void* space) const noexcept { munmap(space, bytes); }

Index Segments::held(Index bytes) const {
  const Index rest = bytes % huge_page;
  if (own_ && rest >= huge_page / 2) return bytes - rest + huge_page;
  return round_up(bytes, page_bytes());
}

Index Segments::place() {
  Index end = 0;
  offsets_.clear();
  for (const Index bytes : bytes_) {
    const bool large = own_ && held(bytes) >= huge_page;
    offsets_.push_back(round_up(end, large ? huge_page : page_bytes()));
    end = offsets_.back() + held(bytes);
  }
  return std::max(end, page_bytes());
}

// Rank 0's file; it is open there. One question where nothing is wrong.
Segments::Address Segments::shared_file(const Communicator& group, File& file, Index total) const {
  constexpr Index forbidden = -2, refused = -1, nothing = std::numeric_limits<Index>::max();
  Address own{nothing, nothing, nothing, nothing};
  std::exception_ptr failure;
  try {
    check_own_permitted();
    if (rank_ == 0) file.make(total), own = file.address();
  } catch (const Forbidden&) {
    own[0] = forbidden, failure = std::current_exception();
  } catch (const Error&) {
    own[0] = refused, failure = std::current_exception();
  }
  const Address address = group.min(own);
  if (address[0] >= 0) return address;
  try {
    group.agree([&] {
      if (own[0] == address[0]) std::rethrow_exception(failure);
    });
  } catch (const Error& worst) {
    if (address[0] == forbidden) throw Forbidden(worst.what());
    throw;
  }
  return address;
}

void Segments::map(const Communicator& group) {
  const Index total = place();
  File file;
  const Address address = shared_file(group, file, total);
  group.agree([&] {
    if (rank_ != 0) file.open_at(address);
    const auto bytes = static_cast<std::size_t>(total);
    if (total < huge_page) {  // then nothing has to begin a huge page
      void* const space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
      if (space == MAP_FAILED) refuse("mmap");
      reserved_ = {space, Unmap{bytes}};
      base_ = static_cast<std::byte*>(space);
    } else {
      std::size_t room = bytes + static_cast<std::size_t>(huge_page);
      void* const space = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (space == MAP_FAILED) refuse("mmap");
      reserved_ = {space, Unmap{room}};
      void* aligned = space;
      std::align(huge_page, bytes, aligned, room);
      if (mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.descriptor, 0) == MAP_FAILED)
        refuse("mmap");
      base_ = static_cast<std::byte*>(aligned);
    }
    int code = bytes_held() > 0 ? EINTR : 0;
    while (code == EINTR)
      code = posix_fallocate(file.descriptor, offsets_[static_cast<std::size_t>(rank_)], bytes_held());
    if (code != 0) refuse("posix_fallocate", code);
    if (const Index huge = bytes_held() / huge_page * huge_page; huge > 0) {
      // Both may be unknown to the kernel or switched off: then pages stay as they are.
      madvise(part(rank_), static_cast<std::size_t>(huge), MADV_HUGEPAGE);
      madvise(part(rank_), static_cast<std::size_t>(huge), madv_collapse);
    }
    clear();
  });
}

void Segments::allocate_window(const Communicator& group, const std::string& refused) {
  // All of it belongs to rank 0 and is divided by us: where MPI would put parts of several ranks is
  // its own affair.
  const Index total = place();
  void* memory = nullptr;
  const auto failed = [&](const Error& why) {
    return Error("there is no shared memory; of our own: " + refused + "; as a window of MPI: " + why.what());
  };
  try {
    group.agree([&] { check_window_room(total), window_.reset(new Joint); });
    group.hear();
    const int code = awaited("MPI_Win_allocate_shared", [&] {
      return MPI_Win_allocate_shared(rank_ == 0 ? total + page_bytes() : 0, 1, MPI_INFO_NULL, group.raw(), &memory,
                                     &window_->window);
    });
    if (code == MPI_SUCCESS) ++live.windows;
    group.agree([&] { check(code, "MPI_Win_allocate_shared"); });
  } catch (const Error& why) {
    if (window_ && window_->window != MPI_WIN_NULL)
      --live.windows, window_->window = MPI_WIN_NULL;  // to free it takes all ranks
    throw failed(why);
  }
  try {
    group.agree([&] {
      check(MPI_Win_set_errhandler(window_->window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
      MPI_Aint size = 0;
      int unit = 0;
      check(MPI_Win_shared_query(window_->window, 0, &size, &unit, &memory), "MPI_Win_shared_query");
      std::size_t room = static_cast<std::size_t>(total + page_bytes());
      base_ = static_cast<std::byte*>(
          std::align(static_cast<std::size_t>(page_bytes()), static_cast<std::size_t>(total), memory, room));
      // Some MPIs promise memory that is not there, and the first touch would end the process; this
      // returns an error instead.
      if (bytes_held() > 0 && madvise(part(rank_), static_cast<std::size_t>(bytes_held()), madv_populate_write) != 0 &&
          errno != EINVAL)
        refuse("the window's pages");
      clear();
    });
  } catch (const Error& why) {
    window_.reset();
    throw failed(why);
  }
}

void Flag::wait(std::uint64_t count, const Communicator& group) const {
  // As long as an answer from another core that is about to come takes; then others may need this
  // core in order to answer.
  for (int i = 0; i < spins; ++i) {
    if (reached(count)) return;
    pause();
  }
  using Clock = std::chrono::steady_clock;
  auto last = Clock::now();
  while (!reached(count)) {
    sched_yield();
    if (const auto now = Clock::now(); now - last > std::chrono::milliseconds(1)) {
      int arrived = 0;
      check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group.raw(), &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
      last = now;
    }
  }
}

}  // namespace weft::mpi

#include "support/injector.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/mman.h>

namespace inject {
namespace {

std::atomic<bool> armed{false};
Kind wanted = Kind::allocation;
long failing = 0;
std::atomic<long> count{0};
pthread_t owner;
void* frames[24];
int depth = 0;

bool of_weft(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || !info.dli_fname) return false;
  const char* const folder = std::strrchr(info.dli_fname, '/');
  return std::strstr(folder ? folder : info.dli_fname, "weft");
}

bool counts(Kind kind) {
  if (!armed.load(std::memory_order_acquire)) return false;
  const bool own = pthread_equal(owner, pthread_self());
  if (kind == Kind::allocation && !own)
    kind = Kind::other_thread;
  else if (!own)
    return false;
  return kind == wanted;
}

bool fails(Kind kind) {
  if (!counts(kind) || count++ != failing) return false;
  armed = false;  // what the search for the place allocates counts no more
  depth = backtrace(frames, 24);
  armed = true;
  return true;
}

// Requests of C functions may be MPI's own, which are its business.
bool fails(Kind kind, const void* caller) { return counts(kind) && of_weft(caller) && fails(kind); }

template <class F>
F* real(const char* symbol) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, symbol));
}

}  // namespace

const char* name(Kind kind) {
  static constexpr const char* names[] = {
      "allocation",        "allocation of another thread", "mapping", "file", "thread",
      "local call of MPI", "collective call of MPI"};
  return names[static_cast<int>(kind)];
}

void arm(Kind kind, long nth) {
  depth = 0, wanted = kind, failing = nth, count = 0, owner = pthread_self();
  armed = true;
}

long disarm() {
  armed = false;
  return count;
}

std::string place() {
  std::string text;
  char** const symbols = backtrace_symbols(frames, depth);
  for (int k = 2; k < depth; ++k) {
    const char* const offset = std::strrchr(symbols[k], '(');
    text += (text.empty() ? "" : " ") +
            std::string(offset ? offset + 1 : symbols[k]).substr(0, std::strcspn(offset ? offset + 1 : "", ")"));
  }
  std::free(symbols);
  return text;
}

}  // namespace inject

static bool refused() { return inject::fails(inject::Kind::allocation); }

#include "support/operators.hpp"

extern "C" {

void* mmap(void* at, size_t length, int protection, int flags, int file, off_t offset) noexcept {
  static auto* const system = inject::real<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (!inject::fails(inject::Kind::mapping, __builtin_return_address(0)))
    return system(at, length, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  static auto* const system = inject::real<int(void**, size_t, size_t)>("posix_memalign");
  return inject::fails(inject::Kind::allocation, __builtin_return_address(0)) ? ENOMEM
                                                                              : system(memory, alignment, size);
}

int memfd_create(const char* called, unsigned flags) noexcept {
  static auto* const system = inject::real<int(const char*, unsigned)>("memfd_create");
  if (!inject::fails(inject::Kind::file)) return system(called, flags);
  errno = EMFILE;
  return -1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                   void* argument) noexcept {
  static auto* const system =
      inject::real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return inject::fails(inject::Kind::thread) ? EAGAIN : system(thread, attributes, begin, argument);
}

#define WEFT_INJECT(kind, call, parameters, arguments) \
  int MPI_##call parameters { return inject::fails(inject::Kind::kind) ? MPI_ERR_OTHER : PMPI_##call arguments; }
WEFT_INJECT(local, Type_contiguous, (int n, MPI_Datatype t, MPI_Datatype* u), (n, t, u))
WEFT_INJECT(local, Type_create_hvector, (int n, int m, MPI_Aint d, MPI_Datatype t, MPI_Datatype* u), (n, m, d, t, u))
WEFT_INJECT(local, Type_create_struct,
            (int n, const int m[], const MPI_Aint d[], const MPI_Datatype t[], MPI_Datatype* u), (n, m, d, t, u))
WEFT_INJECT(local, Type_create_hindexed, (int n, const int m[], const MPI_Aint d[], MPI_Datatype t, MPI_Datatype* u),
            (n, m, d, t, u))
WEFT_INJECT(local, Type_commit, (MPI_Datatype * t), (t))
WEFT_INJECT(local, Send_init, (const void* a, int n, MPI_Datatype t, int r, int tag, MPI_Comm c, MPI_Request* q),
            (a, n, t, r, tag, c, q))
WEFT_INJECT(local, Recv_init, (void* a, int n, MPI_Datatype t, int r, int tag, MPI_Comm c, MPI_Request* q),
            (a, n, t, r, tag, c, q))
WEFT_INJECT(collective, Allreduce, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
            (a, b, n, t, o, c))
WEFT_INJECT(collective, Bcast, (void* a, int n, MPI_Datatype t, int r, MPI_Comm c), (a, n, t, r, c))
WEFT_INJECT(collective, Barrier, (MPI_Comm c), (c))
WEFT_INJECT(collective, Allgather, (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm c),
            (a, n, t, b, m, u, c))
WEFT_INJECT(collective, Alltoall, (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm c),
            (a, n, t, b, m, u, c))
WEFT_INJECT(collective, Comm_dup, (MPI_Comm c, MPI_Comm* d), (c, d))
WEFT_INJECT(collective, Comm_split, (MPI_Comm c, int n, int k, MPI_Comm* d), (c, n, k, d))
WEFT_INJECT(collective, Comm_split_type, (MPI_Comm c, int n, int k, MPI_Info i, MPI_Comm* d), (c, n, k, i, d))
WEFT_INJECT(collective, Win_create, (void* a, MPI_Aint n, int u, MPI_Info i, MPI_Comm c, MPI_Win* w),
            (a, n, u, i, c, w))
}

// Preloaded where ranks of MPICH outnumber cores: an MPI that spins while it waits keeps its core
// from the rank it waits for until the system takes it away, milliseconds a call. MPICH's waits all
// go through UCX's progress: here it gives the core away whenever it found nothing to do.
#include <dlfcn.h>
#include <sched.h>

#include <cstdlib>

namespace {

using Progress = unsigned(void*);

// Where MPI is loaded by an interpreter, UCX is in no list that RTLD_NEXT searches.
Progress* next() {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (!found)
    if (void* const library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD))
      found = dlsym(library, "ucp_worker_progress");
  if (!found) std::abort();
  return reinterpret_cast<Progress*>(found);
}

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  static Progress* const real = next();
  const unsigned progressed = real(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}

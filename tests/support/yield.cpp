// Preloaded where ranks of MPICH outnumber cores: an MPI that spins while it waits keeps its core from the rank it waits for until the system takes it
// away, milliseconds a call. MPICH's waits all go through UCX's progress: here it gives the core away whenever it found nothing to do.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static const auto real = reinterpret_cast<Progress*>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned progressed = real(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}

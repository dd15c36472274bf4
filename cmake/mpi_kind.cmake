# What launching needs to know about the MPI found: WEFT_OPEN_MPI, and WEFT_CMA, whether one process may read another's
# memory. Containers often forbid that, and Open MPI 4 then fails in mid-message unless it is told
# not to try. WEFT_UCX: MPICH waits in UCX's progress.
include(CheckCXXSourceCompiles)
include(CheckCXXSourceRuns)

set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("
  #include <mpi.h>
  #ifndef OPEN_MPI
  #error another MPI
  #endif
  int main() {}" WEFT_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)

if(NOT WEFT_OPEN_MPI AND NOT DEFINED WEFT_UCX)
  set(found "")
  foreach(library IN LISTS MPI_CXX_LIBRARIES)
    if(NOT found AND IS_ABSOLUTE "${library}" AND EXISTS "${library}")
      file(STRINGS "${library}" found REGEX "^ucp_worker_progress$" LIMIT_COUNT 1)
    endif()
  endforeach()
  string(COMPARE NOTEQUAL "${found}" "" found)
  set(WEFT_UCX ${found} CACHE INTERNAL "")
endif()

if(CMAKE_CROSSCOMPILING)
  set(WEFT_CMA OFF)
else()
  check_cxx_source_runs("
    #include <signal.h>
    #include <sys/uio.h>
    #include <unistd.h>
    int value = 0;
    int main() {
      value = 1;
      pid_t child = fork();
      if (child == 0) { pause(); _exit(0); }
      value = 0;
      iovec here{&value, sizeof value}, there = here;
      bool read = process_vm_readv(child, &here, 1, &there, 1, 0) == ssize_t(sizeof value) && value == 1;
      kill(child, SIGKILL);
      return !read;
    }" WEFT_CMA)
endif()
unset(CMAKE_REQUIRED_QUIET)

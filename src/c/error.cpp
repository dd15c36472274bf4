// Messages of failures, and the version.
#include "c/handles.hpp"

namespace {
thread_local std::string message;
thread_local const char* instead = nullptr;  // where there is no memory for the message
}  // namespace

namespace weft::c {

void failed(const char* what) noexcept {
  instead = nullptr;
  try {
    message = what;
  } catch (...) {
    instead = "out of memory";
  }
}

void need_mpi(const char* what) {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0)
    throw Error("cannot " + std::string(what) + ": MPI is not initialised; call MPI_Init or MPI_Init_thread before");
  if (finalised != 0)
    throw Error("cannot " + std::string(what) + ": MPI is already finalised; do it before MPI_Finalize");
}

MPI_Comm comm_of(MPI_Fint comm) noexcept {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0 ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

}  // namespace weft::c

extern "C" {

const char* weft_error(void) { return instead != nullptr ? instead : message.c_str(); }
const char* weft_version(void) { return WEFT_VERSION; }

}  // extern "C"

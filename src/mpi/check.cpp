#include "mpi/check.hpp"

#include <string>

namespace weft::mpi {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
  throw Error(std::string(call) + " failed with code " + std::to_string(code) + ": " +
              std::string(words, static_cast<std::size_t>(length)));
}

void check_running(const char* what) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized)
    throw Error(std::string("cannot ") + what + ": MPI is not initialised; call MPI_Init or MPI_Init_thread before");
  if (finalized) throw Error(std::string("cannot ") + what + ": MPI is already finalised; do it before MPI_Finalize");
}

bool running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

Handles live_handles() { return {live.communicators, live.datatypes, live.requests, live.windows}; }

}  // namespace weft::mpi

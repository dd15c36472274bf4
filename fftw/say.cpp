#include "say.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

namespace drop_in {

void say(MPI_Comm comm, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fprintf(stderr, "weft_fftw3_mpi: %s\n", text.c_str());
}

void say_once(MPI_Comm comm, const std::string& text) {
  static std::set<std::string> said;
  if (said.insert(text).second) say(comm, text);
}

void give_up(const std::string& text) {
  std::fprintf(stderr, "weft_fftw3_mpi: %s\n", text.c_str());
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace drop_in

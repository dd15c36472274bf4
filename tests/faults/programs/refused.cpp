// MPI itself fails on rank 1 alone: refused STRATEGY N plans with the N-th of its collective calls
// returning an error and doing nothing. Says what was thrown, or which strategy took the place of
// the one asked for, and why.
#include <weft/weft.hpp>

#include <cstdlib>
#include <string>

#include <unistd.h>

#include "support/injector.hpp"

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) return 2;
  const auto problem = weft::c2c<double>({8, 8, 8});
  const weft::Options options{.strategy = argv[1], .effort = "estimate"};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::string said = "nothing was thrown";
  const long nth = std::strtol(argv[2], nullptr, 10);
  if (rank == 1) inject::arm(inject::Kind::collective, nth);
  try {
    const weft::AnyPlan fft(comm, problem, options);
    const std::string text = fft.describe(), mark = "(as requested, but in the place of ";
    if (const auto at = text.find(mark); at != text.npos)
      said = text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
  } catch (const std::exception& error) {
    said = error.what();
  }
  if (rank == 1 && inject::disarm() <= nth) said += "; there is no such call";
  said = "rank " + std::to_string(rank) + " says: " + said + "\n";
  if (write(STDOUT_FILENO, said.data(), said.size()) < 0) return 3;
  MPI_Comm_free(&comm);
  MPI_Finalize();
}

// weft-scf: the ground state of a crystal in the local density approximation, and its bands, from a
// TOML file.
#include <fmt/format.h>

#include "ground_state.hpp"
#include "program.hpp"
#include "report.hpp"

int main(int argc, char** argv) {
  bands::Program program("weft-scf", "Ground states of crystals in the local density approximation, in plane waves.",
                         true);
  return program.run(argc, argv,
                     [](const bands::Asked& asked, const bands::Input& input, const bands::Settings& settings) {
                       int rank = 0;
                       MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                       const auto told = [&](const bands::Iteration& now) {
                         if (rank == 0 && !asked.quiet) fmt::print("{}", bands::line(now)), std::fflush(stdout);
                       };
                       const bands::GroundState state = bands::ground_state(MPI_COMM_WORLD, input, settings, told);
                       if (rank != 0) return bands::Result{};
                       return bands::Result{bands::table(input, state), bands::json(input, state),
                                            asked.cube.empty() ? "" : bands::cube_of(input, state),
                                            asked.xsf.empty() ? "" : bands::xsf_of(input, state)};
                     });
}

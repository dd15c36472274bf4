// The subcommands of `weft lattice`, one file each.
#pragma once

#include <functional>
#include <string>

#include <mpi.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/layout.hpp>

namespace staggered {

/// A subcommand and what it does on all ranks: its exit code, 1 where a check has failed.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

Command plaquette_command(CLI::App& app);
Command solve_command(CLI::App& app);
Command bench_command(CLI::App& app);
Command study_command(CLI::App& app);

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// "8x8x8x16", extents as nx x ny x nz x nt, as a shape. Throws weft::Error for anything else.
weft::Shape shape_from(const std::string& text);
/// nx, ny, nz, nt.
nlohmann::json extents_json(const weft::Shape& shape);
/// Collective: rank 0 writes it, unless the path is empty. Throws weft::Error alike on all ranks.
void write_json(MPI_Comm comm, const std::string& path, const nlohmann::json& report);

}  // namespace staggered

// What a subcommand is: a function that declares its options and returns what runs them on every
// rank.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include <mpi.h>

namespace CLI {
class App;
}

/// The ranks that run; by default this process alone, without MPI.
struct World {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
};

/// The user asked for what cannot be: exit code 2. Everything else that is thrown is a failure:
/// exit code 1.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs the subcommand, collectively; returns the exit code.
using Command = std::function<int(const World&)>;

Command list_command(CLI::App& app);
Command model_command(CLI::App& app);
Command plan_command(CLI::App& app);
Command bench_command(CLI::App& app);
Command exchange_command(CLI::App& app);
Command transform_command(CLI::App& app);
Command tune_command(CLI::App& app);
Command types_command(CLI::App& app);
Command wisdom_command(CLI::App& app);

/// Of weft and of MPI, one line each.
std::string version();
std::string mpi_version();

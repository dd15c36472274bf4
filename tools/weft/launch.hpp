// Starting what this process is not: MPI's launcher with this program, or another program of the
// family.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

/// True when a launcher started this process.
bool launched();

/// Becomes, or ends with, a launcher of `ranks` ranks of this program with the same arguments, less
/// --ranks. A rank that a signal ended is told of.
void start_ranks(int ranks, const std::vector<std::string>& arguments);

/// Replaces this process by the program weft-`name` that lies beside it or in PATH. `subcommands`
/// is for the message when there is none.
void start_program(const std::string& name, std::vector<std::string> arguments, const std::string& subcommands);

/// Collective. Throws on all ranks when they were not given the same arguments, or when the
/// launcher that start_ranks found was another MPI's, which gives many lone ranks.
void check_started(const World& world, const std::vector<std::string>& arguments);

/// True when somebody watches standard error: a terminal, also at the other end of the launcher.
bool watched();

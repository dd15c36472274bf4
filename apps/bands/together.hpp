// What all ranks do alike: read a file, and look whether memory suffices.
#pragma once

#include <string>

#include <mpi.h>

#include "../agree.hpp"

namespace bands {

using apps::agree;

/// Collective: the text of a file that rank 0 sees.
std::string read_text(MPI_Comm comm, const std::string& path);

/// Collective: throws where `bytes` a rank are more than a node's memory holds. `what` names what
/// needs them.
void check_memory(MPI_Comm comm, double bytes, const std::string& what);

}  // namespace bands

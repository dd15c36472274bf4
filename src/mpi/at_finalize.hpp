// What is to be done when the user finalises MPI, while everything still works.
#pragma once

#include <functional>

namespace weft::mpi {

/// Calls f once at the beginning of MPI_Finalize; f must not throw. What was said last is done
/// first. Local.
void at_finalize(std::function<void()> f);

}  // namespace weft::mpi

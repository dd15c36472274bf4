// What the drop-in tells people: one line on stderr.
#pragma once

#include <string>

#include <mpi.h>

namespace drop_in {

/// Said by rank 0 of the communicator.
void say(MPI_Comm comm, const std::string& text);
/// The same, once in the life of this process.
void say_once(MPI_Comm comm, const std::string& text);
/// Said by this rank, which then ends the job: for what FFTW's interface has no way to report.
[[noreturn]] void give_up(const std::string& text);

}  // namespace drop_in

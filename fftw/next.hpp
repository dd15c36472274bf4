// FFTW's own libraries, which have the same names as this one: for plans that weft did not make,
// and for transforms that it hands on whole.
#pragma once

#include <string>

namespace drop_in {

/// The address of a name in the libraries behind this one, or, where there are none behind, before
/// it; null: in none.
void* next(const char* name);
/// The address of a name of FFTW's MPI transforms: in a library that the program has loaded, or
/// else in the one that the build found for the same MPI, which is loaded then; null: there is
/// none.
void* next_mpi(const char* name, bool single);
/// Whether FFTW's MPI transforms are loaded. Loads nothing.
bool mpi_loaded(bool single);
/// Why the program must not be given plans of weft's; empty: it may. The program's `fftw_execute`
/// has to be this library's, which alone knows them, and its MPI the one that weft was built with.
const std::string& unusable();

/// FFTW's own function of that name and type, looked up once.
#define WEFT_NEXT(name)                                                                \
  ([] {                                                                                \
    static const auto found = reinterpret_cast<decltype(&name)>(drop_in::next(#name)); \
    return found;                                                                      \
  }())

}  // namespace drop_in

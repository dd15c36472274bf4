// FFTW's wisdom, which weft's plans gather too, moved between ranks.
#pragma once

#include <mpi.h>

namespace drop_in {

/// FFTW's calls for one precision.
struct WisdomCalls {
  char* (*export_text)();
  int (*import_text)(const char*);
  void (*release)(void*);
};

/// All ranks know what rank 0 does. Collective.
void broadcast_wisdom(MPI_Comm comm, const WisdomCalls& calls);
/// Rank 0 knows what any rank does. Collective.
void gather_wisdom(MPI_Comm comm, const WisdomCalls& calls);

}  // namespace drop_in

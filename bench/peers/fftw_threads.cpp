// FFTW with as many threads as there are ranks, in one process and without MPI.
#include "fftw.hpp"
#include "peers.hpp"

std::vector<Entry> fftw_threads(const World& world, const Case& what) {
  if (world.ranks == 1) return {};
  return {{.name = "fftw threads",
           .group = "threads",
           .peer = true,
           .alone = true,
           .what = what,
           .candidates = fftw_local(what, world.ranks)}};
}

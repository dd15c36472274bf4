// The one list of peers. A new one is one new file and one line here.
#include "peers.hpp"

std::vector<Entry> peer_entries(const World& world, const Case& what) {
  if (what.sphere()) {  // who knows plane waves, and the yardstick, which does not
    Case dense = what;
    dense.radius = 0, dense.boxcut = false;
    std::vector<Entry> entries = fftw_serial(world, dense);
#ifdef WEFT_HAVE_SPFFT
    for (Entry& entry : spfft_sphere(world, what)) entries.push_back(std::move(entry));
#endif
    return entries;
  }
  std::vector<Entry> entries;
  for (const auto peer : {
           fftw_serial,
           fftw_threads,
           fftw_mpi,
#ifdef WEFT_HAVE_SPFFT
           spfft_mpi,
#endif
#ifdef WEFT_HAVE_HEFFTE
           heffte_mpi,
#endif
       })
    for (Entry& entry : peer(world, what)) entries.push_back(std::move(entry));
  return entries;
}

// FFTW on one core: the yardstick of a run.
#include "fftw.hpp"
#include "peers.hpp"

std::vector<Entry> fftw_serial(const World&, const Case& what) {
  return {{.name = "fftw serial",
           .group = "serial",
           .peer = true,
           .alone = true,
           .what = what,
           .candidates = fftw_local(what, 1)}};
}

#include "next.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstring>

namespace drop_in {
namespace {

const char here = 0;  // its address tells this library from others

bool is_here(void* address) {
  Dl_info theirs, ours;
  return dladdr(address, &theirs) && dladdr(&here, &ours) && theirs.dli_fbase == ours.dli_fbase;
}

void* library(bool single) {
#ifdef WEFT_FFTW3_MPI
  static void* const both[] = {dlopen(WEFT_FFTW3_MPI, RTLD_LAZY | RTLD_LOCAL),
                               dlopen(WEFT_FFTW3F_MPI, RTLD_LAZY | RTLD_LOCAL)};
  return both[single];
#else
  static_cast<void>(single);
  return nullptr;
#endif
}

std::string why_unusable() {
  // A program with a static libfftw3 may have some of these from there and others from here.
  for (const char* const name : {"fftw_execute", "fftw_execute_dft", "fftw_execute_dft_r2c", "fftw_execute_dft_c2r",
                                 "fftw_execute_r2r", "fftw_destroy_plan", "fftwf_execute", "fftwf_destroy_plan"}) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    if (found && !is_here(found))
      return "libfftw3 comes before libweft_fftw3_mpi in this program, or is a part of it, so its " +
             std::string(name) +
             " would not know weft's plans; link -lweft_fftw3_mpi before a shared -lfftw3, or name "
             "libweft_fftw3_mpi.so in LD_PRELOAD";
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
#ifdef OPEN_MPI
  const bool same = std::strstr(version, "Open MPI") != nullptr;
#else
  const bool same = std::strstr(version, "Open MPI") == nullptr;
#endif
  if (!same)
    return "this program uses another MPI than weft was built with: " + std::string(version).substr(0, 40) +
           "; use a libweft_fftw3_mpi that was built with it";
  return {};
}

}  // namespace

void* next(const char* name) {
  if (void* const behind = dlsym(RTLD_NEXT, name)) return behind;
  void* const any = dlsym(RTLD_DEFAULT, name);
  return any && !is_here(any) ? any : nullptr;
}

void* next_mpi(const char* name, bool single) {
  if (void* const loaded = next(name)) return loaded;
  void* const theirs = library(single);
  return theirs ? dlsym(theirs, name) : nullptr;
}

bool mpi_loaded(bool single) { return next(single ? "fftwf_mpi_init" : "fftw_mpi_init") != nullptr; }

const std::string& unusable() {
  static const std::string why = why_unusable();
  return why;
}

}  // namespace drop_in

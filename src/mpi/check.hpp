// Checked MPI calls, and a count of what has been made and not yet freed. Always true: no MPI error
// goes unseen, and every handle of the wrapper is counted from its making to its freeing.
#pragma once

#include <atomic>

#include <mpi.h>

#include <weft/box.hpp>

namespace weft::mpi {

/// Throws Error with the call's name and MPI's own words unless `code` is MPI_SUCCESS.
void check(int code, const char* call);

/// Throws Error, naming `what` was to be done, when MPI is not initialised or already finalised.
void check_running(const char* what);
/// False once MPI is finalised (or was never initialised): then destructors leave handles alone.
bool running();

/// Handles that weft has made and not freed yet; a test that ends with more than it began with has
/// found a leak.
struct Handles {
  Index communicators = 0, datatypes = 0, requests = 0, windows = 0;
  bool operator==(const Handles&) const = default;
};
Handles live_handles();

/// What `live_handles` reads; only the wrapper's own classes write it.
struct LiveHandles {
  std::atomic<Index> communicators{0}, datatypes{0}, requests{0}, windows{0};
};
inline LiveHandles live;

}  // namespace weft::mpi

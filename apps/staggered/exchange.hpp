// Ways to fill the ghost sites of a field of one parity, all of the same arrays.
//
// Always true: a field of one parity holds a rank's sites of it, x fastest, and its ghost sites
// behind them, as `ghosts_at` orders them.
#pragma once

#include <array>
#include <memory>
#include <string>

#include <mpi.h>

#include <weft/layout.hpp>

namespace staggered {

/// The objects of a site, and how many complex numbers they have.
struct Object {
  const char* name;
  int numbers;
};
constexpr Object objects[] = {{"vector", 3}, {"half Wilson vector", 6}, {"matrix", 9}};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Begins to fill the ghost sites. Until `finish` returns own sites may be read, and nothing
  /// written.
  virtual void start(void* field) = 0;
  /// Lets what was started progress.
  virtual void test() = 0;
  virtual void finish() = 0;
  /// Seconds in which this rank has packed by itself so far.
  double packing_seconds = 0;
};

/// The ways beside weft's strategies: packed with lists of indices, a message for each side, and
/// the same with derived datatypes in place of packing.
constexpr const char *by_hand = "hand", *by_faces = "faces";

/// Of fields of even and of odd sites.
using Exchanges = std::array<std::shared_ptr<Exchange>, 2>;

/// Collective: exchanges of fields of both parities over boxes that are a partition, with `numbers`
/// complex numbers a site, whose parts are `real` (MPI_DOUBLE or MPI_FLOAT), and `width` ghost sites
/// at both ends of every axis. `way` is a strategy of weft's, "auto", `by_hand` or `by_faces`. Throws
/// weft::Error alike on all ranks where there is no such strategy, where it cannot carry this, and,
/// of the other two, where a part is narrower than its neighbours' ghost sites, or no process grid
/// cuts the lattice.
Exchanges exchanges(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, int numbers,
                    const std::string& way, MPI_Datatype real = MPI_DOUBLE);

}  // namespace staggered

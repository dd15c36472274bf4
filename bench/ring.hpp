// How near each other the ranks' cores are: a virtual machine may move them to another third-level
// cache while it runs, and then what one rank has written reaches the next at a fraction of the
// speed.
#pragma once

#include "case.hpp"

/// A flag in memory that the ranks of one node share.
class Ring {
 public:
  /// Collective. It needs at least two ranks, all on one node, each with a core of its own.
  explicit Ring(const World& world);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool exists() const { return window_ != MPI_WIN_NULL; }
  /// Collective: seconds that the flag takes from one rank to the next, alike on all ranks; 0 where
  /// there is no ring.
  double seconds();

 private:
  World world_;
  MPI_Win window_ = MPI_WIN_NULL;
  void* flag_ = nullptr;
  int passed_ = 0;
};

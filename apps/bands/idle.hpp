// Ranks that some of the work does not reach, because there is less of it than ranks: a calculation
// goes on without them, and says so.
#pragma once

#include <string>

#include <mpi.h>

#include "hamiltonian.hpp"

namespace bands {

/// How many ranks have no part of what others share.
struct Idle {
  int kpoints = 0;      ///< their pool has no k-point
  int plane_waves = 0;  ///< of these and what follows: at none of their pool's k-points
  int space = 0;        ///< points of real space
  int whole_bands = 0;  ///< bands to transform, where they are transposed
  int nothing = 0;      ///< none of all that

  bool operator==(const Idle&) const = default;
};

/// What one rank has, k-point after k-point.
class Busy {
 public:
  /// Of the pool's next k-point, where `columns` vectors are sought.
  void add(const Hamiltonian& h, long columns);
  /// Collective: how many of all ranks lack what.
  Idle idle(MPI_Comm all) const;

 private:
  bool kpoint_ = false, plane_waves_ = false, space_ = false, whole_bands_ = false;
};

/// Two lines that say what some of so many ranks lack, and what keeps all busy; nothing where they
/// are.
std::string idle_text(const Idle& idle, int ranks);

}  // namespace bands

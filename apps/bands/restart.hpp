// The density of a calculation on its way, in a file: a run that was ended goes on from there. A
// file beside it, whose name ends in ".of", tells of which crystal the density is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input.hpp"
#include "pools.hpp"
#include "space.hpp"

namespace bands {

class Restart {
 public:
  /// `path` names an npy file of an array of the whole grid, 1/bohr^3; empty: nothing is read or
  /// written. All pools have the same density: the first one writes.
  Restart(const Pools& pools, std::string path, const Input& input);

  /// Collective: what the file holds on this rank's slab; none where there is no file. Throws Error
  /// where it is of another crystal or grid, or does not hold so many electrons.
  std::optional<std::vector<double>> read(const Space& space, double electrons) const;
  /// Collective. What was there stays until all is written.
  void write(const Space& space, const std::vector<double>& slab) const;

 private:
  /// Collective: throws before hours of work depend on a file that cannot be written.
  void check_writable() const;

  const Pools& pools_;
  std::string path_, of_;
  mutable bool told_ = false;  ///< of what the file is
};

}  // namespace bands

// The plaquette: the mean of Re tr of the product of links around the smallest squares of the
// lattice. Unit links have 3.
#pragma once

#include "gauge_file.hpp"

namespace staggered {

struct Plaquette {
  double space = 0;  ///< of squares in x-y, x-z, y-z
  double time = 0;   ///< of squares in x-t, y-t, z-t
};

/// Collective: of links laid out as `layout` says, which has boxes that are a partition. The
/// lattice is periodic.
Plaquette plaquette(MPI_Comm comm, const weft::Layout& layout, const std::vector<Links>& links);

}  // namespace staggered

// The next density of a self-consistent calculation: Pulay's mixing of what was tried before, with Kerker's
// preconditioner, which damps the long waves in which charge sloshes.
#pragma once

#include <complex>
#include <vector>

#include "block.hpp"
#include "space.hpp"

namespace bands {

class Mixing {
 public:
  /// Takes `share` of each residual. Waves longer than 1 / `screening` (1/bohr) are damped; 0: none are.
  Mixing(double share, double screening, std::size_t most = 8) : share_(share), screening_(screening), most_(most) {}

  /// Collective: from a density and the one that its potential leads to. The coefficient of G = 0 stays.
  std::vector<Complex> next(const Ranks& ranks, const Space& space, const std::vector<Complex>& in,
                            const std::vector<Complex>& out);

 private:
  double share_, screening_;
  std::size_t most_;
  std::vector<std::vector<Complex>> densities_, residuals_;
};

}  // namespace bands

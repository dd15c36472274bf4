// The next density of a self-consistent calculation: Pulay's mixing of what was tried before,
// preconditioned by a model of what the crystal screens: long waves, in which charge sloshes, are
// damped.
#pragma once

#include <complex>
#include <vector>

#include "block.hpp"
#include "screening.hpp"
#include "space.hpp"

namespace bands {

class Mixing {
 public:
  explicit Mixing(const Screening& screening, std::size_t most = 8) : screening_(screening), most_(most) {}

  /// Collective: from a density and the one that its potential leads to. The coefficient of G = 0
  /// stays.
  std::vector<Complex> next(const Ranks& ranks, const Space& space, const std::vector<Complex>& in,
                            const std::vector<Complex>& out);

 private:
  Screening screening_;
  std::size_t most_;
  std::vector<std::vector<Complex>> densities_, residuals_;
};

}  // namespace bands

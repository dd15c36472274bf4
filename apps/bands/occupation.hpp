// Which states hold electrons: the lowest ones, or by Fermi and Dirac's distribution.
#pragma once

#include <vector>

namespace bands {

struct Occupation {
  std::vector<std::vector<double>> electrons;  ///< of each k-point and band, 0 to 2
  double fermi = 0;                            ///< Ha; without smearing the highest energy that is occupied
  double entropy = 0;                          ///< -T S, Ha
};

/// `energies` (Ha) are of each k-point, whose weights sum up to 1. Smearing is k T in Ha; 0: the lowest electrons / 2
/// bands of every k-point are full. Throws Error where the bands cannot hold so many, or an odd number has no smearing.
Occupation occupy(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights,
                  double electrons, double smearing);

}  // namespace bands

// Which states hold electrons: the lowest ones, or, in metals, by a distribution with a width:
// Fermi and Dirac's, or the cold one of Marzari and others (Physical Review Letters 82, 3296
// (1999)), whose energies hardly depend on it.
#pragma once

#include <vector>

namespace bands {

struct Smearing {
  double width = 0;   ///< Ha: k T of Fermi and Dirac's; 0: whole bands are full
  bool cold = false;  ///< a little more than 2 electrons or less than none in some states
};

struct Occupation {
  std::vector<std::vector<double>> electrons;  ///< of each k-point and band, 0 to 2
  double fermi = 0;                            ///< Ha; without smearing the highest energy that is occupied
  double entropy = 0;                          ///< -T S, or what stands for it, Ha
};

/// Throws Error where the bands cannot hold so many, or an odd number has no smearing.
void check_electrons(double electrons, std::size_t bands, const Smearing& smearing);

/// `energies` (Ha) are of each k-point, whose weights sum up to 1. Without a width the lowest
/// electrons / 2 bands of every k-point are full. Throws what check_electrons throws.
Occupation occupy(const std::vector<std::vector<double>>& energies, const std::vector<double>& weights,
                  double electrons, const Smearing& smearing);

}  // namespace bands

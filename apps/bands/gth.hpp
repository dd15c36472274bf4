// Norm-conserving pseudopotentials of Goedecker, Teter and Hutter (Physical Review B 54, 1703
// (1996)) and of Hartwigsen, Goedecker and Hutter (58, 3641 (1998)), in Hartree units: what an ion
// does to electrons, in closed form.
#pragma once

#include <array>
#include <vector>

namespace bands {

/// The nonlocal part of one angular momentum: sum over i, j of |p_i> h_ij <p_j|.
struct Channel {
  double radius = 1;                   ///< bohr
  std::vector<std::vector<double>> h;  ///< Ha, symmetric
};

struct Gth {
  double charge = 0;              ///< valence electrons, Z
  double radius = 1;              ///< of the local part, bohr
  std::vector<double> local;      ///< C1, C2, ..., Ha; at most four
  std::vector<Channel> channels;  ///< of l = 0, 1, 2; without projectors where there are none
};

/// How many projectors of an angular momentum this code knows.
inline constexpr std::array<std::size_t, 3> known_projectors{3, 3, 2};

/// V_loc(q) = 4 pi r^2 [-Z + sqrt(pi/2) r t^2 P(t)] exp(-t^2/2) / t^2 with t = q r, Ha bohr^3; 0 at
/// q = 0. P = C1 + C2 (3 - t^2) + C3 (15 - 10 t^2 + t^4) + C4 (105 - 105 t^2 + 21 t^4 - t^6).
double local_part(const Gth& gth, double q_squared);
/// What V_loc lacks at q = 0: the limit of V_loc(q) + 4 pi Z / q^2, Ha bohr^3.
double local_limit(const Gth& gth);
/// p_i of angular momentum l at q (1/bohr), i from 0; the integral of q^2 p^2 is 8 pi^3.
/// bohr^(3/2).
double projector(const Channel& channel, int l, std::size_t i, double q);

/// Real spherical harmonics of l <= 2; m from 0 to 2 l. `direction` has length 1, or is 0: then
/// only l = 0 is not 0.
double harmonic(int l, int m, const std::array<double, 3>& direction);

}  // namespace bands

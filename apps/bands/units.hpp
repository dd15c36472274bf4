// Hartree atomic units are used everywhere inside: lengths in bohr, energies in Ha. Input and
// output convert (CODATA 2018).
#pragma once

namespace bands {

inline constexpr double bohr_in_angstrom = 0.529177210903;
inline constexpr double ha_in_ev = 27.211386245988;
inline constexpr double ry_in_ha = 0.5;

}  // namespace bands

// The ground state of a crystal in the local density approximation: the density whose potential
// leads back to it.
//
//     E = kinetic + nonlocal + integral(V_loc rho) + Hartree + exchange-correlation + Ewald + correction - T S
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "band_structure.hpp"

namespace bands {

/// Parts of the total energy of a cell, Ha.
struct Energy {
  double kinetic_nonlocal = 0;
  double local = 0;
  double hartree = 0;
  double exchange_correlation = 0;
  double ewald = 0;
  double correction = 0;  ///< of the local part at q = 0
  double entropy = 0;     ///< -T S
  double total() const {
    return kinetic_nonlocal + local + hartree + exchange_correlation + ewald + correction + entropy;
  }
};

struct Iteration {
  int number = 0;
  Energy energy;
  double change = 0;    ///< of the total energy, Ha
  double residual = 0;  ///< electrons that would move: root of the density's change squared, integrated, times volume
  int steps = 0;        ///< of the eigensolver, at the slowest k-point
};

struct GroundState {
  Energy energy;
  std::vector<AtKPoint> kpoints;  ///< the mesh; on all ranks
  std::vector<std::vector<double>> electrons;
  double fermi = 0;             ///< Ha
  std::vector<Vector3> forces;  ///< on each atom, Ha/bohr, where they are wanted
  std::vector<double> density;  ///< 1/bohr^3, of the whole grid, on the first rank alone
  BandStructure path;           ///< bands in the final potential, where the input has a path
  std::vector<Iteration> iterations;
  weft::Shape grid;
  int ranks = 1, pools = 1;
  int symmetries = 0;  ///< of the crystal that were used; 0: not asked for
  Idle idle;           ///< on the mesh
  std::string strategy;
  Seconds seconds;
  double wall = 0;
};

/// Collective. With a restart file, an npy array of the density on the grid, the calculation goes
/// on from the density that it holds, if there is one, and writes each next one. Throws Error alike
/// on all ranks: also where the density did not converge, or the file's has another grid or other
/// electrons.
GroundState ground_state(
    MPI_Comm comm, const Input& input, const Settings& settings,
    const std::function<void(const Iteration&)>& told = [](const Iteration&) {});

}  // namespace bands

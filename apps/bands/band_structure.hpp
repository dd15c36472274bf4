// Band energies of an empirical pseudopotential at the k-points of an input.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/options.hpp>

#include "at_kpoint.hpp"
#include "idle.hpp"
#include "input.hpp"

namespace bands {

struct BandStructure {
  std::vector<AtKPoint> kpoints;  ///< in the order of the input; on all ranks
  weft::Shape grid;
  int ranks = 1, pools = 1;
  Idle idle;
  std::string strategy;  ///< of the transforms of the last k-point of the first pool
  Seconds seconds;       ///< the longest of any rank, by category
  double wall = 0;       ///< seconds of the whole calculation
};

struct Settings {
  weft::Options options;     ///< of the transforms; a batch of 1 stands for as many bands as suit
  int pools = 0;             ///< groups of ranks with k-points of their own; 0: as many as pay
  long at_once = 0;          ///< as in Ranks
  bool whole_bands = false;  ///< as in Ranks
  bool forces = false;       ///< of ground states: forces on atoms are wanted
  std::string restart;  ///< of ground states: a file that holds the density from one iteration to the next; empty: none
  std::function<void(const std::string&)> told = [](const std::string&) {};  ///< a line about each step
};

/// Collective. Throws Error alike on all ranks: also where a band did not converge.
BandStructure band_structure(MPI_Comm comm, const Input& input, const Settings& settings);

/// What bands move in: a local potential, Ha, on this rank's slab of a space, and ions with
/// nonlocal parts, if any.
struct Potential {
  Space& space;
  std::vector<double> slab;
  const std::vector<Gth>* ions = nullptr;
};
/// Collective over all ranks of the pools: fills in everything but the grid, which is given.
void solve_path(const Pools& pools, const Potential& potential, const Input& input, const Settings& settings,
                BandStructure& result);

/// V of an input with an empirical potential, Ha, on this rank's slab of `space`. Collective.
std::vector<double> empirical_slab(Space& space, const Input& input);

/// What the energies say of the gap above `occupied` bands, Ha.
struct Gap {
  double top = 0, bottom = 0, direct = 0;
  std::size_t top_at = 0, bottom_at = 0, direct_at = 0;  ///< places in `kpoints`
};
Gap gap_of(const std::vector<AtKPoint>& kpoints, weft::Index occupied);

}  // namespace bands

#include "at_kpoint.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <weft/error.hpp>

#include "together.hpp"

namespace bands {

void share(const Pools& pools, std::vector<AtKPoint>& kpoints, const Input& input) {
  const auto bands = static_cast<std::size_t>(input.bands), each = 2 * bands + 3;
  std::vector<double> numbers(kpoints.size() * each);
  for (std::size_t i = 0; i < kpoints.size(); ++i) {
    if (!pools.has(i) || !pools.speaks()) continue;
    const Solution& s = kpoints[i].solution;
    double* const to = numbers.data() + i * each;
    std::copy(s.energies.begin(), s.energies.end(), to);
    std::copy(s.residuals.begin(), s.residuals.end(), to + bands);
    to[2 * bands] = s.steps;
    to[2 * bands + 1] = s.converged;
    to[2 * bands + 2] = static_cast<double>(kpoints[i].plane_waves);
  }
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, pools.all());
  for (std::size_t i = 0; i < kpoints.size(); ++i) {
    const double* const from = numbers.data() + i * each;
    Solution& s = kpoints[i].solution;
    s.energies.assign(from, from + bands);
    s.residuals.assign(from + bands, from + 2 * bands);
    s.steps = static_cast<int>(from[2 * bands]);
    s.converged = from[2 * bands + 1] == 1;
    kpoints[i].plane_waves = static_cast<weft::Index>(from[2 * bands + 2]);
    if (!s.converged)
      throw weft::Error(
          fmt::format("k-point {} of {}: bands did not converge in {} steps; the largest residual is {:.1e} Ha; "
                      "raise bands.tolerance_ry",
                      i + 1, kpoints.size(), s.steps, *std::max_element(s.residuals.begin(), s.residuals.end())));
  }
}

void check_size(const Pools& pools, const Input& input, weft::Index batch, bool whole_bands, std::size_t kpoints) {
  const double radius = std::sqrt(2 * input.cutoff), turn = 2 * std::numbers::pi;
  const double waves = input.crystal.volume() * std::pow(radius, 3) * 2 / (3 * turn * turn);
  double points = 1, wanted = 1;
  for (const Vector3& a : input.crystal.cell) points *= 4 * radius * std::sqrt(dot(a, a)) / turn + 1;
  for (const weft::Index n : input.grid) wanted *= static_cast<double>(n);
  points = std::max(points, wanted);
  const auto countable = static_cast<weft::Index>(std::min(waves, 1e15));
  const auto columns = static_cast<double>(columns_for(static_cast<long>(input.bands), countable + 1));
  const double fields = static_cast<double>(std::max<weft::Index>(batch, 16)) + 4;
  int ranks = 1;
  MPI_Comm_size(pools.mine(), &ranks);
  double projectors = 0;
  if (const auto* const gth = std::get_if<GthPotential>(&input.potential))
    for (const Atom& atom : input.crystal.atoms)
      for (std::size_t l = 0; l < gth->species[atom.species].channels.size(); ++l)
        projectors += static_cast<double>((2 * l + 1) * gth->species[atom.species].channels[l].h.size());
  const double each = static_cast<double>(kpoints);
  const double space = whole_bands
                           ? each * (3 * points + 8 * static_cast<double>(std::max<weft::Index>(batch, 4)) * waves)
                           : fields * points / ranks;
  const double bytes = 16 * (((12 + each) * columns + each * projectors) * waves / ranks + space);
  check_memory(pools.all(), bytes, fmt::format("{} bands of about {:.3g} plane waves", input.bands, waves));
}

}  // namespace bands

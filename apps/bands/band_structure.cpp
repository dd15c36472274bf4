#include "band_structure.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <weft/error.hpp>

#include "together.hpp"

namespace bands {

namespace {

AtKPoint solve(const Ranks& ranks, Space& space, const std::vector<double>& potential, const Input& input,
               const KPoint& point, const weft::Shape& grid, const Settings& settings, const std::string& name,
               std::string& strategy) {
  int rank = 0, size = 1;
  MPI_Comm_rank(ranks.comm, &rank);
  MPI_Comm_size(ranks.comm, &size);
  const Basis basis = make_basis(input.crystal, point.k, input.cutoff, input.largest_index, size, rank);
  weft::Options options = settings.options;
  set_batch(options, columns_for(static_cast<long>(input.bands), basis.total));
  Hamiltonian h(ranks, basis, grid, options);
  h.set_potential(space, potential);
  strategy = h.plan().effective().strategy;

  Block x = first_guess(basis, columns_for(static_cast<long>(input.bands), basis.total));
  const auto told = [&](const Step& step) {
    settings.told(
        fmt::format("{}: step {}, {} bands open, residual {:.1e} Ha", name, step.number, step.open, step.residual));
  };
  const Wanted wanted{.bands = static_cast<long>(input.bands), .tolerance = input.tolerance, .told = told};
  return {point, basis.total, davidson(h, x, wanted)};
}

}  // namespace

std::vector<double> empirical_slab(Space& space, const Input& input) {
  FormFactor v;
  if (const auto* s = std::get_if<ShellPotential>(&input.potential))
    v = shells(input.crystal, s->symmetric, s->antisymmetric);
  else if (const auto* f = std::get_if<FourParameterPotential>(&input.potential))
    v = four_parameters(f->coefficients);
  else
    throw weft::Error("potential.form is \"gth\", whose bands need a density; run weft scf");
  std::vector<Complex> values;
  for (std::size_t i = 0; i < space.vectors().size(); ++i)
    values.push_back(empirical_potential(input.crystal, v, space.vectors()[i], space.squared()[i]));
  return space.real(values);
}

BandStructure band_structure(MPI_Comm comm, const Input& input, const Settings& settings) {
  const double start = MPI_Wtime();
  if (input.kpoints.empty()) throw weft::Error("the input has no table path; give it with points and corners");
  const Pools pools(comm, settings.pools, input.kpoints.size());
  BandStructure result;
  MPI_Comm_size(comm, &result.ranks);
  result.pools = pools.count();
  check_size(pools, input, settings.options.batch, 1);

  std::vector<Vector3> points;
  for (const KPoint& point : input.kpoints) {
    points.push_back(point.k);
    result.kpoints.push_back({point, 0, {}});
  }
  result.grid = basis_grid(input.crystal, points, input.cutoff, input.largest_index, input.grid);
  const Ranks ranks{pools.mine(), &result.seconds};
  agree(comm, [&] {
    Space space(ranks.comm, input.crystal, result.grid, input.cutoff, settings.options);
    const std::vector<double> potential = empirical_slab(space, input);
    for (std::size_t i = 0; i < input.kpoints.size(); ++i) {
      const std::string& label = input.kpoints[i].label;
      const std::string name =
          fmt::format("k-point {} of {}{}", i + 1, input.kpoints.size(), label.empty() ? "" : " (" + label + ")");
      if (pools.has(i))
        result.kpoints[i] =
            solve(ranks, space, potential, input, input.kpoints[i], result.grid, settings, name, result.strategy);
    }
  });
  share(pools, result.kpoints, input);
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, sizeof(Seconds) / sizeof(double), MPI_DOUBLE, MPI_MAX, comm);
  result.wall = MPI_Wtime() - start;
  return result;
}

Gap gap_of(const std::vector<AtKPoint>& kpoints, weft::Index occupied) {
  const double infinity = std::numeric_limits<double>::infinity();
  Gap gap{-infinity, infinity, infinity};
  for (std::size_t i = 0; i < kpoints.size(); ++i) {
    const std::vector<double>& e = kpoints[i].solution.energies;
    const double top = e[static_cast<std::size_t>(occupied - 1)], bottom = e[static_cast<std::size_t>(occupied)];
    if (top > gap.top) gap.top = top, gap.top_at = i;
    if (bottom < gap.bottom) gap.bottom = bottom, gap.bottom_at = i;
    if (bottom - top < gap.direct) gap.direct = bottom - top, gap.direct_at = i;
  }
  return gap;
}

}  // namespace bands

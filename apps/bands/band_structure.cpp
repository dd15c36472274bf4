#include "band_structure.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <weft/error.hpp>

#include "together.hpp"

namespace bands {

namespace {

AtKPoint solve(const Ranks& ranks, const Potential& potential, const Input& input, const KPoint& point,
               const Settings& settings, const std::string& name, BandStructure& result, Busy& busy) {
  int rank = 0, size = 1;
  MPI_Comm_rank(ranks.comm, &rank);
  MPI_Comm_size(ranks.comm, &size);
  const Basis basis = make_basis(input.crystal, point.k, input.cutoff, input.largest_index, size, rank);
  check_bands(static_cast<long>(input.bands), basis.total);
  weft::Options options = settings.options;
  set_batch(options, columns_for(static_cast<long>(input.bands), basis.total));
  Hamiltonian h(ranks, basis, result.grid, options);
  h.set_potential(potential.space, potential.slab);
  if (potential.ions) h.set_nonlocal(Nonlocal(input.crystal, basis, *potential.ions));
  result.strategy = h.strategy();
  Block x = first_guess(basis, columns_for(static_cast<long>(input.bands), basis.total));
  busy.add(h, x.columns());
  const auto told = [&](const Step& step) {
    settings.told(
        fmt::format("{}: step {}, {} bands open, residual {:.1e} Ha", name, step.number, step.open, step.residual));
  };
  const Wanted wanted{.bands = static_cast<long>(input.bands), .tolerance = input.tolerance, .told = told};
  AtKPoint found{point, basis.total, davidson(h, x, wanted)};
  result.seconds.exchanges += h.exchange_seconds();
  return found;
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

void solve_path(const Pools& pools, const Potential& potential, const Input& input, const Settings& settings,
                BandStructure& result) {
  const double start = MPI_Wtime();
  MPI_Comm_size(pools.all(), &result.ranks);
  result.pools = pools.count();
  Busy busy;
  const Ranks ranks{pools.mine(), &result.seconds, settings.at_once, settings.whole_bands};
  for (const KPoint& point : input.kpoints) result.kpoints.push_back({point, 0, {}});
  agree(pools.all(), [&] {
    for (std::size_t i = 0; i < input.kpoints.size(); ++i) {
      if (!pools.has(i)) continue;
      const KPoint& point = input.kpoints[i];
      const std::string label = point.label.empty() ? "" : " (" + point.label + ")";
      const std::string name = fmt::format("k-point {} of {}{}", i + 1, input.kpoints.size(), label);
      result.kpoints[i] = solve(ranks, potential, input, point, settings, name, result, busy);
    }
  });
  share(pools, result.kpoints, input);
  result.idle = busy.idle(pools.all());
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, sizeof(Seconds) / sizeof(double), MPI_DOUBLE, MPI_MAX, pools.all());
  result.wall = MPI_Wtime() - start;
}

BandStructure band_structure(MPI_Comm comm, const Input& input, const Settings& settings) {
  const double start = MPI_Wtime();
  if (input.kpoints.empty()) throw weft::Error("the input has no table path; give it with points and corners");
  const Pools pools(comm, settings.pools, input.kpoints.size());
  check_size(pools, input, settings.options.batch, settings.whole_bands, 1);
  BandStructure result;
  result.grid = basis_grid(input.crystal, places(input.kpoints), input.cutoff, input.largest_index, input.grid);
  std::unique_ptr<Space> space;
  std::vector<double> slab;
  agree(comm, [&] {
    space = std::make_unique<Space>(pools.mine(), input.crystal, result.grid, input.cutoff, settings.options);
    slab = empirical_slab(*space, input);
  });
  solve_path(pools, {*space, slab}, input, settings, result);
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

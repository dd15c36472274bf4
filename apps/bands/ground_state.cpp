#include "ground_state.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include <weft/error.hpp>

#include "ewald.hpp"
#include "forces.hpp"
#include "mixing.hpp"
#include "occupation.hpp"
#include "potential.hpp"
#include "restart.hpp"
#include "symmetry.hpp"
#include "together.hpp"

namespace bands {

namespace {

/// One k-point of this pool, which keeps its vectors from one iteration to the next.
struct State {
  std::size_t at;  ///< place in the mesh
  Basis basis;
  std::unique_ptr<Hamiltonian> h;
  Block x;
};

/// One calculation on one rank.
class Calculation {
 public:
  Calculation(const Pools& pools, const Input& input, const std::vector<Operation>& operations,
              const Settings& settings, GroundState& result)
      : pools_(pools),
        input_(input),
        settings_(settings),
        gth_(std::get<GthPotential>(input.potential).species),
        result_(result),
        ranks_{pools.mine(), &result.seconds, settings.at_once, settings.whole_bands},
        xc_(input.scf.functionals),
        space_(ranks_.comm, input.crystal, result.grid, input.cutoff, settings.options),
        operations_(operations),
        symmetriser_(space_, ranks_.comm, operations),
        restart_(pools, settings.restart, input),
        ionic_(ionic_potential(space_, input.crystal, gth_)),
        density_(ionic_density(space_, input.crystal, gth_)) {
    for (const Atom& atom : input.crystal.atoms) electrons_ += gth_[atom.species].charge;
    for (const KPoint& point : input.scf.kpoints) weights_.push_back(point.weight);
    if (const auto read = restart_.read(space_, electrons_)) density_ = space_.coefficients(*read), guessed_ = false;
    hold_all_electrons();
    agree(pools_.all(), [&] { make_states(); });
    Busy busy;
    for (const State& state : states_) busy.add(*state.h, state.x.columns());
    result_.idle = busy.idle(pools_.all());
  }

  /// Collective on all ranks: until the energy and the density stay, or too many iterations.
  void run(const std::function<void(const Iteration&)>& told) {
    const double ions = ewald(input_.crystal, charges());
    const double correction = ionic_correction(input_.crystal, gth_, electrons_);
    Mixing mixing(input_.scf.mixing);
    double residual = 1, before = 0;
    for (int number = 1; number <= input_.scf.most_iterations; ++number) {
      const Effective in = effective_potential(space_, ionic_, density_, xc_, ranks_.comm, input_.crystal.volume());
      Iteration now{number, {}, 0, 0, 0};
      now.steps = solve(in.slab, std::max(input_.tolerance, bands_tolerance(number, residual)));
      const std::vector<Complex> out = new_density();
      const Effective after = effective_potential(space_, ionic_, out, xc_, ranks_.comm, input_.crystal.volume());

      now.energy = {band_energy() - potential_energy(in.slab, out),
                    after.local,
                    after.hartree,
                    after.exchange_correlation,
                    ions,
                    correction,
                    occupation_.entropy};
      std::vector<Complex> moved = out;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= density_[i];
      now.residual = input_.crystal.volume() * std::sqrt(space_.product(moved, moved));
      now.change = now.energy.total() - before;
      MPI_Bcast(&now, sizeof now, MPI_BYTE, 0, pools_.all());
      before = now.energy.total();
      residual = now.residual;
      result_.iterations.push_back(now);
      told(now);
      if (number > 1 && std::abs(now.change) < input_.scf.tolerance &&
          now.residual < std::sqrt(input_.scf.tolerance * electrons_)) {
        result_.energy = now.energy;
        density_ = out;
        restart_.write(space_, space_.real(density_));
        return finish();
      }
      density_ = mixing.next(ranks_, space_, density_, out);
      restart_.write(space_, space_.real(density_));
    }
    throw weft::Error(fmt::format(
        "the density did not converge in {} iterations: the energy still changes by {:.1e} Ha, wanted is {:.1e}; "
        "lower scf.mixing, raise scf.dielectric_constant, or give scf.smearing_ha",
        input_.scf.most_iterations, result_.iterations.back().change, input_.scf.tolerance));
  }

 private:
  /// Collective on this pool, whose k-points others have not.
  void make_states() {
    int rank = 0, size = 1;
    MPI_Comm_rank(ranks_.comm, &rank);
    MPI_Comm_size(ranks_.comm, &size);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (!pools_.has(i)) continue;
      State& state = states_.emplace_back();
      state.at = i;
      state.basis =
          make_basis(input_.crystal, input_.scf.kpoints[i].k, input_.cutoff, input_.largest_index, size, rank);
      check_bands(static_cast<long>(input_.bands), state.basis.total);
      state.x = first_guess(state.basis, columns_for(static_cast<long>(input_.bands), state.basis.total));
    }
    for (State& state : states_) {  // they have their places now
      weft::Options options = settings_.options;
      set_batch(options, state.x.columns());
      state.h = std::make_unique<Hamiltonian>(ranks_, state.basis, result_.grid, options);
      state.h->set_nonlocal(Nonlocal(input_.crystal, state.basis, gth_));
      result_.strategy = state.h->strategy();
    }
  }

  /// How well bands are worth being found: a little better than the density that they move in. The
  /// first density is a guess, unless an earlier run has found it.
  double bands_tolerance(int iteration, double residual) const {
    if (iteration == 1) return guessed_ ? 1e-2 : 1e-5;
    return std::min(3e-2 * residual / std::max(1.0, electrons_), 3e-3);
  }

  /// Collective: all k-points in a potential. Returns the most steps that one took.
  int solve(const std::vector<double>& slab, double tolerance) {
    agree(pools_.all(), [&] {
      for (State& state : states_) {
        state.h->set_potential(space_, slab);
        const Wanted wanted{.bands = static_cast<long>(input_.bands), .tolerance = tolerance};
        result_.kpoints[state.at] = {input_.scf.kpoints[state.at], state.basis.total,
                                     davidson(*state.h, state.x, wanted, work_)};
      }
    });
    share(pools_, result_.kpoints, input_);
    std::vector<std::vector<double>> energies;
    int steps = 0;
    for (const AtKPoint& at : result_.kpoints) {
      energies.push_back(at.solution.energies);
      steps = std::max(steps, at.solution.steps);
    }
    occupation_ = occupy(energies, weights_, electrons_, input_.scf.smearing);
    return steps;
  }

  /// Collective: of the bands as they are occupied.
  std::vector<Complex> new_density() {
    std::vector<Part> parts;  // real space of Gamma may be cut in another way
    for (State& state : states_) {
      const weft::Box box = state.h->density_box();
      const auto known = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.box == box; });
      Part& part = known != parts.end() ? *known : parts.emplace_back(Part{box, {}});
      part.values.resize(static_cast<std::size_t>(box.volume()));
      std::vector<double> electrons = occupation_.electrons[state.at];
      for (double& f : electrons) f *= weights_[state.at] / input_.crystal.volume();
      state.h->add_density(state.x.column(0), electrons, part.values);
    }
    std::vector<double> slab;
    {
      const Stopwatch watch(result_.seconds.slabs);
      slab = space_.sum(pools_.all(), parts);
    }
    return symmetriser_(space_.coefficients(slab));
  }

  double band_energy() const {
    double sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      for (std::size_t b = 0; b < occupation_.electrons[k].size(); ++b)
        sum += weights_[k] * occupation_.electrons[k][b] * result_.kpoints[k].solution.energies[b];
    return sum;
  }

  /// Collective: the integral of a potential times a density.
  double potential_energy(const std::vector<double>& slab, const std::vector<Complex>& density) {
    const std::vector<double> rho = space_.real(density);
    double sum = std::inner_product(slab.begin(), slab.end(), rho.begin(), 0.0);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks_.comm);
    return sum * space_.volume_of_point();
  }

  /// The first density has as many electrons as the ions' charge.
  void hold_all_electrons() {
    for (std::size_t i = 0; i < density_.size(); ++i)
      if (space_.squared()[i] == 0) density_[i] = electrons_ / input_.crystal.volume();
  }

  /// Collective: energies in the final potential, as well converged as the input asks for.
  void finish() {
    const Effective potential =
        effective_potential(space_, ionic_, density_, xc_, ranks_.comm, input_.crystal.volume());
    solve(potential.slab, input_.tolerance);
    if (settings_.forces) find_forces();
    result_.path.grid = result_.grid;
    if (!input_.kpoints.empty()) solve_path(pools_, {space_, potential.slab, &gth_}, input_, settings_, result_.path);
    for (const State& state : states_) result_.seconds.exchanges += state.h->exchange_seconds();
    result_.electrons = occupation_.electrons;
    result_.fermi = occupation_.fermi;
    int rank = 0;
    MPI_Comm_rank(pools_.all(), &rank);
    const weft::Shape& grid = result_.grid;
    result_.density = space_.part(space_.real(density_), {{0, 0, 0}, rank == 0 ? grid : weft::Shape{0, 0, 0}});
  }

  /// Collective.
  void find_forces() {
    const Crystal& crystal = input_.crystal;
    std::vector<Vector3> nonlocal(crystal.atoms.size(), Vector3{});
    for (State& state : states_) {
      std::vector<double> electrons = occupation_.electrons[state.at];
      for (double& f : electrons) f *= weights_[state.at];
      const Columns psi = columns(state.x, 0, static_cast<long>(electrons.size()));
      state.h->nonlocal().add_forces(state.h->ranks(), state.basis, psi, electrons, nonlocal);
    }
    if (!pools_.speaks()) nonlocal.assign(nonlocal.size(), Vector3{});
    MPI_Allreduce(MPI_IN_PLACE, nonlocal.data(), static_cast<int>(3 * nonlocal.size()), MPI_DOUBLE, MPI_SUM,
                  pools_.all());
    result_.forces = ewald_forces(crystal, charges());
    const std::vector<Vector3> local = local_forces(space_, crystal, gth_, density_, ranks_.comm);
    for (std::size_t n = 0; n < nonlocal.size(); ++n)
      for (std::size_t a = 0; a < 3; ++a) result_.forces[n][a] += local[n][a] + nonlocal[n][a];
    result_.forces = symmetrised(crystal, operations_, result_.forces);
  }

  /// Of each species.
  std::vector<double> charges() const {
    std::vector<double> all;
    for (const Gth& gth : gth_) all.push_back(gth.charge);
    return all;
  }

  const Pools& pools_;
  const Input& input_;
  const Settings& settings_;
  const std::vector<Gth>& gth_;
  GroundState& result_;
  Ranks ranks_;
  ExchangeCorrelation xc_;
  Space space_;
  const std::vector<Operation>& operations_;
  Symmetriser symmetriser_;
  Restart restart_;
  std::vector<Complex> ionic_, density_;
  bool guessed_ = true;  ///< the first density
  double electrons_ = 0;
  std::vector<double> weights_;
  std::vector<State> states_;
  Workspace work_;
  Occupation occupation_;
};

}  // namespace

GroundState ground_state(MPI_Comm comm, const Input& given, const Settings& settings,
                         const std::function<void(const Iteration&)>& told) {
  const double start = MPI_Wtime();
  Input input = given;
  if (!std::holds_alternative<GthPotential>(input.potential))
    throw weft::Error("potential.form is empirical and knows no density; give \"gth\", or run weft bands");
  if (input.scf.kpoints.empty()) throw weft::Error("the input has no table scf; give it with a mesh: mesh = [3, 3, 3]");
  double electrons = 0;
  for (const Atom& atom : input.crystal.atoms)
    electrons += std::get<GthPotential>(input.potential).species[atom.species].charge;
  check_electrons(electrons, static_cast<std::size_t>(input.bands), input.scf.smearing);
  // Before anything grows with the cutoff: one k-point at least must fit.
  check_size(Pools(comm, settings.pools, input.scf.kpoints.size()), input, settings.options.batch, settings.whole_bands,
             1);
  std::vector<Vector3> points = places(input.scf.kpoints);
  const std::vector<Vector3> path = places(input.kpoints);
  points.insert(points.end(), path.begin(), path.end());
  GroundState result;
  result.grid = basis_grid(input.crystal, points, input.cutoff, input.largest_index, input.grid);
  std::vector<Operation> operations;
  if (input.scf.symmetry) {
    operations = symmetry(input.crystal, result.grid, input.scf.mesh);
    input.scf.kpoints = irreducible(input.scf.mesh, operations);
  }
  result.symmetries = static_cast<int>(operations.size());
  const Pools pools(comm, settings.pools, input.scf.kpoints.size());
  MPI_Comm_size(comm, &result.ranks);
  result.pools = pools.count();
  const auto pool_count = static_cast<std::size_t>(pools.count());
  check_size(pools, input, settings.options.batch, settings.whole_bands,
             (input.scf.kpoints.size() + pool_count - 1) / pool_count);
  for (const KPoint& point : input.scf.kpoints) result.kpoints.push_back({point, 0, {}});
  Calculation(pools, input, operations, settings, result).run(told);
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, sizeof(Seconds) / sizeof(double), MPI_DOUBLE, MPI_MAX, comm);
  result.wall = MPI_Wtime() - start;
  return result;
}

}  // namespace bands

#include "hamiltonian.hpp"

#include <algorithm>

#include "kinetic.hpp"

namespace bands {

namespace {

/// The first of strategies with + between them; tuning is for plans.
std::string one_exchange(const std::string& strategy) {
  const std::string first = strategy.substr(0, strategy.find('+'));
  return first == "tune" ? "auto" : first;
}

std::variant<weft::Plan<Complex, Complex>, weft::Plan<double, Complex>> planned(const Ranks& ranks, const Basis& basis,
                                                                                const weft::Shape& grid,
                                                                                weft::Options options) {
  MPI_Comm comm = ranks.comm;
  std::vector<weft::GVector> waves = basis.mine;
  if (ranks.whole_bands) {
    comm = MPI_COMM_SELF;
    waves = all_vectors(ranks.comm, basis.mine);
    // A rank alone gains nothing from a batch, and has nobody to exchange with.
    const weft::Options alone;
    options.batch = 1, options.groups = 1, options.grid = {}, options.nodes = {};
    options.strategy = alone.strategy, options.schedule = alone.schedule, options.backward_schedule = {};
  }
  if (basis.half) return weft::Plan(comm, weft::gamma_sphere<double>(grid, waves), options);
  return weft::Plan(comm, weft::sphere<double>(grid, waves), options);
}

}  // namespace

Hamiltonian::Hamiltonian(const Ranks& ranks, const Basis& basis, const weft::Shape& grid, const weft::Options& options)
    : ranks_(ranks), basis_(basis), plan_(planned(ranks, basis, grid, options)) {
  ranks_.half = basis.half, ranks_.origin = basis.origin;
  const auto rows = static_cast<long>(basis.mine.size()), batch = static_cast<long>(options.batch);
  if (ranks.whole_bands)
    transposition_ = std::make_unique<Transposition>(ranks, rows, batch, one_exchange(options.strategy));
  const auto room = static_cast<std::size_t>(std::max<weft::Index>(plan().output_elements(), 1));
  std::visit([](auto& plan) { plan.measure(true); }, plan_);
  in_.resize(room);
  out_.resize(room);
}

const weft::AnyPlan& Hamiltonian::plan() const {
  return std::visit([](const auto& plan) -> const weft::AnyPlan& { return plan; }, plan_);
}

void Hamiltonian::set_potential(const Space& space, const std::vector<double>& slab) {
  const Stopwatch watch(ranks_.seconds->slabs);
  potential_ = space.part(slab, plan().map_view().box);
}

void Hamiltonian::apply(const Complex* in, Complex* out, long count) {
  Overlap held = nonlocal_.held(ranks_, in, count);  // travels while bands are transformed
  {
    const Stopwatch watch(ranks_.seconds->transforms);
    if (transposition_)
      transposition_->apply(in, out, count,
                            [this](const Complex* bands, Complex* applied, long some, const auto& test) {
                              apply_potential(bands, applied, some, test);
                            });
    else
      apply_potential(in, out, count, [] {});
  }
  add_kinetic(basis_, in, out, count);
  nonlocal_.add(ranks_, held, out);
  applications_ += count;
}

void Hamiltonian::apply_potential(const Complex* in, Complex* out, long count, const std::function<void()>& progress) {
  const auto rows = static_cast<long>(plan().vectors().size()), batch = static_cast<long>(plan().requested().batch);
  std::visit(
      [&](auto& plan) {
        for (long first = 0; first < count; first += batch) {
          const long now = std::min(batch, count - first), from = first * rows, values = now * rows;
          if (now == batch && rows > 0) {
            const auto whole = static_cast<std::size_t>(values);
            plan.apply(potential_, std::span(in + from, whole), std::span(out + from, whole));
          } else {
            std::copy_n(in + from, values, in_.begin());
            std::fill(in_.begin() + values, in_.end(), 0);
            plan.apply(potential_, in_, out_);
            std::copy_n(out_.begin(), values, out + from);
          }
          progress();
        }
      },
      plan_);
}

weft::Box Hamiltonian::density_box() const {
  const weft::Box box = plan().input_view().box;
  if (box.lo.size() == 3) return box;
  return {{box.lo[1], box.lo[2], box.lo[3]}, {box.hi[1], box.hi[2], box.hi[3]}};
}

void Hamiltonian::add_density(const Complex* psi, const std::vector<double>& electrons, std::vector<double>& density) {
  const Stopwatch watch(ranks_.seconds->transforms);
  const auto count = static_cast<long>(electrons.size());
  if (!transposition_) return add_density_of(psi, electrons.data(), count, density);
  transposition_->look(psi, count, [&](const Complex* bands, long first, long some) {
    add_density_of(bands, electrons.data() + first, some, density);
  });
}

void Hamiltonian::add_density_of(const Complex* psi, const double* electrons, long count,
                                 std::vector<double>& density) {
  const auto rows = static_cast<long>(plan().vectors().size()), batch = static_cast<long>(plan().requested().batch);
  const weft::Box box = plan().input_view().box;
  const bool batched = box.lo.size() == 4;
  std::visit(
      [&](auto& plan) {
        const auto space = plan.input();
        for (long first = 0; first < count; first += batch) {
          const long now = std::min(batch, count - first);
          std::copy_n(psi + first * rows, now * rows, in_.begin());
          std::fill(in_.begin() + now * rows, in_.end(), 0);
          plan.backward(in_, space);
          const auto* value = space.data();
          for (long b = batched ? box.lo[0] : 0; b < (batched ? box.hi[0] : 1); ++b) {
            const double held = b < now ? electrons[first + b] : 0;
            for (double& point : density) point += held * std::norm(*value++);
          }
        }
      },
      plan_);
}

}  // namespace bands

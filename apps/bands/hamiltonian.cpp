#include "hamiltonian.hpp"

#include <algorithm>

#include "kinetic.hpp"

namespace bands {

namespace {

std::variant<weft::Plan<Complex, Complex>, weft::Plan<double, Complex>> planned(MPI_Comm comm, const Basis& basis,
                                                                                const weft::Shape& grid,
                                                                                const weft::Options& options) {
  if (basis.half) return weft::Plan(comm, weft::gamma_sphere<double>(grid, basis.mine), options);
  return weft::Plan(comm, weft::sphere<double>(grid, basis.mine), options);
}

}  // namespace

Hamiltonian::Hamiltonian(const Ranks& ranks, const Basis& basis, const weft::Shape& grid, const weft::Options& options)
    : ranks_{ranks.comm, ranks.seconds, ranks.sum_columns, basis.half, basis.origin},
      basis_(basis),
      plan_(planned(ranks.comm, basis, grid, options)) {
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
  const auto rows = static_cast<long>(basis_.mine.size());
  const auto batch = static_cast<long>(plan().requested().batch);
  std::visit(
      [&](auto& plan) {
        const Stopwatch watch(ranks_.seconds->transforms);
        for (long first = 0; first < count; first += batch) {
          const long now = std::min(batch, count - first), from = first * rows, values = now * rows;
          if (now == batch && rows > 0) {
            const auto whole = static_cast<std::size_t>(values);
            plan.apply(potential_, std::span(in + from, whole), std::span(out + from, whole));
            continue;
          }
          std::copy_n(in + from, values, in_.begin());
          std::fill(in_.begin() + values, in_.end(), 0);
          plan.apply(potential_, in_, out_);
          std::copy_n(out_.begin(), values, out + from);
        }
      },
      plan_);
  add_kinetic(basis_, in, out, count);
  nonlocal_.add(ranks_, in, out, count);
  applications_ += count;
}

weft::Box Hamiltonian::density_box() const {
  const weft::Box box = plan().input_view().box;
  if (box.lo.size() == 3) return box;
  return {{box.lo[1], box.lo[2], box.lo[3]}, {box.hi[1], box.hi[2], box.hi[3]}};
}

void Hamiltonian::add_density(const Complex* psi, const std::vector<double>& electrons, std::vector<double>& density) {
  const Stopwatch watch(ranks_.seconds->transforms);
  const auto rows = static_cast<long>(basis_.mine.size()), count = static_cast<long>(electrons.size());
  const auto batch = static_cast<long>(plan().requested().batch);
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
            const double held = b < now ? electrons[static_cast<std::size_t>(first + b)] : 0;
            for (double& point : density) point += held * std::norm(*value++);
          }
        }
      },
      plan_);
}

}  // namespace bands

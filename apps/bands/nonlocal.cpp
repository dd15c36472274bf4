#include "nonlocal.hpp"

#include <cmath>
#include <numbers>

namespace bands {

namespace {

/// Projectors of an ion at the origin, without the factor (-i)^l: a column for every l, m and i, in
/// this order.
std::vector<std::vector<double>> at_origin(const Gth& gth, const Basis& basis, double norm) {
  std::vector<std::vector<double>> all;
  const std::size_t rows = basis.mine.size();
  std::vector<double> length(rows);
  std::vector<Vector3> direction(rows, Vector3{});
  for (std::size_t g = 0; g < rows; ++g) {
    length[g] = std::sqrt(2 * basis.kinetic[g]);
    if (length[g] > 0)
      for (std::size_t a = 0; a < 3; ++a) direction[g][a] = basis.waves[g][a] / length[g];
  }
  for (std::size_t l = 0; l < gth.channels.size(); ++l) {
    std::vector<std::vector<double>> radial(gth.channels[l].h.size(), std::vector<double>(rows));
    for (std::size_t i = 0; i < radial.size(); ++i)
      for (std::size_t g = 0; g < rows; ++g)
        radial[i][g] = norm * projector(gth.channels[l], static_cast<int>(l), i, length[g]);
    for (int m = 0; m < 2 * static_cast<int>(l) + 1; ++m)
      for (const std::vector<double>& p : radial) {
        all.push_back(p);
        for (std::size_t g = 0; g < rows; ++g) all.back()[g] *= harmonic(static_cast<int>(l), m, direction[g]);
      }
  }
  return all;
}

}  // namespace

Nonlocal::Nonlocal(const Crystal& crystal, const Basis& basis, const std::vector<Gth>& gth) {
  const double norm = 1 / std::sqrt(crystal.volume());
  std::vector<std::vector<std::vector<double>>> of_species;
  for (const Gth& species : gth) of_species.push_back(at_origin(species, basis, norm));
  std::size_t count = 0;
  for (const Atom& atom : crystal.atoms) count += of_species[atom.species].size();
  const std::size_t rows = basis.mine.size();
  projectors_ = Block(static_cast<long>(rows), static_cast<long>(count));

  const Complex turns_of[] = {1, {0, -1}, -1};  // a wave of l is (-i)^l times a real function
  std::vector<Complex> phase(rows);
  long next = 0;
  for (std::size_t n = 0; n < crystal.atoms.size(); ++n) {
    const Atom& atom = crystal.atoms[n];
    for (std::size_t g = 0; g < rows; ++g) {
      double turns = 0;
      for (std::size_t a = 0; a < 3; ++a) turns += static_cast<double>(basis.mine[g][a]) * atom.at[a];
      phase[g] = std::polar(1.0, -2 * std::numbers::pi * turns);
    }
    const std::vector<Channel>& channels = gth[atom.species].channels;
    auto column = of_species[atom.species].begin();
    for (std::size_t l = 0; l < channels.size(); ++l)
      for (int m = 0; m < 2 * static_cast<int>(l) + 1; ++m) {
        if (!channels[l].h.empty()) coupled_.push_back({next, n, &channels[l].h});
        for (std::size_t i = 0; i < channels[l].h.size(); ++i, ++next, ++column)
          for (std::size_t g = 0; g < rows; ++g)
            projectors_(static_cast<long>(g), next) = turns_of[l] * phase[g] * (*column)[g];
      }
  }
}

Overlap Nonlocal::held(const Ranks& ranks, const Complex* in, long count) const {
  Overlap held(ranks, projectors_.columns(), count);
  held.make(columns(projectors_, 0, projectors_.columns()), {in, projectors_.rows(), count}, 0);
  return held;
}

void Nonlocal::add(const Ranks& ranks, Overlap& travelling, Complex* out) const {
  const Block& held = travelling.wait();
  const long count = held.columns();
  Block coupled(projectors_.columns(), count);
  for (const auto& [first, atom, h] : coupled_)
    for (long c = 0; c < count; ++c)
      for (std::size_t i = 0; i < h->size(); ++i)
        for (std::size_t j = 0; j < h->size(); ++j)
          coupled(first + static_cast<long>(i), c) += (*h)[i][j] * held(first + static_cast<long>(j), c);
  combine(ranks, columns(projectors_, 0, projectors_.columns()), columns(coupled, 0, count), out, 1, true);
}

void Nonlocal::add_forces(const Ranks& ranks, const Basis& basis, const Columns& psi,
                          const std::vector<double>& electrons, std::vector<Vector3>& forces) const {
  if (projectors_.columns() == 0) return;
  const Block held = overlap(ranks, columns(projectors_, 0, projectors_.columns()), psi);
  for (std::size_t a = 0; a < 3; ++a) {
    Block moved = projectors_;  // their derivatives, but for a turn that all of an atom share
    for (long c = 0; c < moved.columns(); ++c)
      for (std::size_t g = 0; g < basis.waves.size(); ++g)
        moved(static_cast<long>(g), c) *= Complex(0, -basis.waves[g][a]);
    const Block change = overlap(ranks, columns(moved, 0, moved.columns()), psi);
    for (const auto& [first, atom, h] : coupled_)
      for (long c = 0; c < psi.count; ++c)
        for (std::size_t i = 0; i < h->size(); ++i)
          for (std::size_t j = 0; j < h->size(); ++j)
            forces[atom][a] -=
                2 * electrons[static_cast<std::size_t>(c)] * (*h)[i][j] *
                (std::conj(change(first + static_cast<long>(i), c)) * held(first + static_cast<long>(j), c)).real();
  }
}

}  // namespace bands

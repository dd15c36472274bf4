#include "nonlocal.hpp"

#include <cmath>
#include <numbers>

namespace bands {

Nonlocal::Nonlocal(const Crystal& crystal, const Basis& basis, const std::vector<Gth>& gth) {
  long count = 0;
  for (const Atom& atom : crystal.atoms)
    for (std::size_t l = 0; l < gth[atom.species].channels.size(); ++l)
      count += static_cast<long>((2 * l + 1) * gth[atom.species].channels[l].h.size());
  projectors_ = Block(static_cast<long>(basis.mine.size()), count);

  const double norm = 1 / std::sqrt(crystal.volume());
  const std::complex<double> turn(0, -1);  // a wave of l is (-i)^l times a real function
  long next = 0;
  for (const Atom& atom : crystal.atoms) {
    const std::vector<Channel>& channels = gth[atom.species].channels;
    for (std::size_t l = 0; l < channels.size(); ++l)
      for (int m = 0; m < 2 * static_cast<int>(l) + 1; ++m) {
        if (!channels[l].h.empty()) coupled_.push_back({next, &channels[l].h});
        for (std::size_t i = 0; i < channels[l].h.size(); ++i, ++next)
          for (std::size_t g = 0; g < basis.mine.size(); ++g) {
            const double q = std::sqrt(2 * basis.kinetic[g]);
            Vector3 direction{};
            if (q > 0)
              for (std::size_t a = 0; a < 3; ++a) direction[a] = basis.waves[g][a] / q;
            double turns = 0;
            for (std::size_t a = 0; a < 3; ++a) turns += static_cast<double>(basis.mine[g][a]) * atom.at[a];
            projectors_(static_cast<long>(g), next) = norm * projector(channels[l], static_cast<int>(l), i, q) *
                                                      harmonic(static_cast<int>(l), m, direction) *
                                                      std::polar(1.0, -2 * std::numbers::pi * turns) *
                                                      (l == 1   ? turn
                                                       : l == 2 ? turn * turn
                                                                : 1);
          }
      }
  }
}

void Nonlocal::add(const Ranks& ranks, const Complex* in, Complex* out, long count) const {
  if (projectors_.columns() == 0) return;
  const Columns all = columns(projectors_, 0, projectors_.columns());
  const Block held = overlap(ranks, all, {in, projectors_.rows(), count});
  Block coupled(projectors_.columns(), count);
  for (const auto& [first, h] : coupled_)
    for (long c = 0; c < count; ++c)
      for (std::size_t i = 0; i < h->size(); ++i)
        for (std::size_t j = 0; j < h->size(); ++j)
          coupled(first + static_cast<long>(i), c) += (*h)[i][j] * held(first + static_cast<long>(j), c);
  combine(ranks, all, coupled, count, out, 1, true);
}

}  // namespace bands

#include "davidson.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <weft/error.hpp>

namespace bands {

namespace {

/// From -1/2 to 1/2.
double random_of(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0 - 0.5;
}

/// residual / (H_GG - energy), kept away from zero; H_GG is taken to be the kinetic energy. The
/// formula is made for Ry.
void precondition(const Basis& basis, double energy, Complex* residual) {
  for (std::size_t i = 0; i < basis.kinetic.size(); ++i) {
    const double x = 2 * (basis.kinetic[i] - energy);
    residual[i] /= 0.5 * (1 + x + std::sqrt(1 + (x - 1) * (x - 1)));
  }
}

struct Subspace {
  Block &v, &hv, &projected;
  long size = 0;

  /// Columns [size, size + count) of v are new: they join. Returns how many of them are left.
  long grow(Hamiltonian& h, long count) {
    count = orthonormalise(h.ranks(), v, size, count);
    Overlap products(h.ranks(), size + count, count);
    each_some(h.ranks(), count, [&](long first, long some) {
      h.apply(v.column(size + first), hv.column(size + first), some);
      products.make(columns(v, 0, size + count), columns(hv, size + first, some), first);
    });
    const Block& rows = products.wait();
    for (long c = 0; c < count; ++c)
      for (long r = 0; r < size + count; ++r) {
        projected(r, size + c) = rows(r, c);
        projected(size + c, r) = std::conj(rows(r, c));
      }
    size += count;
    return count;
  }
};

}  // namespace

long columns_for(long bands, weft::Index plane_waves) {
  return std::min<long>(bands + std::max<long>(4, bands / 10), static_cast<long>(plane_waves));
}

void check_bands(long bands, weft::Index plane_waves) {
  if (bands > plane_waves)
    throw weft::Error(std::to_string(bands) + " bands are wanted of " + std::to_string(plane_waves) +
                      " plane waves; ask for fewer bands or raise the cutoff");
}

Block first_guess(const Basis& basis, long bands) {
  Block x(static_cast<long>(basis.mine.size()), bands);
  for (long b = 0; b < bands; ++b)
    for (std::size_t i = 0; i < basis.mine.size(); ++i) {
      std::uint64_t seed = static_cast<std::uint64_t>(b);
      for (const weft::Index g : basis.mine[i]) seed = seed * 8191 + static_cast<std::uint64_t>(g + 4096);
      const double size = 1 / (0.5 + basis.kinetic[i] * basis.kinetic[i]);
      const bool real = static_cast<long>(i) == basis.origin;
      x(static_cast<long>(i), b) = {size * random_of(2 * seed), real ? 0 : size * random_of(2 * seed + 1)};
    }
  return x;
}

Solution davidson(Hamiltonian& h, Block& x, const Wanted& wanted, Workspace& work) {
  const long rows = x.rows(), block = x.columns(), waves = static_cast<long>(h.basis().total);
  check_bands(wanted.bands, std::min(block, waves));
  const long most = std::min(4 * block, waves);
  const long room = most + block;
  work.v.reshape(rows, room);
  work.hv.reshape(rows, room);
  work.projected.reshape(room, room);
  work.residual.reshape(rows, block);
  Subspace space{work.v, work.hv, work.projected};
  Block& residual = work.residual;
  std::copy(x.column(0), x.column(0) + block * rows, space.v.column(0));
  space.grow(h, block);

  Solution solution;
  for (;; ++solution.steps) {
    const long size = space.size, kept = std::min(block, size);
    Eigen ritz(h.ranks(), space.projected, size, kept);
    const bool full = size + wanted.bands > most && size > kept;
    const long told = std::min(kept, wanted.bands);
    solution.residuals.assign(static_cast<std::size_t>(told), 0);
    solution.energies.assign(ritz.values.begin(), ritz.values.begin() + told);
    Underway norms(h.ranks().comm, h.ranks().at_once > 0, h.ranks().seconds->sums);
    long calls = 0;
    each_some(h.ranks(), kept, [&](long first, long some) {
      const Columns vectors = columns(ritz.vectors(++calls), first, some);
      combine(h.ranks(), columns(space.v, 0, size), vectors, x.column(first));
      combine(h.ranks(), columns(space.hv, 0, size), vectors, residual.column(first));
      for (long b = first; b < first + some; ++b)
        for (long i = 0; i < rows; ++i) residual(i, b) -= ritz.values[static_cast<std::size_t>(b)] * x(i, b);
      const long mine = std::clamp(told - first, 0L, some);
      double* const squares = solution.residuals.data() + std::min(first, told);
      squared_parts(h.ranks(), columns(residual, first, mine), squares);
      if (mine > 0) norms.sum(squares, mine);
    });
    norms.wait();
    for (double& r : solution.residuals) r = std::sqrt(r);

    Step step{solution.steps, 0, 0};
    for (const double r : solution.residuals) {
      step.open += r > wanted.tolerance;
      step.residual = std::max(step.residual, r);
    }
    wanted.told(step);
    solution.converged = step.open == 0 && kept >= wanted.bands;
    if (solution.converged || solution.steps == wanted.most_steps) return solution;

    if (full) {
      std::copy(x.column(0), x.column(0) + kept * rows, space.v.column(0));
      for (long c = 0; c < kept; ++c)  // H x = residual + energy x
        for (long i = 0; i < rows; ++i)
          space.hv(i, c) = residual(i, c) + ritz.values[static_cast<std::size_t>(c)] * x(i, c);
      for (long c = 0; c < kept; ++c)
        for (long r = 0; r < kept; ++r) space.projected(r, c) = r == c ? ritz.values[static_cast<std::size_t>(c)] : 0;
      space.size = kept;
    }
    long added = 0;
    for (std::size_t b = 0; b < solution.residuals.size(); ++b) {
      if (solution.residuals[b] <= wanted.tolerance) continue;
      Complex* const next = space.v.column(space.size + added++);
      std::copy_n(residual.column(static_cast<long>(b)), rows, next);
      precondition(h.basis(), solution.energies[b], next);
    }
    if (space.grow(h, added) == 0) return solution;  // nothing new can be found in this precision
  }
}

}  // namespace bands

#include "basis.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <weft/error.hpp>

namespace bands {

namespace {

/// The largest |index| along each axis.
weft::GVector reach(const std::vector<weft::SphereStick>& sticks) {
  weft::GVector most{0, 0, 0};
  for (const weft::SphereStick& s : sticks) {
    most[0] = std::max({most[0], -s.lo, s.hi - 1});
    most[1] = std::max(most[1], std::abs(s.g1));
    most[2] = std::max(most[2], std::abs(s.g2));
  }
  return most;
}

weft::Index small_factors(weft::Index n) {
  for (;; ++n) {
    weft::Index rest = n;
    for (const weft::Index p : {2, 3, 5, 7})
      while (rest % p == 0) rest /= p;
    if (rest == 1) return n;
  }
}

}  // namespace

std::vector<weft::SphereStick> basis_sticks(const Crystal& crystal, const Vector3& k, double cutoff,
                                            weft::Index largest_index, bool half) {
  std::vector<weft::SphereStick> sticks =
      weft::sphere_sticks({.squared = 2 * cutoff, .metric = crystal.metric(), .k = k, .half = half});
  if (const weft::Index most = largest_index; most > 0) {
    for (weft::SphereStick& s : sticks) s.lo = std::max(s.lo, -most), s.hi = std::min(s.hi, most + 1);
    std::erase_if(sticks, [most](const weft::SphereStick& s) {
      return std::abs(s.g1) > most || std::abs(s.g2) > most || s.lo >= s.hi;
    });
  }
  return sticks;
}

weft::Shape basis_grid(const Crystal& crystal, const std::vector<Vector3>& kpoints, double cutoff,
                       weft::Index largest_index, const std::vector<weft::Index>& wanted) {
  weft::GVector waves{0, 0, 0};
  for (const Vector3& k : kpoints) {
    const weft::GVector most = reach(basis_sticks(crystal, k, cutoff, largest_index));
    for (std::size_t a = 0; a < 3; ++a) waves[a] = std::max(waves[a], most[a]);
  }
  const weft::GVector potential = reach(basis_sticks(crystal, {0, 0, 0}, 4 * cutoff, 0));
  std::vector<weft::Index> grid;
  // A product V psi reaches to their sum; what is folded back must fall outside psi's own
  // wavenumbers.
  for (std::size_t a = 0; a < 3; ++a) grid.push_back(potential[a] + std::max(potential[a], 2 * waves[a]) + 1);
  if (wanted.empty()) {
    for (weft::Index& n : grid) n = small_factors(n);
    return grid;
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (wanted[a] < grid[a])
      throw weft::Error(fmt::format("basis.grid is {}; the cutoff needs at least {}", fmt::join(wanted, " x "),
                                    fmt::join(grid, " x ")));
  return wanted;
}

Basis make_basis(const Crystal& crystal, const Vector3& k, double cutoff, weft::Index largest_index, int ranks,
                 int rank) {
  Basis basis;
  basis.half = k == Vector3{0, 0, 0};
  const std::vector<weft::SphereStick> sticks = basis_sticks(crystal, k, cutoff, largest_index, basis.half);
  for (const weft::SphereStick& s : sticks) basis.total += s.size();
  if (basis.half) basis.total = 2 * basis.total - 1;
  basis.mine = weft::vectors(weft::share_sticks(sticks, ranks)[static_cast<std::size_t>(rank)]);
  const Matrix3 b = crystal.reciprocal();
  for (const weft::GVector& g : basis.mine) {
    const Vector3 index{k[0] + static_cast<double>(g[0]), k[1] + static_cast<double>(g[1]),
                        k[2] + static_cast<double>(g[2])};
    basis.waves.push_back(combine(index, b));
    basis.kinetic.push_back(dot(basis.waves.back(), basis.waves.back()) / 2);
    if (basis.half && g == weft::GVector{0, 0, 0}) basis.origin = static_cast<long>(basis.waves.size()) - 1;
  }
  return basis;
}

}  // namespace bands

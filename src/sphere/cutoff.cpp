// A cutoff's sticks. Whether a vector is inside is decided in one place, so that the same vectors
// come out however they are counted.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <weft/layout.hpp>

#include "sphere/cutoff.hpp"

namespace weft {
namespace {

constexpr double most_vectors = 1e11;  // of a sphere or a box: more coefficients than one plan can list
constexpr double countable = 1e6;      // sticks that are counted for a message
constexpr Index farthest_vector = Index{1} << 40;

void check_vector(Index g) {
  if (g < -farthest_vector || g > farthest_vector)
    throw Error("a G-vector with the component " + std::to_string(g) + "; components lie between " +
                std::to_string(-farthest_vector) + " and " + std::to_string(farthest_vector));
}

void check_fields(int fields) {
  if (fields < 1 || fields > 1000)
    throw Error("a grid for products of " + std::to_string(fields) + " fields; give 1 to 1000");
}

// Makes an axis hold g and -g of a product of so many fields.
void widen(Index& extent, Index g, int fields = 1) {
  check_vector(g);
  extent = std::max(extent, 2 * fields * std::abs(g) + 1);
}

void widen(Shape& grid, const SphereStick& stick, int fields = 1) {
  check_vector(stick.hi);
  widen(grid[0], stick.lo, fields);
  widen(grid[0], stick.hi - 1, fields);
  widen(grid[1], stick.g1, fields);
  widen(grid[2], stick.g2, fields);
}

// A box of G-vectors: three extents, and where it begins.
void check_box(const Shape& kept, const Shape& low) {
  if (kept.size() != 3 || std::any_of(kept.begin(), kept.end(), [](Index n) { return n < 1; }))
    throw Error("a box of " + to_string(kept) + " G-vectors; give three extents of at least 1");
  if (low.size() != 3) throw Error("a box of G-vectors from " + point_string(low) + " on; give three indices");
  for (int a = 0; a < 3; ++a) check_vector(low[a]), check_vector(kept[a]);
  if (static_cast<double>(volume(kept)) > most_vectors)
    throw Error("a box of " + to_string(kept) + " G-vectors, more than can be listed; give smaller extents");
}

double length_squared(const Cutoff& c, const GVector& g) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      sum += (static_cast<double>(g[i]) + c.k[i]) * c.metric[i][j] * (static_cast<double>(g[j]) + c.k[j]);
  return sum;
}

// The largest |k_i + g_i| inside is R sqrt((metric^-1)_ii).
std::array<double, 3> reach(const Cutoff& c) {
  const auto& m = c.metric;
  const auto minor = [&](std::size_t i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    return m[a][a] * m[b][b] - m[a][b] * m[b][a];
  };
  const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  bool good = determinant > 0;
  for (std::size_t i = 0; i < 3; ++i) {
    good = good && m[i][i] > 0 && minor(i) > 0 && std::isfinite(c.k[i]);
    for (std::size_t j = 0; j < i; ++j)
      good = good && std::abs(m[i][j] - m[j][i]) <= 1e-12 * std::sqrt(m[i][i] * m[j][j]);
  }
  if (!good || !std::isfinite(determinant))
    throw Error(
        "the metric of a cutoff must be symmetric and positive definite, and k finite: give b_i . b_j of the "
        "reciprocal lattice vectors");
  if (!(c.squared >= 0)) throw Error("a cutoff of " + std::to_string(c.squared) + ": give (k+G)^2 at most, 0 or more");
  if (c.half && (c.k[0] != 0 || c.k[1] != 0 || c.k[2] != 0))
    throw Error("half a sphere has its mirror image only at k = 0; give k = 0 or the whole sphere");
  std::array<double, 3> most;
  for (std::size_t i = 0; i < 3; ++i) {
    most[i] = std::sqrt(c.squared * minor(i) / determinant);
    if (!(most[i] + std::abs(c.k[i]) < 1e6))
      throw Error("a cutoff of " + std::to_string(c.squared) +
                  " reaches beyond a million G-vectors on an axis; give it in the units of its metric");
  }
  return most;
}

// Calls f(stick) for every stick, by ascending g2, then g1, until it returns false.
template <class F>
void each_stick(const Cutoff& c, const std::array<double, 3>& most, F f) {
  const auto low = [&](std::size_t i) { return static_cast<Index>(std::floor(-most[i] - c.k[i])); };
  const auto high = [&](std::size_t i) { return static_cast<Index>(std::ceil(most[i] - c.k[i])); };
  for (Index g2 = c.half ? 0 : low(2); g2 <= high(2); ++g2)
    for (Index g1 = c.half && g2 == 0 ? 0 : low(1); g1 <= high(1); ++g1) {
      // the lowest point of the parabola along axis 0, and from there outwards
      const double bottom =
          -(c.metric[0][1] * (static_cast<double>(g1) + c.k[1]) + c.metric[0][2] * (static_cast<double>(g2) + c.k[2])) /
              c.metric[0][0] -
          c.k[0];
      const auto inside = [&](Index g0) { return length_squared(c, {g0, g1, g2}) <= c.squared; };
      const auto first = static_cast<Index>(std::floor(bottom));
      Index lo = first + 1, hi = first + 1;
      while (inside(hi)) ++hi;
      while (inside(lo - 1)) --lo;
      if (c.half && g1 == 0 && g2 == 0) lo = std::max<Index>(lo, 0);
      if (lo < hi && !f(SphereStick{g1, g2, lo, hi})) return;
    }
}

double volume_of(const Cutoff& c, const std::array<double, 3>& most) {
  const auto& m = c.metric;
  // most[0]^2 = squared * minor / determinant, and so 1 / determinant follows without another
  // formula for it
  const double minor = m[1][1] * m[2][2] - m[1][2] * m[2][1];
  return 4.0 / 3.0 * std::acos(-1.0) * c.squared * most[0] / std::sqrt(minor);
}

}  // namespace

std::vector<SphereStick> sphere_sticks(const Cutoff& c) {
  const std::array<double, 3> most = reach(c);
  if (const double vectors = volume_of(c, most); !(vectors <= most_vectors)) {
    char about[32];
    std::snprintf(about, sizeof about, "%.3g", vectors);
    throw Error("a cutoff of " + std::to_string(c.squared) + " has about " + about +
                " G-vectors, more than can be listed; give it in the units of its metric");
  }
  std::vector<SphereStick> sticks;
  each_stick(c, most, [&](const SphereStick& stick) {
    sticks.push_back(stick);
    return true;
  });
  return sticks;
}

std::optional<std::string> missing_grid(const Cutoff& c, const Shape& grid) {
  const std::array<double, 3> most = reach(c);
  Shape least{1, 1, 1};
  const bool counts = (2 * most[1] + 1) * (2 * most[2] + 1) <= countable;
  bool fits = true;
  each_stick(c, most, [&](const SphereStick& stick) {
    widen(least, stick);
    for (int a = 0; a < 3; ++a) fits = fits && least[a] <= grid[a];
    return fits || counts;
  });
  if (fits) return std::nullopt;
  if (counts) return to_string(least);
  for (int a = 0; a < 3; ++a)
    least[a] = 2 * static_cast<Index>(
                       std::floor(most[static_cast<std::size_t>(a)] + std::abs(c.k[static_cast<std::size_t>(a)]))) +
               1;
  return "about " + to_string(least);
}

std::vector<SphereStick> box_sticks(const Shape& kept) {
  check_box(kept, {0, 0, 0});
  std::vector<SphereStick> sticks;
  const auto low = [&](int axis) { return -(kept[axis] / 2); };
  for (Index g2 = low(2); g2 < low(2) + kept[2]; ++g2)
    for (Index g1 = low(1); g1 < low(1) + kept[1]; ++g1) sticks.push_back({g1, g2, low(0), low(0) + kept[0]});
  return sticks;
}

std::vector<GVector> vectors(const std::vector<SphereStick>& sticks) {
  double count = 0;
  for (const SphereStick& s : sticks) count += std::max(static_cast<double>(s.hi) - static_cast<double>(s.lo), 0.0);
  if (count > most_vectors) throw Error("sticks of " + std::to_string(count) + " G-vectors, more than can be listed");
  std::vector<GVector> all;
  for (const SphereStick& s : sticks)
    for (Index g0 = s.lo; g0 < s.hi; ++g0) all.push_back({g0, s.g1, s.g2});
  return all;
}

std::vector<GVector> box_vectors(const Shape& kept, bool real, int ranks, int rank, const std::optional<Shape>& low) {
  check_box(kept, low.value_or(Shape{0, 0, 0}));
  if (ranks < 1 || rank < 0 || rank >= ranks)
    throw Error("G-vectors of rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                "; give at least 1 rank, and one from 0 on below that");
  const std::vector<Index> bounds = Split::even().bounds(kept[1], ranks);
  const auto frequency = [&](Index i, int axis) {
    return low ? (*low)[axis] + i : i < (kept[axis] + 1) / 2 ? i : i - kept[axis];
  };
  std::vector<GVector> all;
  for (Index i1 = bounds[static_cast<std::size_t>(rank)]; i1 < bounds[static_cast<std::size_t>(rank) + 1]; ++i1)
    for (Index i0 = 0; i0 < kept[0]; ++i0)
      for (Index i2 = 0; i2 < (real ? kept[2] / 2 + 1 : kept[2]); ++i2)
        all.push_back({frequency(i0, 0), frequency(i1, 1), real ? i2 : frequency(i2, 2)});
  return all;
}

Shape smallest_grid(const std::vector<GVector>& vectors, int fields) {
  check_fields(fields);
  Shape shape{1, 1, 1};
  for (const GVector& g : vectors)
    for (int a = 0; a < 3; ++a) widen(shape[a], g[static_cast<std::size_t>(a)], fields);
  return shape;
}

Shape smallest_grid(const std::vector<SphereStick>& sticks, int fields) {
  check_fields(fields);
  Shape shape{1, 1, 1};
  for (const SphereStick& stick : sticks) widen(shape, stick, fields);
  return shape;
}

}  // namespace weft

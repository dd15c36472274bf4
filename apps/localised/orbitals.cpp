#include "orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <weft/error.hpp>

namespace localised {

namespace {

/// From 0 to 1.
double random_of(std::uint64_t x) {
  x = (x + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

double amplitude(std::size_t orbital, int round) {
  return 0.5 + random_of(1000003 * static_cast<std::uint64_t>(round + 1) + orbital);
}

}  // namespace

Orbitals::Orbitals(const Geometry& geometry, int ranks) : geometry_(geometry), ranks_(ranks) {
  const weft::Shape& n = geometry.grid;
  if (geometry.orbitals < 1) throw weft::Error(std::to_string(geometry.orbitals) + " orbitals; give 1 or more");
  const weft::Index least = *std::min_element(n.begin(), n.end());
  if (!(geometry.radius > 0) || 2 * geometry.radius >= static_cast<double>(least))
    throw weft::Error("a radius of " + std::to_string(geometry.radius) + " on a grid whose shortest side is " +
                      std::to_string(least) + "; give one above 0 and below half of that side");
  const auto count = static_cast<std::size_t>(geometry.orbitals);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double>& centre = centres_.emplace_back();
    for (int a = 0; a < 3; ++a)
      centre.push_back(static_cast<double>(n[a]) * random_of(3 * i + static_cast<std::uint64_t>(a)));
  }
  std::sort(centres_.begin(), centres_.end());

  const auto reach = static_cast<weft::Index>(geometry.radius) + 1;
  weft::Index offset = 0;
  for (const std::vector<double>& centre : centres_) {
    weft::Shape middle = weft::Shape::filled(3, 0);
    for (int a = 0; a < 3; ++a) middle[a] = static_cast<weft::Index>(centre[static_cast<std::size_t>(a)]);
    std::vector<weft::Index>& points = points_.emplace_back();
    const weft::Index side = 2 * reach + 1;
    for (weft::Index at = 0; at < side * side * side; ++at) {
      const weft::Index step[] = {at / side / side - reach, at / side % side - reach, at % side - reach};
      double squared = 0;
      weft::Index index = 0;
      for (int a = 0; a < 3; ++a) {
        const weft::Index place = middle[a] + step[a];
        squared += std::pow(static_cast<double>(place) - centre[static_cast<std::size_t>(a)], 2);
        index = index * n[a] + (place + n[a]) % n[a];
      }
      if (squared < geometry.radius * geometry.radius) points.push_back(index);
    }
    std::sort(points.begin(), points.end());
    offsets_.push_back(offset);
    offset += static_cast<weft::Index>(points.size());
  }
  offsets_.push_back(offset);
  for (int r = 0; r < ranks; ++r) owners_.insert(owners_.end(), first(r + 1) - first(r), r);
}

std::size_t Orbitals::first(int rank) const {
  return static_cast<std::size_t>(static_cast<long long>(geometry_.orbitals) * rank / ranks_);
}

std::vector<Common> Orbitals::common(std::size_t first, std::size_t second) const {
  std::vector<Common> all;
  const std::vector<weft::Index>&a = points_[first], &b = points_[second];
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j])
      all.push_back({static_cast<weft::Index>(i++), static_cast<weft::Index>(j++)});
    else if (a[i] < b[j])
      ++i;
    else
      ++j;
  }
  return all;
}

std::vector<double> Orbitals::values(std::size_t orbital, int round) const {
  std::vector<double> all;
  const weft::Shape& n = geometry_.grid;
  for (const weft::Index point : points_[orbital]) {
    const weft::Index place[] = {point / (n[1] * n[2]), point / n[2] % n[1], point % n[2]};
    double squared = 0;
    for (int a = 0; a < 3; ++a) {
      const double length = static_cast<double>(n[a]);
      double apart = static_cast<double>(place[a]) - centres_[orbital][static_cast<std::size_t>(a)];
      apart -= length * std::round(apart / length);
      squared += apart * apart;
    }
    all.push_back(amplitude(orbital, round) * std::exp(-3 * squared / (geometry_.radius * geometry_.radius)));
  }
  return all;
}

double Orbitals::overlap(std::size_t first, std::size_t second, int round) const {
  const std::vector<double> a = values(first, round), b = values(second, round);
  double sum = 0;
  for (const Common& c : common(first, second))
    sum += a[static_cast<std::size_t>(c.in_first)] * b[static_cast<std::size_t>(c.in_second)];
  return sum;
}

}  // namespace localised

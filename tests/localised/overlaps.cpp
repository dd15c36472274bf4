// Every way of finding overlaps: the serial matrix, and the bytes of the published formulas,
// counted point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <weft/error.hpp>

#include "localised/overlaps.hpp"

namespace {

using localised::Orbitals;

const MPI_Comm world = MPI_COMM_WORLD;

int rank() {
  int self = 0;
  MPI_Comm_rank(world, &self);
  return self;
}

int ranks() {
  int count = 1;
  MPI_Comm_size(world, &count);
  return count;
}

std::vector<double> values(const Orbitals& orbitals, int round) {
  std::vector<double> all;
  for (std::size_t i = orbitals.first(rank()); i < orbitals.first(rank() + 1); ++i)
    for (const double value : orbitals.values(i, round)) all.push_back(value);
  return all;
}

/// How many points two orbitals share: each point of one is looked for in the other.
weft::Index shared(const Orbitals& orbitals, std::size_t i, std::size_t j) {
  return std::count_if(orbitals.points(i).begin(), orbitals.points(i).end(), [&](weft::Index point) {
    return std::binary_search(orbitals.points(j).begin(), orbitals.points(j).end(), point);
  });
}

void every_way(const localised::Geometry& geometry) {
  const Orbitals orbitals(geometry, ranks());
  weft::Index pairs = 0, all = 0;
  for (std::size_t i = 0; i < orbitals.count(); ++i) {
    all += static_cast<weft::Index>(orbitals.points(i).size());
    for (std::size_t j = 0; j < orbitals.count(); ++j)
      if (orbitals.owner(i) != orbitals.owner(j)) pairs += shared(orbitals, i, j);
  }
  for (const std::string& way : localised::ways()) {
    const auto overlaps = localised::overlaps(way, world, orbitals);
    EXPECT_EQ(overlaps->formula_bytes(), 8 * (way == "partners" ? pairs : all)) << way;
    EXPECT_EQ(overlaps->moved().sent_bytes + overlaps->moved().kept_bytes, overlaps->formula_bytes()) << way;
    for (int round = 0; round < 3; ++round) {
      const std::vector<double> found = overlaps->columns(values(orbitals, round));
      const std::size_t first = orbitals.first(rank()), n = orbitals.count();
      ASSERT_EQ(found.size(), n * (orbitals.first(rank() + 1) - first)) << way;
      for (std::size_t at = 0; at < found.size(); ++at) {
        const double right = orbitals.overlap(at % n, first + at / n, round);
        ASSERT_NEAR(found[at], right, 1e-12 * std::max(1.0, std::abs(right))) << way << ", " << at << ", " << round;
      }
    }
  }
}

TEST(Overlaps, EveryWayFindsTheSerialMatrix) {
  every_way({.grid = {14, 13, 15}, .orbitals = 17, .radius = 3.5});
  every_way({.grid = {9, 30, 8}, .orbitals = 12, .radius = 2});
}

TEST(Overlaps, RanksWithoutOrbitalsOrPlanes) {
  every_way({.grid = {5, 6, 7}, .orbitals = 1, .radius = 2});
  every_way({.grid = {3, 9, 9}, .orbitals = 2, .radius = 1.4});
}

TEST(Overlaps, SlabsSendNothingTwice) {
  const Orbitals orbitals({.grid = {12, 12, 12}, .orbitals = 24, .radius = 5}, ranks());
  if (ranks() == 1) GTEST_SKIP() << "one rank sends nothing";
  EXPECT_LT(localised::overlaps("slabs", world, orbitals)->moved().sent_bytes,
            localised::overlaps("partners", world, orbitals)->moved().sent_bytes);
}

TEST(Overlaps, BadOnes) {
  EXPECT_THROW(Orbitals({.orbitals = 0}, 2), weft::Error);
  EXPECT_THROW(Orbitals({.grid = {8, 40, 40}, .radius = 4}, 2), weft::Error);
  EXPECT_THROW(Orbitals({.radius = -1}, 2), weft::Error);
  const Orbitals orbitals({}, ranks());
  EXPECT_THROW(localised::overlaps("pigeons", world, orbitals), weft::Error);
}

}  // namespace

// Empirical pseudopotentials: energies that were published or follow from another cell, on any
// ranks and by any strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <weft/exchange.hpp>

#include "bands/band_structure.hpp"
#include "bands/units.hpp"
#include "support.hpp"

namespace {

using bands::BandStructure;
using bands::Input;

BandStructure solve(const Input& input, int pools = 1, const std::string& strategy = "auto") {
  bands::Settings settings;
  settings.pools = pools;
  settings.options.strategy = strategy;
  return bands::band_structure(MPI_COMM_WORLD, input, settings);
}

const std::vector<double>& energies(const BandStructure& structure, std::size_t k = 0) {
  return structure.kpoints[k].solution.energies;
}

struct Published {
  const char* name;
  double fourth_ev;
};

TEST(Empirical, FourthEnergyAtGammaOfEveryMaterial) {
  for (const Published& material :
       {Published{"silicon", 10.588391537}, Published{"germanium", 9.490386811},
        Published{"gallium_arsenide", 8.899079346}, Published{"cadmium_telluride", 4.272348183}}) {
    Input input = at(crystal(material.name), {{0, 0, 0}}, 8);
    input.cutoff = 21 * 0.5 * std::pow(2 * std::numbers::pi / input.crystal.constant, 2);
    input.largest_index = 2;
    const BandStructure structure = solve(input);
    if (material.name == std::string("silicon")) {
      EXPECT_EQ(structure.kpoints[0].plane_waves, 89);
    }
    EXPECT_NEAR(energies(structure)[3] * bands::ha_in_ev, material.fourth_ev, 1e-6) << material.name;
  }
}

TEST(Empirical, ConvergedBandsOfSilicon) {
  const BandStructure s = solve(at(crystal("silicon"), {{0, 0, 0}, {0.5, 0, 0.5}, {0.5, 0.5, 0.5}}, 8));
  const std::vector<std::vector<double>> published_ev{{-12.6132, 0, 0, 0, 3.4244, 3.4244, 3.4244, 3.8895},
                                                      {-8.3325, -8.3325, -3.0056, -3.0056, 0.9487, 0.9487},
                                                      {-10.2355, -7.3659, -1.2527, -1.2527, 1.8760, 3.9824, 3.9824}};
  const double top = energies(s)[3];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t b = 0; b < published_ev[k].size(); ++b)
      EXPECT_NEAR((energies(s, k)[b] - top) * bands::ha_in_ev, published_ev[k][b], 6e-5) << k << " " << b;
}

TEST(Empirical, GapOfSilicon) {
  Input input = crystal("silicon");
  std::vector<bands::Vector3> points{{0, 0, 0}};
  for (double t : {0.80, 0.85, 0.90}) points.push_back({0.5 * t, 0, 0.5 * t});
  const BandStructure s = solve(at(input, points, 6), 0);
  const bands::Gap gap = bands::gap_of(s.kpoints, 4);
  EXPECT_NEAR((gap.bottom - gap.top) * bands::ha_in_ev, 0.820, 5e-4);
  EXPECT_EQ(gap.top_at, 0u);
  EXPECT_EQ(gap.bottom_at, 2u);
  EXPECT_GT(gap.direct, gap.bottom - gap.top);
}

TEST(Empirical, SecondFormFactor) {
  const BandStructure s = solve(at(crystal("silicon_zunger"), {{0, 0, 0}, {0.5, 0, 0.5}}, 8));
  EXPECT_EQ(s.kpoints[0].plane_waves, 169);
  EXPECT_EQ(s.kpoints[1].plane_waves, 174);
  EXPECT_NEAR(2 * energies(s, 0)[0], -0.1875783994953054, 1e-9);
  EXPECT_NEAR(2 * energies(s, 1)[0], 0.1223225560313585, 1e-9);
  const double ry_in_ev = 13.60569253;
  const std::vector<double> gamma_ev{-2.552134029, 10.035862116, 10.035862116, 10.035862116,
                                     13.331588081, 13.331588081, 13.331588081, 13.698650400};
  for (std::size_t b = 0; b < 8; ++b) EXPECT_NEAR(2 * energies(s, 0)[b] * ry_in_ev, gamma_ev[b], 2e-8) << b;
}

/// Energies of the primitive cell at k-points that fold onto Gamma of a larger cell, ascending.
std::vector<double> folded(const std::vector<bands::Vector3>& points, weft::Index count) {
  Input primitive = at(crystal("silicon_zunger"), points, count);
  primitive.tolerance = 1e-9;
  const BandStructure s = solve(primitive);
  std::vector<double> all;
  for (const bands::AtKPoint& k : s.kpoints)
    all.insert(all.end(), k.solution.energies.begin(), k.solution.energies.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Empirical, CubicCellHasTheFoldedSpectrum) {
  const std::vector<double> expected = folded({{0, 0, 0}, {0.5, 0, 0.5}, {0.5, 0.5, 0}, {0, 0.5, 0.5}}, 8);
  Input cubic = at(crystal("silicon_8"), {{0, 0, 0}}, 20);
  cubic.tolerance = 1e-9;
  const BandStructure s = solve(cubic);
  EXPECT_EQ(s.kpoints[0].plane_waves, 691);
  for (std::size_t b = 0; b < 20; ++b) EXPECT_NEAR(energies(s)[b], expected[b], 1e-12) << b;
}

TEST(Empirical, LargeCellHasTheFoldedSpectrum) {
  if (!std::getenv("WEFT_TEST_THOROUGH")) GTEST_SKIP() << "set WEFT_TEST_THOROUGH: this takes a minute";
  std::vector<bands::Vector3>
      points;  // (i, j, l)/2 of the cubic cell's reciprocal vectors, and the four that fold there
  const std::vector<bands::Vector3> cubic{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  for (int n = 0; n < 8; ++n)
    for (const bands::Vector3& f : cubic) {
      const bands::Vector3 k{f[0] + 0.5 * (n & 1), f[1] + 0.5 * (n >> 1 & 1),
                             f[2] + 0.5 * (n >> 2)};                                // 2 pi / constant
      points.push_back({(k[1] + k[2]) / 2, (k[0] + k[2]) / 2, (k[0] + k[1]) / 2});  // a_i . k / 2 pi
    }
  const std::vector<double> expected = folded(points, 8);
  const BandStructure s = solve(at(crystal("silicon_64"), {{0, 0, 0}}, 136));
  for (std::size_t b = 0; b < 136; ++b) EXPECT_NEAR(energies(s)[b], expected[b], 1e-10) << b;
}

TEST(Empirical, PoolsAndStrategiesChangeNothing) {
  Input input = at(crystal("gallium_arsenide"), {{0, 0, 0}, {0.5, 0, 0.5}, {0.1, 0.2, 0.3}}, 8);
  input.cutoff = 4;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const BandStructure one = solve(input, 1, "alltoallv");
  const BandStructure many = solve(input, ranks);
  EXPECT_EQ(many.pools, ranks);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t b = 0; b < 8; ++b) EXPECT_NEAR(energies(one, k)[b], energies(many, k)[b], 1e-11);
  for (const weft::Strategy* strategy : weft::strategies()) {
    const std::string name(strategy->name());
    BandStructure other;
    try {
      other = solve(input, 1, name);
    } catch (const weft::Declined&) {
      continue;
    } catch (const weft::Error& e) {
      if (std::string(e.what()).find("declines") != std::string::npos) continue;
      throw;
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(energies(one, k)[b], energies(other, k)[b]) << name;
  }
}

TEST(Empirical, RanksWithoutPlaneWaves) {
  Input input = at(crystal("silicon"), {{0, 0, 0}, {0.2, 0, 0}}, 1);
  input.cutoff = 0.1;
  const BandStructure s = solve(input);
  for (std::size_t k = 0; k < 2; ++k) {
    const bands::Vector3 wave = bands::combine(input.kpoints[k].k, input.crystal.reciprocal());
    EXPECT_EQ(s.kpoints[k].plane_waves, 1);
    EXPECT_NEAR(energies(s, k)[0], bands::dot(wave, wave) / 2, 1e-14);
  }
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto planes = static_cast<int>(s.grid[0]);  // of real space, which the others share
  EXPECT_EQ(s.idle.kpoints, 0);
  EXPECT_EQ(s.idle.plane_waves, ranks - 1);
  EXPECT_EQ(s.idle.space, std::max(0, ranks - planes));
  EXPECT_EQ(s.idle.whole_bands, 0);
  EXPECT_EQ(s.idle.nothing, std::max(0, ranks - std::max(planes, 1)));
  const std::string told = bands::idle_text(s.idle, ranks);
  EXPECT_EQ(told.find("no plane waves") != told.npos, ranks > 1) << told;
  EXPECT_EQ(told.find("could be left out") != told.npos, ranks > planes) << told;
}

TEST(Empirical, RanksWithoutKPoints) {
  Input input = at(crystal("silicon"), {{0, 0, 0}}, 4);
  input.cutoff = 4;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const BandStructure s = solve(input, ranks);
  EXPECT_EQ(s.idle, (bands::Idle{ranks - 1, 0, 0, 0, ranks - 1}));
  const std::string told = bands::idle_text(s.idle, ranks);
  EXPECT_EQ(told.find("no k-point") != told.npos, ranks > 1) << told;
}

TEST(Empirical, RanksWithoutWholeBands) {
  Input input = at(crystal("silicon"), {{0.2, 0, 0}}, 1);
  input.cutoff = 0.1;
  bands::Settings settings;
  settings.whole_bands = true;
  const BandStructure s = bands::band_structure(MPI_COMM_WORLD, input, settings);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // One plane wave has one band, and every rank all planes of its own bands.
  EXPECT_EQ(s.idle, (bands::Idle{0, ranks - 1, 0, ranks - 1, ranks - 1}));
}

TEST(Empirical, TaskGroupsChangeNothing) {
  Input input = at(crystal("silicon"), {{0.1, 0.2, 0.3}}, 8);
  input.cutoff = 4;
  bands::Settings settings;
  settings.pools = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &settings.options.groups);
  settings.options.batch = 6;
  const BandStructure groups = bands::band_structure(MPI_COMM_WORLD, input, settings);
  const BandStructure none = solve(input);
  for (std::size_t b = 0; b < 8; ++b) EXPECT_NEAR(energies(groups)[b], energies(none)[b], 1e-11);
}

}  // namespace

// Input files that are wrong: the message names file, line and key, what was given, and what to
// give.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <weft/error.hpp>

#include "bands/band_structure.hpp"
#include "bands/ground_state.hpp"
#include "bands/units.hpp"
#include "support.hpp"

namespace {

const std::string cell = "[cell]\nconstant_bohr = 10\nvectors = [[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]\n";
const std::string atoms = "[[atoms]]\nspecies = \"Si\"\nat = [[0, 0, 0], [0.25, 0.25, 0.25]]\n";
const std::string potential = "[potential]\nform = \"shells\"\nsymmetric_ry = [[3, -0.2]]\n";
const std::string basis = "[basis]\ncutoff_ry = 5\n";
const std::string count = "[bands]\ncount = 4\n";
const std::string path = "[path]\npoints.Gamma = [0, 0, 0]\ncorners = [\"Gamma\"]\n";

std::string complaint(const std::string& text) {
  try {
    bands::read_input("in.toml", text);
  } catch (const weft::Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Input, GoodOne) {
  const bands::Input input = bands::read_input("in.toml", cell + atoms + potential + basis + count + path);
  EXPECT_EQ(input.crystal.atoms.size(), 2u);
  EXPECT_NEAR(input.crystal.volume(), 250, 1e-12);
  EXPECT_EQ(input.cutoff, 2.5);
  EXPECT_EQ(input.kpoints.size(), 1u);
}

TEST(Input, UnitsOfCutoffs) {
  const auto cutoff = [](const std::string& line) {
    return bands::read_input("in.toml", cell + atoms + potential + "[basis]\n" + line + "\n" + count + path).cutoff;
  };
  EXPECT_EQ(cutoff("cutoff_ha = 3"), 3);
  EXPECT_NEAR(cutoff("cutoff_ev = 27.211386245988"), 1, 1e-14);
  EXPECT_NEAR(cutoff("cutoff_shell = 2"), 0.39478417604357435, 1e-14);
}

TEST(Input, PathsHaveEveryCornerOnce) {
  const std::string two =
      "[path]\npoints.A = [0, 0, 0]\npoints.B = [0.5, 0, 0]\ncorners = [\"A\", \"B\", \"A\"]\nsteps = 2\n";
  const bands::Input input = bands::read_input("in.toml", cell + atoms + potential + basis + count + two);
  ASSERT_EQ(input.kpoints.size(), 5u);
  EXPECT_EQ(input.kpoints[1].k[0], 0.25);
  EXPECT_EQ(input.kpoints[2].label, "B");
  EXPECT_EQ(input.kpoints[3].label, "");
}

struct Bad {
  std::string text, message;
};

TEST(Input, BadOnes) {
  const std::string after_cell = potential + basis + count + path;
  for (const Bad& bad : {
           Bad{"[cell\n", "in.toml:1: this is no TOML"},
           Bad{atoms + after_cell, "cell is missing; give a table"},
           Bad{"[cell]\nconstant_bohr = -1\n", "in.toml:2: cell.constant_bohr is -1; give"},
           Bad{"[cell]\nconstant_bohr = \"a\"\n", "in.toml:2: cell.constant_bohr is 'a'; give"},
           Bad{"[cell]\nconstant_bohr = 1\nconstant_angstrom = 1\n", "in.toml:2: cell.constant_bohr stands beside"},
           Bad{"[cell]\nconstant_bohr = 1\nvectors = [[1, 0, 0], [2, 0, 0], [0, 0, 1]]\n",
               "in.toml:3: cell.vectors lie in a plane"},
           Bad{"[cell]\nconstant_bohr = 1\nvectors = [[1, 0], [2, 0], [0, 1]]\n", "where 3 numbers belong"},
           Bad{cell + "[[atoms]]\nspecies = \"Si\"\nat = [[0, 0, 0], [1, 1, 1]]\n" + after_cell,
               "in.toml:6: atoms.at has an atom within"},
           Bad{cell + "[[atoms]]\nspecies = \"Si\"\nat = [[0, nan, 0]]\n" + after_cell,
               "in.toml:6: atoms.at has [0, nan, 0 ] where 3 numbers belong"},
           Bad{cell + "[[atoms]]\nspecies = \"Si\"\nat = [[0, -1e9, 0]]\n" + after_cell,
               "in.toml:6: atoms.at has 0, -1e+09, 0, more than 1000 cells away; give places"},
           Bad{cell + atoms + potential + "[basis]\ncutoff_ry = -5\n", "in.toml:11: basis.cutoff_ry is -5; give"},
           Bad{cell + atoms + potential + "[basis]\ncutoff_ry = inf\n", "in.toml:11: basis.cutoff_ry is inf; give"},
           Bad{cell + atoms + potential + basis + count + "[path]\npoints.G = [0, 1e9, 0]\ncorners = [\"G\"]\n",
               "in.toml:15: path.points.G has 1e+09; give numbers from -1000 to 1000"},
           Bad{cell + atoms + "[potential]\nform = \"magic\"\n", "in.toml:8: potential.form is \"magic\"; there are"},
           Bad{cell + atoms + "[potential]\nform = \"shells\"\n", "potential.symmetric_ry is missing"},
           Bad{cell + atoms + potential + "[basis]\ncut = 3\n" + count + path, "basis.cutoff_ry is missing"},
           Bad{cell + atoms + potential + "[basis]\ncutoff_ry = 3\ncutoff_ha = 3\n" + count + path,
               "is a second cutoff"},
           Bad{cell + atoms + potential + "[basis]\ncutoff_ry = 3\ngrids = 3\n" + count + path,
               "in.toml:12: basis.grids is no key here; there are"},
           Bad{cell + atoms + potential + basis + "[bands]\ncount = 0\n" + path, "in.toml:13: bands.count is 0; give"},
           Bad{cell + atoms + potential + basis + "[bands]\ncount = 1.5\n" + path, "bands.count is 1.5"},
           Bad{cell + atoms + potential + basis + count + "[path]\npoints.G = [0, 0, 0]\ncorners = [\"X\"]\n",
               "path.corners has \"X\", which path.points lacks"},
           Bad{cell + atoms + potential + basis + count + path + "[more]\n", "more is no key here"},
       })
    EXPECT_NE(complaint(bad.text).find(bad.message), std::string::npos)
        << complaint(bad.text) << "\nwanted: " << bad.message;
}

TEST(Input, EveryCrystalThatIsShipped) {
  int shipped = 0;
  for (const auto& file : std::filesystem::directory_iterator(WEFT_CRYSTALS)) {
    const bands::Input input = crystal(file.path().stem().string());
    EXPECT_FALSE(input.title.empty()) << file.path();
    ++shipped;
  }
  EXPECT_GE(shipped, 14);
  EXPECT_EQ(crystal("nanotube_40").crystal.atoms.size(), 16u);
  EXPECT_EQ(crystal("nanotube_80").crystal.atoms.size(), 96u);
  for (const char* tube : {"nanotube_40", "nanotube_80"})
    EXPECT_NEAR(bands::least_distance(crystal(tube).crystal) * bands::bohr_in_angstrom, 1.4, 0.03) << tube;
}

TEST(Input, BadGroundStates) {
  const std::string ions =
      "[potential]\nform = \"gth\"\n[potential.ions.Si]\ncharge = 4\nradius_bohr = 0.4\nlocal_ha = [-7]\n";
  const std::string start = cell + atoms + ions + basis + count + "[scf]\nmesh = [1, 1, 1]\n";
  EXPECT_EQ(complaint(start), "none");
  for (const Bad& bad : {
           Bad{start + "smearing_ha = 0.01\ndistribution = \"warm\"\n",
               "in.toml:20: scf.distribution is \"warm\"; there are"},
           Bad{cell + atoms + ions + basis + count + "[scf]\nmesh = [1, 0, 1]\n",
               "in.toml:18: scf.mesh must be three whole numbers of k-points, 1 to 1000"},
           Bad{cell + atoms + ions + basis + count + "[scf]\nmesh = [1000, 1000, 1000]\n",
               "in.toml:18: scf.mesh has 1000 x 1000 x 1000 k-points; give at most 1000000 in all"},
           Bad{start + "distribution = \"cold\"\n", "scf.distribution needs smearing_ha"},
           Bad{start + "smearing_ha = -1\n", "scf.smearing_ha is -1; give"},
           Bad{cell + "[[atoms]]\nspecies = \"Ge\"\nat = [[0, 0, 0]]\n" + ions + basis + count +
                   "[scf]\nmesh = [1, 1, 1]\n",
               "potential.ions.Ge is missing; give"},
       })
    EXPECT_NE(complaint(bad.text).find(bad.message), std::string::npos)
        << complaint(bad.text) << "\nwanted: " << bad.message;
}

/// What a calculation says, alike on all ranks.
std::string failure(const bands::Input& input, int pools = 0) {
  bands::Settings settings;
  settings.pools = pools;
  try {
    bands::band_structure(MPI_COMM_WORLD, input, settings);
  } catch (const weft::Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Input, WhatHasNoGroundState) {
  const auto complains = [](const bands::Input& input) -> std::string {
    try {
      bands::ground_state(MPI_COMM_WORLD, input, {});
    } catch (const weft::Error& e) {
      return e.what();
    }
    return "none";
  };
  const auto says = [&](const bands::Input& input, const std::string& wanted) {
    const std::string said = complains(input);
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  };
  bands::Input input = crystal("silicon_lda");
  input.cutoff = 1e6;
  says(input, "GiB on a node of");
  input.cutoff = 1e300;
  says(input, "GiB on a node of");
  input = crystal("silicon_lda");
  input.grid = {1 << 20, 1 << 20, 1 << 20};
  says(input, "GiB on a node of");
  input = crystal("silicon_lda");
  input.cutoff = 1e-9, input.kpoints.clear();  // some pools have a k-point with one plane wave, and some with none
  says(input, "8 bands are wanted of");
  input = crystal("silicon_lda");
  input.bands = 3;
  says(input, "3 bands cannot hold 8 electrons; raise bands.count to at least 4");
  input = crystal("aluminium_lda");
  input.scf.smearing = {};
  says(input, "3 electrons do not fill whole bands; give scf.smearing_ha");
  input = crystal("silicon_lda");
  input.scf.functionals = {"lda_y"};
  says(input, "libxc has no functional \"lda_y\"");
}

TEST(Input, WhatCannotBeCalculated) {
  bands::Input input = bands::read_input("in.toml", cell + atoms + potential + basis + count + path);
  input.bands = 1000;
  EXPECT_NE(failure(input).find("bands are wanted of"), std::string::npos) << failure(input);
  input.bands = 4;
  input.cutoff = 1e-9;
  EXPECT_NE(failure(input).find("4 bands are wanted of 1 plane waves"), std::string::npos) << failure(input);
  input.cutoff = 2.5;
  EXPECT_NE(failure(input, 1000).find("1000 pools were asked for"), std::string::npos);
  input.cutoff = 1e7;
  EXPECT_NE(failure(input).find("GiB on a node of"), std::string::npos) << failure(input);
  input.cutoff = 2.5;
  input.grid = {4, 4, 4};
  EXPECT_NE(failure(input).find("basis.grid is 4 x 4 x 4; the cutoff needs at least"), std::string::npos)
      << failure(input);
}

}  // namespace

#include "input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <weft/error.hpp>
#include <weft/quote.hpp>

#include "mesh.hpp"
#include "table.hpp"
#include "units.hpp"

namespace bands {

namespace {

/// So far from the origin may atoms and k-points be: further away their digits are few.
constexpr double most_cells = 1000;

Crystal read_crystal(Table& file) {
  Crystal crystal;
  Table cell = file.table("cell", "a table with the lattice constant and three vectors");
  const bool angstrom = cell.has("constant_angstrom");
  if (angstrom && cell.has("constant_bohr")) cell.fail("constant_bohr", "stands beside constant_angstrom; give one");
  crystal.constant = angstrom
                         ? cell.number("constant_angstrom", "a length in angstrom, above 0", 0, 1e6) / bohr_in_angstrom
                         : cell.number("constant_bohr", "the lattice constant, or constant_angstrom", 0, 1e6);
  const auto rows = cell.rows("vectors", 3, "three vectors of the cell, in units of the constant");
  if (rows.size() != 3) cell.fail("vectors", fmt::format("has {} vectors; give three", rows.size()));
  double lengths = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t a = 0; a < 3; ++a) crystal.cell[i][a] = crystal.constant * rows[i][a];
    lengths *= std::sqrt(dot(crystal.cell[i], crystal.cell[i]));
  }
  if (!(crystal.volume() > 1e-6 * lengths)) cell.fail("vectors", "lie in a plane; give three that span a volume");
  cell.finish();

  for (Table& atoms : file.tables("atoms", "[[atoms]] with species and places")) {
    const std::string name = atoms.text("species", "a name in quotation marks");
    const auto known = std::find(crystal.species.begin(), crystal.species.end(), name);
    const auto species = static_cast<std::size_t>(known - crystal.species.begin());
    if (known == crystal.species.end()) crystal.species.push_back(name);
    const std::string what = "places [[x, y, z], ...] in units of the cell's vectors";
    for (const auto& at : atoms.rows("at", 3, what)) {
      if (*std::max_element(at.begin(), at.end()) > most_cells || *std::min_element(at.begin(), at.end()) < -most_cells)
        atoms.fail("at",
                   fmt::format("has {:.6g}, more than {} cells away; give {}", fmt::join(at, ", "), most_cells, what));
      crystal.atoms.push_back({species, {at[0], at[1], at[2]}});
    }
    if (least_distance(crystal) < 0.1)
      atoms.fail("at", "has an atom within 0.1 bohr of another one or of its image; give every atom once");
    atoms.finish();
  }
  return crystal;
}

std::vector<Shell> read_shells(Table& table, const std::string& key) {
  std::vector<Shell> all;
  if (!table.has(key)) return all;
  for (const auto& row : table.rows(key, 2, "[[|G|^2 in (2 pi / constant)^2, value in Ry], ...]"))
    all.push_back({row[0], row[1] * ry_in_ha});
  return all;
}

/// The pseudopotential of one species.
Gth read_gth(Table& ions, const std::string& name) {
  Table table = ions.table(name, "a table with charge, radius_bohr, local_ha and s, p, d");
  Gth gth;
  gth.charge = table.number("charge", "the number of valence electrons", 0, 200);
  gth.radius = table.number("radius_bohr", "a length above 0", 0, 100);
  gth.local = table.row("local_ha", 0, 4, "C1, C2, ... of the local part: at most four numbers");
  const char* const letters[] = {"s", "p", "d"};
  for (std::size_t l = 0; l < 3; ++l) {
    Channel& channel = gth.channels.emplace_back();
    if (!table.has(letters[l])) continue;
    Table part = table.table(letters[l], "a table with radius_bohr and h_ha");
    channel.radius = part.number("radius_bohr", "a length above 0", 0, 100);
    const std::string what = "a symmetric matrix [[h11, h12], [h12, h22]]";
    channel.h = part.rows("h_ha", 0, what);
    if (channel.h.size() > known_projectors[l])
      part.fail("h_ha",
                fmt::format("has {} rows; at most {} projectors are known", channel.h.size(), known_projectors[l]));
    for (std::size_t i = 0; i < channel.h.size(); ++i) {
      if (channel.h[i].size() != channel.h.size()) part.fail("h_ha", "is no square; give " + what);
      for (std::size_t j = 0; j < i; ++j)
        if (channel.h[i][j] != channel.h[j][i]) part.fail("h_ha", "is not symmetric; give " + what);
    }
    part.finish();
  }
  table.finish();
  return gth;
}

void read_potential(Table& file, Input& input) {
  Table table = file.table("potential", "a table with a form");
  const std::vector<std::string>& species = input.crystal.species;
  const std::string forms = "\"shells\", \"four parameters\" or \"gth\"";
  const std::string form = table.text("form", forms);
  if (form == "shells") {
    if (species.size() > 2)
      table.fail("form", fmt::format("\"shells\" knows one or two species; [[atoms]] has {}", species.size()));
    ShellPotential shells{read_shells(table, "symmetric_ry"), read_shells(table, "antisymmetric_ry")};
    if (!table.has("symmetric_ry")) table.fail("symmetric_ry", "is missing; give [[|G|^2, value in Ry], ...]");
    if (species.size() == 1 && !shells.antisymmetric.empty())
      table.fail("antisymmetric_ry", "needs two species; [[atoms]] has one");
    input.potential = shells;
  } else if (form == "four parameters") {
    Table each = table.table("coefficients", "a table of four numbers for every species");
    FourParameterPotential all;
    for (const std::string& name : species) {
      const auto c = each.rows(name, 4, "[[c0, c1, c2, c3]]: c0 (q^2 - c1) / (c2 exp(c3 q^2) - 1) in Ry, q in 1/bohr");
      all.coefficients.push_back({c[0][0], c[0][1], c[0][2], c[0][3]});
    }
    each.finish();
    input.potential = all;
  } else if (form == "gth") {
    Table ions = table.table("ions", "a table of one pseudopotential for every species");
    GthPotential all;
    for (const std::string& name : species) all.species.push_back(read_gth(ions, name));
    ions.finish();
    input.potential = all;
  } else {
    table.fail("form", fmt::format("is \"{}\"; there are {}", weft::shown(form), forms));
  }
  table.finish();
}

void read_basis(Table& file, Input& input) {
  Table basis = file.table("basis", "a table with a cutoff");
  const char* const keys[] = {"cutoff_ha", "cutoff_ry", "cutoff_ev", "cutoff_shell"};
  const double units[] = {1, ry_in_ha, 1 / ha_in_ev, 0.5 * std::pow(2 * std::acos(-1.0) / input.crystal.constant, 2)};
  for (std::size_t i = 0; i < 4; ++i) {
    if (!basis.has(keys[i])) continue;
    if (input.cutoff != 0) basis.fail(keys[i], "is a second cutoff; give one");
    input.cutoff = units[i] * basis.number(keys[i], "a number above 0", 0);
  }
  if (input.cutoff == 0)
    basis.fail("cutoff_ry",
               "is missing; give the largest |k+G|^2 in Ry, or cutoff_ha, cutoff_ev, or cutoff_shell in "
               "(2 pi / constant)^2");
  if (basis.has("largest_index")) input.largest_index = basis.whole("largest_index", "a whole number", 1, 1 << 20);
  if (basis.has("grid")) {
    for (const double n : basis.vector("grid", "three numbers of points")) {
      if (n != std::floor(n) || n < 1 || n > (1 << 20))
        basis.fail("grid", "must have three whole numbers from 1 to 1048576");
      input.grid.push_back(static_cast<weft::Index>(n));
    }
  }
  basis.finish();
}

void read_bands(Table& file, Input& input) {
  Table table = file.table("bands", "a table with the number of bands");
  input.bands = table.whole("count", "the number of bands", 1, 1 << 20);
  if (table.has("occupied")) input.occupied = table.whole("occupied", "bands below the gap", 1, input.bands);
  const std::string what = "the largest residual |H psi - e psi| of a band, from 1e-13 to 1";
  input.tolerance = table.has("tolerance_ry") ? ry_in_ha * table.number("tolerance_ry", what, 0.99e-13, 1) : 1e-7;
  table.finish();
}

/// From corner to corner in equal steps; a corner stands once, with its label.
std::vector<KPoint> read_path(Table& file) {
  Table path = file.table("path", "a table with points, corners and steps");
  Table points = path.table("points", "a table of points: Gamma = [0, 0, 0], in units of the reciprocal vectors");
  std::vector<KPoint> corners;
  for (const std::string& label : path.texts("corners", "labels of points, in the order of the path")) {
    if (!points.has(label))
      path.fail("corners", fmt::format("has \"{}\", which path.points lacks", weft::shown(label)));
    corners.push_back({label, points.vector(label, "three numbers, in units of the reciprocal vectors"), 0});
    for (const double k : corners.back().k)
      if (std::abs(k) > most_cells)
        points.fail(label, fmt::format("has {:.6g}; give numbers from {} to {}", k, -most_cells, most_cells));
  }
  for (const std::string& label : points.keys()) points.vector(label, "three numbers");
  const long long steps = corners.size() > 1 ? path.whole("steps", "steps between two corners", 1, 1000000) : 1;
  if (corners.size() == 1 && path.has("steps")) path.whole("steps", "steps between two corners", 1, 1000000);
  path.finish();

  std::vector<KPoint> all{corners.front()};
  for (std::size_t c = 1; c < corners.size(); ++c)
    for (long long i = 1; i <= steps; ++i) {
      KPoint point{i == steps ? corners[c].label : "", {}, 0};
      const double t = static_cast<double>(i) / static_cast<double>(steps);
      for (std::size_t a = 0; a < 3; ++a) point.k[a] = (1 - t) * corners[c - 1].k[a] + t * corners[c].k[a];
      all.push_back(point);
    }
  return all;
}

/// More are a mistake: each costs a calculation of its own.
constexpr long most_kpoints = 1000000;

SelfConsistent read_scf(Table& file) {
  Table table = file.table("scf", "a table with a mesh");
  SelfConsistent scf;
  const auto three = [&](const std::string& key, const std::string& what, double least, double most) {
    std::array<int, 3> all{};
    const Vector3 given = table.vector(key, what);
    for (std::size_t a = 0; a < 3; ++a) {
      if (given[a] != std::floor(given[a]) || given[a] < least || given[a] > most) table.fail(key, "must be " + what);
      all[a] = static_cast<int>(given[a]);
    }
    return all;
  };
  scf.mesh.divisions = three("mesh", "three whole numbers of k-points, 1 to 1000", 1, 1000);
  if (table.has("shift")) scf.mesh.shift = three("shift", "0 or 1 for each axis: in half steps", 0, 1);
  if (scf.mesh.divisions[0] * static_cast<long>(scf.mesh.divisions[1]) * scf.mesh.divisions[2] > most_kpoints)
    table.fail("mesh", fmt::format("has {} k-points; give at most {} in all", fmt::join(scf.mesh.divisions, " x "),
                                   most_kpoints));
  scf.kpoints = mesh(scf.mesh.divisions, scf.mesh.shift);
  if (table.has("symmetry")) scf.symmetry = table.truth("symmetry", "true or false");
  if (table.has("functionals"))
    scf.functionals = table.texts("functionals", "names of libxc: [\"lda_x\", \"lda_c_vwn\"]");
  const auto optional = [&](const char* key, double& value, const std::string& what, double most) {
    if (table.has(key)) value = table.number(key, what, 0, most);
  };
  optional("tolerance_ha", scf.tolerance, "a change of the total energy, above 0", 1);
  optional("smearing_ha", scf.smearing.width, "k T in Ha, above 0", 1);
  if (table.has("distribution")) {
    const std::string both = "\"fermi-dirac\" or \"cold\"", name = table.text("distribution", both);
    scf.smearing.cold = name == "cold";
    if (!scf.smearing.cold && name != "fermi-dirac")
      table.fail("distribution", fmt::format("is \"{}\"; there are {}", weft::shown(name), both));
    if (scf.smearing.width == 0) table.fail("distribution", "needs smearing_ha, its width");
  }
  optional("mixing", scf.mixing.share, "a share above 0, at most 1", 1);
  if (table.has("screening_per_bohr")) scf.mixing.constant = std::numeric_limits<double>::infinity();
  optional("screening_per_bohr", scf.mixing.wavenumber, "a wavenumber above 0", 100);
  optional("dielectric_constant", scf.mixing.constant, "a number from 1", 1e12);
  if (scf.mixing.constant < 1)
    table.fail("dielectric_constant", "is below 1, that of empty space; give a number from 1");
  if (table.has("most_iterations"))
    scf.most_iterations = static_cast<int>(table.whole("most_iterations", "a whole number", 1, 100000));
  table.finish();
  return scf;
}

}  // namespace

std::vector<Vector3> places(const std::vector<KPoint>& kpoints) {
  std::vector<Vector3> all;
  for (const KPoint& point : kpoints) all.push_back(point.k);
  return all;
}

Input read_input(const std::string& file, const std::string& text) {
  toml::table parsed;
  try {
    parsed = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw weft::Error(fmt::format("{}:{}: this is no TOML: {}", weft::shown_path(file), e.source().begin.line,
                                  weft::shown(e.description(), 200)));
  }
  Table all(file, parsed, "");
  Input input;
  if (all.has("title")) input.title = all.text("title", "a line of text");
  input.crystal = read_crystal(all);
  read_potential(all, input);
  read_basis(all, input);
  read_bands(all, input);
  if (all.has("scf")) input.scf = read_scf(all);
  if (all.has("path") || !all.has("scf")) input.kpoints = read_path(all);
  all.finish();
  return input;
}

}  // namespace bands

#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cube.hpp"
#include "units.hpp"
#include "xsf.hpp"

namespace bands {

namespace {

struct Term {
  const char* name;
  double energy_ha;
};

/// Six digits are enough for a picture.
double digits(double value) { return std::stod(fmt::format("{:.5e}", value)); }

std::vector<Term> parts(const Energy& e) {
  return {{"kinetic and nonlocal", e.kinetic_nonlocal},
          {"local", e.local},
          {"Hartree", e.hartree},
          {"exchange and correlation", e.exchange_correlation},
          {"Ewald", e.ewald},
          {"correction", e.correction},
          {"-T S", e.entropy},
          {"total", e.total()}};
}

using Json = nlohmann::ordered_json;

/// A plane of the density through the origin: along a1 + a2 and a3 where the grid is as fine along
/// a1 as along a2, as bonds of common crystals lie there; else along a1 and a3. Rows go along the
/// first side.
Json slice(const Crystal& crystal, const GroundState& state) {
  const weft::Shape& n = state.grid;
  const bool diagonal = n[0] == n[1];
  Vector3 side = crystal.cell[0];
  if (diagonal)
    for (std::size_t a = 0; a < 3; ++a) side[a] += crystal.cell[1][a];
  const Vector3& other = crystal.cell[2];
  const double length = std::sqrt(dot(side, side)), along = dot(side, other) / length;
  const double across = std::sqrt(std::max(0.0, dot(other, other) - along * along));
  Json rows = Json::array(), atoms = Json::array();
  for (weft::Index i = 0; i < n[0]; ++i) {
    const weft::Index first = (i * n[1] + (diagonal ? i : 0)) * n[2];
    rows.push_back(Json::array());
    for (weft::Index k = 0; k < n[2]; ++k)
      rows.back().push_back(digits(state.density[static_cast<std::size_t>(first + k)]));
  }
  for (const Atom& atom : crystal.atoms) {
    const double off = atom.at[1] - (diagonal ? atom.at[0] : 0);
    if (std::abs(off - std::round(off)) > 1e-6) continue;
    const double u = atom.at[0] - std::floor(atom.at[0]), v = atom.at[2] - std::floor(atom.at[2]);
    for (const double i : {u, u + 1})
      for (const double k : {v, v + 1}) atoms.push_back({i * length + k * along, k * across});
  }
  return {{"plane", diagonal ? "a1 + a2 and a3" : "a1 and a3"},
          {"sides_bohr", {{length, 0.0}, {along, across}}},
          {"electrons_per_bohr3", rows},
          {"atoms_bohr", atoms}};
}

}  // namespace

std::string line(const Iteration& now) {
  const std::string heading = fmt::format("{:>9} {:>20} {:>10} {:>13} {:>6}\n", "iteration", "total energy, Ha",
                                          "change", "moves, el.", "steps");
  const std::string change = now.number == 1 ? "" : fmt::format("{:.1e}", now.change);
  return (now.number == 1 ? heading : "") + fmt::format("{:>9} {:>20.12f} {:>10} {:>13.1e} {:>6}\n", now.number,
                                                        now.energy.total(), change, now.residual, now.steps);
}

std::string table(const Input& input, const GroundState& state) {
  std::string out = input.title.empty() ? "\n" : "\n" + input.title + "\n";
  out += fmt::format("{} atoms, {} k-points, grid {}; {} ranks in {} pools, exchange {}\n", input.crystal.atoms.size(),
                     state.kpoints.size(), fmt::join(state.grid, " x "), state.ranks, state.pools, state.strategy);
  out += idle_text(state.idle, state.ranks);
  out += '\n';
  if (state.symmetries > 0) out += fmt::format("k-points are those that {} symmetries leave\n", state.symmetries);
  for (const auto& [name, energy] : parts(state.energy)) out += fmt::format("{:<24} {:>18.10f} Ha\n", name, energy);
  out += fmt::format("\n{} {:.4f} eV\n{:<28} weight  energies, eV\n",
                     input.scf.smearing.width > 0 ? "Fermi energy" : "highest occupied", state.fermi * ha_in_ev,
                     "k-point");
  for (const AtKPoint& at : state.kpoints) {
    out += fmt::format("{:<28} {:.4f}",
                       fmt::format("({:.4g}, {:.4g}, {:.4g})", at.point.k[0], at.point.k[1], at.point.k[2]),
                       at.point.weight);
    for (std::size_t b = 0; b < at.solution.energies.size(); ++b) {
      if (b > 0 && b % 8 == 0) out += fmt::format("\n{:35}", "");
      out += fmt::format(" {:>9.4f}", at.solution.energies[b] * ha_in_ev);
    }
    out += '\n';
  }
  if (!state.forces.empty()) {
    out += "\nforces, Ha/bohr\n";
    for (std::size_t n = 0; n < state.forces.size(); ++n)
      out += fmt::format("{:<4} {:>14.8f} {:>14.8f} {:>14.8f}\n", input.crystal.species[input.crystal.atoms[n].species],
                         state.forces[n][0], state.forces[n][1], state.forces[n][2]);
  }
  if (const BandStructure& path = state.path; !path.kpoints.empty()) {
    out += '\n' + heading(input, path);
    if (path.idle != state.idle) out += idle_text(path.idle, path.ranks);
    out += '\n' + energies(input, path);
  }
  out += seconds_text(state.seconds, state.wall);
  return out;
}

std::string json(const Input& input, const GroundState& state) {
  Json energy, kpoints = Json::array(), iterations = Json::array();
  for (const auto& [name, value] : parts(state.energy)) energy[name] = value;
  for (std::size_t k = 0; k < state.kpoints.size(); ++k) {
    const AtKPoint& at = state.kpoints[k];
    std::vector<double> energies_ev = at.solution.energies;
    for (double& e : energies_ev) e *= ha_in_ev;
    kpoints.push_back({{"k", at.point.k},
                       {"weight", at.point.weight},
                       {"plane_waves", at.plane_waves},
                       {"energies_ev", energies_ev},
                       {"electrons", state.electrons[k]}});
  }
  for (const Iteration& i : state.iterations)
    iterations.push_back(
        {{"total_ha", i.energy.total()}, {"change_ha", i.change}, {"moves_electrons", i.residual}, {"steps", i.steps}});
  Json all{{"what", "scf"},
           {"title", input.title},
           {"cell_bohr", input.crystal.cell},
           {"cutoff_ha", input.cutoff},
           {"grid", std::vector<weft::Index>(state.grid.begin(), state.grid.end())},
           {"energy_ha", energy},
           {"fermi_ev", state.fermi * ha_in_ev},
           {"kpoints", kpoints},
           {"iterations", iterations},
           {"ranks", state.ranks},
           {"pools", state.pools},
           {"symmetries", state.symmetries},
           {"strategy", state.strategy}};
  for (const auto& [name, count] : counts(state.idle)) all["idle_ranks"][name] = count;
  for (const auto& [name, value] : categories(state.seconds, state.wall)) all["seconds"][name] = value;
  if (!state.forces.empty()) all["forces_ha_per_bohr"] = state.forces;
  if (!state.density.empty()) all["density_slice"] = slice(input.crystal, state);
  if (!state.path.kpoints.empty()) all["path"] = Json::parse(json(input, state.path));
  return all.dump(1) + "\n";
}

std::string cube_of(const Input& input, const GroundState& state) {
  std::vector<double> charges;
  for (const Gth& gth : std::get<GthPotential>(input.potential).species) charges.push_back(gth.charge);
  return cube(input.crystal, charges, {state.grid.begin(), state.grid.end()}, state.density,
              "density, 1/bohr^3: " + input.title);
}

std::string xsf_of(const Input& input, const GroundState& state) {
  return xsf(input.crystal, {state.grid.begin(), state.grid.end()}, state.density, "density, 1/bohr^3: " + input.title);
}

}  // namespace bands

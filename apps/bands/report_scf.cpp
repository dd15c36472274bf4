#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cube.hpp"
#include "units.hpp"

namespace bands {

namespace {

struct Part {
  const char* name;
  double energy_ha;
};

std::vector<Part> parts(const Energy& e) {
  return {{"kinetic and nonlocal", e.kinetic_nonlocal},
          {"local", e.local},
          {"Hartree", e.hartree},
          {"exchange and correlation", e.exchange_correlation},
          {"Ewald", e.ewald},
          {"correction", e.correction},
          {"-T S", e.entropy},
          {"total", e.total()}};
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
  out +=
      fmt::format("{} atoms, {} k-points, grid {}; {} ranks in {} pools, exchange {}\n\n", input.crystal.atoms.size(),
                  state.kpoints.size(), fmt::join(state.grid, " x "), state.ranks, state.pools, state.strategy);
  for (const auto& [name, energy] : parts(state.energy)) out += fmt::format("{:<24} {:>18.10f} Ha\n", name, energy);
  out += fmt::format("\n{} {:.4f} eV\n{:<28} weight  energies, eV\n",
                     input.scf.smearing > 0 ? "Fermi energy" : "highest occupied", state.fermi * ha_in_ev, "k-point");
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
  if (!state.path.kpoints.empty()) out += "\n" + table(input, state.path);
  const Seconds& s = state.seconds;
  out += fmt::format("\n{:.3g} s: transforms {:.3g}, matrix products {:.3g}, sums over ranks {:.3g}, subspace {:.3g}\n",
                     state.wall, s.transforms, s.products, s.sums, s.dense);
  return out;
}

std::string json(const Input& input, const GroundState& state) {
  using Json = nlohmann::ordered_json;
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
  const Seconds& s = state.seconds;
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
           {"strategy", state.strategy},
           {"seconds",
            {{"wall", state.wall},
             {"transforms", s.transforms},
             {"products", s.products},
             {"sums", s.sums},
             {"dense", s.dense}}}};
  if (!state.path.kpoints.empty()) all["path"] = Json::parse(json(input, state.path));
  return all.dump(1) + "\n";
}

std::string cube_of(const Input& input, const GroundState& state) {
  std::vector<double> charges;
  for (const Gth& gth : std::get<GthPotential>(input.potential).species) charges.push_back(gth.charge);
  return cube(input.crystal, charges, {state.grid.begin(), state.grid.end()}, state.density,
              "density, 1/bohr^3: " + input.title);
}

}  // namespace bands

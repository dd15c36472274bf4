#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "units.hpp"

namespace bands {

namespace {

std::string place(const KPoint& point) {
  const std::string k = fmt::format("({:.4g}, {:.4g}, {:.4g})", point.k[0], point.k[1], point.k[2]);
  return point.label.empty() ? k : fmt::format("{} {}", point.label, k);
}

/// Whether the energies reach beyond the occupied bands, so that there is a gap to tell of.
bool has_gap(const Input& input) { return input.occupied > 0 && input.occupied < input.bands; }

std::vector<double> in_ev(std::vector<double> values) {
  for (double& value : values) value *= ha_in_ev;
  return values;
}

/// "89" or "571 to 609".
std::string plane_waves(const BandStructure& structure) {
  const auto by_size = [](const AtKPoint& a, const AtKPoint& b) { return a.plane_waves < b.plane_waves; };
  const auto [least, most] = std::minmax_element(structure.kpoints.begin(), structure.kpoints.end(), by_size);
  return least->plane_waves == most->plane_waves ? fmt::format("{}", most->plane_waves)
                                                 : fmt::format("{} to {}", least->plane_waves, most->plane_waves);
}

}  // namespace

std::vector<std::pair<std::string, double>> categories(const Seconds& seconds, double wall) {
  return {{"wall", wall},
          {"transforms", seconds.transforms},
          {"exchanges", seconds.exchanges},
          {"products", seconds.products},
          {"sums", seconds.sums},
          {"slabs", seconds.slabs},
          {"dense", seconds.dense}};
}

std::vector<std::pair<std::string, int>> counts(const Idle& idle) {
  return {{"no_kpoint", idle.kpoints},
          {"no_plane_waves", idle.plane_waves},
          {"no_planes", idle.space},
          {"no_whole_bands", idle.whole_bands},
          {"nothing", idle.nothing}};
}

std::string seconds_text(const Seconds& s, double wall) {
  return fmt::format(
      "\n{:.3g} s: transforms {:.3g}, of these exchanges {:.3g}; matrix products {:.3g}, sums over ranks "
      "{:.3g}, slabs {:.3g}, subspace {:.3g}\n",
      wall, s.transforms, s.exchanges, s.products, s.sums, s.slabs, s.dense);
}

std::string heading(const Input& input, const BandStructure& structure) {
  return (input.title.empty() ? "" : input.title + "\n") +
         fmt::format("{} atoms, {} plane waves, grid {}; {} ranks in {} pools, exchange {}\n",
                     input.crystal.atoms.size(), plane_waves(structure), fmt::join(structure.grid, " x "),
                     structure.ranks, structure.pools, structure.strategy);
}

std::string energies(const Input& input, const BandStructure& structure) {
  std::string out;
  std::size_t width = 7;
  for (const AtKPoint& at : structure.kpoints) width = std::max(width, place(at.point).size());
  out += fmt::format("{:<{}}  steps  energies, eV\n", "k-point", width);
  for (const AtKPoint& at : structure.kpoints) {
    out += fmt::format("{:<{}}  {:>5}", place(at.point), width, at.solution.steps);
    for (std::size_t b = 0; b < at.solution.energies.size(); ++b) {
      if (b > 0 && b % 8 == 0) out += fmt::format("\n{:{}}", "", width + 7);
      out += fmt::format(" {:>9.4f}", at.solution.energies[b] * ha_in_ev);
    }
    out += '\n';
  }
  if (has_gap(input)) {
    const Gap gap = gap_of(structure.kpoints, input.occupied);
    const auto at = [&](std::size_t i) { return place(structure.kpoints[i].point); };
    out += fmt::format("\nvalence top {:.4f} eV at {}, conduction bottom {:.4f} eV at {}: gap {:.4f} eV\n",
                       gap.top * ha_in_ev, at(gap.top_at), gap.bottom * ha_in_ev, at(gap.bottom_at),
                       (gap.bottom - gap.top) * ha_in_ev);
    out += fmt::format("least direct gap {:.4f} eV at {}\n", gap.direct * ha_in_ev, at(gap.direct_at));
  }
  out += seconds_text(structure.seconds, structure.wall);
  return out;
}

std::string table(const Input& input, const BandStructure& structure) {
  return heading(input, structure) + idle_text(structure.idle, structure.ranks) + '\n' + energies(input, structure);
}

std::string json(const Input& input, const BandStructure& structure) {
  using Json = nlohmann::ordered_json;
  const Matrix3 b = input.crystal.reciprocal();
  Json kpoints = Json::array();
  double distance = 0;
  for (std::size_t i = 0; i < structure.kpoints.size(); ++i) {
    const AtKPoint& at = structure.kpoints[i];
    if (i > 0) {
      Vector3 step;
      for (std::size_t a = 0; a < 3; ++a) step[a] = at.point.k[a] - structure.kpoints[i - 1].point.k[a];
      const Vector3 apart = combine(step, b);
      distance += std::sqrt(dot(apart, apart));
    }
    kpoints.push_back({{"label", at.point.label},
                       {"k", at.point.k},
                       {"distance_per_bohr", distance},
                       {"plane_waves", at.plane_waves},
                       {"steps", at.solution.steps},
                       {"energies_ev", in_ev(at.solution.energies)},
                       {"residuals_ev", in_ev(at.solution.residuals)}});
  }
  Json all{{"what", "bands"},
           {"title", input.title},
           {"cell_bohr", input.crystal.cell},
           {"cutoff_ha", input.cutoff},
           {"grid", std::vector<weft::Index>(structure.grid.begin(), structure.grid.end())},
           {"occupied", input.occupied}};
  if (has_gap(input)) {
    const Gap gap = gap_of(structure.kpoints, input.occupied);
    all["valence_top_ev"] = gap.top * ha_in_ev;
    all["gap_ev"] = (gap.bottom - gap.top) * ha_in_ev;
    all["direct_gap_ev"] = gap.direct * ha_in_ev;
  }
  all["kpoints"] = kpoints;
  all["ranks"] = structure.ranks;
  all["pools"] = structure.pools;
  for (const auto& [name, count] : counts(structure.idle)) all["idle_ranks"][name] = count;
  all["strategy"] = structure.strategy;
  for (const auto& [name, value] : categories(structure.seconds, structure.wall)) all["seconds"][name] = value;
  return all.dump(1) + "\n";
}

}  // namespace bands

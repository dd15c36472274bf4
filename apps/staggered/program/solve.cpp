#include "../solve.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "../fields.hpp"
#include "commands.hpp"

namespace staggered {
namespace {

struct SolveRequest {
  std::string links = "random", extents, fat, far, source = "random", way = "auto", parity = "both",
              precision = "double";
  std::string normal, inverse, json;
  double mass = 0.1, tolerance = 1e-8, within = 2e-7;
  int most = 1000;
  bool waits = false;
  std::uint64_t seed = 1;
};

/// Sums over all ranks.
std::vector<double> totals(MPI_Comm comm, std::vector<double> mine) {
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, comm);
  return mine;
}

/// Links of the operator, and the lattice that they are of.
struct Configuration {
  weft::Layout layout;
  std::vector<Links> near, far;
};

Configuration configuration(MPI_Comm comm, const SolveRequest& request) {
  const int rank = rank_of(comm), ranks = ranks_of(comm);
  if (request.fat.empty() != request.far.empty())
    throw weft::Error("fat and long links come together: give --fat and --long, or neither of them");
  const bool made = request.fat.empty() && (request.links == "unit" || request.links == "random");
  if (made || !request.fat.empty()) {
    if (request.extents.empty()) throw weft::Error("a lattice of what extents? Give --extents, as 8x8x8x16");
    const weft::Layout layout = sites(shape_from(request.extents), ranks);
    if (!made) return {layout, read_lime_links(comm, request.fat, layout), read_lime_links(comm, request.far, layout)};
    std::vector<Links> links =
        request.links == "unit" ? unit_links(layout, rank) : random_links(layout, rank, request.seed);
    put_phases(layout, rank, links);
    return {layout, links, {}};
  }
  const weft::Layout layout = sites(read_header(comm, request.links).shape, ranks);
  std::vector<Links> links = read_links(comm, request.links, layout);
  put_phases(layout, rank, links);
  return {layout, links, {}};
}

int run(const SolveRequest& request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = rank_of(comm);
  if (!(request.tolerance > 0 && request.mass > 0 && request.most > 0))
    throw weft::Error("mass, tolerance and most iterations are above 0");
  const bool compares = !request.normal.empty() || !request.inverse.empty();
  if (compares && request.parity != "both")
    throw weft::Error("an answer has both parities: give --parity both with --answer and --inverse-answer");
  const Configuration lattice = configuration(comm, request);
  std::vector<Hops> hops{{1, &lattice.near}};
  if (!lattice.far.empty()) hops.push_back({3, &lattice.far});
  const OperatorOptions options{.way = request.way, .overlaps = !request.waits};
  Operator d(comm, lattice.layout, hops, options);
  std::optional<SingleOperator> single;
  if (request.precision == "mixed") single.emplace(comm, lattice.layout, hops, options);
  const std::vector<Vector> source = request.source == "random" ? random_field(lattice.layout, rank, request.seed + 1)
                                     : request.source == "point"
                                         ? point_field(lattice.layout, rank)
                                         : read_lime_vectors(comm, request.source, lattice.layout);
  const auto points = static_cast<double>(weft::volume(lattice.layout.shape()));
  nlohmann::json report{{"extents", extents_json(lattice.layout.shape())},
                        {"ranks", ranks_of(comm)},
                        {"links", lattice.far.empty() ? request.links : "fat and long"},
                        {"mass", request.mass},
                        {"tolerance", request.tolerance},
                        {"way", request.way},
                        {"precision", request.precision},
                        {"overlap", !request.waits}};
  if (rank == 0)
    fmt::print("{} sites on {}, {} links, mass {}, exchange {}\n", to_string(extents(lattice.layout.shape())),
               ranks_of(comm) == 1 ? "1 rank" : std::to_string(ranks_of(comm)) + " ranks",
               lattice.far.empty() ? request.links : "fat and long", request.mass, request.way);
  bool good = true;
  std::vector<Vector> b[2], y[2];
  for (const int p : {0, 1}) {
    b[p] = take_parity(d, p, source);
    y[p].resize(d.elements(p));
    const char* const name = p == 0 ? "even" : "odd";
    if (request.parity != "both" && request.parity != name) continue;
    const Solution found =
        single ? solve(comm, d, *single, p, request.mass, b[p].data(), y[p].data(), request.tolerance, request.most)
               : solve(comm, d, p, request.mass, b[p].data(), y[p].data(), request.tolerance, request.most);
    const bool converged =
        found.history.empty() ||
        (single ? found.residual < request.tolerance : found.history.back() < request.tolerance * request.tolerance);
    good = good && converged;
    const double flops = flops_of_iteration(d) * points * found.iterations;
    const double mflops = found.seconds > 0 ? flops / found.seconds / 1e6 : 0;
    report[name] = {
        {"iterations", found.iterations}, {"residual", found.residual}, {"seconds", found.seconds}, {"mflops", mflops},
        {"converged", converged},         {"restarts", found.restarts}, {"history", found.history}};
    if (rank == 0)
      fmt::print("  {:<4} sites: {} iterations{}, |b - A x|/|b| = {:.3e}, {:.4f} s, {:.0f} MFlop/s\n", name,
                 found.iterations, converged ? "" : " and not converged", found.residual, found.seconds, mflops);
  }

  if (compares) {
    const auto shipped = [&](const std::string& path) {
      return path.empty() ? std::vector<Vector>(source.size()) : read_lime_vectors(comm, path, lattice.layout);
    };
    const std::vector<Vector> normal = shipped(request.normal), inverse = shipped(request.inverse);
    std::vector<double> sums(7);  // |b|^2; of each answer: |residual|^2, |answer|^2, |answer - ours|^2
    const double m = request.mass;
    for (const int p : {0, 1}) {
      const auto applied = [&](std::vector<Vector> from) {  // D, from the other parity
        std::vector<Vector> to(d.elements(p));
        d.apply(p, from.data(), to.data());
        return to;
      };
      std::vector<Vector> of_normal = take_parity(d, p, normal), between(d.elements(1 - p));
      d.apply(1 - p, of_normal.data(), between.data());
      const std::vector<Vector> of_inverse = take_parity(d, p, inverse), ddy = applied(between),
                                dx = applied(take_parity(d, 1 - p, inverse)), dy = applied(y[1 - p]);
      for (std::size_t i = 0; i < d.sites(p); ++i)
        for (std::size_t c = 0; c < colours; ++c) {  // (4 m^2 - D D) y = b, and (2 m + D) x = b where x = (2 m - D) y
          sums[0] += std::norm(b[p][i][c]);
          sums[1] += std::norm(4 * m * m * of_normal[i][c] - ddy[i][c] - b[p][i][c]);
          sums[2] += std::norm(of_normal[i][c]);
          sums[3] += std::norm(y[p][i][c] - of_normal[i][c]);
          sums[4] += std::norm(2 * m * of_inverse[i][c] + dx[i][c] - b[p][i][c]);
          sums[5] += std::norm(of_inverse[i][c]);
          sums[6] += std::norm(2 * m * y[p][i][c] - dy[i][c] - of_inverse[i][c]);
        }
    }
    sums = totals(comm, sums);
    report["source"] = std::sqrt(sums[0]);
    const auto say = [&](const char* key, const char* what, const double* of) {
      const double residual = std::sqrt(of[0] / sums[0]), off = std::sqrt(of[2] / of[1]);
      report[key] = {{"residual", residual}, {"difference", off}};
      good = good && off < request.within;
      if (rank == 0)
        fmt::print("  answer of {}: its residual {:.2e}, ours differs from it by {:.3e} ({})\n", what, residual, off,
                   off < request.within ? "fine" : "too much");
    };
    if (!request.normal.empty()) say("answer", "M^+ M", &sums[1]);
    if (!request.inverse.empty()) say("inverse_answer", "M", &sums[4]);
  }
  write_json(comm, request.json, report);
  return good ? 0 : 1;
}

}  // namespace

Command solve_command(CLI::App& app) {
  const auto request = std::make_shared<SolveRequest>();
  CLI::App* const command = app.add_subcommand("solve", "solve (4 m^2 - D D) x = b on sites of one parity, or of each");
  command->add_option("--links", request->links, "unit, random, or a gauge configuration in the format v5 [random]");
  command->add_option("--extents", request->extents, "of the lattice: nx x ny x nz x nt, as 8x8x8x16");
  command->add_option("--fat", request->fat, "links of distance 1, phases in them: a LIME file");
  command->add_option("--long", request->far, "links of distance 3, phases in them: a LIME file");
  command->add_option("--source", request->source, "random, point, or a LIME file of vectors [random]");
  command->add_option("--mass", request->mass, "[0.1]");
  command->add_option("--tolerance", request->tolerance, "of |r|/|b| [1e-8]");
  command->add_option("--most", request->most, "iterations [1000]");
  command->add_option("--parity", request->parity, "even, odd or both [both]")
      ->check(CLI::IsMember({"even", "odd", "both"}));
  command->add_option("--way", request->way, "how ghost sites are filled: hand, faces, auto, or a strategy [auto]");
  command->add_flag("--no-overlap", request->waits, "fill all ghost sites before any site is computed");
  command->add_option("--precision", request->precision, "double, or mixed: single in the iterations [double]")
      ->check(CLI::IsMember({"double", "mixed"}));
  command->add_option("--answer", request->normal, "a LIME file of (M^+ M)^-1 source, to compare with");
  command->add_option("--inverse-answer", request->inverse, "a LIME file of M^-1 source, to compare with");
  command->add_option("--within", request->within, "most that an answer may differ, relative [2e-7]");
  command->add_option("--seed", request->seed, "of random links; the source has the next one [1]");
  command->add_option("--json", request->json, "write the result and the residual of every iteration to this file");
  return {command, [request] { return run(*request); }};
}

}  // namespace staggered

// Weak and strong scaling, where the time goes, and what that gives for far more ranks.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "../../agree.hpp"
#include "../bandwidth.hpp"
#include "../fields.hpp"
#include "../solve.hpp"
#include "commands.hpp"

namespace staggered {
namespace {

struct StudyRequest {
  std::string local = "4x4x4x4", extents = "16x16x16x16", json;
  std::vector<std::string> ways{by_hand, by_faces, "datatype", "direct"};
  std::vector<double> predicted{1024, 16384, 300000};
  int iterations = 30, repeat = 5;
};

/// Of one iteration, the mean over ranks.
struct Split {
  double all = 0, packing = 0, exchange = 0, compute = 0, sums = 0, vectors = 0;
};

struct Result {
  std::string way;
  bool weak = true;
  int ranks = 1, cut = 0;  ///< cut: sides across which a rank exchanges
  weft::Shape shape;
  Split split;
  double mflops = 0, read = 0;  ///< bytes a second, by as many ranks
};

Result measure(MPI_Comm comm, const StudyRequest& request, const weft::Shape& shape, const std::string& way) {
  const int rank = rank_of(comm), ranks = ranks_of(comm);
  const weft::Layout layout = sites(shape, ranks);
  std::vector<Links> links = random_links(layout, rank, 1);
  put_phases(layout, rank, links);
  Operator d(comm, layout, {{1, &links}}, {.way = way});
  const std::vector<Vector> b = take_parity(d, 0, random_field(layout, rank, 2));
  std::vector<Vector> x(d.elements(0));
  std::vector<Split> turns;
  for (int turn = 0; turn <= request.repeat; ++turn) {
    const Seconds before = d.seconds();
    const double packed = d.packing_seconds();
    MPI_Barrier(comm);
    const Solution found = solve(comm, d, 0, 0.1, b.data(), x.data(), 1e-60, request.iterations);
    // The true residual's two applications are counted with the others: one iteration more.
    const double mine = 1.0 / found.iterations, applied = 1.0 / (found.iterations + 1);
    const Seconds& after = d.seconds();
    Split split{.all = found.seconds * mine,
                .packing = (d.packing_seconds() - packed) * applied,
                .exchange = (after.starts - before.starts + after.finishes - before.finishes) * applied,
                .compute = (after.inner - before.inner + after.rim - before.rim) * applied,
                .sums = found.sums_seconds * mine};
    split.exchange -= split.packing;
    double* const numbers[] = {&split.all, &split.packing, &split.exchange, &split.compute, &split.sums};
    for (double* number : numbers) {
      MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_DOUBLE, MPI_SUM, comm);
      *number /= ranks;
    }
    split.vectors = std::max(0.0, split.all - split.packing - split.exchange - split.compute - split.sums);
    if (turn > 0) turns.push_back(split);
  }
  std::sort(turns.begin(), turns.end(), [](const Split& one, const Split& other) { return one.all < other.all; });
  Result result{.way = way, .ranks = ranks, .shape = shape, .split = turns[turns.size() / 2]};
  for (const weft::Index width : d.width()) result.cut += width > 0 ? 2 : 0;
  result.mflops = flops_of_iteration(d) * static_cast<double>(weft::volume(shape)) / result.split.all / 1e6;
  return result;
}

/// Seconds of an iteration where all four axes are cut among so many ranks, from one that was
/// measured: messages to all eight sides, and sums along a tree.
Split predicted(const Result& from, double ranks) {
  Split split = from.split;
  const double sides = 2.0 * directions / from.cut;
  split.packing *= sides;
  split.exchange *= sides;
  split.sums *= std::log2(ranks) / std::log2(static_cast<double>(from.ranks));
  split.all = split.packing + split.exchange + split.compute + split.sums + split.vectors;
  return split;
}

nlohmann::json json_of(const Split& split) {
  return {{"all", split.all},         {"packing", split.packing}, {"exchange", split.exchange},
          {"compute", split.compute}, {"sums", split.sums},       {"vectors", split.vectors}};
}

void print(const std::string& way, const std::string& what, const Split& s, const std::string& more) {
  fmt::print("{:<10} {:>22} {:>9.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>7.1f} {:>8.1f}  {}\n", way, what, s.all * 1e6,
             s.packing * 1e6, s.exchange * 1e6, s.compute * 1e6, s.sums * 1e6, s.vectors * 1e6, more);
}

int run(const StudyRequest& request) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int rank = rank_of(world), ranks = ranks_of(world);
  if (request.iterations < 1 || request.repeat < 1) throw weft::Error("--iterations and --repeat are at least 1");
  const weft::Shape local = shape_from(request.local), whole = shape_from(request.extents);
  check_parities(whole);
  std::vector<int> counts;
  for (int n = 1; n < ranks; n *= 2) counts.push_back(n);
  counts.push_back(ranks);
  std::vector<Result> results;
  for (const int n : counts) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(world, rank < n ? 0 : MPI_UNDEFINED, rank, &comm);
    apps::agree(world, [&] {  // those of comm fail alike
      if (comm == MPI_COMM_NULL) return;
      const double read = read_bytes_per_second(comm);
      int grid[directions] = {};
      MPI_Dims_create(n, directions, grid);
      weft::Shape weak = local;
      for (int a = 0; a < directions; ++a) weak[a] *= grid[a];
      for (const bool is_weak : {true, false})
        for (const std::string& way : request.ways) {
          results.push_back(measure(comm, request, is_weak ? weak : whole, way));
          results.back().weak = is_weak;
          results.back().read = read;
        }
    });
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  if (rank != 0) {
    write_json(world, request.json, {});
    return 0;
  }

  const nlohmann::json none = nlohmann::json::array();
  nlohmann::json report{{"ranks", ranks}, {"measured", none}, {"predicted", none}};
  for (const bool weak : {true, false}) {
    fmt::print("{}\n{:<10} {:>22} {:>9} {:>8} {:>8} {:>9} {:>7} {:>8}  {}\n",
               weak ? "weak scaling, " + request.local + " sites a rank; us an iteration"
                    : "\nstrong scaling, " + request.extents + " sites; us an iteration",
               "way", "ranks", "all", "packing", "exchange", "compute", "sums", "vectors", "MFlop/s");
    for (const Result& result : results) {
      if (result.weak != weak) continue;
      print(result.way, fmt::format("{} ({})", result.ranks, to_string(extents(result.shape))), result.split,
            fmt::format("{:.0f}", result.mflops));
      report["measured"].push_back({{"way", result.way},
                                    {"weak", weak},
                                    {"ranks", result.ranks},
                                    {"extents", extents_json(result.shape)},
                                    {"sides", result.cut},
                                    {"seconds", json_of(result.split)},
                                    {"mflops", result.mflops},
                                    {"read_bytes_per_second", result.read}});
    }
  }
  fmt::print("\nmodel of weak scaling, from {} ranks\n", ranks);
  for (const Result& from : results) {
    if (!from.weak || from.ranks != ranks) continue;
    if (from.cut == 0) {
      fmt::print("{}: one rank exchanges nothing to extrapolate from; run on 2 or more\n", from.way);
      continue;
    }
    for (const double many : request.predicted) {
      const bool extrapolates = many > ranks || from.cut < 2 * directions;
      const Split split = predicted(from, many);
      print(from.way, fmt::format("{:.0f}", many), split,
            fmt::format("packing {:.1f} %{}", 100 * split.packing / split.all,
                        extrapolates ? fmt::format(", EXTRAPOLATED from {} sides of {} ranks", from.cut, ranks) : ""));
      report["predicted"].push_back(
          {{"way", from.way}, {"ranks", many}, {"seconds", json_of(split)}, {"extrapolated", extrapolates}});
    }
  }
  write_json(world, request.json, report);
  return 0;
}

}  // namespace

Command study_command(CLI::App& app) {
  const auto request = std::make_shared<StudyRequest>();
  CLI::App* const command = app.add_subcommand("study", "weak and strong scaling, split, and a model of many ranks");
  command->add_option("--local", request->local, "sites a rank, for weak scaling [4x4x4x4]");
  command->add_option("--extents", request->extents, "of the lattice, for strong scaling [16x16x16x16]");
  command->add_option("--ways", request->ways, "hand, faces, strategies [hand,faces,datatype,direct]")->delimiter(',');
  command->add_option("--predict", request->predicted, "numbers of ranks to extrapolate to [1024,16384,300000]")
      ->delimiter(',')
      ->check(CLI::Range(2.0, 1e9));
  command->add_option("--iterations", request->iterations, "of a solve [30]");
  command->add_option("--repeat", request->repeat, "turns [5]");
  command->add_option("--json", request->json, "write the result to this file");
  return {command, [request] { return run(*request); }};
}

}  // namespace staggered

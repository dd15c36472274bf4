// Every way of filling ghost sites, in turn: exchanges alone, and solves with and without overlap.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <weft/exchange.hpp>

#include "../bandwidth.hpp"
#include "../fields.hpp"
#include "../solve.hpp"
#include "commands.hpp"

namespace staggered {
namespace {

struct BenchRequest {
  std::string local = "4x4x4x4", extents, json;
  std::vector<std::string> ways;
  int iterations = 30, repeat = 5;
  bool far = false;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double slowest(MPI_Comm comm, double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

/// One way, and what it took in every turn, in seconds.
struct Contender {
  std::string name;
  std::vector<Exchanges> of_objects;
  std::vector<double> exchange[std::size(objects)], overlapped, waiting;  // one exchange; one iteration
  double packing = 0;                                                     // of the last solve, an iteration
};

int run(const BenchRequest& request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int rank = rank_of(comm), ranks = ranks_of(comm);
  if (request.iterations < 1 || request.repeat < 1) throw weft::Error("--iterations and --repeat are at least 1");
  weft::Shape shape;
  if (request.extents.empty()) {
    int grid[directions] = {};
    MPI_Dims_create(ranks, directions, grid);
    shape = shape_from(request.local);
    for (int a = 0; a < directions; ++a) shape[a] *= grid[a];
  } else {
    shape = shape_from(request.extents);
  }
  const weft::Layout layout = sites(shape, ranks);
  std::vector<Links> links = random_links(layout, rank, 1), far_links;
  put_phases(layout, rank, links);
  std::vector<Hops> hops{{1, &links}};
  if (request.far) far_links = random_links(layout, rank, 2), hops.push_back({3, &far_links});
  Operator d(comm, layout, hops);
  links = {}, far_links = {};

  std::vector<std::string> names = request.ways;
  if (names.empty()) {
    names = {by_hand, by_faces};
    for (const weft::Strategy* strategy : weft::strategies()) names.emplace_back(strategy->name());
  }
  std::vector<Contender> contenders;
  for (const std::string& name : names) try {
      Contender one{.name = name};
      for (const Object& object : objects)
        one.of_objects.push_back(exchanges(comm, layout, d.width(), object.numbers, name));
      contenders.push_back(std::move(one));
    } catch (const weft::Declined& e) {
      if (rank == 0) fmt::print("{}: declines\n", name);
      if (!request.ways.empty()) throw;
    }

  double one_reads = 0;
  if (rank == 0) one_reads = read_bytes_per_second(MPI_COMM_SELF);
  MPI_Bcast(&one_reads, 1, MPI_DOUBLE, 0, comm);
  const double all_read = read_bytes_per_second(comm);
  const double points = static_cast<double>(weft::volume(shape));
  const int exchanges_at_once = points / ranks > 20000 ? 20 : 200;

  std::vector<Complex> field(static_cast<std::size_t>(std::max(d.elements(0), d.elements(1))) * 9, 1.0);
  const std::vector<Vector> b = take_parity(d, 0, random_field(layout, rank, 3));
  std::vector<Vector> x(d.elements(0));
  std::vector<double> first;
  bool good = true;
  const std::size_t count = contenders.size();
  for (std::size_t turn = 0; turn <= static_cast<std::size_t>(request.repeat); ++turn)
    for (std::size_t k = 0; k < count; ++k) {
      Contender& one = contenders[(k + turn) % count];
      const auto keep = [&](std::vector<double>& list, double seconds) {
        if (turn > 0) list.push_back(seconds);  // the first turn warms up
      };
      for (std::size_t object = 0; object < std::size(objects); ++object) {
        Exchange& exchange = *one.of_objects[object][0];
        MPI_Barrier(comm);
        const double begin = MPI_Wtime();
        for (int i = 0; i < exchanges_at_once; ++i) exchange.start(field.data()), exchange.finish();
        keep(one.exchange[object], slowest(comm, MPI_Wtime() - begin) / exchanges_at_once);
      }
      for (const bool overlaps : {turn % 2 == 0, turn % 2 != 0}) {  // the first one finds caches cold
        d.exchange_by(one.of_objects[0], overlaps);
        const double packed = d.packing_seconds();
        MPI_Barrier(comm);
        const Solution found = solve(comm, d, 0, 0.1, b.data(), x.data(), 1e-60, request.iterations);
        keep(overlaps ? one.overlapped : one.waiting, slowest(comm, found.seconds) / found.iterations);
        one.packing = (d.packing_seconds() - packed) / found.iterations;
        if (first.empty()) first = found.history;
        good = good && found.history == first;
      }
    }

  const double limit = bytes_of_iteration(d) * points / all_read, flops = flops_of_iteration(d) * points;
  nlohmann::json report{{"extents", extents_json(shape)},
                        {"ranks", ranks},
                        {"long", request.far},
                        {"read_bytes_per_second", {{"one_rank", one_reads}, {"all_ranks", all_read}}},
                        {"bytes_of_iteration", bytes_of_iteration(d) * points},
                        {"limit_seconds", limit},
                        {"same_residuals", good},
                        {"ways", nlohmann::json::array()}};
  if (rank == 0)
    fmt::print(
        "{} sites on {} ranks, {} iterations; memory read: {:.2f} GB/s by one rank, {:.2f} by all\n"
        "limit by memory: {:.1f} us an iteration, {:.0f} MFlop/s\n\n"
        "{:<18} {:>9} {:>9} {:>9}   {:>9} {:>9} {:>8} {:>6} {:>8}\n",
        to_string(extents(shape)), ranks, request.iterations, one_reads / 1e9, all_read / 1e9, limit * 1e6,
        flops / limit / 1e6, "us", "3 numbers", "6", "9", "iteration", "waiting", "MFlop/s", "limit", "packing");
  for (const Contender& one : contenders) {
    const double overlapped = median(one.overlapped), waiting = median(one.waiting);
    const double best = std::min(overlapped, waiting);
    nlohmann::json exchange = nlohmann::json::object();
    for (std::size_t object = 0; object < std::size(objects); ++object)
      exchange[objects[object].name] = median(one.exchange[object]);
    report["ways"].push_back({{"way", one.name},
                              {"exchange_seconds", exchange},
                              {"iteration_seconds", {{"overlap", overlapped}, {"none", waiting}}},
                              {"mflops", flops / best / 1e6},
                              {"of_limit", limit / best},
                              {"packing_seconds", one.packing}});
    if (rank == 0)
      fmt::print("{:<18} {:>9.1f} {:>9.1f} {:>9.1f}   {:>9.1f} {:>9.1f} {:>8.0f} {:>5.0f}% {:>8.1f}\n", one.name,
                 median(one.exchange[0]) * 1e6, median(one.exchange[1]) * 1e6, median(one.exchange[2]) * 1e6,
                 overlapped * 1e6, waiting * 1e6, flops / best / 1e6, 100 * limit / best, one.packing * 1e6);
  }
  if (rank == 0) fmt::print("\nresiduals: {}\n", good ? "the same bits by every way" : "DIFFERENT by ways");
  write_json(comm, request.json, report);
  return good ? 0 : 1;
}

}  // namespace

Command bench_command(CLI::App& app) {
  const auto request = std::make_shared<BenchRequest>();
  CLI::App* const command = app.add_subcommand("bench", "exchanges and solves by each way of filling ghost sites");
  command->add_option("--local", request->local, "sites a rank, as 4x4x4x4 [4x4x4x4]");
  command->add_option("--extents", request->extents, "of the lattice, in place of --local");
  command->add_option("--ways", request->ways, "hand, faces, strategies [all]")->delimiter(',');
  command->add_option("--iterations", request->iterations, "of a solve [30]");
  command->add_option("--repeat", request->repeat, "turns [5]");
  command->add_flag("--long", request->far, "links of distance 3, too");
  command->add_option("--json", request->json, "write the result to this file");
  return {command, [request] { return run(*request); }};
}

}  // namespace staggered

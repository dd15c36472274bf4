// weft-localised: overlaps of localised orbitals in every way, in turn, with bytes beside the
// published formulas.
//
// Exit codes: 0 fine, 1 a way found another matrix than the serial one or moved other bytes, 2 a
// wrong command line.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/quote.hpp>

#include "../agree.hpp"
#include "overlaps.hpp"

namespace localised {

namespace {

struct Request {
  Geometry geometry;
  std::vector<weft::Index> grid{48, 48, 48};
  int repeat = 10;
  std::string json;
};

struct Row {
  std::string way, strategy;
  Moved moved;
  weft::Index formula_bytes = 0;
  double error = 0;  ///< the largest difference from the serial matrix, over its largest number
  Seconds median;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What a way finds in a round, beside the serial matrix of this rank's columns. Over the largest
/// overlap.
double error_of(const Orbitals& orbitals, int self, int round, const std::vector<double>& found) {
  double worst = 0, largest = 0;
  const std::size_t n = orbitals.count(), first = orbitals.first(self);
  for (std::size_t at = 0; at < found.size(); ++at) {
    const double right = orbitals.overlap(at % n, first + at / n, round);
    worst = std::max(worst, std::abs(found[at] - right));
    largest = std::max(largest, std::abs(right));
  }
  return largest > 0 ? worst / largest : worst;
}

std::vector<double> values_of(const Orbitals& orbitals, int self, int round) {
  std::vector<double> mine;
  for (std::size_t i = orbitals.first(self); i < orbitals.first(self + 1); ++i) {
    const std::vector<double> values = orbitals.values(i, round);
    mine.insert(mine.end(), values.begin(), values.end());
  }
  return mine;
}

std::vector<Row> measure(MPI_Comm comm, const Orbitals& orbitals, int repeat) {
  int self = 0;
  MPI_Comm_rank(comm, &self);
  std::vector<std::unique_ptr<Overlaps>> all;
  std::vector<Row> rows;
  for (const std::string& way : ways()) {
    all.push_back(overlaps(way, comm, orbitals));
    rows.push_back({way, all.back()->strategy(), all.back()->moved(), all.back()->formula_bytes(), 0, {}});
  }
  std::vector<std::vector<double>> seconds(3 * rows.size());
  for (int round = 0; round <= repeat; ++round) {  // the first one is proved, and not counted
    const std::vector<double> mine = values_of(orbitals, self, round);
    for (std::size_t w = 0; w < rows.size(); ++w) {
      MPI_Barrier(comm);
      const std::vector<double> found = all[w]->columns(mine);
      const Seconds& took = all[w]->seconds();
      double slowest[] = {took.exchange, took.products, took.sums};
      MPI_Allreduce(MPI_IN_PLACE, slowest, 3, MPI_DOUBLE, MPI_MAX, comm);
      if (round > 0) {
        for (std::size_t i = 0; i < 3; ++i) seconds[3 * w + i].push_back(slowest[i]);
        continue;
      }
      rows[w].error = error_of(orbitals, self, round, found);
      MPI_Allreduce(MPI_IN_PLACE, &rows[w].error, 1, MPI_DOUBLE, MPI_MAX, comm);
    }
  }
  for (std::size_t w = 0; w < rows.size(); ++w)
    rows[w].median = {median(seconds[3 * w]), median(seconds[3 * w + 1]), median(seconds[3 * w + 2])};
  return rows;
}

bool fine(const Row& row) {
  const weft::Index counted = row.moved.sent_bytes + row.moved.kept_bytes;
  return row.error < 1e-12 && counted == row.formula_bytes;
}

nlohmann::json json_of(const Row& row, const Request& request, int ranks) {
  const double total = row.median.exchange + row.median.products + row.median.sums;
  return {{"way", row.way},
          {"strategy", row.strategy},
          {"ranks", ranks},
          {"grid", request.grid},
          {"orbitals", request.geometry.orbitals},
          {"radius", request.geometry.radius},
          {"sent_bytes", row.moved.sent_bytes},
          {"kept_bytes", row.moved.kept_bytes},
          {"formula_bytes", row.formula_bytes},
          {"messages", row.moved.messages},
          {"relative_error", row.error},
          {"median_seconds", total},
          {"exchange_seconds", row.median.exchange},
          {"product_seconds", row.median.products},
          {"sum_seconds", row.median.sums}};
}

int run(int argc, char** argv) {
  int self = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Request request;
  CLI::App app("Overlaps of localised orbitals: partners alone, or slabs of all, and what each way moves.",
               "weft localised");
  app.add_option("--grid", request.grid, "points along each axis, as 48x48x48")->delimiter('x')->expected(3);
  app.add_option("--orbitals", request.geometry.orbitals, "how many")->capture_default_str();
  app.add_option("--radius", request.geometry.radius, "of every orbital, in steps of the grid")->capture_default_str();
  app.add_option("--repeat", request.repeat, "repetitions")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--json", request.json, "write results to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (self == 0) app.exit(e);
    return e.get_exit_code() == 0 ? 0 : 2;
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (request.grid[a] < 1 || request.grid[a] > 4096)
      throw weft::Error("--grid has " + std::to_string(request.grid[a]) + " points along an axis; give 1 to 4096");
    request.geometry.grid[static_cast<int>(a)] = request.grid[a];
  }
  const Orbitals orbitals(request.geometry, ranks);
  const std::vector<Row> rows = measure(MPI_COMM_WORLD, orbitals, request.repeat);
  if (self == 0) {
    fmt::print(
        "{} orbitals of radius {} on {} points, {} ranks; milliseconds, the slowest rank\n\n"
        "{:<18} {:<10} {:>12} {:>12} {:>12} {:>8} {:>9} {:>9} {:>8} {:>8} {:>9}\n",
        request.geometry.orbitals, request.geometry.radius, fmt::join(request.grid, "x"), ranks, "way", "strategy",
        "sent, bytes", "kept", "formula", "messages", "exchange", "products", "sums", "GB/s", "error");
    for (const Row& row : rows)
      fmt::print("{:<18} {:<10} {:>12} {:>12} {:>12} {:>8} {:>9.3f} {:>9.3f} {:>8.3f} {:>8.2f} {:>9.1e}\n", row.way,
                 row.strategy, row.moved.sent_bytes, row.moved.kept_bytes, row.formula_bytes, row.moved.messages,
                 1e3 * row.median.exchange, 1e3 * row.median.products, 1e3 * row.median.sums,
                 1e-9 * static_cast<double>(row.moved.sent_bytes) / std::max(row.median.exchange, 1e-12), row.error);
  }
  apps::agree(MPI_COMM_WORLD, [&] {
    if (request.json.empty() || self != 0) return;
    nlohmann::json all = nlohmann::json::array();
    for (const Row& row : rows) all.push_back(json_of(row, request, ranks));
    std::ofstream file(request.json);
    file << all.dump(1) << std::endl;
    if (!file) throw weft::Error("cannot write " + weft::shown_path(request.json));
  });
  const bool right = std::all_of(rows.begin(), rows.end(), fine);
  if (!right && self == 0)
    std::cerr << "weft localised: a way found another matrix than the serial one, or moved other bytes than its "
                 "formula says"
              << std::endl;
  return right ? 0 : 1;
}

}  // namespace

}  // namespace localised

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0, self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  try {
    code = localised::run(argc, argv);
  } catch (const weft::Error& e) {  // alike on all ranks
    code = 1;
    if (self == 0) std::cerr << "weft localised: " << e.what() << std::endl;
  } catch (const std::exception& e) {
    std::cerr << "weft localised: rank " << self << ": " << e.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}

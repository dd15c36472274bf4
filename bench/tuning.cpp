// weft-tuning: is what tuning chooses as good as the best there is, and how much sooner is it
// found? For each problem: exhaustive search; tuning in a tenth of its time; the model's choice;
// and then all three choices in turns, many times, on the same data: more often where one is short.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/weft.hpp>

#include "../tools/weft/median.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct Case {
  const char* name;
  weft::AnyProblem problem;
  weft::Index batch = 1;
};

std::vector<Case> cases() {
  const auto ball = [](weft::Index n) { return weft::Cutoff{.squared = static_cast<double>(n * n) / 16}; };
  return {{"c2c 32^3", weft::c2c<double>({32, 32, 32})},
          {"c2c 64^3", weft::c2c<double>({64, 64, 64})},
          {"c2c 48x40x36", weft::c2c<double>({48, 40, 36})},
          {"c2c 64^3 single", weft::c2c<float>({64, 64, 64})},
          {"r2c 48^3", weft::r2c<double>({48, 48, 48})},
          {"r2c 45x32x50", weft::r2c<double>({45, 32, 50})},
          {"c2c 16^3, batch 8", weft::c2c<double>({16, 16, 16}), 8},
          {"c2c 128^2, batch 4", weft::c2c<double>({128, 128}), 4},
          {"sphere 32^3", weft::sphere<double>({32, 32, 32}, ball(32))},
          {"sphere 32^3, batch 4", weft::sphere<double>({32, 32, 32}, ball(32)), 4},
          {"sphere 48^3, batch 4", weft::sphere<double>({48, 48, 48}, ball(48)), 4}};
}

/// A plan with zeros to transform, and the seconds of every turn, the slowest rank's.
struct Runner {
  weft::AnyPlan plan;
  std::shared_ptr<std::byte> in, out;
  std::vector<double> seconds;

  Runner(const weft::AnyProblem& p, const weft::Options& options)
      : plan(MPI_COMM_WORLD, p, options), in(plan.input_memory()), out(plan.output_memory()) {
    std::memset(
        in.get(), 0,
        static_cast<std::size_t>(plan.input_elements()) * weft::element_bytes(p.precision, weft::complex_input(p)));
    std::memset(
        out.get(), 0,
        static_cast<std::size_t>(plan.output_elements()) * weft::element_bytes(p.precision, weft::complex_output(p)));
  }
  void turn() {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    plan.forward(in.get(), out.get());
    plan.backward(out.get(), in.get());
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    seconds.push_back(took);
  }
};

Json study(const Case& c, int turns, double share) {
  weft::Options options{.wisdom = false, .effort = "estimate", .batch = c.batch};
  const weft::Tuning all = weft::tune(MPI_COMM_WORLD, c.problem, options, {.exhaustive = true});
  const weft::Tuning tuned = weft::tune(MPI_COMM_WORLD, c.problem, options, {.seconds = all.seconds * share});
  Runner best(c.problem, all.choice), chosen(c.problem, tuned.choice), model(c.problem, options);
  constexpr double long_enough = 0.5;  // seconds of each
  for (Runner* r : {&best, &chosen, &model}) r->turn(), r->turn();
  turns = std::max(turns, static_cast<int>(std::min(long_enough / best.seconds.back(), 4000.0)));
  for (Runner* r : {&best, &chosen, &model}) r->seconds.clear();
  std::vector<Runner*> order{&best, &chosen, &model};
  std::minstd_rand random;
  for (int k = 0; k < turns; ++k) {  // in changing order, for what runs before leaves its traces
    std::shuffle(order.begin(), order.end(), random);
    for (Runner* r : order) r->turn();
  }
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<int> nodes = weft::nodes(MPI_COMM_WORLD);
  const auto measured = [](const weft::Tuning& t) {
    return std::count_if(t.candidates.begin(), t.candidates.end(),
                         [](const weft::Candidate& x) { return x.measurements > 0; });
  };
  // Chance may pick another than the fastest
  const double least = std::min({median(best.seconds), median(chosen.seconds), median(model.seconds)});
  return {{"problem", c.name},
          {"ranks", ranks},
          {"nodes", 1 + *std::max_element(nodes.begin(), nodes.end())},
          {"best", Json::parse(all.json)["choice"]["name"]},
          {"tuned", Json::parse(tuned.json)["choice"]["name"]},
          {"model", model.plan.effective().strategy},
          {"best_seconds", median(best.seconds)},
          {"tuned_seconds", median(chosen.seconds)},
          {"model_seconds", median(model.seconds)},
          {"tuned_over_best", median(chosen.seconds) / least},
          {"model_over_best", median(model.seconds) / least},
          {"exhaustive_candidates", measured(all)},
          {"tuned_candidates", measured(tuned)},
          {"exhaustive_search_seconds", all.seconds},
          {"tuned_search_seconds", tuned.seconds}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CLI::App app{"Tuning against exhaustive search over the same space, problem by problem."};
  std::vector<int> only;
  int turns = 40;
  double share = 0.1;
  std::string json;
  app.add_option("--case", only, "cases by number, 0 on (all)")
      ->delimiter(',')
      ->check(CLI::Range(0, static_cast<int>(cases().size()) - 1));
  app.add_option("--turns", turns, "turns of the three choices, at least")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--share", share, "of the time of exhaustive search that tuning gets")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  app.add_option("--json", json, "append a row for each problem to this file");
  int code = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    app.parse(argc, argv);
    const std::vector<Case> all = cases();
    for (int k = 0; k < static_cast<int>(all.size()); ++k) {
      if (!only.empty() && std::find(only.begin(), only.end(), k) == only.end()) continue;
      const Json row = study(all[static_cast<std::size_t>(k)], turns, share);
      if (rank != 0) continue;
      fmt::print(
          "{:22} {} rank(s) on {} node(s): tuned {:.3f}, model {:.3f} of the best's {:.4g} ms; searched {:.1f} s of "
          "{:.1f} s; {} | {} | {}\n",
          row["problem"].get<std::string>(), row["ranks"].get<int>(), row["nodes"].get<int>(),
          row["tuned_over_best"].get<double>(), row["model_over_best"].get<double>(),
          1e3 * row["best_seconds"].get<double>(), row["tuned_search_seconds"].get<double>(),
          row["exhaustive_search_seconds"].get<double>(), row["best"].get<std::string>(),
          row["tuned"].get<std::string>(), row["model"].get<std::string>());
      std::fflush(stdout);
      if (!json.empty()) std::ofstream(json, std::ios::app) << row.dump() << std::endl;
    }
  } catch (const CLI::ParseError& e) {
    code = rank == 0 ? app.exit(e) : e.get_exit_code();
  } catch (const weft::Error& e) {
    if (rank == 0) std::fprintf(stderr, "weft-tuning: %s\n", e.what());
    code = 1;
  }
  MPI_Finalize();
  return code;
}

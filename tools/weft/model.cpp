// weft model: fits of times over ranks; what a machine takes for messages, copies and lines; and
// how long plans will take there.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include <weft/fit.hpp>
#include <weft/forecast.hpp>
#include <weft/quote.hpp>

#include "place.hpp"
#include "request.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct ModelRequest : Request {
  // fit
  std::string form, file, column, at;
  double work = 1;
  // measure, predict
  std::string machine, on;
  bool wisdom = true;
  double seconds = 60;
  std::string json;
};

void write_json(const World& world, const std::string& path, const std::string& text) {
  if (!path.empty() && world.rank == 0 && !(std::ofstream(path) << text << std::flush))
    throw weft::Error("cannot write " + weft::shown_path(path));
}

/// Numbers of ranks from --at or --for.
std::vector<double> ranks_of(const std::string& option, const std::string& text) {
  std::vector<double> all;
  for (const std::string& word : text.empty() ? std::vector<std::string>() : split(text, ','))
    all.push_back(static_cast<double>(whole_number(option, word)));
  return all;
}

/// Without MPI: each rank that was started does the same, and the first one tells.
int fit(const World& world, const ModelRequest& asked) {
  const std::vector<double> at = ranks_of("--at", asked.at);
  Column column = read_column(asked.file, asked.column);
  if (asked.form == "amdahl" && column.name != "speedup") column = speedups(column);
  planning([&] {
    const weft::Fit fit = weft::fit(asked.form, column.samples);
    const weft::FitForm& form = weft::fit_form(fit.form);
    Json all = {{"form", fit.form}, {"formula", form.formula}, {"source", form.source}, {"column", column.name}};
    std::string text = fmt::format("{} = {}, of {} samples on {:g} to {:g} ranks\n", column.name, form.formula,
                                   fit.samples.size(), fit.least_ranks, fit.most_ranks);
    for (std::size_t k = 0; k < fit.coefficients.size(); ++k) {
      all["coefficients"][std::string(form.coefficients[k])] = {{"value", fit.coefficients[k]},
                                                                {"standard_error", fit.errors[k]}};
      text += fmt::format("  {} = {:.6g} +- {:.2g}\n", form.coefficients[k], fit.coefficients[k], fit.errors[k]);
    }
    all["range"] = {fit.least_ranks, fit.most_ranks};
    all["deviation"] = fit.deviation;
    text += fmt::format("residuals deviate by {:.3g}\n", fit.deviation);
    if (std::isfinite(fit.limit()))
      all["limit"] = fit.limit(),
      text += fmt::format("no number of ranks speeds up more than {:.1f} times\n", fit.limit());
    if (std::isfinite(fit.zero()))
      all["not_positive_from"] = fit.zero(),
      text += fmt::format("the form is not positive from {:.6g} ranks on\n", fit.zero());
    Table table({"ranks", "measured", "fitted", "+-", "residual"});
    for (std::size_t k = 0; k < fit.samples.size(); ++k) {
      const weft::Sample& s = fit.samples[k];
      const weft::Prediction said = fit.at(s.ranks);
      all["samples"].push_back({{"ranks", s.ranks},
                                {"measured", s.value},
                                {"fitted", said.value},
                                {"error", said.error},
                                {"residual", fit.residuals[k]}});
      table.add({fmt::format("{:g}", s.ranks), fmt::format("{:.6g}", s.value), fmt::format("{:.6g}", said.value),
                 fmt::format("{:.2g}", said.error), fmt::format("{:.2g}", fit.residuals[k])});
    }
    text += "\n" + table.plain();
    if (!at.empty()) {
      Table predicted({"ranks", "predicted", "+-", "remark"});
      for (const double ranks : at) {
        const weft::Prediction said = fit.at(ranks, asked.work);
        all["predictions"].push_back({{"ranks", ranks},
                                      {"work", asked.work},
                                      {"value", said.value},
                                      {"error", said.error},
                                      {"warning", said.warning}});
        predicted.add({fmt::format("{:g}", ranks), fmt::format("{:.6g}", said.value), fmt::format("{:.2g}", said.error),
                       said.warning});
      }
      text += "\n" + (asked.work == 1 ? "" : fmt::format("for {:g} times the work:\n", asked.work)) + predicted.plain();
    }
    if (world.rank == 0) fmt::print("{}", text);
    write_json(world, asked.json, all.dump(2) + "\n");
  });
  return 0;
}

int measure(const World& world, const ModelRequest& asked) {
  if (!asked.json.empty()) check_writable(world, asked.json);
  weft::MachineProfile profile = weft::measure_profile(world.comm, asked.nodes.numbers_of(world.ranks), asked.seconds);
  const auto here = place();
  profile.host = here["host"].get<std::string>();
  profile.processor = here["processor"].get<std::string>();
  profile.date = here["date"].get<std::string>();
  profile.mpi = mpi_version();
  const std::string kept = asked.wisdom ? weft::remember(world.comm, profile, asked.nodes.numbers_of(world.ranks)) : "";
  if (world.rank != 0) return 0;
  Table table({"constant", "value", "what it is"});
  for (const weft::MachineRow& row : weft::machine_rows())
    table.add({std::string(row.name), fmt::format("{:.4g}", profile.machine.*row.value), std::string(row.help)});
  fmt::print("{}, {}\n\n{}\n", ranks_on_nodes(profile.ranks, profile.nodes), profile.processor, table.plain(true));
  fmt::print(
      "plans took {:.2f} times what the model said of them; 95 of 100 lie within a factor of {:.2f} of a forecast\n",
      profile.correction, 1 + profile.relative_error);
  if (asked.wisdom) fmt::print("{}\n", kept);
  write_json(world, asked.json, weft::text_of(profile));
  return 0;
}

Json to_json(const weft::Forecast& f) {
  if (!f.declined.empty()) return {{"strategy", f.strategy}, {"declined", f.declined}};
  return {{"strategy", f.strategy},
          {"seconds", f.seconds},
          {"least_seconds", f.least_seconds},
          {"most_seconds", f.most_seconds},
          {"forward_seconds", f.forward_seconds},
          {"backward_seconds", f.backward_seconds},
          {"work_seconds", f.work_seconds},
          {"exchange_seconds", f.exchange_seconds},
          {"overlapped_seconds", f.overlapped_seconds},
          {"calls", f.cost.calls},
          {"messages", f.cost.messages},
          {"bytes", f.cost.bytes},
          {"copied", f.cost.copied},
          {"node_messages", f.cost.node_messages},
          {"node_bytes", f.cost.node_bytes},
          {"warning", f.warning}};
}

int predict(const World& world, const ModelRequest& asked) {
  if (!asked.json.empty()) check_writable(world, asked.json);
  const std::string text = text_of_file(asked.machine);
  const weft::MachineProfile profile =
      planning([&] { return weft::profile_of(text, weft::shown_path(asked.machine)); });
  const weft::AnyProblem problem = asked.problem();
  Json all = Json::array();
  for (const double count : ranks_of("--for", asked.on)) {
    if (!(count >= 1 && count <= 65536))
      throw Usage(fmt::format("--for {:g}: forecasts are for 1 to 65536 ranks", count));
    const int ranks = static_cast<int>(count);
    weft::Options options = asked.options(ranks);
    std::vector<int> nodes = std::exchange(options.nodes, {});
    if (!nodes.empty() && static_cast<int>(nodes.size()) != ranks)
      throw Usage(fmt::format("--nodes has {} numbers, and --for says {} ranks", nodes.size(), ranks));
    nodes.resize(static_cast<std::size_t>(ranks), 0);
    const std::vector<weft::Forecast> said = planning([&] { return weft::forecast(problem, options, nodes, profile); });
    Table table({"strategy", "ms", "from", "to", "work ms", "exchange ms", "messages", "MB sent"});
    Json row = {{"shape", std::vector<weft::Index>(problem.shape.begin(), problem.shape.end())},
                {"kind", asked.kind},
                {"ranks", ranks},
                {"nodes", node_count(nodes)}};
    std::string warning;
    for (const weft::Forecast& f : said) {
      row["forecasts"].push_back(to_json(f));
      const auto ms = [](double seconds) { return fmt::format("{:.4g}", 1e3 * seconds); };
      if (!f.declined.empty())
        table.add({f.strategy, "declined: " + f.declined});
      else
        table.add({f.strategy, ms(f.seconds), ms(f.least_seconds), ms(f.most_seconds), ms(f.work_seconds),
                   ms(f.exchange_seconds), fmt::format("{}", f.cost.messages),
                   fmt::format("{:.3f}", 1e-6 * static_cast<double>(f.cost.bytes))});
      if (!f.warning.empty()) warning = f.warning;
    }
    if (world.rank == 0)
      fmt::print("{}{} {}, {}: forward and backward together\n\n{}{}", all.empty() ? "" : "\n", asked.kind,
                 to_string(problem.shape), ranks_on_nodes(ranks, node_count(nodes)), table.plain(),
                 warning.empty() ? "" : "note: " + warning + "\n");
    all.push_back(std::move(row));
  }
  write_json(world, asked.json, all.dump(2) + "\n");
  return 0;
}

}  // namespace

Command model_command(CLI::App& app) {
  auto asked = std::make_shared<ModelRequest>();
  auto chosen = std::make_shared<int (*)(const World&, const ModelRequest&)>();
  const auto add = [&](const char* name, const char* what, int (*run)(const World&, const ModelRequest&)) {
    CLI::App* command = app.add_subcommand(name, what)->fallthrough();
    command->callback([chosen, run] { *chosen = run; });
    command->add_option("--json", asked->json, "write the results to this file");
    return command;
  };
  CLI::App* one = add("fit", "fit times or speed-ups over ranks, and predict others", fit);
  one->add_option("file", asked->file, "comma-separated values: a header with ranks and other names, then numbers")
      ->required();
  std::vector<std::string> forms;
  std::string formulas;
  for (const weft::FitForm& form : weft::fit_forms())
    forms.emplace_back(form.name), formulas += fmt::format("; {}: {}", form.name, form.formula);
  one->add_option("--form", asked->form, "what to fit" + formulas)->required()->check(CLI::IsMember(forms));
  one->add_option("--column", asked->column, "the column to fit, where there are several");
  one->add_option("--at", asked->at, "predict on these numbers of ranks: 64,512");
  one->add_option("--work", asked->work, "for so many times the work: 0.125 for half the extent in three dimensions")
      ->check(number_between(1e-300, 1e300));

  CLI::App* two = add("measure", "latency, rates and a few plans, all ranks at work: a file for predict", measure);
  asked->nodes.add(*two);
  two->add_option("--seconds", asked->seconds, "that cubes may take, more or less")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  two->add_flag("!--no-wisdom", asked->wisdom, "keep nothing in wisdom, from where plans of strategy auto take it");
  two->get_option("--json")->description("write the machine to this file");

  CLI::App* three = add("predict", "how long every strategy will take on ranks that need not be there", predict);
  asked->add_problem(*three);
  asked->add_options(*three, {"engine", "effort", "tune_seconds", "wisdom", "nodes"});
  three->add_option("--machine", asked->machine, "a file of weft model measure --json, or written by hand")->required();
  three->add_option("--for", asked->on, "numbers of ranks: 16,256,4096")->required();
  app.require_subcommand(1);
  app.footer(R"(Examples:
  weft model fit --form comm times.csv --column comm_ms --at 64,512 --json fit.json
  weft --ranks 4 model measure --json machine.json
  weft model predict --machine machine.json --for 4,64,1024 --ranks-per-node 16 --shape 512x512x512
A machine by hand: {"message_seconds": 2e-6, "node_message_seconds": 4e-6, "node_bytes_per_second": 1.2e10}
)");
  return [asked, chosen](const World& world) { return (*chosen)(world, *asked); };
}

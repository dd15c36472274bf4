// weft bench: strategies against each other on the same data, repetition by repetition, each
// verified before and after it is timed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include <weft/kernel.hpp>
#include <weft/quote.hpp>

#include "contender.hpp"
#include "median.hpp"
#include "place.hpp"
#include "progress.hpp"
#include "request.hpp"
#include "table.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct BenchRequest : Request {
  int repeats = 10, node_count = 1;
  std::string kernels, input, json, trace;
  std::vector<std::string> sweeps;
};

/// A strategy, perhaps under a kernel's name, that runs, or the reason why not: it declines the
/// demand, or it failed, which nothing should.
struct Entry {
  std::string name, kernel;
  weft::Options options;
  std::unique_ptr<Contender> contender;
  std::string declined, error;
};

/// By the convention 5 N log2 N for a complex transform, half that for a real one; forward and
/// backward.
double operations(const weft::AnyProblem& problem, const weft::Options& options) {
  double points = static_cast<double>(options.batch * options.components), transformed = 1;
  for (const weft::Index n : problem.shape) points *= static_cast<double>(n);
  for (const int axis : problem.axes) transformed *= static_cast<double>(problem.shape[axis]);
  return 2 * (complex_input(problem) ? 5 : 2.5) * points * std::log2(transformed);
}

/// Rounding grows with the depth of the transform; what is rounded on the wire has a few roundings
/// to floats more.
double tolerance(const weft::AnyProblem& problem, const weft::Options& options) {
  return (problem.precision == weft::Precision::single_ ? 1e-5
          : options.wire == "single"                    ? 1e-6
                                                        : 1e-13) *
         std::max(1.0, std::log2(static_cast<double>(volume(problem.shape))) / 20);
}

Json to_json(const weft::OptionValue& value) {
  return std::visit([](const auto& it) { return Json(it); }, value);
}

Json to_json(const weft::Options& options) {
  Json all;
  for (const weft::Option& row : weft::options()) all[row.name] = to_json(row.value(options));
  return all;
}

/// What the plan does otherwise than it was asked to: "tile 8 (asked: 200)".
std::string changes(const weft::AnyPlan& plan) {
  std::string text;
  for (const weft::Option& row : weft::options()) {
    const std::string asked = row.text(plan.requested()), done = row.text(plan.effective());
    if (done != asked && asked != "auto" && !(row.name == "window" && asked == "0"))
      text += fmt::format("{}{} {} (asked: {})", text.empty() ? "" : ", ", row.name, done, asked);
  }
  return text;
}

/// Every entry with every value of an option that changes only speed: "tile=1,4,16". Tiles, windows
/// and tests of one tile are all the same, but what cannot be is refused also there.
std::vector<Entry> swept(std::vector<Entry> entries, const std::string& sweep) {
  const std::size_t equals = std::min(sweep.find('='), sweep.size());
  const std::string name = sweep.substr(0, equals);
  const std::vector<std::string> values = split(equals < sweep.size() ? sweep.substr(equals + 1) : "", ',');
  const std::vector<weft::Option>& rows = weft::options();
  const auto fits = [&](const weft::Option& row) {
    return row.name == name && row.group == weft::OptionGroup::speed && name != "strategy";
  };
  if (name == sweep || std::none_of(rows.begin(), rows.end(), fits))
    throw Usage(
        fmt::format("--sweep {}: name an option that changes only speed, and values of it, as in tile=1,4,16; "
                    "strategies are swept anyway",
                    weft::shown(sweep)));
  weft::Options read;
  for (const std::string& value : values) set_option(read, "--sweep " + name, name, value);
  std::vector<Entry> all;
  std::set<std::string> known;
  for (Entry& entry : entries)
    for (const std::string& value : values) {
      weft::Options options = entry.options;
      weft::ScheduleOptions& s = options.schedule;
      set_option(options, "--sweep " + name, name, value);
      if (s.tiles == "one" || s.tiles == "auto") {
        s = {.tiles = s.tiles, .communicate = s.communicate};
        options.backward_schedule.reset();
      }
      if (s.communicate == "thread") options.threads = std::max(options.threads, 2), s.test = 0;
      if (options.backward_schedule) options.backward_schedule->communicate = s.communicate;
      if (known.insert(entry.name + to_json(options).dump()).second) all.push_back({entry.name, entry.kernel, options});
    }
  return all;
}

/// Whether `schedule_text` tells the option.
bool told_by_schedule(std::string_view name) {
  const std::set<std::string_view> told{"tiles", "tile", "window", "test", "communicate"};
  return told.contains(name) || name.starts_with("backward_");
}

/// How an entry is called among the others.
std::string label(const BenchRequest& asked, const Entry& entry) {
  std::string text = asked.sweeps.empty() ? entry.name : entry.name + ": " + schedule_text(entry.options);
  for (const std::string& sweep : asked.sweeps)
    if (const std::string name = sweep.substr(0, sweep.find('=')); !told_by_schedule(name))
      text += fmt::format(", {} {}", name, weft::get(entry.options, name));
  return text;
}

/// What is asked for: strategies under one schedule, or kernels, which have their own but for what
/// the command line says.
std::vector<Entry> entries_of(const BenchRequest& asked, const weft::Options& options, const CLI::App& app) {
  std::vector<Entry> entries;
  const auto add_strategy = [&](std::string_view name) {
    entries.push_back({std::string(name), "", options});
    entries.back().options.strategy = name;
  };
  const auto add_kernel = [&](const weft::Kernel& kernel) {
    entries.push_back({std::string(kernel.name), std::string(kernel.name), kernel.of(options)});
    weft::ScheduleOptions& s = entries.back().options.schedule;
    if (s.communicate == "thread" && !app.count("--threads")) entries.back().options.threads = 2;
    if (s.tiles == "one") return;
    if (app.count("--tile")) s.tile = options.schedule.tile;
    if (app.count("--window")) s.window = options.schedule.window;
    if (app.count("--test")) s.test = options.schedule.test;
  };
  if (asked.kernels == "all")
    for (const weft::Kernel& kernel : weft::kernels()) add_kernel(kernel);
  else if (!asked.kernels.empty())
    for (const std::string& name : split(asked.kernels, ',')) add_kernel(weft::kernel(name));
  else if (asked.strategy == "all")
    for (const weft::Strategy* strategy : weft::strategies()) add_strategy(strategy->name());
  else
    for (const std::string& name : split(asked.strategy, ',')) {
      for (const std::string& one : split(name, '+'))
        if (one != "auto") weft::strategy(one);  // throws, naming those there are
      add_strategy(name);
    }
  for (const std::string& sweep : asked.sweeps) entries = swept(std::move(entries), sweep);
  return entries;
}

Json row(const World& world, const BenchRequest& asked, const weft::AnyProblem& problem, const Field& field,
         const Entry& entry) {
  Json row = {{"kind", asked.kind},
              {"shape", std::vector<weft::Index>(problem.shape.begin(), problem.shape.end())},
              {"precision", std::string(to_string(problem.precision))},
              {"ranks", world.ranks},
              {"nodes", asked.node_count},
              {"threads", entry.options.threads},
              {"layout", asked.layout},
              {"sphere", asked.radius > 0 ? Json(asked.radius) : Json()},
              {"metric", asked.metric.empty() ? Json() : Json(asked.metric)},
              {"kpoint", asked.kpoint.empty() ? Json() : Json(asked.kpoint)},
              {"boxcut", asked.boxcut},
              {"kept", asked.kept.empty() ? Json() : Json(asked.kept)},
              {"kernel", entry.kernel.empty() ? Json() : Json(entry.kernel)},
              {"strategy", entry.options.strategy},
              {"weft", WEFT_VERSION},
              {"mpi", mpi_version()}};
  row.update(place());
  if (!entry.contender) {
    for (const char* name : {"engine", "schedule", "median_seconds", "min_seconds", "max_seconds", "fft_seconds",
                             "exchange_seconds", "calls", "messages", "bytes_sent", "relative_error"})
      row[name] = nullptr;
    entry.error.empty() ? row["declined"] = entry.declined : row["error"] = entry.error;
    return row;
  }
  const Measured& m = entry.contender->measured();
  const weft::AnyPlan& plan = entry.contender->plan();
  row.update({{"engine", plan.effective().engine},
              {"schedule", schedule_text(plan.effective())},
              {"median_seconds", median(m.seconds)},
              {"min_seconds", *std::min_element(m.seconds.begin(), m.seconds.end())},
              {"max_seconds", *std::max_element(m.seconds.begin(), m.seconds.end())},
              {"gflop_per_second", 1e-9 * operations(problem, plan.requested()) / median(m.seconds)},
              {"fft_seconds", m.fft_seconds},
              {"exchange_seconds", m.exchange_seconds},
              {"calls", m.calls},
              {"messages", m.messages},
              {"bytes_sent", m.bytes_sent},
              {"bytes_owned", m.bytes_owned},
              {"relative_error", m.relative_error},
              {"tolerance", tolerance(problem, plan.requested())},
              {"reference", field.reference()},
              {"seconds", m.seconds},
              {"requested", to_json(plan.requested())},
              {"effective", to_json(plan.effective())}});
  return row;
}

/// The fastest first; after those that ran the others.
Table table(const BenchRequest& asked, const std::vector<Entry>& entries, const Json& rows) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](std::size_t i) {
    return rows[i]["median_seconds"].is_null() ? HUGE_VAL : rows[i]["median_seconds"].get<double>();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seconds(a) < seconds(b); });
  Table table({asked.kernels.empty() ? "strategy" : "kernel", "median ms", "min", "max", "GFlop/s", "FFT ms",
               "exchange ms", "calls", "messages", "MB sent", "error"});
  for (const std::size_t i : order) {
    const Json& r = rows[i];
    if (r.contains("declined") || r.contains("error")) {
      const std::string why = r.contains("error") ? "error" : "declined";
      table.add({label(asked, entries[i]), why + ": " + r[why].get<std::string>()});
      continue;
    }
    const auto number = [&](const char* key) { return r[key].is_null() ? NAN : r[key].get<double>(); };
    const auto ms = [&](const char* key) { return fmt::format("{:.3f}", 1e3 * number(key)); };
    table.add({label(asked, entries[i]), ms("median_seconds"), ms("min_seconds"), ms("max_seconds"),
               fmt::format("{:.2f}", number("gflop_per_second")), ms("fft_seconds"), ms("exchange_seconds"),
               fmt::format("{}", r["calls"].get<weft::Index>()), fmt::format("{}", r["messages"].get<weft::Index>()),
               fmt::format("{:.3f}", 1e-6 * number("bytes_sent")), fmt::format("{:.1e}", number("relative_error"))});
  }
  return table;
}

/// Cores that the launcher lets this rank use.
int cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Collective: shape and, unless that was asked for, precision of the input file.
void adopt_file(const World& world, BenchRequest& asked, const CLI::App& app) {
  const weft::FileType file = inspect_numbers(world, asked.input);
  for (const char* option : {"--shape", "--batch", "--components"})
    if (app.count(option))
      throw Usage(fmt::format("{} and --input exclude each other: the file says what there is to transform", option));
  asked.shape = to_string(file.shape);
  if (!app.count("--precision")) asked.precision = to_string(precision_of(file));
  if (complex_numbers(file) && !complex_input(asked.problem()))
    throw Usage(fmt::format("{} holds complex numbers ({}), and {} transforms real ones; use --kind c2c",
                            weft::shown_path(asked.input), file.type, weft::shown(asked.kind)));
}

int bench(const World& world, BenchRequest asked, const CLI::App& app) {
  for (const std::string& path : {asked.json, asked.trace})
    if (!path.empty()) check_writable(world, path);
  if (!asked.input.empty() && asked.plane_waves())
    throw Usage("--input and plane waves exclude each other: a file holds a whole field");
  if (!asked.kept.empty() && asked.kind == "r2c")
    if (const weft::AnyProblem real = asked.problem();
        real.waves->box->size() == 3 && ((*real.waves->box)[0] % 2 == 0 || (*real.waves->box)[1] % 2 == 0))
      throw Usage("--kept " + weft::shown(asked.kept) +
                  " of real functions: the mode -n/2 of an even extent has no mirror image to be checked against; give "
                  "odd extents along axes 0 and 1");
  if (!asked.input.empty()) adopt_file(world, asked, app);
  const weft::AnyProblem problem = asked.problem();
  weft::Options options = asked.options(world.ranks);
  std::vector<Entry> entries = planning([&] { return entries_of(asked, options, app); });
  options.strategy = "auto";
  // What no strategy can do is wrong with the request; what one of them cannot is that one's.
  planning([&] { weft::AnyPlan(world.comm, problem, options); });
  asked.node_count = node_count(weft::nodes(world.comm, options.nodes));

  Progress progress(world.rank == 0);
  progress.phase(asked.input.empty() ? "making a field" : "reading " + asked.input);
  const auto field =
      asked.input.empty() ? random_field(world, problem, options) : file_field(world, problem, asked.input);
  std::vector<Contender*> running;
  progress.phase("planning and verifying");
  for (Entry& entry : entries) {
    progress.detail(label(asked, entry));
    try {
      entry.contender = make_contender(world, problem, entry.options);
    } catch (const weft::Declined& e) {
      entry.declined = e.what();
      // Who, once more
      if (const auto at = entry.declined.find("declines: "); at != std::string::npos) entry.declined.erase(0, at + 10);
      continue;
    } catch (const weft::Error& e) {  // alike on all ranks, so that the others can still be timed
      entry.error = e.what();
      continue;
    }
    entry.contender->verify(*field);
    running.push_back(entry.contender.get());
  }
  progress.phase(fmt::format("timing {} repeats of {} {}", asked.repeats, running.size(),
                             !asked.sweeps.empty()   ? "schedules"
                             : asked.kernels.empty() ? "strategies"
                                                     : "kernels"));
  for (Contender* contender : running) contender->settle();
  for (int repeat = 0; repeat < asked.repeats; ++repeat) {
    progress.detail(fmt::format("{}/{}", repeat + 1, asked.repeats));
    for (Contender* contender : running) contender->time();
  }
  std::optional<weft::Trace> trace;
  if (!asked.trace.empty()) trace.emplace(world.comm, trace_spans);
  for (Contender* contender : running) contender->time_steps(std::min(asked.repeats, 5), trace ? &*trace : nullptr);
  progress.phase("verifying again");
  for (Contender* contender : running) contender->verify(*field), contender->verify_in_a_row();
  progress.clear();
  if (trace) trace->write(asked.trace);

  const bool all_planned =
      std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.error.empty(); });
  bool right = !running.empty() && all_planned;
  for (const Contender* contender : running)
    right = right && contender->measured().relative_error <= tolerance(problem, options);
  if (world.rank == 0) {
    Json rows = Json::array();
    for (const Entry& entry : entries) rows.push_back(row(world, asked, problem, *field, entry));
    fmt::print("{}{} {} {}, {}, {} x {} thread{}, {}, {}\n",
               asked.boxcut          ? "boxcut 2, "
               : !asked.kept.empty() ? fmt::format("kept box {}, ", asked.kept)
               : asked.radius > 0    ? fmt::format("sphere of radius {:g}, ", asked.radius)
                                     : "",
               asked.kind, to_string(problem.shape), asked.precision, asked.layout,
               ranks_on_nodes(world.ranks, asked.node_count), options.threads, options.threads == 1 ? "" : "s",
               !asked.sweeps.empty()   ? "a sweep"
               : asked.kernels.empty() ? schedule_text(options)
                                       : "each kernel's own schedule",
               version());
    fmt::print("forward and backward together; checked against {}\n\n{}\n", field->reference(),
               table(asked, entries, rows).plain());
    for (const Entry& entry : entries)
      if (entry.contender)
        if (const std::string text = changes(entry.contender->plan()); !text.empty())
          fmt::print("{}: {}\n", label(asked, entry), text);
    if (trace && trace->left_out() > 0)
      fmt::print("{} has no room for {} executions: trace less at once\n", asked.trace, trace->left_out());
    if (cores() < options.threads)
      fmt::print("note: {} threads share {} core(s); mpirun --bind-to none (Open MPI) lets them have more\n",
                 options.threads, cores());
    if (!all_planned)
      fmt::print("FAILED: a strategy could not be planned\n");
    else if (running.empty())
      fmt::print("FAILED: every strategy declined\n");
    else if (!right)
      fmt::print("FAILED: an error above {:.1e}\n", tolerance(problem, options));
    std::fflush(stdout);
    if (!asked.json.empty() && !(std::ofstream(asked.json) << rows.dump(2) << std::endl))
      throw weft::Error("cannot write " + weft::shown_path(asked.json));
  }
  return right ? 0 : 1;
}

}  // namespace

Command bench_command(CLI::App& app) {
  auto asked = std::make_shared<BenchRequest>();
  asked->strategy = "all";
  asked->add_problem(app);
  asked->add_options(app, {"scale", "tune_seconds"});
  app.get_option("--strategy")
      ->description("names of 'weft list' with commas between them, or all; direct+deposit: one for each exchange");
  app.add_option("--kernel", asked->kernels,
                 "kernels of 'weft list' with commas between them, or all; --tile, --window, --test change theirs. "
                 "That with a thread for exchanges has 2 threads unless --threads says otherwise")
      ->excludes("--strategy")
      ->excludes("--tiles")
      ->excludes("--backward-tiles")
      ->excludes("--communicate");
  app.add_option("--sweep", asked->sweeps,
                 "values of an option that changes only speed, each with all others: tile=1,4,16; may be given several "
                 "times. "
                 "Exchanges on a thread have 2 threads where 1 is asked for")
      ->allow_extra_args(false);
  app.add_option("--repeat", asked->repeats, "repetitions to time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--input", asked->input, "transform what this npy file holds, instead of random data");
  app.add_option("--json", asked->json, "write the results to this file");
  app.add_option("--trace", asked->trace, trace_help);
  app.footer(R"(Examples:
  weft --ranks 2 bench --kind r2c --shape 181x217x181
  weft --ranks 4 bench --layout 2x2 --strategy isend,alltoallv --tiles gathered --tile 8 --json times.json
  weft --ranks 2 bench --kernel replace,standard,overlap,oneplane,allplanes --shape 128x128x128
  weft --ranks 2 bench --strategy alltoall,isend --sweep tiles=one,kept --sweep window=1,2,0
)");
  return [asked, &app](const World& world) { return bench(world, *asked, app); };
}

#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "peers/fftw.hpp"

namespace {

/// Between the tenth and the ninetieth percentile, relative to the median.
double variation(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto percentile = [&](double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double above = values[std::min(below + 1, values.size() - 1)];
    return values[below] + (at - static_cast<double>(below)) * (above - values[below]);
  };
  return (percentile(0.9) - percentile(0.1)) / percentile(0.5);
}

/// Of the plans that were tried: how much slower the slowest is than the fastest, among those with
/// the options of the fastest.
double spread(const Result& result) {
  double least = INFINITY, most = 0;
  for (const Tried& tried : result.tried)
    if (tried.options == result.options && tried.median_seconds > 0) {
      least = std::min(least, tried.median_seconds);
      most = std::max(most, tried.median_seconds);
    }
  return most > 0 ? most / least - 1 : 0;
}

std::string first_value(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key))
      if (const auto at = line.find(": "); at != line.npos) return line.substr(at + 2);
  return "unknown";
}

}  // namespace

std::string machine() {
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  const std::string version(mpi, static_cast<std::size_t>(length));
  const char* const kernels = std::getenv("WEFT_KERNELS");
  return fmt::format("{}, {} cores; {}; {}{}", first_value("/proc/cpuinfo", "model name"),
                     sysconf(_SC_NPROCESSORS_ONLN), version.substr(0, version.find(',')), fftw_version,
                     kernels ? fmt::format("; kernels {}", kernels) : "");
}

Report::Report(const World& world, const Case& what, std::vector<Result> results, const Nearness& nearness,
               const Targets& targets)
    : world_(world), what_(what), results_(std::move(results)), near_(nearness) {
  const Result* const serial = best(true, {"serial"});
  if (serial) serial_variation_ = variation(serial->seconds);

  const Result *const peer = best(true, {"transposed", "natural"}), *const threads = best(true, {"threads"}),
                      *const weft = best(false, {"transposed", "messages"}),
                      *const direct = best(false, {"transposed"});
  compare("sphere", "weft's plane waves over the best peer's", best(false, {"sphere", "messages"}),
          best(true, {"sphere"}));
  compare("dense", "weft's plane waves over its dense transform of the same grid", best(false, {"sphere"}),
          best(false, {"dense"}));
  compare("transposed", "weft's best over the best peer, any output", weft, peer);
  compare("fftw_alone", "weft with FFTW's lines alone over the best peer, any output", best(false, {"fftw alone"}),
          peer);
  compare("natural", "the same with natural output", best(false, {"natural"}), best(true, {"natural"}));
  compare("messages", "weft by messages over the best peer, any output", best(false, {"messages"}),
          what_.sphere() ? best(true, {"sphere"}) : peer);
  compare("threads", "weft's best over FFTW with threads", weft, threads);
  compare("rank_with_threads", "weft on one rank with threads over FFTW with threads", best(false, {"threads"}),
          threads);
  compare("preserving", "weft with the caller's arrays, input preserved, over its own and overwriting",
          best(false, {"preserving"}), direct);
  compare("pencils", "weft with pencils over slabs", best(false, {"pencils"}), direct);
  compare("double_over_float", "weft in double over float", best(false, {"double"}), direct);
  compare("machine_scaling", "weft on 1 rank over weft on 1 rank on every core at once", best(false, {"one rank"}),
          best(false, {"each"}));
  compare("scaling", "weft on 1 rank over ranks x weft on all", best(false, {"one rank"}), weft, 1.0 / world_.ranks);

  const auto judge = [&](const std::map<std::string, double>& bounds, bool at_most) {
    for (const auto& [name, bound] : bounds) {
      const auto at =
          std::find_if(ratios_.begin(), ratios_.end(), [&wanted = name](const Ratio& r) { return r.name == wanted; });
      verdicts_.push_back({name, at_most, bound, at == ratios_.end() ? nullptr : &*at});
    }
  };
  judge(targets.at_most, true);
  judge(targets.at_least, false);
}

const Result* Report::best(bool peer, const Groups& groups) const {
  const Result* best = nullptr;
  for (const Result& r : results_)
    if (r.ran() && r.entry.peer == peer && std::count(groups.begin(), groups.end(), r.entry.group) &&
        (!best || r.median() < best->median()))
      best = &r;
  return best;
}

void Report::compare(const std::string& name, const std::string& meaning, const Result* of, const Result* over,
                     double factor) {
  if (of && over)
    ratios_.push_back({name, meaning, factor * of->median() / over->median(), of->entry.name, over->entry.name});
}

double Report::speedup_per_rank(const Result& result) const {
  const Result* const serial = best(true, {"serial"});
  return serial ? serial->median() / result.median() / world_.ranks : NAN;
}

bool Report::right() const {
  return std::all_of(results_.begin(), results_.end(),
                     [](const Result& r) { return !r.ran() || r.relative_error <= r.entry.what.tolerance(); });
}

std::string Report::text() const {
  std::string out =
      fmt::format("{}, {} rank{}; {}\n", what_.name(), world_.ranks, world_.ranks == 1 ? "" : "s", machine());
  const int transforms = transforms_a_turn(what_, world_.ranks);
  out += fmt::format("{}; {} a turn, the slowest rank's time\n\n",
                     what_.there_and_back() ? "forward and backward" : "forward",
                     transforms == 1 ? "1 transform" : fmt::format("{} transforms", transforms));
  const auto line = [&](const auto&... cells) {
    out += fmt::format("{:<30} {:>10} {:>10} {:>10} {:>9} {:>7} {:>8}  {}\n", cells...);
  };
  line("", "median ms", "min", "max", "speedup/P", "plans", "error", "options");
  for (const Result& r : results_) {
    if (!r.ran()) {
      out += fmt::format("{:<30} declined: {}\n", r.entry.name, r.tried.empty() ? "" : r.tried.front().declined);
      continue;
    }
    const auto ms = [](double seconds) { return fmt::format("{:.4g}", 1e3 * seconds); };
    const double spread = ::spread(r);
    line(r.entry.name, ms(r.median()), ms(r.least()), ms(r.most()), fmt::format("{:.2f}", speedup_per_rank(r)),
         spread > 0 ? fmt::format("+{:.0f}%", 100 * spread) : "", fmt::format("{:.1e}", r.relative_error), r.options);
  }
  out += "\n";
  for (const Ratio& r : ratios_)
    out += fmt::format("{:<18} {:>6.3f}  {}: {} / {}\n", r.name, r.value, r.meaning, r.of, r.over);
  for (const Verdict& v : verdicts_)
    out +=
        fmt::format("target: {} {} {}: {}\n", v.name, v.at_most ? "at most" : "at least", v.bound,
                    !v.ratio ? "not measured" : fmt::format("{:.3f}, {}", v.ratio->value, v.met() ? "met" : "MISSED"));
  out += fmt::format("serial FFTW varied by {:.0f} % (tenth to ninetieth percentile)\n", 100 * serial_variation_);
  if (near_.hop_seconds > 0) out += fmt::format("a flag went from rank to rank in {:.0f} ns", 1e9 * near_.hop_seconds);
  if (near_.turns_apart > 0)
    out +=
        fmt::format(", and took more than {} times that in {} of {} turns: cores without a cache in common{}",
                    Nearness::far, near_.turns_apart, near_.turns, near_.left_out ? "; these turns are left out" : "");
  if (near_.hop_seconds > 0) out += "\n";
  if (serial_variation_ > 0.15)
    out += "VOID: more than 15 %: something else was running, or the machine changed its speed\n";
  if (mixed()) out += "VOID: too few turns with a cache in common\n";
  if (near_.moved) out += "VOID: cores have moved since plans found out what suits them, three times\n";
  if (!right()) out += "WRONG: an error is larger than rounding explains\n";
  return out;
}

nlohmann::ordered_json Report::json() const {
  using Json = nlohmann::ordered_json;
  const auto case_json = [&](const Case& what) {
    return Json{{"kind", what.real ? "r2c" : "c2c"},
                {"sphere", what.radius > 0 ? Json(what.radius) : Json()},
                {"boxcut", what.boxcut},
                {"shape", std::vector<weft::Index>(what.shape.begin(), what.shape.end())},
                {"precision", what.is_double() ? "double" : "float"},
                {"batch", what.batch},
                {"ranks", world_.ranks}};
  };
  Json rows = Json::array();
  for (const Result& r : results_) {
    Json tried = Json::array();
    for (const Tried& t : r.tried) {
      tried.push_back(t.declined.empty() ? Json{{"options", t.options}, {"median_seconds", t.median_seconds}}
                                         : Json{{"options", t.options}, {"declined", t.declined}});
      if (t.final_seconds > 0) tried.back()["final_seconds"] = t.final_seconds;
    }
    Json row{{"case", case_json(r.entry.what)},
             {"contender", r.entry.name},
             {"group", r.entry.group},
             {"peer", r.entry.peer},
             {"options", r.options}};
    if (r.ran())
      row.update({{"median_seconds", r.median()},
                  {"min_seconds", r.least()},
                  {"max_seconds", r.most()},
                  {"relative_error", r.relative_error},
                  {"tolerance", r.entry.what.tolerance()},
                  {"speedup_over_serial_fftw_per_rank", speedup_per_rank(r)},
                  {"gflop_per_second", 1e-9 * r.entry.what.operations() / r.median()},
                  {"plan_seconds", r.plan_seconds},
                  {"plan_spread", spread(r)},
                  {"array_bytes", r.array_bytes},
                  {"bytes_owned", r.bytes_owned},
                  {"seconds", r.seconds}});
    row["tried"] = tried;
    rows.push_back(row);
  }
  Json over_peer = Json::object(), others = Json::object(), scaling = nullptr, verdicts = Json::array();
  for (const Ratio& r : ratios_) {
    if (r.name == "scaling")
      scaling = r.value;
    else if (r.over.starts_with("weft"))
      others[r.name] = r.value;
    else
      over_peer[r.name] = r.value;
  }
  for (const Verdict& v : verdicts_)
    verdicts.push_back({{"name", v.name},
                        {v.at_most ? "at_most" : "at_least", v.bound},
                        {"value", v.ratio ? Json(v.ratio->value) : Json()},
                        {"met", v.met()}});
  const Json summary{{"weft_over_best_peer", over_peer},
                     {"weft_over_weft", others},
                     {"scaling", scaling},
                     {"targets", verdicts},
                     {"serial_variation", serial_variation_},
                     {"hop_seconds", near_.hop_seconds},
                     {"turns", near_.turns},
                     {"turns_apart", near_.turns_apart},
                     {"moved", near_.moved},
                     {"void", is_void()}};
  return {{"machine", machine()},
          {"transforms_a_turn", transforms_a_turn(what_, world_.ranks)},
          {"rows", rows},
          {"summary", summary}};
}

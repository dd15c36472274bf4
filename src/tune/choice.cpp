#include "tune/choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <weft/quote.hpp>

namespace weft {
namespace {

constexpr std::size_t longest = 300;  // of a text, as people see it

Json to_json(const ScheduleOptions& s) {
  return Json::Members{
      {"tiles", s.tiles}, {"tile", s.tile}, {"window", s.window}, {"test", s.test}, {"communicate", s.communicate}};
}

// A whole number from 0 to a million million; anything else is no choice.
Index whole(const Json& value, const char* what) {
  const double number = value.number(-1);
  if (!(number >= 0 && number <= 1e12 && number == std::floor(number)))
    throw Error(std::string("the choice has no ") + what);
  return static_cast<Index>(number);
}
// The same of what is counted by an int, and is at least 1.
int count(const Json& value, const char* what) {
  const Index number = whole(value, what);
  if (number < 1 || number > std::numeric_limits<int>::max())
    throw Error("the choice has " + std::to_string(number) + " as its " + what);
  return static_cast<int>(number);
}
std::string word(const Json& value, const char* what) {
  if (value.text().empty()) throw Error(std::string("the choice has no ") + what);
  return value.text();
}

ScheduleOptions schedule_of(const Json& s) {
  return {word(s["tiles"], "tiles"), whole(s["tile"], "tile"), whole(s["window"], "window"), whole(s["test"], "test"),
          word(s["communicate"], "communicate")};
}

}  // namespace

bool strategy_open(const Options& o) { return o.strategy == "auto" || o.strategy == "tune"; }
bool schedule_open(const Options& o) {
  return strategy_open(o) && o.schedule == Options().schedule && !o.backward_schedule;
}

namespace {
bool grid_open(const Options& o) { return o.grid.size() == 1 && o.grid[0] == 0; }
}  // namespace

bool leaves_open(const Options& o) {
  return strategy_open(o) || grid_open(o) || o.groups == 0 || o.threads == 0 || o.effort == "auto";
}

Options closed(Options o) {
  if (strategy_open(o)) o.strategy = "auto";
  if (grid_open(o)) o.grid = {};
  if (o.groups == 0) o.groups = 1;
  if (o.threads == 0) o.threads = 1;
  if (o.effort == "auto") o.effort = "measure";
  if (o.schedule.tiles == "auto") o.schedule.tiles = "one";
  if (o.backward_schedule && o.backward_schedule->tiles == "auto") o.backward_schedule->tiles = o.schedule.tiles;
  return o;
}

Index field_bytes(const AnyProblem& p, const Options& o, int ranks) {
  return (volume(p.shape) * o.components + ranks - 1) / ranks * static_cast<Index>(element_bytes(p.precision, true));
}

ScheduleOptions batch_schedule(const AnyProblem& p, const Options& o, int ranks) {
  if (o.batch < 2 || (o.in_place() && !p.waves)) return {};
  const Index bytes = field_bytes(p, o, ranks);
  const Index fields = (1 << 20) / bytes;
  if (p.waves ? bytes >= 4 << 20 : fields == 0 && !o.overwrites_input()) return {"kept", 1, 1};
  if (p.waves || fields == 0 || fields >= o.batch) return {};
  const bool once =
      !o.natural_output && std::count_if(o.grid.begin(), o.grid.end(), [](int along) { return along > 1; }) < 2;
  return once ? ScheduleOptions{"kept", std::max<Index>(1, (768 << 10) / bytes), 2}
              : ScheduleOptions{"kept", fields, 1};
}

std::string summary(const AnyProblem& p, const Options& o) {
  std::string kinds;
  for (std::size_t k = 0; k < p.kinds.size(); ++k)
    if (k == 0 || p.kinds[k] != p.kinds[k - 1])
      kinds += (kinds.empty() ? "" : " x ") + std::string(to_string(p.kinds[k]));
  if (kinds == "c2c x r2c") kinds = "r2c";
  std::string text = to_string(p.shape) + " " + kinds + ", " + std::string(to_string(p.precision));
  if (p.waves) text += p.waves->box ? ", a box of plane waves" : p.waves->half ? ", half a sphere" : ", a sphere";
  if (p.waves && p.waves->cutoff) {
    char radius[32];
    std::snprintf(radius, sizeof radius, " of radius %.4g", std::sqrt(p.waves->cutoff->squared));
    text += radius;
  }
  if (o.batch > 1) text += ", batch " + std::to_string(o.batch);
  if (o.components > 1) text += ", " + std::to_string(o.components) + " components";
  return text + (o.in_place() ? ", in place" : o.overwrites_input() ? ", overwriting" : "");
}

std::string name_of(const Options& o) {
  std::string text = o.strategy + ", " + to_string(o.schedule);
  if (o.backward_schedule && *o.backward_schedule != o.schedule)
    text += "; backward " + to_string(*o.backward_schedule);
  for (int d = 0; d < o.grid.size(); ++d) text.append(d == 0 ? "; grid " : "x").append(std::to_string(o.grid[d]));
  if (o.groups > 1) text += "; " + std::to_string(o.groups) + " groups";
  if (o.threads > 1) text += "; " + std::to_string(o.threads) + " threads";
  if (o.effort != "measure") text += "; effort " + o.effort;
  return text;
}

Json choice_json(const Options& o) {
  Json::List grid;
  for (const int g : o.grid) grid.push_back(g);
  Json choice = Json::Members{{"name", name_of(o)}, {"strategy", o.strategy}, {"schedule", to_json(o.schedule)}};
  if (o.backward_schedule) choice.set("backward_schedule", to_json(*o.backward_schedule));
  choice.set("grid", std::move(grid));
  choice.set("groups", o.groups);
  choice.set("threads", o.threads);
  choice.set("effort", o.effort);
  return choice;
}

Options with_choice(const Options& asked, const Json& choice) {
  Options o = asked;
  if (strategy_open(asked)) o.strategy = word(choice["strategy"], "strategy");
  if (o.strategy == "tune") throw Error("the choice is to tune");
  if (schedule_open(asked)) {
    o.schedule = schedule_of(choice["schedule"]);
    if (choice["backward_schedule"].is_object()) o.backward_schedule = schedule_of(choice["backward_schedule"]);
  }
  if (grid_open(asked)) {
    o.grid = {};
    for (const Json& g : choice["grid"].list())
      if (o.grid.size() == max_axes)
        throw Error("the choice has a grid of too many axes");
      else
        o.grid.push_back(count(g, "grid"));
  }
  if (asked.groups == 0) o.groups = count(choice["groups"], "groups");
  if (asked.threads == 0) o.threads = count(choice["threads"], "threads");
  if (asked.effort == "auto") o.effort = word(choice["effort"], "effort");
  return closed(o);
}

std::string explanation(const Json& found) {
  const auto milliseconds = [](const Json& seconds) {
    char text[32] = "-";
    if (seconds.number() > 0) std::snprintf(text, sizeof text, "%.4g", 1e3 * seconds.number());
    return std::string(text);
  };
  const auto said = [](const Json& text) { return shown(text.text(), longest); };  // files of wisdom may hold anything
  const Json &problem = found["problem"], &candidates = found["candidates"];
  std::string out = "problem: " + said(problem["summary"]) + ", " +
                    std::to_string(static_cast<Index>(std::clamp(problem["ranks"].number(), 0.0, 1e9))) +
                    " rank(s)\nchoice:  " + said(found["choice"]["name"]) + "\nreason:  " + said(found["reason"]) +
                    "\n";
  for (const Json& note : found["notes"].list()) out += "note:    " + note.text() + "\n";
  if (!found["bytes_sent"].is_null()) {
    char text[128];
    std::snprintf(
        text, sizeof text,
        "bytes:   one forward sends %.0f from this rank; the largest share of the data is %.3f times the mean\n",
        found["bytes_sent"].number(), found["imbalance"].number());
    out += text;
  }
  if (candidates.list().empty()) return out;
  std::size_t width = 9;
  for (const Json& c : candidates.list()) width = std::max(width, std::min<std::size_t>(c["name"].text().size(), 72));
  const auto row = [&](std::string name, const std::string& predicted, const std::string& measured,
                       const std::string& times, const std::string& verdict) {
    if (name.size() < width) name.resize(width, ' ');
    char text[96];
    std::snprintf(text, sizeof text, "  %12s  %11s  %5s  ", predicted.c_str(), measured.c_str(), times.c_str());
    out += "  " + name + text + verdict + "\n";
  };
  // what the model says of one exchange is not what it says of a whole transform
  const bool exchanges = !candidates.list().front()["exchange_seconds"].is_null();
  row("candidate", exchanges ? "exchange ms" : "predicted ms", "measured ms", "times", "");
  for (const Json& c : candidates.list())
    row(said(c["name"]), milliseconds(c[exchanges ? "exchange_seconds" : "predicted_seconds"]),
        milliseconds(c["measured_seconds"]), c["measurements"].number() > 0 ? c["measurements"].dump() : "-",
        said(c["verdict"]));
  const auto compared = [](const Json& c) { return c["verdict"].text().ends_with("in the same rounds"); };
  if (std::any_of(candidates.list().begin(), candidates.list().end(), compared))
    out +=
        "measured are medians of all executions; a verdict counts the rounds in which a candidate and the best ran in "
        "turn\n";
  return out;
}

}  // namespace weft

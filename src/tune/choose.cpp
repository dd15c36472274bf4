// What plans and redistributions leave open is chosen here, by tuning, by wisdom or by the model;
// and how a plan tells of it.
#include <algorithm>

#include <weft/forecast.hpp>
#include <weft/quote.hpp>

#include "plan/chooser.hpp"
#include "plan/plan.hpp"
#include "plan/policy/hardware.hpp"
#include "plan/redistribute.hpp"
#include "plan/route/problem.hpp"
#include "tune/choice.hpp"
#include "tune/recollection.hpp"

namespace weft {

namespace {

/// Ranks up to which a plan has forecasts made: they are made in the time of an exchange's planning,
/// and on every rank.
constexpr int most_forecast_ranks = 64;

Json::List forecast_candidates(const std::vector<Forecast>& said) {
  Json::List all;
  for (const Forecast& f : said)
    all.push_back(Json::Members{{"name", f.strategy},
                                {"strategy", f.strategy},
                                {"predicted_seconds", f.seconds},
                                {"measured_seconds", 0},
                                {"messages", f.cost.messages},
                                {"bytes", f.cost.bytes},
                                {"copied", f.cost.copied},
                                {"measurements", 0},
                                {"round", 0},
                                {"verdict", f.declined.empty() ? "" : "declined: " + f.declined}});
  return all;
}

/// By tuning, by wisdom or by the model.
class Tuner final : public Chooser {
 public:
  Told choose(const Asked& asked, const Make& make) const override {
    const mpi::Communicator& comm = asked.comm;
    const Options& options = asked.options;
    if (!leaves_open(options)) {
      make(closed(options), Machine());
      return {};
    }
    Recollection known(comm, asked.problem, options, asked.nodes);
    const Machine machine = known.machine();
    std::vector<std::string> notes = known.notes();
    Json story;
    bool made = false;
    if (options.strategy == "tune") {
      const auto lines = comm.agree([&] { return engine(options.engine).keep(); });
      const Tuning tuning = tune(comm.raw(), asked.problem, options, {.seconds = options.tune_seconds});
      if (options.wisdom) notes.push_back(known.keep(tuning));
      story = Json::parse(tuning.json);
      make(tuning.choice, known.machine());
      made = true;
    } else if (!known.found().is_null()) {
      made = recall(asked, known, machine, make, story, notes);
    }
    made = made || by_fields(asked, machine, make, story) || by_forecasts(asked, known, machine, make, story, notes);
    if (!made) make(closed(options), machine);
    Json::List said(notes.begin(), notes.end());
    if (!said.empty()) story.set("notes", std::move(said));
    Told told;
    if (!story.is_null()) told.story = story.dump();
    if (!story["reason"].is_null())
      told.line = (options.strategy == "tune" ? "tuning: " : "") + shown(story["reason"].text(), 300);
    return told;
  }

 private:
  static bool recall(const Asked& asked, const Recollection& known, const Machine& machine, const Make& make,
                     Json& story, std::vector<std::string>& notes) {
    try {
      const Options choice = with_choice(asked.options, known.found()["choice"]);
      check_alike(asked.comm, asked.problem, choice);
      make(choice, machine);
    } catch (const Error& e) {  // alike on all ranks: a strategy that is gone, a machine that has changed
      notes.push_back(std::string("what wisdom has cannot be planned, so the model chooses: ") + e.what());
      return false;
    }
    story = known.found();
    story.set("reason", "wisdom of " + shown(story["date"].text()) + " from " + story["where"].text() + ": " +
                            story["reason"].text());
    return true;
  }

  /// Fields of a batch go through all stages in ranks that share memory where that pays.
  static bool by_fields(const Asked& asked, const Machine& machine, const Make& make, Json& story) {
    const mpi::Communicator& comm = asked.comm;
    const AnyProblem& problem = asked.problem;
    const Options& options = asked.options;
    const std::vector<int>& nodes = asked.nodes;
    Options choice = closed(options);
    if (comm.size() > 1 && schedule_open(options)) choice.schedule = batch_schedule(problem, options, comm.size());
    if (ScheduleOptions& fields = choice.schedule; fields.tiles == "kept") {
      const Index here = std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm.rank())]);
      const Index bytes = field_bytes(problem, options, comm.size());
      // an array for few fields only costs time where caches hold the input, which holds them for
      // nothing
      const bool cached = !problem.waves && options.overwrites_input() &&
                          2 * here * options.batch * bytes <= hardware().last_level(here);
      const Index several = (512 << 10) / bytes;
      if (here < comm.size())  // large fields one by one are many messages
        fields = several > 0 ? ScheduleOptions{"kept", several, 2} : ScheduleOptions();
      else if (comm.max(cached ? 1 : 0) > 0)
        fields = {};
    }
    if (choice.schedule == ScheduleOptions()) return false;
    try {
      make(choice, machine);
    } catch (const Declined&) {  // alike on all ranks: the batch is cut
      return false;
    }
    if (story.is_null()) story = Json(Json::Members{});
    story.set("reason", "the model: fields of a batch go through all stages while they are in cache");
    return true;
  }

  /// Where the machine's profile is known for these ranks: the strategy of the least forecast.
  static bool by_forecasts(const Asked& asked, const Recollection& known, const Machine& machine, const Make& make,
                           Json& story, std::vector<std::string>& notes) {
    const mpi::Communicator& comm = asked.comm;
    if (!strategy_open(asked.options) || asked.problem.waves || comm.size() == 1 || comm.size() > most_forecast_ranks)
      return false;
    const auto profile = known.profile();
    if (!profile) return false;
    Options choice = closed(asked.options);
    const auto said = comm.agree([&] { return forecast(asked.problem, choice, asked.nodes, *profile); });
    for (const Forecast& best : said) {
      if (!best.declined.empty()) break;
      choice.strategy = best.strategy;
      try {
        make(choice, machine);
      } catch (const Error& e) {  // alike on all ranks: the machine refuses what the strategy needs
        notes.push_back(best.strategy + " cannot be planned, so the next one is: " + e.what());
        continue;
      }
      if (story.is_null()) story = Json(Json::Members{});
      story.set("reason", "the model: the least forecast, by the profile of this machine in wisdom");
      story.set("candidates", forecast_candidates(said));
      return true;
    }
    return false;
  }
};

}  // namespace

AnyPlan::AnyPlan(MPI_Comm user, const AnyProblem& problem, const Options& options, Memory memory)
    : AnyPlan(user, problem, options, memory, Tuner()) {}

Redistribution::Redistribution(MPI_Comm user, const Layout& from, const Layout& to, Index element_bytes,
                               const RedistributionOptions& options) {
  const mpi::Entry entry("planning a redistribution", options.strategy);
  const auto comm = mpi::Communicator::shared(user);
  body_ = comm.together([&] {
    const bool looks = comm.max(options.wisdom && options.strategy == "auto" ? 1 : 0);
    const Machine machine = looks ? Recollection::machine_at(comm, options.nodes) : Machine();
    return std::make_unique<Body>(comm.again(), from, to, element_bytes, options, machine);
  });
}

void redistribute(MPI_Comm comm, const Layout& from, const void* in, const Layout& to, void* out, Index element_bytes,
                  const RedistributionOptions& options) {
  Redistribution(comm, from, to, element_bytes, options)(in, out);
}

std::string AnyPlan::explain(bool as_json) const {
  const Body& b = *body_;
  Json all = Json::Members{{"problem", Json::Members{{"summary", summary(b.problem, b.requested)},
                                                     {"shape", to_string(b.problem.shape)},
                                                     {"ranks", b.comm.size()}}},
                           {"choice", choice_json(b.effective)}};
  const Json story = b.choice.empty() ? Json() : Json::parse(b.choice);
  Json::List candidates = story["candidates"].list();
  std::string reason = story["reason"].text();
  if (candidates.empty()) {
    const auto considered = this->considered();
    bool any = false;
    for (std::size_t h = 0; h < considered.size(); ++h)
      for (const Considered& c : considered[h]) {
        any = true;
        candidates.push_back(
            Json::Members{{"name", (considered.size() > 1 ? "exchange " + std::to_string(h) + ": " : "") + c.strategy},
                          {"strategy", c.strategy},
                          {"schedule", to_string(b.effective.schedule)},
                          {"exchange_seconds", c.seconds},
                          {"measured_seconds", 0},
                          {"messages", c.cost.messages},
                          {"bytes", c.cost.bytes},
                          {"copied", c.cost.copied},
                          {"measurements", 0},
                          {"round", 0},
                          {"verdict", !c.declined.empty()            ? "declined: " + c.declined
                                      : &c == &considered[h].front() ? "the cheapest"
                                                                     : ""}});
      }
    if (reason.empty())
      reason = any                  ? "the model's choice: the cheapest, of one exchange forward"
               : considered.empty() ? "nothing is exchanged"
                                    : "as requested";
  }
  all.set("reason", reason);
  Json::List notes = story["notes"].list();
  for (const std::string& note : idle_notes(b.route)) notes.emplace_back(note);
  if (!notes.empty()) all.set("notes", std::move(notes));
  Index sent = 0, most = 0, total = 0;
  for (const auto& exchange : b.forward.exchanges)
    for (int t = 0; exchange && t < exchange->tiles(); ++t)
      for (const Piece& piece : exchange->tile(t).out) {
        const auto h = static_cast<std::size_t>(&exchange - b.forward.exchanges.data());
        if (piece.peer != b.forward.selves[h]) sent += piece.at.box.volume() * b.forward.bytes[h + 1];
      }
  for (int r = 0; r < b.comm.size(); ++r) {
    const Index elements = input_layout().elements(r) + output_layout().elements(r);
    most = std::max(most, elements);
    total += elements;
  }
  all.set("bytes_sent", sent);
  all.set("imbalance", total > 0 ? static_cast<double>(most) * b.comm.size() / static_cast<double>(total) : 1.0);
  for (const char* name : {"seconds", "machine", "date", "version"})
    if (!story[name].is_null()) all.set(name, story[name]);
  all.set("candidates", std::move(candidates));
  return as_json ? all.dump() + "\n" : explanation(all);
}

}  // namespace weft

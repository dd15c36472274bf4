// Constructors of plans and of redistributions: what is left open is chosen, by tuning, by wisdom or by the model, and then planned; and how a plan
// tells of it.
#include <algorithm>
#include <new>

#include <weft/quote.hpp>

#include "plan/policy/hardware.hpp"
#include "plan/plan.hpp"
#include "plan/route/problem.hpp"
#include "plan/redistribute.hpp"
#include "tune/choice.hpp"
#include "tune/recollection.hpp"

namespace weft {

AnyPlan::AnyPlan(MPI_Comm user, const AnyProblem& problem, const Options& options) {
  std::string about;
  try {
    about = to_string(problem.shape) + ", strategy " + options.strategy;
  } catch (const std::bad_alloc&) {  // then the time limit says less; other ranks wait for this one below
  }
  const mpi::Entry entry("planning", about);
  const auto comm = mpi::Communicator::shared(user);
  body_ = comm.together([&] { return Body::make(comm, problem, options); });
}

std::unique_ptr<AnyPlan::Body> AnyPlan::Body::make(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options) {
  std::unique_ptr<Body> made;
  check_alike(comm, problem, options);
  const std::vector<int> nodes = comm.nodes(options.nodes);
  if (!leaves_open(options)) {
    made = std::make_unique<Body>(comm.again(), problem, closed(options), nodes, Machine());
    made->requested = options;
    return made;
  }
  Recollection known(comm, problem, options, nodes);
  std::vector<std::string> notes = known.notes();
  const auto plan = [&](const Options& choice) {
    made = std::make_unique<Body>(comm.again(), problem, choice, nodes, known.machine());
  };
  Json story;
  if (options.strategy == "tune") {
    const auto lines = comm.agree([&] { return engine(options.engine).keep(); });
    const Tuning tuning = tune(comm.raw(), problem, options, {.seconds = options.tune_seconds});
    if (options.wisdom) notes.push_back(known.keep(tuning));
    story = Json::parse(tuning.json);
    plan(tuning.choice);
  } else if (!known.found().is_null()) {
    try {
      const Options choice = with_choice(options, known.found()["choice"]);
      check_alike(comm, problem, choice);
      plan(choice);
      story = known.found();
      story.set("reason", "wisdom of " + shown(story["date"].text()) + " from " + story["where"].text() + ": " + story["reason"].text());
    } catch (const Error& e) {  // alike on all ranks: a strategy that is gone, a machine that has changed
      notes.push_back(std::string("what wisdom has cannot be planned, so the model chooses: ") + e.what());
    }
  }
  Options by_fields = closed(options);
  if (comm.size() > 1 && schedule_open(options)) by_fields.schedule = batch_schedule(problem, options, comm.size());
  if (ScheduleOptions& fields = by_fields.schedule; fields.tiles == "kept") {
    const Index here = std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm.rank())]);
    // an array for few fields only costs time where caches hold the input, which holds them for nothing
    const bool cached = !problem.waves && options.overwrites_input() && 2 * here * options.batch * field_bytes(problem, options, comm.size()) <= hardware().last_level(here);
    const Index several = (512 << 10) / field_bytes(problem, options, comm.size());
    if (here < comm.size()) fields = several > 0 ? ScheduleOptions{"kept", several, 2} : ScheduleOptions();  // large fields one by one are many messages
    else if (comm.max(cached ? 1 : 0) > 0) fields = {};
  }
  if (!made && by_fields.schedule != ScheduleOptions()) try {
      plan(by_fields);
      if (story.is_null()) story = Json(Json::Members{});
      story.set("reason", "the model: fields of a batch go through all stages while they are in cache");
    } catch (const Declined&) {  // alike on all ranks: the batch is cut
    }
  if (!made) plan(closed(options));
  made->requested = options;
  Json::List said(notes.begin(), notes.end());
  if (!said.empty()) story.set("notes", std::move(said));
  if (!story.is_null()) made->choice = story.dump();
  if (!story["reason"].is_null()) made->chosen_by = (options.strategy == "tune" ? "tuning: " : "") + shown(story["reason"].text(), 300);
  return made;
}

Redistribution::Redistribution(MPI_Comm user, const Layout& from, const Layout& to, Index element_bytes, const RedistributionOptions& options) {
  const mpi::Entry entry("planning a redistribution", options.strategy);
  const auto comm = mpi::Communicator::shared(user);
  body_ = comm.together([&] {
    const bool looks = comm.max(options.wisdom && options.strategy == "auto" ? 1 : 0);
    const Machine machine = looks ? Recollection::machine_at(comm, options.nodes) : Machine();
    return std::make_unique<Body>(comm.again(), from, to, element_bytes, options, machine);
  });
}

std::string AnyPlan::explain(bool as_json) const {
  const Body& b = *body_;
  Json all = Json::Members{{"problem", Json::Members{{"summary", summary(b.problem, b.requested)}, {"shape", to_string(b.problem.shape)}, {"ranks", b.comm.size()}}},
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
    if (reason.empty()) reason = any ? "the model's choice: the cheapest, of one exchange forward" : considered.empty() ? "nothing is exchanged" : "as requested";
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

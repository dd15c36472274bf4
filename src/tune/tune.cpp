// The search: strategies first, in the order of the model's guess; schedules of the leaders, one
// setting after the other; mixtures of what is best for each exchange or direction; and a final
// among those that are close.
#include <weft/tune.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include <weft/machine.hpp>

#include "engines/engine.hpp"
#include "plan/route/problem.hpp"
#include "tune/choice.hpp"
#include "tune/race.hpp"

namespace weft {
namespace {

class Search {
 public:
  Search(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const TuneOptions& how)
      : comm_(comm),
        problem_(problem),
        asked_(asked),
        how_(how),
        begin_(clock_seconds()),
        machine_(measure_machine(comm.raw(), asked.nodes)),
        space_(comm, problem, asked_, machine_) {}

  Tuning run() {
    found_.reason = "the model's choice: there was no time to measure";
    if (how_.seconds > 0 || how_.exhaustive) {
      race_.emplace(comm_, problem_, asked_, how_, begin_);
      search();
    }
    return conclude();
  }

 private:
  Entry& add(const Ground& ground, const Options& options) {
    return race_->entry(ground, options, space_.predicted(ground, options));
  }
  Entry& add(const Ground& ground, const std::string& name, const ScheduleOptions& schedule,
             const std::optional<ScheduleOptions>& back = {}) {
    Options options = ground.options;
    options.strategy = name;
    options.schedule = schedule;
    if (back) options.backward_schedule = back;
    return add(ground, options);
  }

  void search() {
    std::vector<Entry*> first;
    for (const Ground& ground : space_.grounds())
      for (const std::string& name : space_.names())
        first.push_back(&add(ground, name, ground.options.schedule, ground.options.backward_schedule));
    std::stable_sort(first.begin(), first.end(), [](const Entry* a, const Entry* b) {
      const auto key = [](const Entry* e) {
        return e->shown.predicted_seconds > 0 ? e->shown.predicted_seconds : 1e300;
      };
      return key(a) < key(b);
    });
    race_->run("strategies", first, repeats(), 1, 0.5);
    if (!race_->best()) return;
    if (how_.exhaustive) {
      std::vector<Entry*> all;
      for (const Ground& ground : space_.grounds())
        for (const std::string& name : space_.names())
          for (const ScheduleOptions& s : space_.schedules(ground, name)) all.push_back(&add(ground, name, s));
      race_->run("schedules", all, repeats(), 2, 1);
    } else {
      schedules();
    }
    mix();
    race_->final();
    if (asked_.effort == "auto" && !race_->over(0.8)) {
      Options patient = race_->best()->shown.options;
      patient.effort = "patient";
      race_->run("effort", {&add(*race_->best()->ground, patient)}, 2 * repeats(), 4, 1);
    }
    const std::vector<Entry*>& all = race_->all();
    const bool alone = race_->by_time().size() == 1 && std::any_of(all.begin(), all.end(), [](const Entry* e) {
                         return !e->measured() && e->shown.verdict.empty();
                       });
    found_.reason = race_->best() != race_->first() ? "the fastest of those measured"
                    : alone ? "the model's first choice that works: there was no time to measure others"
                            : "the model's first choice that works: nothing measured is faster by more than noise";
  }

  int repeats() const { return how_.exhaustive ? 10 : 6; }

  // What the model says that tiles leave of the time of one.
  double hope(const Entry& e) const {
    double least = e.shown.predicted_seconds;
    if (least <= 0) return 1;
    Options options = e.shown.options;
    for (const ScheduleOptions& s : space_.schedules(*e.ground, options.strategy)) {
      options.schedule = s;
      least = std::min(least, space_.predicted(*e.ground, options));
    }
    return least / e.shown.predicted_seconds;
  }

  // The most hopeful strategy with all kinds and sizes of tiles, others with those that were best
  // there, and from the best of three strategies on one setting at a time, while that pays.
  void schedules() {
    std::vector<Entry*> leaders = race_->by_time();
    std::erase_if(leaders, [&](const Entry* e) { return e->score > 1.5 * race_->best()->score; });
    std::map<const Entry*, double> hopes;
    for (const Entry* e : leaders) hopes[e] = e->score * hope(*e);
    std::stable_sort(leaders.begin(), leaders.end(),
                     [&](const Entry* a, const Entry* b) { return hopes[a] < hopes[b]; });
    leaders.resize(std::min<std::size_t>(leaders.size(), 6));

    const auto alike = [](const ScheduleOptions& a, const ScheduleOptions& b) {
      return a.tiles == b.tiles && a.tile == b.tile && a.communicate == b.communicate;
    };
    std::map<const Ground*, std::vector<ScheduleOptions>> good;
    std::vector<Entry*> others;
    for (const Entry* leader : leaders) {
      const auto known = good.find(leader->ground);
      std::vector<Entry*> field;
      for (const ScheduleOptions& s : space_.schedules(*leader->ground, leader->shown.options.strategy))
        if (s.test == 0 && s.window != 2 &&
            (known == good.end() ||
             std::any_of(known->second.begin(), known->second.end(), [&](const auto& g) { return alike(s, g); })))
          field.push_back(&add(*leader->ground, leader->shown.options.strategy, s));
      if (known != good.end()) {
        others.insert(others.end(), field.begin(), field.end());
        continue;
      }
      race_->run("schedules", field, repeats(), 2, 0.9);
      std::erase_if(field, [](const Entry* e) { return !e->measured(); });
      std::stable_sort(field.begin(), field.end(), [](const Entry* a, const Entry* b) { return a->score < b->score; });
      for (std::size_t k = 0; k < std::min<std::size_t>(field.size(), 2); ++k)
        good[leader->ground].push_back(field[k]->shown.options.schedule);
    }
    race_->run("schedules", others, repeats(), 2, 0.9);

    std::set<std::string> seen;
    for (const Entry* e : race_->by_time())
      if (e->shown.options.schedule.tiles != "one" && seen.size() < 3 && seen.insert(e->shown.options.strategy).second)
        climb(e);
  }

  void climb(const Entry* at) {
    const auto differences = [](const ScheduleOptions& a, const ScheduleOptions& b) {
      return (a.tiles != b.tiles) + (a.tile != b.tile) + (a.window != b.window) + (a.test != b.test) +
             (a.communicate != b.communicate);
    };
    const std::string name = at->shown.options.strategy;
    while (at->score < 1.15 * race_->best()->score && !race_->over(0.9)) {
      std::vector<Entry*> next;
      for (const ScheduleOptions& s : space_.schedules(*at->ground, name))
        if (differences(s, at->shown.options.schedule) == 1) next.push_back(&add(*at->ground, name, s));
      race_->run("schedules", next, repeats(), 2, 0.9);
      const Entry* better = at;
      for (const Entry* e : next)
        if (e->measured() && e->score < better->score) better = e;
      if (better == at) break;
      at = better;
    }
  }

  // The best of each exchange together, and of each direction.
  void mix() {
    if (!strategy_open(asked_)) return;
    std::vector<Entry*> field;
    const std::vector<Entry*> leaders = race_->by_time();
    const Ground& ground = *race_->best()->ground;
    if (ground.considered.size() > 1) {
      std::vector<std::string> names;
      for (const Entry* e : leaders)
        if (e->ground == &ground && e->shown.options.strategy.find('+') == std::string::npos &&
            std::find(names.begin(), names.end(), e->shown.options.strategy) == names.end())
          names.push_back(e->shown.options.strategy);
      names.resize(std::min<std::size_t>(names.size(), 3));
      const ScheduleOptions schedule = race_->best()->shown.options.schedule;
      for (const std::string& a : names)
        for (const std::string& b : names)
          if (a != b) field.push_back(&add(ground, a + "+" + b, schedule));
    }
    if (schedule_open(asked_)) {
      std::set<std::string> seen;
      for (const Entry* e : leaders) {
        const Options& o = e->shown.options;
        if (e->ground != &ground || o.backward_schedule || seen.size() == 3 || !seen.insert(o.strategy).second)
          continue;
        const Entry *there = e, *back = e;
        for (const Entry* other : leaders) {
          if (other->ground != &ground || other->shown.options.strategy != o.strategy ||
              other->shown.options.backward_schedule ||
              other->shown.options.schedule.communicate != o.schedule.communicate)
            continue;
          if (other->forward_score() < there->forward_score()) there = other;
          if (other->backward_score() < back->backward_score()) back = other;
        }
        if (there != back)
          field.push_back(&add(ground, o.strategy, there->shown.options.schedule, back->shown.options.schedule));
      }
    }
    race_->run("mixtures", field, repeats(), 3, 0.99);
  }

  // ---- what is told ----

  Tuning conclude() {
    found_.machine = machine_;
    std::vector<Entry*> entries = race_ ? race_->all() : std::vector<Entry*>();
    Entry* const best = race_ ? race_->best() : nullptr;
    if (best) {
      found_.choice = best->shown.options;
      best->runs.reset();
    } else if (std::all_of(entries.begin(), entries.end(), [](const Entry* e) { return e->shown.verdict.empty(); })) {
      found_.choice = space_.grounds().front().options;
    } else {
      std::string refusals;
      for (const Entry* e : entries) refusals += "\n  " + e->shown.name + ": " + e->shown.verdict;
      throw Error("no candidate can be measured:" + refusals);
    }
    found_.choice.wisdom = asked_.wisdom;
    found_.choice.tune_seconds = asked_.tune_seconds;
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry* a, const Entry* b) {
      const auto key = [&](const Entry* e) {
        return e == best ? -1 : e->measured() ? e->score : e->shown.predicted_seconds > 0 ? 1e200 : 1e300;
      };
      return key(a) < key(b);
    });
    for (const Entry* e : entries) {
      Candidate c = e->shown;
      char text[64];
      std::snprintf(text, sizeof text, "%.2f times the best in the same rounds",
                    best && c.measurements ? e->score / best->score : 0);
      if (e == best)
        c.verdict = "the best";
      else if (c.verdict.empty())
        c.verdict = c.measurements ? text : "no time to measure it";
      found_.candidates.push_back(std::move(c));
    }
    found_.seconds = comm_.max(clock_seconds() - begin_);
    Json::List list;
    for (const Candidate& c : found_.candidates)
      list.push_back(Json::Members{{"name", c.name},
                                   {"strategy", c.options.strategy},
                                   {"schedule", to_string(c.options.schedule)},
                                   {"predicted_seconds", c.predicted_seconds},
                                   {"measured_seconds", c.measured_seconds},
                                   {"forward_seconds", c.forward_seconds},
                                   {"backward_seconds", c.backward_seconds},
                                   {"measurements", c.measurements},
                                   {"round", c.round},
                                   {"verdict", c.verdict}});
    Json problem{Json::Members()}, machine = problem, all = problem;
    problem.set("summary", summary(problem_, asked_));
    problem.set("shape", to_string(problem_.shape));
    problem.set("ranks", comm_.size());
    for (const MachineRow& row : machine_rows()) machine.set(std::string(row.name), machine_.*row.value);
    // one by one: GCC 12 does not clean up after a list of them in which one runs out of memory
    all.set("problem", std::move(problem));
    all.set("choice", choice_json(found_.choice));
    all.set("reason", found_.reason);
    all.set("seconds", found_.seconds);
    all.set("machine", std::move(machine));
    all.set("candidates", std::move(list));
    found_.json = all.dump() + "\n";
    comm_.bcast(found_.json);  // clocks are each rank's own
    found_.text = explanation(Json::parse(found_.json));
    return std::move(found_);
  }

  const mpi::Communicator& comm_;
  const AnyProblem& problem_;
  const Options asked_;
  const TuneOptions how_;
  const double begin_;
  const Machine machine_;
  const Space space_;
  std::optional<Race> race_;
  Tuning found_;
};

Tuning found(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options, const TuneOptions& how) {
  comm.agree([&] {
    for (const auto& [name, value] : {std::pair{"seconds", how.seconds}, {"skew_seconds", how.skew_seconds}})
      if (!(value >= 0 && value <= 1e6))
        throw Error(std::string(name) + " is " + std::to_string(value) + "; give seconds from 0 to 1000000");
  });
  check_alike(comm, problem, options);
  comm.same("the seconds to tune", std::to_string(how.seconds) + ", skew " + std::to_string(how.skew_seconds) +
                                       (how.exhaustive ? ", exhaustive" : "") + (how.trace ? ", traced" : ""));
  const auto lines = comm.agree([&] { return engine(options.engine).keep(); });
  return Search(comm, problem, options, how).run();
}

}  // namespace

Tuning tune(MPI_Comm user, const AnyProblem& problem, const Options& options, const TuneOptions& how) {
  const mpi::Entry entry("tuning", options.strategy);
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] { return found(comm, problem, options, how); });
}

}  // namespace weft

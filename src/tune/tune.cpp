// The search: strategies first, in the order of the model's guess; schedules of the leaders, one setting after the other; mixtures of what is
// best for each exchange or direction; and a final among those that are close.
//
// Always true: the best so far is a plan that has proved itself; every decision follows from numbers that all ranks have alike. Candidates take
// turns with the best so far, so that a machine that changes its pace does so for all of them, and few plans are in memory at once.
#include <weft/tune.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include "plan/problem.hpp"
#include "tune/choice.hpp"
#include "tune/contender.hpp"

namespace weft {
namespace {

double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// One candidate in the search: seconds of all measurements since it came, and of the heat that it is in.
struct Entry {
  Candidate shown;
  std::unique_ptr<Contender> runs;
  std::vector<double> forward, backward, heat;

  bool measured() const { return shown.measurements > 0; }
};

// What candidates share that are cut alike: process grid and threads.
struct Ground {
  Options options;  // the model's strategy, one tile
  std::vector<std::vector<Considered>> considered;
  double work_seconds = 0;            // of forward, predicted
  std::map<std::string, Index> longest;  // tiles: planes of the longest
};

class Search {
 public:
  Search(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const TuneOptions& how)
      : comm_(comm), problem_(problem), asked_(asked), how_(how), begin_(clock_seconds()) {}

  Tuning run() {
    machine_ = measure_machine(comm_.raw(), asked_.nodes);
    for (const Options& options : grounds()) survey(options);
    if (grounds_.empty()) throw Error("there is nothing to tune: " + refusal_);
    found_.reason = "the model's choice: there was no time to measure";
    if (how_.seconds > 0 || how_.exhaustive) comm_.agree([&] { tags_.emplace(problem_, asked_); }), search();
    return conclude();
  }

 private:
  // ---- what there is to choose from ----

  std::vector<Options> grounds() const {
    std::vector<Few<int>> grids{closed(asked_).grid};
    if (asked_.grid.size() == 1 && asked_.grid[0] == 0 && !asked_.input && !problem_.waves && problem_.shape.size() > 2)
      for (int p = 2; p * 2 <= comm_.size(); ++p)
        if (comm_.size() % p == 0) grids.push_back({p, comm_.size() / p});
    std::vector<int> threads{closed(asked_).threads};
    if (asked_.threads == 0) {
      const std::vector<int> nodes = comm_.nodes(asked_.nodes);
      const auto here = std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm_.rank())]);
      const Index most = comm_.min(static_cast<Index>(std::thread::hardware_concurrency()) / here);
      for (int t = 2; t <= most && mpi::thread_level() >= MPI_THREAD_FUNNELED; t *= 2) threads.push_back(t);
    }
    std::vector<Options> all;
    for (const Few<int>& grid : grids)
      for (const int t : threads) {
        all.push_back(closed(asked_));
        all.back().wisdom = false;
        all.back().grid = grid;
        all.back().threads = t;
      }
    return all;
  }

  // What a plan of the model's tells: costs, and how long tiles can be.
  void survey(const Options& options) {
    Ground ground{options, {}, 0, {}};
    try {
      const AnyPlan plan(comm_.raw(), problem_, options);
      ground.considered = plan.considered();
      if (strategy_open(asked_)) ground.options.strategy = plan.effective().strategy;
      double flops = 0;
      const std::vector<Index> lines = plan.lines();
      for (std::size_t k = 0; k < problem_.kinds.size(); ++k) {
        const auto axis = static_cast<std::size_t>(problem_.axes[static_cast<int>(k)]) + (options.batch > 1 && lines.size() > static_cast<std::size_t>(problem_.shape.size()) ? 1u : 0u);
        const auto n = static_cast<double>(problem_.shape[problem_.axes[static_cast<int>(k)]]);
        if (axis < lines.size()) flops += (complex_input(problem_.kinds[k]) ? 5 : 2.5) * n * std::log2(std::max(n, 2.0)) * static_cast<double>(lines[axis]);
      }
      const double bytes = static_cast<double>(plan.input_elements() + plan.output_elements()) * 16;
      ground.work_seconds = comm_.max(flops / machine_.flops_per_second / options.threads + bytes / machine_.copied_per_second);
    } catch (const Error& e) {  // alike on all ranks
      refusal_ = e.what();
      return;
    }
    if (schedule_open(asked_) && comm_.size() > 1)
      for (const char* tiles : {"gathered", "kept"}) {
        Options probe = options;
        probe.schedule = {tiles, Index{1} << 40};
        probe.strategy = "auto";
        try {
          ground.longest[tiles] = AnyPlan(comm_.raw(), problem_, probe).effective().schedule.tile;
        } catch (const Error&) {  // alike on all ranks: there is no such axis
        }
      }
    grounds_.push_back(std::move(ground));
  }

  std::vector<std::string> names() const {
    if (!strategy_open(asked_)) return {asked_.strategy};
    std::vector<std::string> all;
    if (grounds_.front().considered.empty()) return {"auto"};  // nothing is exchanged
    for (const Strategy* s : strategies()) all.emplace_back(s->name());
    return all;
  }

  std::vector<ScheduleOptions> schedules(const Ground& ground, const std::string& name) const {
    std::vector<ScheduleOptions> all;
    if (ground.longest.empty()) return all;
    const bool overlaps = name.find('+') != name.npos || strategy(name).overlaps();
    for (const auto& [tiles, longest] : ground.longest) {
      std::set<Index> sizes;
      for (const Index parts : {2, 4, 8})
        if (longest >= parts) sizes.insert((longest + parts - 1) / parts);
      for (const Index tile : sizes)
        for (const Index window : overlaps ? std::vector<Index>{0, 2} : std::vector<Index>{1})
          for (const Index test : overlaps ? std::vector<Index>{0, 4} : std::vector<Index>{0})
            for (const char* who : {"caller", "thread"})
              if (*who == 'c' || (ground.options.threads > 1 && test == 0)) all.push_back({tiles, tile, window, test, who});
    }
    return all;
  }

  // The model's word on a strategy under a schedule: what it costs, less what may overlap. 0: it declines or says nothing.
  double predicted(const Ground& ground, const Options& options) const {
    double exchange = 0;
    std::size_t h = 0;
    const std::vector<std::string> each = strategy_names(options.strategy);
    const auto longest = ground.longest.find(options.schedule.tiles);
    const auto tiles = longest == ground.longest.end() ? 1.0 : std::ceil(static_cast<double>(longest->second) / static_cast<double>(options.schedule.tile));
    for (const auto& list : ground.considered) {
      const std::string& name = each[std::min(h++, each.size() - 1)];
      const auto at = std::find_if(list.begin(), list.end(), [&](const Considered& c) { return c.strategy == name; });
      if (at == list.end() || !at->declined.empty()) return 0;
      exchange += at->seconds + (tiles - 1) * seconds(machine_, {.calls = at->cost.calls, .messages = at->cost.messages, .node_messages = at->cost.node_messages});
    }
    double work = ground.work_seconds;
    if (options.schedule.tiles == "kept" && options.batch == 1) work *= 1.2;  // a pass more
    const bool overlaps = tiles > 1 && (strategy(each.front()).overlaps() || options.schedule.communicate == "thread");
    return 2 * (work + exchange - (overlaps ? std::min(work, exchange) * 0.5 * (1 - 1 / tiles) : 0));
  }

  Entry& add(const Ground& ground, const std::string& name, const ScheduleOptions& schedule, const std::optional<ScheduleOptions>& back = {}) {
    Options options = ground.options;
    options.strategy = name;
    options.schedule = schedule;
    if (back) options.backward_schedule = back;
    return add(ground, options);
  }
  Entry& add(const Ground& ground, const Options& options) {
    auto& entry = entries_[name_of(options)];
    if (!entry) {
      entry = std::make_unique<Entry>();
      entry->shown.options = options;
      entry->shown.name = name_of(options);
      entry->shown.predicted_seconds = predicted(ground, options);
      order_.push_back(entry.get());
      ground_of_[entry.get()] = &ground;
    }
    return *entry;
  }

  // ---- measuring ----

  bool over(double share = 1) { return !how_.exhaustive && comm_.max(clock_seconds() - begin_) >= share * how_.seconds; }

  void say(const std::string& phase) {
    if (!how_.progress || comm_.rank() != 0 || !best_) return;
    how_.progress(phase, static_cast<int>(std::count_if(order_.begin(), order_.end(), [](const Entry* e) { return e->measured(); })), best_->shown);
  }

  // Planned and proved; or why not.
  bool ready(Entry& entry) {
    if (entry.runs) return true;
    try {
      entry.runs = Contender::make(comm_, problem_, entry.shown.options);
    } catch (const Declined& e) {
      std::string why = e.what();
      if (const auto at = why.find("declines: "); at != why.npos) why.erase(0, at + 10);
      entry.shown.verdict = "declines: " + why;
      return false;
    } catch (const Error& e) {
      entry.shown.verdict = std::string("cannot be planned: ") + e.what();
      return false;
    }
    if (const std::string wrong = entry.runs->prove(*tags_); !wrong.empty()) {
      entry.shown.verdict = "gives wrong results: " + wrong;
      entry.runs.reset();
      return false;
    }
    return true;
  }

  void time(Entry& entry) {
    const auto [forward, backward] = entry.runs->time(how_.skew_seconds);
    entry.forward.push_back(forward);
    entry.backward.push_back(backward);
    entry.heat.push_back(forward + backward);
  }
  static void fresh(Entry& entry) { entry.forward.clear(), entry.backward.clear(), entry.heat.clear(); }

  // Writes down what was measured.
  static void note(Entry& entry, int round) {
    if (entry.forward.empty()) return;
    Candidate& c = entry.shown;
    c.forward_seconds = median(entry.forward);
    c.backward_seconds = median(entry.backward);
    c.measured_seconds = c.forward_seconds + c.backward_seconds;
    c.measurements = static_cast<int>(entry.forward.size());
    c.round = round;
  }

  // The first to be measured leads.
  bool found_leader(Entry& entry) {
    if (best_) return true;
    if (!ready(entry)) return false;
    best_ = &entry;
    time(entry);  // cold
    fresh(entry);
    for (int r = 0; r < 3 && !(r > 0 && over(0.3)); ++r) time(entry);
    note(entry, 1);
    return false;
  }

  // Candidates, a few at a time, in turns with the best so far, whom they must beat in the same heat; what is much slower goes at once.
  void race(const std::string& phase, const std::vector<Entry*>& field, int repeats, int round, double share) {
    constexpr std::size_t most = 3;
    std::vector<Entry*> running;
    const auto run = [&] {
      best_->heat.clear();
      for (int r = 0; r < repeats; ++r) {
        time(*best_);
        for (Entry* e : running) time(*e);
        if (r > 0 && over(share)) break;
      }
      running.push_back(best_);
      for (Entry* e : running) {
        note(*e, round);
        if (median(e->heat) < median(best_->heat)) best_ = e;
      }
      for (Entry* e : running)
        if (e != best_) e->runs.reset();
      running.clear();
      say(phase);
    };
    for (Entry* e : field) {
      // once a candidate has failed, the model's choice may be no better: then time counts only when one has proved itself
      const bool none_proved = !best_ && std::any_of(order_.begin(), order_.end(), [](const Entry* tried) { return !tried->shown.verdict.empty(); });
      if (!none_proved && over(share)) break;
      if (e->measured() || !e->shown.verdict.empty()) continue;
      if (!found_leader(*e) || !ready(*e)) continue;
      fresh(*e);
      time(*e);  // cold
      if (!how_.exhaustive && e->heat.front() > 2.5 * best_->shown.measured_seconds) {
        fresh(*e);
        time(*e);
        note(*e, round);
        if (e->shown.measured_seconds > 2 * best_->shown.measured_seconds) {
          e->runs.reset();
          continue;
        }
      }
      fresh(*e);
      running.push_back(e);
      if (running.size() == most) run();
    }
    if (!running.empty()) run();
  }

  // ---- the search ----

  std::vector<Entry*> by_time(bool (*which)(const Entry&) = [](const Entry&) { return true; }) const {
    std::vector<Entry*> list;
    for (Entry* e : order_)
      if (e->measured() && which(*e)) list.push_back(e);
    std::stable_sort(list.begin(), list.end(), [](const Entry* a, const Entry* b) { return a->shown.measured_seconds < b->shown.measured_seconds; });
    return list;
  }

  void search() {
    std::vector<Entry*> first;
    const ScheduleOptions one = asked_.schedule;
    for (const Ground& ground : grounds_)
      for (const std::string& name : names()) first.push_back(&add(ground, name, one, asked_.backward_schedule));
    std::stable_sort(first.begin(), first.end(), [](const Entry* a, const Entry* b) {
      const auto key = [](const Entry* e) { return e->shown.predicted_seconds > 0 ? e->shown.predicted_seconds : 1e300; };
      return key(a) < key(b);
    });
    race("strategies", first, repeats(), 1, 0.5);
    if (!best_) return;
    found_.reason = "the fastest of those measured";
    if (how_.exhaustive) {
      std::vector<Entry*> all;
      for (const Ground& ground : grounds_)
        for (const std::string& name : names())
          for (const ScheduleOptions& s : schedules(ground, name)) all.push_back(&add(ground, name, s));
      race("schedules", all, repeats(), 2, 1);
    } else {
      const std::vector<Entry*> leaders = by_time();
      for (std::size_t k = 0; k < std::min<std::size_t>(leaders.size(), 4); ++k)
        if (leaders[k]->shown.measured_seconds < 1.5 * best_->shown.measured_seconds) climb(*leaders[k]);
    }
    mix();
    final();
    if (asked_.effort == "auto" && !over(0.8)) {
      Options patient = best_->shown.options;
      patient.effort = "patient";
      race("effort", {&add(*ground_of_.at(best_), patient)}, 2 * repeats(), 4, 1);
    }
  }

  int repeats() const { return how_.exhaustive ? 10 : 4; }

  // From one tile to the best schedule of a strategy: a middle size of each kind of tile first, then one setting at a time while that pays.
  void climb(const Entry& from) {
    const Ground& ground = *ground_of_.at(&from);
    const std::string name = from.shown.options.strategy;
    const std::vector<ScheduleOptions> all = schedules(ground, name);
    if (all.empty()) return;
    std::vector<Entry*> field;
    for (const auto& [tiles, longest] : ground.longest) {
      std::vector<ScheduleOptions> some;
      for (const ScheduleOptions& s : all)
        if (s.tiles == tiles && s.test == 0 && s.window != 2 && s.tile == (longest + (longest >= 4 ? 4 : 2) - 1) / (longest >= 4 ? 4 : 2)) some.push_back(s);
      for (const ScheduleOptions& s : some) field.push_back(&add(ground, name, s));
    }
    race("schedules", field, repeats(), 2, 0.75);
    const auto differences = [](const ScheduleOptions& a, const ScheduleOptions& b) {
      return (a.tiles != b.tiles) + (a.tile != b.tile) + (a.window != b.window) + (a.test != b.test) + (a.communicate != b.communicate);
    };
    const Entry* at = nullptr;
    for (const Entry* e : field)
      if (e->measured() && (!at || e->shown.measured_seconds < at->shown.measured_seconds)) at = e;
    while (at && at->shown.measured_seconds < 1.15 * best_->shown.measured_seconds && !over(0.75)) {
      std::vector<Entry*> next;
      for (const ScheduleOptions& s : all)
        if (differences(s, at->shown.options.schedule) == 1) next.push_back(&add(ground, name, s));
      race("schedules", next, repeats(), 2, 0.75);
      const Entry* better = at;
      for (const Entry* e : next)
        if (e->measured() && e->shown.measured_seconds < better->shown.measured_seconds) better = e;
      if (better == at) break;
      at = better;
    }
  }

  // The best of each exchange together, and of each direction.
  void mix() {
    if (!strategy_open(asked_)) return;
    std::vector<Entry*> field;
    const std::vector<Entry*> leaders = by_time();
    const Ground& ground = *ground_of_.at(best_);
    if (ground.considered.size() > 1) {
      std::vector<std::string> names;
      for (const Entry* e : leaders)
        if (ground_of_.at(e) == &ground && e->shown.options.strategy.find('+') == std::string::npos &&
            std::find(names.begin(), names.end(), e->shown.options.strategy) == names.end())
          names.push_back(e->shown.options.strategy);
      names.resize(std::min<std::size_t>(names.size(), 3));
      const ScheduleOptions schedule = best_->shown.options.schedule;
      for (const std::string& a : names)
        for (const std::string& b : names)
          if (a != b) field.push_back(&add(ground, a + "+" + b, schedule));
    }
    if (schedule_open(asked_)) {
      std::set<std::string> seen;
      for (const Entry* e : leaders) {
        const Options& o = e->shown.options;
        if (ground_of_.at(e) != &ground || o.backward_schedule || seen.size() == 3 || !seen.insert(o.strategy).second) continue;
        const Entry *there = e, *back = e;
        for (const Entry* other : leaders) {
          if (ground_of_.at(other) != &ground || other->shown.options.strategy != o.strategy || other->shown.options.backward_schedule ||
              other->shown.options.schedule.communicate != o.schedule.communicate)
            continue;
          if (other->shown.forward_seconds < there->shown.forward_seconds) there = other;
          if (other->shown.backward_seconds < back->shown.backward_seconds) back = other;
        }
        if (there != back) field.push_back(&add(ground, o.strategy, there->shown.options.schedule, back->shown.options.schedule));
      }
    }
    race("mixtures", field, repeats(), 3, 0.85);
  }

  // Those that are close to the best, all in turn, until one is ahead by more than noise.
  void final() {
    std::vector<Entry*> field{best_};
    for (Entry* e : by_time()) {
      if (field.size() == 5 || e->shown.measured_seconds > 1.25 * best_->shown.measured_seconds) break;
      if (e != best_ && ready(*e)) time(*e), field.push_back(e);
    }
    for (Entry* e : field) fresh(*e);
    int rounds = 0;
    while (field.size() > 1 && rounds < (how_.exhaustive ? 40 : 24) && !over()) {
      for (int r = 0; r < 4; ++r, ++rounds)
        for (Entry* e : field) time(*e);
      std::stable_sort(field.begin(), field.end(), [](const Entry* a, const Entry* b) { return median(a->heat) < median(b->heat); });
      for (Entry* e : field) note(*e, 4);
      best_ = field.front();
      std::erase_if(field, [&](Entry* e) {
        const bool lost = e != best_ && behind(*e, *best_);
        if (lost) e->runs.reset();
        return lost;
      });
      say("final");
    }
    for (Entry* e : field)
      if (e != best_) {
        e->runs.reset();
        if (rounds > 0) e->shown.verdict = "as fast, within noise";
      }
  }

  // Whether a is slower than b by more than what their differences, turn by turn, scatter.
  static bool behind(const Entry& a, const Entry& b) {
    std::vector<double> differences, spread;
    for (std::size_t k = 0; k < a.heat.size(); ++k) differences.push_back(a.heat[k] - b.heat[k]);
    const double middle = median(differences);
    for (const double d : differences) spread.push_back(std::abs(d - middle));
    return middle > 3 * 1.4826 * median(spread) / std::sqrt(static_cast<double>(differences.size()));
  }

  // ---- what is told ----

  Tuning conclude() {
    found_.machine = machine_;
    if (best_) {
      found_.choice = best_->shown.options;
      best_->runs.reset();
    } else if (std::all_of(order_.begin(), order_.end(), [](const Entry* e) { return e->shown.verdict.empty(); })) {
      found_.choice = grounds_.front().options;
    } else {
      std::string all;
      for (const Entry* e : order_) all += "\n  " + e->shown.name + ": " + e->shown.verdict;
      throw Error("no candidate can be measured:" + all);
    }
    found_.choice.wisdom = asked_.wisdom;
    found_.choice.tune_seconds = asked_.tune_seconds;
    for (Entry* e : order_) {
      Candidate& c = e->shown;
      char text[64];
      std::snprintf(text, sizeof text, "%.2f times the best", best_ && c.measurements ? c.measured_seconds / best_->shown.measured_seconds : 0);
      if (e == best_) c.verdict = "the best";
      else if (c.verdict.empty()) c.verdict = c.measurements ? text : "no time to measure it";
      found_.candidates.push_back(c);
    }
    std::stable_sort(found_.candidates.begin(), found_.candidates.end(), [&](const Candidate& a, const Candidate& b) {
      const auto key = [&](const Candidate& c) { return c.verdict == "the best" ? -1 : c.measurements ? c.measured_seconds : c.predicted_seconds > 0 ? 1e200 : 1e300; };
      return key(a) < key(b);
    });
    found_.seconds = comm_.max(clock_seconds() - begin_);
    Json::List list;
    for (const Candidate& c : found_.candidates)
      list.push_back(Json::Members{{"name", c.name}, {"strategy", c.options.strategy}, {"schedule", to_string(c.options.schedule)}, {"predicted_seconds", c.predicted_seconds},
                                   {"measured_seconds", c.measured_seconds}, {"forward_seconds", c.forward_seconds}, {"backward_seconds", c.backward_seconds},
                                   {"measurements", c.measurements}, {"round", c.round}, {"verdict", c.verdict}});
    const Machine& m = machine_;
    Json all = Json::Members{
        {"problem", Json::Members{{"summary", summary(problem_, asked_)}, {"shape", to_string(problem_.shape)}, {"ranks", comm_.size()}}},
        {"choice", choice_json(found_.choice)},
        {"reason", found_.reason},
        {"seconds", found_.seconds},
        {"machine", Json::Members{{"message_seconds", m.message_seconds}, {"bytes_per_second", m.bytes_per_second}, {"copied_per_second", m.copied_per_second},
                                  {"node_message_seconds", m.node_message_seconds}, {"node_bytes_per_second", m.node_bytes_per_second},
                                  {"flops_per_second", m.flops_per_second}}},
        {"candidates", std::move(list)}};
    found_.json = all.dump() + "\n";
    comm_.bcast(found_.json);  // clocks are each rank's own
    found_.text = explanation(Json::parse(found_.json));
    return std::move(found_);
  }

  const mpi::Communicator& comm_;
  const AnyProblem& problem_;
  const Options asked_;
  const TuneOptions how_;
  double begin_;
  std::optional<Tags> tags_;
  Machine machine_;
  std::vector<Ground> grounds_;
  std::string refusal_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::vector<Entry*> order_;
  std::map<const Entry*, const Ground*> ground_of_;
  Entry* best_ = nullptr;
  Tuning found_;
};

}  // namespace

Tuning tune(MPI_Comm user, const AnyProblem& problem, const Options& options, const TuneOptions& how) {
  const auto comm = mpi::Communicator::duplicate(user);
  comm.agree([&] {
    for (const auto& [name, value] : {std::pair{"seconds", how.seconds}, {"skew_seconds", how.skew_seconds}})
      if (!(value >= 0 && value <= 1e6)) throw Error(std::string(name) + " is " + std::to_string(value) + "; give seconds from 0 to 1000000");
  });
  check_alike(comm, problem, options);
  comm.same("the seconds to tune", std::to_string(how.seconds) + ", skew " + std::to_string(how.skew_seconds) + (how.exhaustive ? ", exhaustive" : ""));
  return Search(comm, problem, options, how).run();
}

}  // namespace weft

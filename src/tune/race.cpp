#include "tune/race.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tune/choice.hpp"

namespace weft {
namespace {

constexpr double shortest_turn = 5e-4;  // seconds: below that a turn says more of the machine than of the plan
constexpr int finalists = 5, final_rounds = 12;

void fresh(Entry& e) { e.forward.clear(), e.backward.clear(), e.both.clear(), e.heat.clear(); }

// Writes down what was measured.
void note(Entry& e, int round) {
  if (e.forward.empty()) return;
  Candidate& c = e.shown;
  c.forward_seconds = median(e.forward);
  c.backward_seconds = median(e.backward);
  c.measured_seconds = median(e.both);
  c.measurements = static_cast<int>(e.forward.size());
  c.round = round;
}

// Whether a is slower than b by more than so many standard errors of their differences, turn by turn.
bool behind(const Entry& a, const Entry& b, double errors) {
  std::vector<double> differences, spread;
  for (std::size_t k = 0; k < std::min(a.heat.size(), b.heat.size()); ++k) differences.push_back(a.heat[k] - b.heat[k]);
  const double middle = median(differences);
  for (const double d : differences) spread.push_back(std::abs(d - middle));
  return middle > errors * 1.4826 * median(spread) / std::sqrt(static_cast<double>(differences.size()));
}

}  // namespace

Race::Race(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const TuneOptions& how, double begin)
    : comm_(comm), problem_(problem), how_(how), begin_(begin), tags_(comm.agree([&] { return Tags(problem, asked); })) {}

Entry& Race::entry(const Ground& ground, const Options& options, double predicted_seconds) {
  auto& entry = entries_[name_of(options)];
  if (!entry) {
    entry = std::make_unique<Entry>();
    entry->shown.options = options;
    entry->shown.name = name_of(options);
    entry->shown.predicted_seconds = predicted_seconds;
    entry->ground = &ground;
    order_.push_back(entry.get());
  }
  return *entry;
}

std::vector<Entry*> Race::by_time() const {
  std::vector<Entry*> list;
  for (Entry* e : order_)
    if (e->measured()) list.push_back(e);
  std::stable_sort(list.begin(), list.end(), [](const Entry* a, const Entry* b) { return a->score < b->score; });
  return list;
}

// What the final needs: most finalists are planned once more, and all take turns.
double Race::reserve() const {
  if (!best_) return 0;
  return std::min(0.4 * how_.seconds, (finalists - 2) * planning_seconds_ + finalists * final_rounds * burst_ * best_->shown.measured_seconds);
}

bool Race::over(double share) const { return !how_.exhaustive && comm_.max(clock_seconds() - begin_) >= share * (how_.seconds - (share < 1 ? reserve() : 0)); }

void Race::say(const std::string& phase) const {
  if (!how_.progress || comm_.rank() != 0 || !best_) return;
  how_.progress(phase, static_cast<int>(std::count_if(order_.begin(), order_.end(), [](const Entry* e) { return e->measured(); })), best_->shown);
}

// Planned and proved; or why not.
bool Race::ready(Entry& entry) {
  if (entry.runs) return true;
  const double begin = clock_seconds();
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
  if (const std::string wrong = entry.runs->prove(tags_); !wrong.empty()) {
    entry.shown.verdict = "gives wrong results: " + wrong;
    entry.runs.reset();
    return false;
  }
  const double took = comm_.max(clock_seconds() - begin);
  planning_seconds_ = planning_seconds_ > 0 ? (planning_seconds_ + took) / 2 : took;
  if (how_.trace) entry.runs->record(*how_.trace);
  return true;
}

void Race::turn(Entry& entry) {
  const auto [forward, backward, both] = entry.runs->time(how_.skew_seconds, burst_);
  entry.forward.push_back(forward);
  entry.backward.push_back(backward);
  entry.both.push_back(both);
  entry.heat.push_back(both);
}

int Race::burst(double seconds) const {
  if (how_.skew_seconds > 0) return 1;
  return static_cast<int>(std::clamp(std::ceil(shortest_turn / std::max(seconds, 1e-9)), 1.0, 20.0));
}

void Race::forget(Entry& entry) const {
  if (&entry != best_ && &entry != first_) entry.runs.reset();
}

// The first to be measured leads.
bool Race::lead(Entry& entry) {
  if (best_) return true;
  if (!ready(entry)) return false;
  first_ = best_ = &entry;
  turn(entry);  // cold
  burst_ = burst(entry.heat.front());
  fresh(entry);
  for (int r = 0; r < 3 && !(r > 0 && over(0.3)); ++r) turn(entry);
  note(entry, 1);
  entry.score = 1;
  return false;
}

void Race::run(const std::string& phase, const std::vector<Entry*>& field, int repeats, int round, double share) {
  constexpr std::size_t most = 3;
  std::vector<Entry*> running;
  const auto heat = [&] {
    best_->heat.clear();
    burst_ = burst(best_->shown.measured_seconds);
    for (Entry* e : running) fresh(*e);
    for (int r = 0; r < repeats; ++r) {
      turn(*best_);
      for (Entry* e : running) turn(*e);
      if (r > 0 && over(share)) break;
    }
    Entry* ahead = best_;
    const double least = median(best_->heat), score = best_->score;
    running.push_back(best_);
    for (Entry* e : running) {
      note(*e, round);
      if (e == best_) continue;
      e->score = score * median(e->heat) / least;
      if (e->score < ahead->score && behind(*best_, *e, 1)) ahead = e;
    }
    best_ = ahead;
    for (Entry* e : running) forget(*e);
    running.clear();
    say(phase);
  };
  for (Entry* e : field) {
    if (best_ && over(share)) break;  // nothing may win that has not proved itself: so time counts from then on
    if (e->measured() || !e->shown.verdict.empty()) continue;
    if (!lead(*e) || !ready(*e)) continue;
    fresh(*e);
    const int usual = std::exchange(burst_, 1);
    turn(*e);  // cold
    if (!how_.exhaustive && e->heat.front() > 2.5 * best_->shown.measured_seconds) {
      fresh(*e);
      turn(*e);
      note(*e, round);
      e->score = best_->score * e->shown.measured_seconds / best_->shown.measured_seconds;
      if (e->shown.measured_seconds > 2 * best_->shown.measured_seconds) {
        e->runs.reset();
        burst_ = usual;
        continue;
      }
    }
    burst_ = usual;
    running.push_back(e);
    if (running.size() == most) heat();
  }
  if (!running.empty()) heat();
}

void Race::final() {
  std::vector<Entry*> field{best_};
  if (first_ != best_) field.push_back(first_);
  for (Entry* e : by_time()) {
    if (field.size() == finalists || e->score > 1.25 * best_->score || over()) break;
    if (e != best_ && e != first_ && ready(*e)) turn(*e), field.push_back(e);
  }
  burst_ = burst(best_->shown.measured_seconds);
  for (Entry* e : field) fresh(*e);
  constexpr int block = 4;
  const double block_seconds = block * static_cast<double>(field.size()) * burst_ * best_->shown.measured_seconds;
  const auto fastest_first = [&] { std::stable_sort(field.begin(), field.end(), [](const Entry* a, const Entry* b) { return median(a->heat) < median(b->heat); }); };
  int rounds = 0;
  while (field.size() > 1 && rounds < (how_.exhaustive ? 40 : 24) && (!over() || (rounds == 0 && block_seconds < 0.1 * how_.seconds))) {
    for (int r = 0; r < block; ++r, ++rounds)
      for (Entry* e : field) turn(*e);
    fastest_first();
    for (Entry* e : field) note(*e, 4);
    const double first_score = best_->score, least = median(best_->heat);
    for (Entry* e : field) e->score = first_score * median(e->heat) / least;
    best_ = field.front();
    std::erase_if(field, [&](Entry* e) {
      const bool lost = behind(*e, *best_, 3);
      if (lost) e->runs.reset();
      return lost;
    });
    say("final");
  }
  if (rounds > 0 && first_ != best_ && std::find(field.begin(), field.end(), first_) != field.end() && !behind(*first_, *best_, 0.5)) best_ = first_;
  for (Entry* e : field)
    if (e != best_) {
      e->runs.reset();
      if (rounds > 0) e->shown.verdict = "as fast, within noise";
    }
}

}  // namespace weft

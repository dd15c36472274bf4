#include "tune/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tune/choice.hpp"

namespace weft {
namespace {

constexpr double shortest_turn = 5e-4;    // seconds: below that a turn says more of the machine than of the plan
constexpr std::size_t many = 8, few = 5;  // finalists, where they are small and where they are not
constexpr int block = 6;                  // rounds of the final between two looks
constexpr Index roomy = Index{64} << 20;  // bytes a rank

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

// What each of a field takes of what the middle one does, round by round, for the machine's pace
// changes: the mean of the middle half of the rounds. It strays less from what hundreds of rounds
// say than medians of times do.
std::vector<double> standings(const std::vector<Entry*>& field) {
  std::vector<std::vector<double>> shares(field.size());
  for (std::size_t k = 0; k < field.front()->heat.size(); ++k) {
    std::vector<double> round;
    for (const Entry* e : field) round.push_back(e->heat[k]);
    const double middle = median(round);
    for (std::size_t j = 0; j < field.size(); ++j) shares[j].push_back(round[j] / middle);
  }
  std::vector<double> all;
  for (auto& share : shares) {
    std::sort(share.begin(), share.end());
    const auto quarter = static_cast<std::ptrdiff_t>(share.size() / 4);
    all.push_back(std::accumulate(share.begin() + quarter, share.end() - quarter, 0.0) /
                  static_cast<double>(share.size() - 2 * (share.size() / 4)));
  }
  return all;
}

// By that, the scores of a field that the best is in.
void score(const std::vector<Entry*>& field, const Entry& best) {
  const std::vector<double> stand = standings(field);
  const double unit =
      best.score / stand[static_cast<std::size_t>(std::find(field.begin(), field.end(), &best) - field.begin())];
  for (std::size_t k = 0; k < field.size(); ++k) field[k]->score = unit * stand[k];
}

// How much slower a is than b, turn by turn, and the standard error of that; of few turns by their
// range.
struct Difference {
  double seconds, error;
};
Difference difference(const Entry& a, const Entry& b) {
  std::vector<double> all, apart;
  for (std::size_t k = 0; k < std::min(a.heat.size(), b.heat.size()); ++k) all.push_back(a.heat[k] - b.heat[k]);
  const double middle = median(all);
  for (const double d : all) apart.push_back(std::abs(d - middle));
  const auto n = static_cast<double>(all.size());
  if (all.size() < 2) return {middle, std::abs(middle)};
  if (all.size() < 6)
    return {middle, (*std::max_element(all.begin(), all.end()) - *std::min_element(all.begin(), all.end())) / n};
  return {middle, 1.4826 * median(apart) / std::sqrt(n)};
}

bool behind(const Entry& a, const Entry& b, double errors) {
  const auto [seconds, error] = difference(a, b);
  return seconds > errors * error;
}

// Whether that error is less than so much of b's time.
bool known(const Entry& a, const Entry& b, double share) { return difference(a, b).error < share * median(b.heat); }

}  // namespace

Race::Race(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const TuneOptions& how,
           double begin)
    : comm_(comm),
      problem_(problem),
      how_(how),
      begin_(begin),
      tags_(comm.agree([&] { return Tags(problem, asked); })) {}

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

std::size_t Race::finalists() const { return static_cast<Index>(many) * best_->bytes <= roomy ? many : few; }

// What the final needs: finalists that did not stay in memory are planned once more, and all take
// turns.
double Race::reserve() const {
  if (!best_) return 0;
  const double rounds = std::clamp(std::pow(noise_ / 0.015, 2), double{block}, 24.0),
               plans = finalists() == many ? 0 : few - 2;
  return std::min(
      0.4 * how_.seconds,
      plans * planning_seconds_ + (static_cast<double>(finalists()) * block + 3 * (rounds - block)) * turn_seconds_);
}

bool Race::over(double share, double next_seconds) const {
  return !how_.exhaustive &&
         comm_.max(clock_seconds() - begin_) + next_seconds >= share * (how_.seconds - (share < 1 ? reserve() : 0));
}

void Race::say(const std::string& phase) const {
  if (!how_.progress || comm_.rank() != 0 || !best_) return;
  how_.progress(
      phase,
      static_cast<int>(std::count_if(order_.begin(), order_.end(), [](const Entry* e) { return e->measured(); })),
      best_->shown);
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
  entry.bytes = comm_.max(entry.runs->plan().bytes_owned());
  if (how_.trace) entry.runs->record(*how_.trace);
  return true;
}

void Race::turn(Entry& entry) {
  const auto [forward, backward, both, spent] = entry.runs->time(how_.skew_seconds, burst_);
  turn_seconds_ += (turn_seconds_ > 0 ? 0.1 : 1) * (spent - turn_seconds_);
  entry.forward.push_back(forward);
  entry.backward.push_back(backward);
  entry.both.push_back(both);
  entry.heat.push_back(both);
}

// A turn of each, in another order each time, the same on all ranks: what ran before leaves its
// traces, in caches and in what a link still holds. On an emulated link the same plan was 1.05
// times as slow behind one neighbour as behind others, round after round.
void Race::round(std::vector<Entry*> field) {
  std::shuffle(field.begin(), field.end(), order_of_turns_);
  for (Entry* e : field) turn(*e);
}

int Race::burst(double seconds) const {
  if (how_.skew_seconds > 0) return 1;
  return static_cast<int>(std::clamp(std::ceil(shortest_turn / std::max(seconds, 1e-9)), 1.0, 20.0));
}

// Besides the first and the best, those stay in memory that may come to the final, as long as they
// are small.
void Race::make_room() const {
  std::size_t plans = 2;
  Index bytes = best_->bytes + first_->bytes;
  for (Entry* e : by_time()) {
    if (!e->runs || e == best_ || e == first_) continue;
    bytes += e->bytes;
    if (++plans > many || bytes > roomy) e->runs.reset();
  }
}

// Turns of the best and of a few others, until they know enough of each other; who is much slower
// is out at once.
void Race::heat(std::vector<Entry*> field, int repeats, int round, double share) {
  constexpr double enough = 0.04, far = 1.15;
  best_->heat.clear();
  burst_ = burst(best_->shown.measured_seconds);
  for (Entry* e : field) e->heat.clear();
  for (int r = 1; r <= repeats; ++r) {
    field.push_back(best_);
    this->round(field);
    field.pop_back();
    if (r == 1) continue;
    if (over(share)) break;
    if (how_.exhaustive) continue;
    std::erase_if(field, [&](Entry* e) {
      const bool out = *std::min_element(e->heat.begin(), e->heat.end()) > far * median(best_->heat);
      if (out) {
        score({best_, e}, *best_);
        note(*e, round);
        e->runs.reset();
      }
      return out;
    });
    if (r > 2 && std::all_of(field.begin(), field.end(), [&](const Entry* e) { return known(*e, *best_, enough); }))
      break;
  }
  for (const Entry* e : field) {
    const double turns =
        difference(*e, *best_).error / median(best_->heat) * std::sqrt(static_cast<double>(e->heat.size()));
    noise_ += 0.2 * (turns - noise_);
  }
  field.push_back(best_);
  score(field, *best_);
  for (Entry* e : field) note(*e, round);
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
  const auto race = [&] {
    for (Entry* e : running) fresh(*e);
    heat(running, repeats, round, share);
    Entry* ahead = best_;
    for (Entry* e : running)
      if (e->runs && e->score < ahead->score && behind(*best_, *e, 1)) ahead = e;
    // The fastest of a heat looks faster than it is: so it leads by what it does in a second look
    if (ahead != best_) {
      Entry* const led = best_;
      heat({ahead}, repeats, round, share);
      if (ahead->score < led->score && behind(*led, *ahead, 1)) best_ = ahead;
    }
    make_room();
    running.clear();
    say(phase);
  };
  for (Entry* e : field) {
    // Nothing may win that has not proved itself: so time counts from then on
    if (best_ && over(share, planning_seconds_)) break;
    if (e->measured() || !e->shown.verdict.empty()) continue;
    if (!lead(*e)) {
      say(phase);  // also where it stays alone, or time is over
      continue;
    }
    if (!ready(*e)) continue;
    running.push_back(e);
    if (running.size() == most) race();
  }
  if (!running.empty()) race();
}

void Race::final() {
  std::vector<Entry*> field{best_};
  if (first_ != best_) field.push_back(first_);
  for (Entry* e : by_time()) {
    if (field.size() == finalists() || e->score > 1.25 * best_->score || over(1, planning_seconds_)) break;
    if (e == best_ || e == first_) continue;
    if (!e->runs && ready(*e)) turn(*e);  // cold
    if (e->runs) field.push_back(e);
  }
  for (Entry* e : order_)
    if (std::find(field.begin(), field.end(), e) == field.end()) e->runs.reset();
  burst_ = burst(best_->shown.measured_seconds);
  // what comes after it, freeing plans and telling of them, takes about as long as planning one
  const auto no_time = [&](int more) {
    return over(1, more * static_cast<double>(field.size()) * turn_seconds_ + planning_seconds_);
  };
  int rounds = 0;
  std::size_t stay = field.size();
  while (field.size() > 1 && rounds < 40 && !no_time(rounds == 0 ? block : 1)) {
    if (rounds == 0)
      for (Entry* e : field) fresh(*e);
    for (const int end = rounds + block; rounds < end && !(rounds > 1 && no_time(1)); ++rounds) round(field);
    score(field, *best_);
    for (Entry* e : field) note(*e, 4);
    std::stable_sort(field.begin(), field.end(), [](const Entry* a, const Entry* b) { return a->score < b->score; });
    best_ = field.front();
    say("final");
    if (std::all_of(field.begin() + 1, field.end(), [&](const Entry* e) { return known(*e, *best_, 0.01); })) break;
    // the slower part goes, and what is certainly slower
    stay = std::max<std::size_t>(3, (2 * stay) / 3);
    for (std::size_t k = field.size(); k-- > 1;)
      if (Entry* e = field[k]; (rounds > block && behind(*e, *best_, 3)) || (k >= stay && e != first_)) {
        e->runs.reset();
        field.erase(field.begin() + static_cast<std::ptrdiff_t>(k));
      }
  }
  if (rounds > 0 && first_ != best_ && std::find(field.begin(), field.end(), first_) != field.end() &&
      !behind(*first_, *best_, 0.5))
    best_ = first_;
  for (Entry* e : field)
    if (e != best_) {
      e->runs.reset();
      if (rounds > 0) e->shown.verdict = "as fast, within noise";
    }
}

}  // namespace weft

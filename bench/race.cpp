#include "race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "../tools/weft/in_a_row.hpp"
#include "ring.hpp"
#include "runner.hpp"

namespace {

/// Some find out in their first executions what suits the machine (weft, how it should write): that
/// is over before anything is timed.
constexpr int rows_to_settle = 25;  // at most

std::vector<std::size_t> numbered(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// A candidate that has been planned and timed, `tried` its place among all.
struct Judged {
  Runner runner;
  const Candidate* candidate;
  std::size_t tried;
  bool finds_out;  // in its first executions, what suits it
  double seconds;
};

/// Turn about, for a machine that slows down and recovers meanwhile says nothing of those it had
/// one after the other.
void play_off(std::vector<Judged>& judged, int transforms, std::mt19937& random) {
  constexpr int rounds = 7;
  std::vector<std::vector<double>> seconds(judged.size());
  std::vector<std::size_t> order = numbered(judged.size());
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) seconds[i].push_back(judged[i].runner.turn(transforms));
  }
  for (std::size_t i = 0; i < judged.size(); ++i) judged[i].seconds = median(seconds[i]);
}

/// Plans every candidate and keeps the fastest; the few that are nearly as fast as that meet once
/// more, turn about.
std::optional<Runner> fastest(const World& world, const Entry& entry, int transforms, std::mt19937& random,
                              Result& result) {
  constexpr std::size_t finalists = 3;
  constexpr double near = 1.25, longest = 0.5;  // of the least time; seconds of a candidate's settling
  const bool choice = entry.candidates.size() > 1;
  std::vector<Judged> best;  // the fastest first
  const auto sort = [&] {
    std::stable_sort(best.begin(), best.end(), [](const Judged& a, const Judged& b) { return a.seconds < b.seconds; });
  };
  result.tried.clear();
  for (const Candidate& candidate : entry.candidates) {
    result.tried.push_back({candidate.options, 0, 0, ""});
    try {
      Judged judged{Runner(world, entry, candidate), &candidate, result.tried.size() - 1, false, 0};
      if (choice) {
        Runner& runner = judged.runner;
        judged.finds_out = runner.trying();
        double settled = 0;  // alike on all ranks
        for (int row = 0; row < rows_to_settle && settled < longest && runner.trying(); ++row)
          settled += runner.settle(transforms);
        std::vector<double> seconds;
        for (int i = 0; i < 5; ++i) seconds.push_back(runner.turn(transforms));
        result.tried.back().median_seconds = judged.seconds = median(seconds);
      }
      best.push_back(std::move(judged));
      sort();
      while (best.size() > finalists || best.back().seconds > near * best.front().seconds) best.pop_back();
    } catch (const weft::Declined& e) {
      result.tried.back().declined = e.what();
    }
  }
  if (best.empty()) return std::nullopt;
  if (best.size() > 1) {
    play_off(best, transforms, random);
    for (const Judged& judged : best) result.tried[judged.tried].final_seconds = judged.seconds;
    sort();
  }
  const Candidate& winner = *best.front().candidate;
  std::optional<Runner> runner;
  if (!best.front().finds_out) runner = std::move(best.front().runner);
  best.clear();
  if (!runner) runner.emplace(world, entry, winner);  // to find out anew when all are there
  result.options = winner.options;
  result.plan_seconds = runner->plan_seconds();
  return runner;
}

class Race {
 public:
  /// Collective: plans.
  Race(const World& world, const Case& what, std::vector<Entry> entries)
      : world_(world),
        transforms_(transforms_a_turn(what, world.ranks)),
        field_(what),
        ring_(world),
        results_(entries.size()) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Result& result = results_[i];
      result.entry = std::move(entries[i]);
      if (world.rank == 0) fmt::print(stderr, "planning {}\n", result.entry.name);  // large plans of peers take minutes
      if (auto runner = fastest(world, result.entry, transforms_, random_, result))
        running_.push_back({std::move(*runner), &result});
    }
    order_ = numbered(running_.size());
  }

  std::pair<std::vector<Result>, Nearness> run(int repeats) && {
    for (int times = 3;; --times) {
      verify();
      const std::vector<double> settled = settle();
      take_turns(repeats);
      near_.moved = moved(settled);
      if (!near_.moved || times == 1) break;
      if (world_.rank == 0) fmt::print(stderr, "cores have moved since plans settled: once more\n");
      begin_again();
    }
    verify();
    for (const Running& r : running_) {
      weft::Index bytes[2] = {r.runner.array_bytes(), r.runner.bytes_owned()};
      MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_SUM, world_.comm);
      r.result->array_bytes = bytes[0], r.result->bytes_owned = bytes[1];
    }
    return {std::move(results_), near_};
  }

 private:
  struct Running {
    Runner runner;
    Result* result;
    std::vector<double> hops = {};  // of every turn
    bool finds_out = false;         // in its first executions, what suits it
  };

  static bool apart(double hop, double least) { return hop > Nearness::far * least; }
  static std::size_t count_apart(const std::vector<double>& hops, double least) {
    return static_cast<std::size_t>(
        std::count_if(hops.begin(), hops.end(), [&](double hop) { return apart(hop, least); }));
  }

  void verify() {
    for (Running& r : running_) {
      keep_worse(r.result->relative_error, r.runner.verify(field_));
    }
  }

  /// Hops meanwhile. Among all others, as in the turns that count, for what suits a plan depends on
  /// what comes between its executions; where that takes long, among those that still find out.
  std::vector<double> settle() {
    constexpr double among_all = 10, longest = 30;  // seconds
    std::vector<double> hops;
    double seconds = 0;  // alike on all ranks
    const auto trying = [](const Running& r) { return r.runner.trying(); };
    for (Running& r : running_) r.finds_out = trying(r);
    for (int row = 0;
         row < rows_to_settle && seconds < longest && std::any_of(running_.begin(), running_.end(), trying); ++row) {
      std::shuffle(order_.begin(), order_.end(), random_);
      for (const std::size_t i : order_) {
        Runner& runner = running_[i].runner;
        if (runner.trying())
          seconds += runner.settle(transforms_);
        else if (seconds < among_all)
          seconds += runner.turn(transforms_) * (transforms_ + 1);
      }
      hops.push_back(ring_.seconds());
    }
    return hops;
  }

  void take_turns(int repeats) {
    near_ = {ring_.seconds()};
    const auto wanted = static_cast<std::size_t>(repeats);
    const auto enough = [&](std::size_t turns) {
      return std::all_of(running_.begin(), running_.end(), [&](const Running& r) {
        return r.hops.size() - count_apart(r.hops, near_.hop_seconds) >= turns;
      });
    };
    for (int round = 0; round < repeats || (round < 2 * repeats && !enough(wanted)); ++round) {
      std::shuffle(order_.begin(), order_.end(), random_);  // nobody always comes after the same neighbour
      for (const std::size_t i : order_) {
        Running& r = running_[i];
        const double before = ring_.seconds();
        r.result->seconds.push_back(r.runner.turn(transforms_));
        const double after = ring_.seconds();
        r.hops.push_back(std::max(before, after));
        near_.hop_seconds = std::min({near_.hop_seconds, before, after});
      }
    }
    near_.left_out = enough((wanted + 1) / 2);
    for (Running& r : running_) {
      near_.turns += static_cast<int>(r.hops.size()),
          near_.turns_apart += static_cast<int>(count_apart(r.hops, near_.hop_seconds));
      for (std::size_t turn = r.hops.size(); near_.left_out && turn-- > 0;)
        if (apart(r.hops[turn], near_.hop_seconds))
          r.result->seconds.erase(r.result->seconds.begin() + static_cast<std::ptrdiff_t>(turn));
    }
  }

  /// Whether more than a fifth of the time cores were together while plans settled and apart since,
  /// or the other way.
  bool moved(const std::vector<double>& settled) const {
    double least = near_.hop_seconds;
    for (const double hop : settled) least = std::min(least, hop);
    const std::size_t far = count_apart(settled, least),
                      otherwise = apart(near_.hop_seconds, least) ? settled.size() - far : far;
    return 5 * otherwise > settled.size();
  }

  /// With new plans of those that find out what suits them.
  void begin_again() {
    for (Running& r : running_) {
      r.result->seconds.clear(), r.hops.clear();
      if (!r.finds_out) continue;
      if (auto runner = fastest(world_, r.result->entry, transforms_, random_, *r.result))
        r.runner = std::move(*runner);
    }
  }

  World world_;
  int transforms_;
  Field field_;
  Ring ring_;
  std::mt19937 random_{3};  // alike on all ranks
  std::vector<Result> results_;
  std::vector<Running> running_;
  std::vector<std::size_t> order_;
  Nearness near_;
};

}  // namespace

double Result::median() const { return ::median(seconds); }
double Result::least() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Result::most() const { return *std::max_element(seconds.begin(), seconds.end()); }

int transforms_a_turn(const Case& what, int ranks) {
  constexpr double operations_a_second = 1e10, least_seconds = 5e-3;  // of a rank that is fast; of a turn
  const double seconds = what.operations() / operations_a_second / ranks;
  return static_cast<int>(std::clamp(std::ceil(least_seconds / std::max(seconds, 1e-9)), 1.0, 1000.0));
}

std::pair<std::vector<Result>, Nearness> race(const World& world, const Case& what, std::vector<Entry> entries,
                                              int repeats) {
  return Race(world, what, std::move(entries)).run(repeats);
}

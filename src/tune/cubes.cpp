// A profile is measured: rates, then cubes by every strategy, then a few other plans that tell how
// far to trust what all that says.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <weft/forecast.hpp>

#include "engines/engine.hpp"
#include "mpi/communicator.hpp"
#include "tune/contender.hpp"
#include "tune/rates.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

/// What is left open by measuring itself: nothing is known better than that.
constexpr double least_error = 0.1;
/// Seconds that a plan may take to try settings before it is measured.
constexpr double longest_trial = 0.2;
/// Seconds that a plan's executions take, more or less, of which there are so many.
constexpr double seconds_a_plan = 0.06;
constexpr int least_executions = 5, most_executions = 25;
/// Bytes that plans taking turns may hold on a rank.
constexpr double most_held = 1 << 30;

/// Plans of one problem, measured in turns: what an execution finds in caches then is what another
/// one left there, as in a program that does other things, too. Collective.
class Turns {
 public:
  Turns(const mpi::Communicator& comm, const AnyProblem& problem, std::size_t plans)
      : comm_(comm), problem_(problem), seconds_(plans) {}

  void add(std::size_t at, const Options& options) {
    try {
      running_.push_back({at, Contender::make(comm_, problem_, options), {}});
    } catch (const Error&) {  // alike on all ranks: the machine refuses what the strategy needs
      return;
    }
    running_.back().plan->clear();
    const AnyPlan& plan = running_.back().plan->plan();
    const double arrays = 2.0 * static_cast<double>(plan.input_elements() + plan.output_elements()) * sizeof(double);
    held_ += arrays + static_cast<double>(plan.bytes_owned());
    if (comm_.max(held_) > most_held) measure();
  }

  /// Forward and backward, of the slowest rank; nothing of what could not be had.
  std::vector<std::optional<double>> seconds() {
    measure();
    return seconds_;
  }

 private:
  struct Running {
    std::size_t at;
    std::unique_ptr<Contender> plan;
    std::vector<double> seconds;
  };

  double once(const Running& one) const { return comm_.max(one.plan->time(0, 1).both); }

  void measure() {
    double round = 0;
    for (const Running& one : running_) {
      double last = once(one);
      const auto trying = [&] { return comm_.max(one.plan->plan().trying() ? 1 : 0) > 0; };
      for (double left = longest_trial; left > 0 && trying(); left -= last) last = once(one);
      round += last;
    }
    const double wanted = seconds_a_plan * static_cast<double>(running_.size()) / std::max(round, 1e-9);
    for (double left = std::clamp<double>(wanted, least_executions, most_executions); left >= 1; --left)
      for (Running& one : running_) one.seconds.push_back(once(one));
    for (Running& one : running_) seconds_[one.at] = median(std::move(one.seconds));
    running_.clear();
    held_ = 0;
  }

  const mpi::Communicator& comm_;
  const AnyProblem& problem_;
  std::vector<std::optional<double>> seconds_;
  std::vector<Running> running_;
  double held_ = 0;
};

Options plain(const std::string& strategy, const std::vector<int>& asked) {
  return {.strategy = strategy, .wisdom = false, .nodes = asked};
}

/// Cubes tell what work takes, transformed by every rank for itself, and then what the exchanges of
/// all strategies add.
class Cubes {
 public:
  Cubes(const mpi::Communicator& comm, const std::vector<int>& asked, MachineProfile& profile)
      : comm_(comm), asked_(asked), nodes_(comm.nodes(asked)), profile_(profile) {}

  /// Cubes of ascending size, while the next one is likely to end in time.
  void measure(double seconds) {
    const double start = clock_seconds();
    for (const Index n : {8, 12, 16, 24, 32, 48, 64, 96, 128}) {
      const double begin = clock_seconds();
      of(n);
      const double end = clock_seconds();
      if (comm_.max(end - start + 2 * (end - begin)) > seconds) break;
    }
  }

 private:
  /// Measured over predicted, of the slowest rank, when all are at work: as much as the first one has
  /// of a cube. As many plans take turns as there are strategies to compare, so that it finds in
  /// caches what those do.
  double alone(const AnyProblem& local, const MachineProfile& rates) const {
    const auto self = mpi::Communicator::shared(MPI_COMM_SELF);
    const std::size_t alike = comm_.size() == 1 ? 1 : strategies().size();
    comm_.barrier();
    const double seconds = comm_.agree([&] {
      return self.together([&] {
        Turns turns(self, local, alike);
        for (std::size_t k = 0; k < alike; ++k) turns.add(k, {.wisdom = false});
        std::vector<double> all;
        for (const auto& one : turns.seconds()) all.push_back(one.value_or(0));
        return median(std::move(all));
      });
    });
    const double said = forecast(local, plain("isend", {}), {0}, rates).front().seconds;
    return comm_.max(seconds) / said;
  }

  void of(Index n) {
    const Index planes = (n + comm_.size() - 1) / comm_.size();
    const auto bytes = [&](Index row) { return static_cast<double>(planes * n * row) * 2 * sizeof(double); };
    const double share = bytes(n);
    MachineProfile rates = profile_;
    rates.work.clear(), rates.real_work.clear(), rates.exchanges.clear();
    const double work = alone(c2c<double>({planes, n, n}), rates);
    const double real_work = alone(r2c<double>({planes, n, n}), rates);
    std::vector<Order> grids{{comm_.size()}};
    if (const int rows = second_extent(comm_.size()); rows > 1) grids.push_back({comm_.size() / rows, rows});
    std::vector<Plans> plans;
    double least = work;
    for (const Order& grid : grids) {
      if (comm_.size() == 1) break;
      plans.push_back(measured(n, grid, rates));
      // a plan may take less than work alone: then that is what work takes
      for (const auto& [said, seconds] : plans.back()) least = std::min(least, 0.95 * seconds / said.work_seconds);
    }
    profile_.work.push_back({share, least});
    profile_.real_work.push_back({bytes(n / 2 + 1), real_work * least / work});
    for (std::size_t k = 0; k < plans.size(); ++k)
      for (const auto& [said, seconds] : plans[k]) {
        if (said.exchange_seconds <= 0) continue;
        const double ratio = (seconds - least * said.work_seconds) / said.exchange_seconds;
        std::vector<ExchangeRatio>& list = profile_.exchanges[said.strategy];
        for (int a = 0; a < grids[k].size(); ++a)
          if (a == 0 || grids[k][a] != grids[k][0])
            list.push_back({static_cast<double>(grids[k][a]), share / static_cast<double>(grids[k][a]), ratio});
      }
  }

  using Plans = std::vector<std::pair<Forecast, double>>;

  /// Of a grid of two axes, the shorter one; 1: a number of ranks that has no such grid.
  static int second_extent(int ranks) {
    int rows = 1;
    for (int k = 2; k * k <= ranks; ++k)
      if (ranks % k == 0) rows = k;
    return rows;
  }

  /// Plans by all strategies that can be had: what rates say of them, and what they take.
  Plans measured(Index n, const Order& grid, const MachineProfile& rates) const {
    const auto cube = c2c<double>({n, n, n});
    const auto options = [&](const std::string& strategy) {
      Options with = plain(strategy, asked_);
      if (grid.size() > 1) with.grid = grid;
      return with;
    };
    const std::vector<Forecast> said = forecast(cube, options("auto"), nodes_, rates);
    Turns turns(comm_, cube, said.size());
    for (std::size_t k = 0; k < said.size(); ++k)
      if (said[k].declined.empty()) turns.add(k, options(said[k].strategy));
    const auto took = turns.seconds();
    Plans plans;
    for (std::size_t k = 0; k < said.size(); ++k)
      if (took[k]) plans.emplace_back(said[k], *took[k]);
    return plans;
  }

  const mpi::Communicator& comm_;
  const std::vector<int>& asked_;
  const std::vector<int> nodes_;
  MachineProfile& profile_;
};

/// How far other plans are from what the model says of them. Ranks agree: all have the slowest
/// one's times. Nothing is corrected by it: what these plans have in common is in the cubes.
void compare_forecasts(const mpi::Communicator& comm, const std::vector<int>& asked, MachineProfile& profile) {
  const std::vector<int> nodes = comm.nodes(asked);
  std::vector<double> ratios;  // logarithms of measured over predicted
  for (const AnyProblem& problem : {AnyProblem(c2c<double>({24, 24, 24})), AnyProblem(c2c<double>({64, 48, 40})),
                                    AnyProblem(r2c<double>({60, 48, 40})), AnyProblem(c2c<double>({96, 80, 72}))}) {
    std::vector<Forecast> said;
    for (const char* name : {"direct", "alltoallv", "isend", "node"})
      said.push_back(forecast(problem, plain(name, asked), nodes, profile).front());
    if (comm.size() == 1) said.resize(1);
    Turns turns(comm, problem, said.size());
    for (std::size_t k = 0; k < said.size(); ++k)
      if (said[k].declined.empty()) turns.add(k, plain(said[k].strategy, asked));
    const auto seconds = turns.seconds();
    for (std::size_t k = 0; k < said.size(); ++k)
      if (seconds[k]) ratios.push_back(std::log(*seconds[k] / said[k].seconds));
  }
  if (ratios.empty()) return;
  double squares = 0;
  for (const double r : ratios) squares += r * r;
  const double deviation = std::sqrt(squares / static_cast<double>(ratios.size()));
  profile.relative_error = std::max(least_error, std::exp(2 * deviation) - 1);
}

}  // namespace

MachineProfile measure_profile(MPI_Comm user, const std::vector<int>& asked, double seconds) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] {
    MachineProfile profile = measured_rates(comm, asked);
    const auto lines = comm.agree([&] { return engines().front()->keep(); });
    Cubes(comm, asked, profile).measure(seconds);
    compare_forecasts(comm, asked, profile);
    return profile;
  });
}

}  // namespace weft

// Forecasts: the routes that plans take, the costs that strategies tell, and a profile of the
// machine. Nothing is bound, and nothing communicates.
#include <weft/forecast.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <weft/quote.hpp>

#include "engines/engine.hpp"
#include "plan/offer.hpp"
#include "plan/route/problem.hpp"
#include "plan/route/route.hpp"
#include "plan/wire.hpp"
#include "tune/choice.hpp"

namespace weft {
namespace {

constexpr int most_ranks = 65536;

/// Seconds of one exchange, and what it costs.
struct Exchanged {
  double seconds = 0, tiles = 1;
  Cost cost;
  std::string declined;
};

class Forecaster {
 public:
  Forecaster(const AnyProblem& problem, const Options& options, const std::vector<int>& nodes,
             const MachineProfile& profile)
      : problem_(problem),
        options_(closed(options)),
        nodes_(nodes),
        profile_(profile),
        route_(plan_route(problem, options_, static_cast<int>(nodes.size()))) {
    const auto real = static_cast<Index>(weft::element_bytes(problem.precision, false));
    bytes_.push_back(complex_input(problem) ? 2 * real : real);
    for (const Order& axes : route_.work) {
      const bool halves = std::find(axes.begin(), axes.end(), route_.halved) != axes.end();
      bytes_.push_back(halves ? 2 * real : bytes_.back());
    }
    work_seconds_ = work();
  }

  Forecast of(const Strategy& strategy) const {
    Forecast said;
    said.strategy = strategy.name();
    double tiles = 1;
    for (const bool back : {false, true}) {
      double exchange = 0;
      for (std::size_t h = 0; h < route_.transitions.size(); ++h) {
        if (!route_.transitions[h].exchanges) continue;
        const Exchanged one = exchanged(strategy, h, back);
        if (!one.declined.empty()) {
          said = Forecast{.strategy = said.strategy, .declined = one.declined};
          return said;
        }
        exchange += one.seconds;
        tiles = std::max(tiles, one.tiles);
        add(said.cost, one.cost);
      }
      const bool overlaps = strategy.overlaps() || options_.schedule.communicate == "thread";
      const double saved = overlaps ? overlapped(work_seconds_, exchange, tiles) : 0;
      const double seconds = profile_.correction * (work_seconds_ + exchange - saved);
      (back ? said.backward_seconds : said.forward_seconds) = seconds;
      said.seconds += seconds;
      said.exchange_seconds += profile_.correction * exchange;
      said.overlapped_seconds += profile_.correction * saved;
      said.work_seconds += profile_.correction * work_seconds_;
    }
    said.most_seconds = said.seconds * (1 + profile_.relative_error);
    said.least_seconds = said.seconds / (1 + profile_.relative_error);
    said.warning = warning();
    return said;
  }

 private:
  static void add(Cost& sum, const Cost& one) {
    sum.calls += one.calls, sum.messages += one.messages, sum.bytes += one.bytes, sum.copied += one.copied;
    sum.depth += one.depth, sum.node_messages += one.node_messages, sum.node_bytes += one.node_bytes;
  }

  int ranks() const { return static_cast<int>(nodes_.size()); }

  /// Lines and passes over memory of one direction, of the rank with most of them.
  double work() const {
    double most = 0;
    const bool real_all = !complex_output(problem_);
    const bool halved = !complex_input(problem_) && !real_all && !profile_.real_work.empty();
    for (int r = 0; r < ranks(); ++r) {
      double seconds = 0, most_bytes = 0;
      for (std::size_t s = 0; s < route_.work.size(); ++s) {
        const Layout& out = s < route_.transitions.size() ? route_.transitions[s].from : route_.output;
        const Box& box = out.box(r);
        const auto points = static_cast<double>(box.volume()), bytes = points * static_cast<double>(bytes_[s + 1]);
        most_bytes = std::max(most_bytes, bytes);
        seconds += bytes / at_sizes(profile_, 0, 0, bytes, 0).copied_per_second / options_.threads;
        if (box.empty()) continue;
        for (const int a : route_.work[s]) {
          const auto n = static_cast<double>(route_.shape[a]);
          const Kind kind = route_.kinds[static_cast<std::size_t>(a)];
          const double each = complex_input(kind) || (real_to_real(kind) && !real_all) ? 5 : 2.5;
          const double lines = points / static_cast<double>(box.extent(a));
          const double flops = each * n * std::log2(std::max(n, 2.0)) * lines;
          double rate = at_sizes(profile_, 0, 0, 0, n).flops_per_second;
          if (kind == Kind::r2c) rate = rate_at(profile_.real_lines, n, rate);
          seconds += flops / rate / options_.threads;
        }
      }
      most = std::max(most, seconds * ratio_at(halved ? profile_.real_work : profile_.work, most_bytes));
    }
    return most;
  }

  Exchanged exchanged(const Strategy& strategy, std::size_t h, bool back) const {
    const Transition& moved = route_.transitions[h];
    const Layout &from = back ? moved.to : moved.from, &to = back ? moved.from : moved.to;
    const Cut cut = back ? moved.back_cut.value_or(moved.cut) : moved.cut;
    const Index element = bytes_[h + 1];
    Exchanged worst;
    // costs are the most of a group; groups differ where shares do, and the first ranks have more
    std::vector<int> first;
    for (const int rank : {0, ranks() - 1}) {
      if (rank > 0 && std::binary_search(first.begin(), first.end(), rank)) break;
      Demand demand{.pattern = Pattern(from, to, rank, cut), .element_bytes = element, .from_slot = 0, .to_slot = 1};
      if (rank == 0) first = demand.pattern.members();
      for (const int m : demand.pattern.members()) demand.nodes.push_back(nodes_[static_cast<std::size_t>(m)]);
      const auto asked = options_.wire == "single"
                             ? single_on_wire(strategy)
                             : std::shared_ptr<const Strategy>(std::shared_ptr<void>(), &strategy);
      const Offer offer = offer_of(*asked, demand, to.elements(rank) * element);
      if (!offer.declined.empty()) return {.declined = offer.declined};
      Exchanged one{.tiles = static_cast<double>(demand.pattern.tiles()), .cost = offer.cost};
      // groups of ranks that exchange among themselves share the links of their nodes
      const double groups = sharing(demand.pattern.members(), rank);
      one.cost.node_messages = static_cast<Index>(groups * static_cast<double>(one.cost.node_messages));
      one.cost.node_bytes = static_cast<Index>(groups * static_cast<double>(one.cost.node_bytes));
      const auto ratio = [](Index bytes, Index count) {
        return static_cast<double>(bytes) / static_cast<double>(std::max<Index>(count, 1));
      };
      // what is read in place of others' memory is no message, and goes as copies of that size do
      Machine machine = at_sizes(profile_, ratio(one.cost.bytes, one.cost.messages),
                                 ratio(one.cost.node_bytes, one.cost.node_messages),
                                 static_cast<double>(from.elements(rank) * element), 0);
      if (one.cost.messages == 0) machine.bytes_per_second = machine.copied_per_second;
      one.seconds = seconds(machine, one.cost);
      if (const auto known = profile_.exchanges.find(std::string(strategy.name())); known != profile_.exchanges.end()) {
        const auto held = static_cast<double>(std::max(from.elements(rank), to.elements(rank)) * element);
        const auto members = static_cast<double>(demand.pattern.ranks());
        one.seconds *= ratio_at(known->second, members, held / members);
      }
      if (rank == 0 || one.seconds > worst.seconds) worst = one;
    }
    return worst;
  }

  double sharing(const std::vector<int>& members, int rank) const {
    const int node = nodes_[static_cast<std::size_t>(rank)];
    const auto here = std::count(nodes_.begin(), nodes_.end(), node);
    const auto mine = std::count_if(members.begin(), members.end(),
                                    [&](int m) { return nodes_[static_cast<std::size_t>(m)] == node; });
    return static_cast<double>(here) / static_cast<double>(std::max<std::ptrdiff_t>(mine, 1));
  }

  std::string warning() const {
    const int nodes = 1 + *std::max_element(nodes_.begin(), nodes_.end());
    if (profile_.ranks == 0) return "the machine was not measured: its profile was written by hand";
    if (ranks() > profile_.ranks || nodes > profile_.nodes)
      return "outside of what was measured: " + std::to_string(profile_.ranks) + " ranks on " +
             std::to_string(profile_.nodes) + (profile_.nodes == 1 ? " node" : " nodes");
    return "";
  }

  const AnyProblem& problem_;
  const Options options_;
  const std::vector<int>& nodes_;
  const MachineProfile& profile_;
  const Route route_;
  std::vector<Index> bytes_;  // of an element: before the first stage, and after each
  double work_seconds_ = 0;
};

}  // namespace

std::vector<Forecast> forecast(const AnyProblem& problem, const Options& options, const std::vector<int>& nodes,
                               const MachineProfile& profile) {
  if (problem.waves)
    throw Error("plane waves have no forecast: their exchanges follow from G-vectors; give a shape and kinds");
  if (nodes.empty() || nodes.size() > most_ranks)
    throw Error("a forecast is asked for on " + std::to_string(nodes.size()) + " ranks; give 1 to " +
                std::to_string(most_ranks));
  if (*std::min_element(nodes.begin(), nodes.end()) < 0) throw Error("a rank is on a node of negative number");
  check_problem(problem, options);
  const bool all = options.strategy == "auto" || options.strategy == "tune";
  const std::vector<std::string> names = all ? std::vector<std::string>() : strategy_names(options.strategy);
  if (names.size() > 1)
    throw Error("strategy \"" + shown(options.strategy) +
                "\" is a mixture; forecasts are of one strategy, or of all: \"auto\"");
  const Forecaster forecaster(problem, options, nodes, profile);
  std::vector<Forecast> found;
  if (all)
    for (const Strategy* s : strategies()) found.push_back(forecaster.of(*s));
  else
    found.push_back(forecaster.of(strategy(names.front())));
  std::stable_sort(found.begin(), found.end(), [](const Forecast& a, const Forecast& b) {
    return a.declined.empty() != b.declined.empty() ? a.declined.empty() : a.seconds < b.seconds;
  });
  return found;
}

}  // namespace weft

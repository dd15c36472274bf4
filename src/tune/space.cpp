#include "tune/space.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include <weft/machine.hpp>

#include "plan/route/problem.hpp"
#include "tune/choice.hpp"

namespace weft {

Space::Space(const mpi::Communicator& comm, const AnyProblem& problem, const Options& asked, const Machine& machine)
    : comm_(comm), problem_(problem), asked_(asked), machine_(machine) {
  std::string refusal;
  for (const Options& options : open())
    if (std::string why = survey(options); !why.empty()) refusal = std::move(why);
  if (grounds_.empty()) throw Error("there is nothing to tune: " + refusal);
}

std::vector<Options> Space::open() const {
  const Options first = closed(asked_);
  std::vector<Few<int>> grids{first.grid};
  if (asked_.grid.size() == 1 && asked_.grid[0] == 0 && !asked_.input && !problem_.waves && problem_.shape.size() > 2)
    for (int p = 2; p * 2 <= comm_.size(); ++p)
      if (comm_.size() % p == 0) grids.push_back({p, comm_.size() / p});
  std::vector<int> groups{first.groups}, threads{first.threads};
  if (asked_.groups == 0 && problem_.waves && asked_.batch > 1 && !asked_.input && first.grid.empty())
    for (int g = 2; g <= comm_.size(); ++g)
      if (comm_.size() % g == 0) groups.push_back(g);
  if (asked_.threads == 0) {
    const std::vector<int> nodes = comm_.nodes(asked_.nodes);
    const auto here = std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(comm_.rank())]);
    const Index most = comm_.min(static_cast<Index>(std::thread::hardware_concurrency()) / here);
    for (int t = 2; t <= most && mpi::thread_level() >= MPI_THREAD_FUNNELED; t *= 2) threads.push_back(t);
  }
  std::vector<Options> all;
  for (const Few<int>& grid : grids)
    for (const int g : groups)
      for (const int t : threads) {
        all.push_back(first);
        all.back().wisdom = false;
        all.back().grid = grid;
        all.back().groups = g;
        all.back().threads = t;
      }
  return all;
}

std::string Space::survey(const Options& options) {
  Ground ground{options, {}, 0, {}};
  try {
    const AnyPlan plan(comm_.raw(), problem_, options);
    ground.considered = plan.considered();
    if (strategy_open(asked_)) ground.options.strategy = plan.effective().strategy;
    double flops = 0;
    const std::vector<Index> lines = plan.lines();
    for (std::size_t k = 0; k < problem_.kinds.size(); ++k) {
      const auto axis = static_cast<std::size_t>(problem_.axes[static_cast<int>(k)]) +
                        (options.batch > 1 && lines.size() > static_cast<std::size_t>(problem_.shape.size()) ? 1u : 0u);
      const auto n = static_cast<double>(problem_.shape[problem_.axes[static_cast<int>(k)]]);
      const bool both_parts = real_to_real(problem_.kinds[k]) && complex_output(problem_);
      const double each = complex_input(problem_.kinds[k]) || both_parts ? 5 : 2.5;
      if (axis < lines.size()) flops += each * n * std::log2(std::max(n, 2.0)) * static_cast<double>(lines[axis]);
    }
    const double bytes = static_cast<double>(plan.input_elements() + plan.output_elements()) * 16;
    ground.work_seconds =
        comm_.max(flops / machine_.flops_per_second / options.threads + bytes / machine_.copied_per_second);
  } catch (const Error& e) {  // alike on all ranks
    return e.what();
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
  return {};
}

std::vector<std::string> Space::names() const {
  if (!strategy_open(asked_)) return {asked_.strategy};
  if (grounds_.front().considered.empty()) return {"auto"};
  std::vector<std::string> all;
  for (const Strategy* s : strategies()) all.emplace_back(s->name());
  return all;
}

std::vector<ScheduleOptions> Space::schedules(const Ground& ground, const std::string& name) const {
  std::vector<ScheduleOptions> all;
  if (ground.longest.empty()) return all;
  const bool overlaps = name.find('+') != name.npos || strategy(name).overlaps();
  for (const auto& [tiles, longest] : ground.longest) {
    std::set<Index> sizes;
    for (const Index parts : {2, 4, 8})
      if (longest >= parts) sizes.insert((longest + parts - 1) / parts);
    if (const ScheduleOptions fields = batch_schedule(problem_, ground.options, comm_.size());
        tiles == fields.tiles && fields.tile < longest) {
      sizes.insert(fields.tile);
      if (overlaps) all.push_back(fields);
    }
    for (const Index tile : sizes)
      for (const Index window : overlaps ? std::vector<Index>{0, 2} : std::vector<Index>{1})
        for (const Index test : overlaps ? std::vector<Index>{0, 4} : std::vector<Index>{0})
          for (const char* who : {"caller", "thread"})
            if (*who == 'c' || (ground.options.threads > 1 && test == 0))
              all.push_back({tiles, tile, window, test, who});
  }
  return all;
}

double Space::predicted(const Ground& ground, const Options& options) const {
  double exchange = 0;
  std::size_t h = 0;
  const std::vector<std::string> each = strategy_names(options.strategy);
  const auto longest = ground.longest.find(options.schedule.tiles);
  const auto tiles = longest == ground.longest.end()
                         ? 1.0
                         : std::ceil(static_cast<double>(longest->second) / static_cast<double>(options.schedule.tile));
  for (const auto& list : ground.considered) {
    const std::string& name = each[std::min(h++, each.size() - 1)];
    const auto at = std::find_if(list.begin(), list.end(), [&](const Considered& c) { return c.strategy == name; });
    if (at == list.end() || !at->declined.empty()) return 0;
    exchange += at->seconds + (tiles - 1) * seconds(machine_, {.calls = at->cost.calls,
                                                               .messages = at->cost.messages,
                                                               .node_messages = at->cost.node_messages});
  }
  double work = ground.work_seconds;
  if (options.schedule.tiles == "kept" && options.batch == 1) work *= 1.2;  // a pass more
  const bool overlaps = tiles > 1 && (strategy(each.front()).overlaps() || options.schedule.communicate == "thread");
  return 2 * (work + exchange - (overlaps ? overlapped(work, exchange, tiles) : 0));
}

}  // namespace weft

// How a plan cuts its axes: the route on which all ranks agree, and its tiles on the way back.
#include <algorithm>

#include "plan/plan.hpp"
#include "plan/route/problem.hpp"
#include "plan/route/sphere_route.hpp"

namespace weft {

Route AnyPlan::Body::agreed_route() {
  if (problem.waves) share_waves();
  const Route planned =
      waves ? plan_sphere_route(problem, requested, comm.size(), *waves) : plan_route(problem, requested, comm.size());
  comm.same("how axes are cut among ranks", planned.input.describe(true) + planned.output.describe(true));
  // tiles as they are: no longer than what they cut, and one where nothing is cut
  const auto fit = [&](ScheduleOptions& schedule, const Route& way, bool back) {
    Index longest = 0, most = 1;
    for (std::size_t h = 0; h < way.transitions.size(); ++h) {
      const Layout& from = back ? way.transitions[h].to : way.transitions[h].from;
      const Cut cut = back ? back_cut(way, h) : way.transitions[h].cut;
      for (int r = 0; r < comm.size() && cut.axis >= 0; ++r) {
        const Index extent = from.box(r).empty() ? 0 : from.box(r).extent(cut.axis);
        longest = std::max(longest, extent);
        most = std::max(most, (extent + cut.size - 1) / cut.size);
      }
    }
    if (schedule.communicate == "thread") schedule.test = 0;  // the thread tests whenever it waits
    if (longest == 0) schedule.tiles = "one";
    schedule.tile = std::min(schedule.tile, std::max<Index>(longest, 1));
    schedule.window = schedule.window == 0 ? most : std::min(schedule.window, most);
  };
  fit(effective.schedule, planned, false);
  if (planned.sphere_transition >= 0)
    fit(effective.backward_schedule.emplace(requested.backward_schedule.value_or(requested.schedule)), planned, true);
  if (!requested.backward_schedule || problem.waves) return planned;
  Options options = requested;
  options.schedule = *requested.backward_schedule;
  way_back = plan_route(problem, options, comm.size());
  if (way_back->work[turning_stage(*way_back)] != planned.work[turning_stage(planned)])
    throw Declined(
        "backward_schedule and schedule cut the stage where forward turns into backward differently; give both the "
        "same tiles");
  fit(*effective.backward_schedule, *way_back, true);
  return planned;
}

Cut AnyPlan::Body::back_cut(const Route& way, std::size_t h) const {
  const Transition& transition = way.transitions[h];
  if (transition.back_cut) return *transition.back_cut;
  const ScheduleOptions& schedule =
      problem.waves ? requested.schedule : requested.backward_schedule.value_or(requested.schedule);
  if (transition.exchanges && schedule.tiles == "gathered" && transition.cut.axis >= 0)
    return {scattered_axis(transition), transition.cut.size};
  return transition.cut;
}

int AnyPlan::Body::scattered_axis(const Transition& transition) const {
  // the axis that is whole before the transition and not after it
  for (int a = 0; a < transition.from.axes(); ++a) {
    bool before = true, after = true;
    for (int r = 0; r < comm.size(); ++r) {
      before =
          before && (transition.from.box(r).empty() || transition.from.box(r).extent(a) == transition.from.shape()[a]);
      after = after && (transition.to.box(r).empty() || transition.to.box(r).extent(a) == transition.to.shape()[a]);
    }
    if (before && !after) return a;
  }
  return -1;
}

}  // namespace weft

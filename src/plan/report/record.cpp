// What a plan's steps are, for those who look at what was recorded of them.
#include <algorithm>
#include <cstdio>
#include <set>

#include "plan/plan.hpp"
#include "plan/report/record.hpp"

namespace weft {
namespace {

// "FFT axes 1, 2", "dct2 axis 0, dst1 axis 1", "copy"
std::string stage_name(const Stage& stage, const std::vector<Kind>& kinds) {
  struct Group {
    std::string name, axes;
    int count;
  };
  std::vector<Group> groups;
  bool map = false;
  for (const Operation& o : stage.spec().operations) {
    const Kind kind = kinds[static_cast<std::size_t>(o.axis)];
    const std::string name = kind == Kind::c2c || kind == Kind::r2c || kind == Kind::c2r ? "FFT"
                                                                                         : std::string(to_string(kind)),
                      axis = std::to_string(o.axis);
    map = map || o.map;
    if (groups.empty() || groups.back().name != name)
      groups.push_back({name, axis, 1});
    else
      groups.back().axes += ", " + axis, ++groups.back().count;
  }
  std::string text;
  for (const Group& group : groups)
    text += (text.empty() ? "" : ", ") + group.name + (group.count > 1 ? " axes " : " axis ") + group.axes;
  return (text.empty() ? "copy" : text) + (map ? ", map" : "");
}

std::string plan_name(const AnyProblem& problem, const Options& options) {
  std::string kinds;
  for (const Kind kind : problem.kinds)
    if (const std::string name(to_string(kind)); !kinds.ends_with(name)) kinds += (kinds.empty() ? "" : " x ") + name;
  return (problem.waves ? "plane waves " : "") + kinds + " " + to_string(problem.shape) + ", " + to_string(options);
}

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

}  // namespace

trace::Step recorded(const Step& step, const Exchange* exchange, int self, Index element_bytes) {
  trace::Step noted{static_cast<trace::Phase>(step.kind), step.of, step.first, step.last};
  if (step.kind != Step::Kind::start) return noted;
  std::set<int> peers;
  for (const Piece& piece : exchange->tile(step.first).out)
    if (piece.peer != self && !piece.at.box.empty())
      peers.insert(piece.peer), noted.bytes += piece.at.box.volume() * element_bytes;
  noted.peers = static_cast<int>(peers.size());
  return noted;
}

trace::List AnyPlan::Body::list(const Transform& transform) const {
  trace::List list{.name = &transform == &forward    ? "forward"
                           : &transform == &backward ? "backward"
                                                     : "map",
                   .plan = plan_name(problem, effective)};
  for (const auto& stage : transform.stages) list.stages.push_back(stage_name(*stage, route.kinds));
  list.exchanges = transform.strategies;
  for (const Step& step : transform.steps) {
    const auto e = static_cast<std::size_t>(step.of);
    const bool exchanges = step.kind != Step::Kind::work;
    list.steps.push_back(recorded(step, exchanges ? transform.exchanges[e].get() : nullptr,
                                  exchanges ? transform.selves[e] : -1, transform.bytes[e + 1]));
  }
  return list;
}

void AnyPlan::Body::record(std::shared_ptr<trace::Recorder> on) {
  if (on && on != recorder)
    for (Transform* transform : transforms()) transform->list = on->add(list(*transform), effective.threads);
  recorder = std::move(on);
  spent_before = {};
  spent_before = spent();
}

void AnyPlan::record(Trace& trace) { body_->record(trace.tracing_->recorder); }

void AnyPlan::measure(bool on) {
  if (!on || body_->traced) return body_->record(body_->traced);
  std::size_t longest = 0;
  for (const Transform* transform : {&body_->forward, &body_->backward, &body_->map})
    longest = std::max(longest, transform->steps.size());
  body_->record(std::make_shared<trace::Recorder>(static_cast<Index>(2 * longest), true));
}

AnyPlan::Spent AnyPlan::spent() const { return body_->spent(); }

AnyPlan::Spent AnyPlan::Body::spent() const {
  Spent all;
  for (const Transform* transform : {&forward, &backward}) {
    const Traffic t = traffic(*transform);
    all.calls += t.calls, all.messages += t.messages, all.bytes += t.bytes;
  }
  for (const Transform* transform : transforms()) {
    if (!recorder) break;
    // of work what the caller's thread waits for, or, where that only communicates, what the first
    // of the others does
    const trace::Totals &caller = recorder->totals(transform->list, 0),
                        &worker = recorder->totals(transform->list, transform->conductor ? 1 : 0);
    for (std::size_t p = 0; p < trace::phase_names.size(); ++p)
      if (trace::communicates(static_cast<trace::Phase>(p))) all.exchange_seconds += seconds(caller.nanoseconds[p]);
    all.work_seconds += seconds(worker.nanoseconds[static_cast<std::size_t>(trace::Phase::work)]);
  }
  all.work_seconds -= spent_before.work_seconds, all.exchange_seconds -= spent_before.exchange_seconds;
  all.calls -= spent_before.calls, all.messages -= spent_before.messages, all.bytes -= spent_before.bytes;
  return all;
}

Traffic AnyPlan::Body::traffic(const Transform& transform) {
  Traffic sum;
  for (const auto& exchange : transform.exchanges)
    if (exchange) {
      const Traffic t = exchange->traffic();
      sum.calls += t.calls, sum.messages += t.messages, sum.bytes += t.bytes;
    }
  return sum;
}

std::string AnyPlan::steps() const {
  const Transform& transform = body_->forward;
  std::vector<trace::Span> last(transform.steps.size());
  std::int64_t begin = 0;
  if (const trace::Recorder* const recorder = body_->recorder.get()) {
    for (const trace::Execution& e : recorder->executions())
      if (e.list == transform.list) begin = e.begin;
    for (int thread = 0; thread < (begin ? std::min(recorder->threads(), 2) : 0); ++thread)
      for (const trace::Span& span : recorder->spans(thread))
        if (trace::Span& known = last[static_cast<std::size_t>(std::max(span.step, 0))];
            span.list == transform.list && span.step >= 0 && span.begin >= begin && !known.end)
          known = span;
  }
  std::string lines;
  for (std::size_t k = 0; k < transform.steps.size(); ++k) {
    if (begin && last[k].end) {
      char text[64];
      std::snprintf(text, sizeof text, "%9.1f us %+9.1f  ", 1e6 * seconds(last[k].begin - begin),
                    1e6 * seconds(last[k].end - last[k].begin));
      lines += text;
    }
    lines += to_string(transform.steps[k]) + "\n";
  }
  return lines;
}

}  // namespace weft

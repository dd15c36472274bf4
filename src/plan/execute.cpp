// One execution: the steps of a transform, each a block of work or a verb of an exchange.
#include <optional>

#include "plan/plan.hpp"

namespace weft {

void AnyPlan::Body::execute(Transform& transform, const void* in, void* out,
                            const std::function<void(const Line&)>* f) {
  const mpi::Task task(&transform == &forward    ? "forward"
                       : &transform == &backward ? "backward"
                       : waves                   ? "backward_map_forward"
                                                 : "forward_map_backward",
                       called);
  slots[static_cast<std::size_t>(transform.first_slot)] = static_cast<std::byte*>(const_cast<void*>(in));
  slots[static_cast<std::size_t>(transform.last_slot)] = static_cast<std::byte*>(out);
  if (transform.turn >= 0) {
    slots[waves ? 1 : 0] = slots[static_cast<std::size_t>(transform.first_slot)];
    slots[waves ? 0 : 1] = map_spectrum;
  }
  const std::int64_t began = selector.empty() ? 0 : trace::now();
  std::optional<GuardedMap> map_lines;
  if (f) map_lines.emplace(*f);
  trace::Run run(recorder.get(), transform.list);
  const Traffic before = run ? traffic(transform) : Traffic{};
  const Call call{&slots, map_lines ? &*map_lines : nullptr};
  try {
    if (transform.conductor) {
      conducted = &transform;
      transform.conductor->run(call, talk, progress, run);
    } else {
      trace::Laps laps(run, 0);
      for (int k = 0; const Step& step : transform.steps) {
        if (step.kind == Step::Kind::work)
          work(*transform.stages[static_cast<std::size_t>(step.of)], k, step, call, run);
        else
          exchange(transform, step);
        laps.did(k++);
      }
    }
  } catch (...) {  // MPI has failed: exchanges are out of step, and would wait for ever
    failure = std::current_exception();
    throw;
  }
  if (run) {
    const Traffic after = traffic(transform);
    run.sent({after.calls - before.calls, after.messages - before.messages, after.bytes - before.bytes});
  }
  if (!selector.empty()) selector.took(number(transform), 1e-9 * static_cast<double>(trace::now() - began));
  if (map_lines) map_lines->rethrow();
}

void AnyPlan::Body::exchange(Transform& transform, const Step& step) {
  Exchange& exchange = *transform.exchanges[static_cast<std::size_t>(step.of)];
  if (transform.turn >= 0 && step.of >= transform.turn && step.kind == Step::Kind::start)
    slots[waves ? 1 : 0] = slots[static_cast<std::size_t>(transform.last_slot)];
  if (step.kind == Step::Kind::start) streaming_fence();
  take(exchange, step);
}

void AnyPlan::Body::work(const Stage& stage, int number, const Step& step, const Call& call, trace::Run& run) {
  const int threads = team->threads();
  if (threads == 1) {
    for (int b = step.first; b < step.last; ++b)
      for (int p = 0; p < stage.passes(); ++p) stage.program().run(b, p, 0, 1, workspaces[0], call);
    return;
  }
  now = {&stage, number, step.first, step.last, &call, &run};
  // blocks apart, or together on each block, in the block memory of the first thread
  team->run(step.last - step.first >= threads ? apart : together);
}

}  // namespace weft

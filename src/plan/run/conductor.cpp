#include "plan/run/conductor.hpp"

#include <limits>

namespace weft {

Conductor::Conductor(const std::vector<Step>& steps, std::vector<const Stage*> stages, Team& team,
                     std::vector<Workspace>& workspaces)
    : first_(steps.data()),
      stages_(std::move(stages)),
      team_(team),
      workspaces_(workspaces),
      crew_(team.threads() - 1) {
  const std::size_t count = stages_.size();
  // Memory is given up and opened first: a landing that its reader held since the call before is
  // closed, and what peers did in that call opens out-memory, so that work need not wait for what
  // is being sent. Tests are left out: whoever only talks tests whenever it waits.
  const auto early = [&](const Step& s, const std::vector<int>& started, const std::vector<int>& finished) {
    const auto of = static_cast<std::size_t>(s.of);
    return (s.kind == Step::Kind::open && s.first >= started[of]) ||
           (s.kind == Step::Kind::close && s.first >= finished[of]);
  };
  std::vector<int> started(count, 0), finished(count, 0);  // tiles
  for (const Step& s : steps) {
    if (s.kind == Step::Kind::work) continue;
    const auto of = static_cast<std::size_t>(s.of);
    if (early(s, started, finished)) talk_.push_back({&s, 0});
    started[of] += s.kind == Step::Kind::start;
    finished[of] += s.kind == Step::Kind::finish;
  }
  const int opens = static_cast<int>(talk_.size());
  std::vector<int> last_work(count, 0), last_finish(count, 0);  // one past its place in its side's list
  started.assign(count, 0), finished.assign(count, 0);
  for (const Step& s : steps) {
    const auto of = static_cast<std::size_t>(s.of);
    if (s.kind == Step::Kind::work) {
      work_.push_back({&s, of > 0 ? std::max(opens, last_finish[of - 1]) : opens});
      last_work[of] = static_cast<int>(work_.size());
      continue;
    }
    if (s.kind == Step::Kind::test || early(s, started, finished)) continue;
    Part part{&s, s.kind == Step::Kind::start ? last_work[of] : s.kind == Step::Kind::close ? last_work[of + 1] : 0};
    for (std::size_t e = 0; e < count; ++e)
      if (started[e] > finished[e]) part.under_way = static_cast<int>(e);
    talk_.push_back(part);
    started[of] += s.kind == Step::Kind::start;
    finished[of] += s.kind == Step::Kind::finish;
    if (s.kind == Step::Kind::finish) last_finish[of] = static_cast<int>(talk_.size());
  }
}

void Conductor::run(const Call& call, const std::function<void(const Step&)>& exchange,
                    const std::function<void(int)>& progress, trace::Run& record) {
  call_ = &call;
  exchange_ = &exchange;
  progress_ = &progress;
  record_ = &record;
  worked_.store(0, std::memory_order_relaxed);
  talked_.store(0, std::memory_order_relaxed);
  failure_ = nullptr;
  team_.run(all_);
  if (failure_) std::rethrow_exception(failure_);
}

void Conductor::talk() {
  try {
    trace::Laps laps(*record_, 0);
    for (const Part& part : talk_) {
      while (worked_.load(std::memory_order_acquire) < part.needs) {
        if (part.under_way >= 0) (*progress_)(part.under_way);
        std::this_thread::yield();
      }
      laps.waited(number(part));
      (*exchange_)(*part.step);
      laps.did(number(part));
      talked_.fetch_add(1, std::memory_order_release);
      talked_.notify_all();
    }
  } catch (...) {  // MPI has failed: nobody may wait for what will not come
    failure_ = std::current_exception();
    talked_.store(std::numeric_limits<int>::max(), std::memory_order_release);
    talked_.notify_all();
  }
}

void Conductor::work(int thread) {
  trace::Laps laps(*record_, thread);
  for (const Part& part : work_) {
    for (int done; (done = talked_.load(std::memory_order_acquire)) < part.needs;)
      talked_.wait(done, std::memory_order_acquire);
    laps.waited(number(part));
    compute(*part.step, thread - 1);
    streaming_fence();
    crew_.arrive_and_wait();
    laps.did(number(part));
    if (thread != 1) continue;
    worked_.fetch_add(1, std::memory_order_release);
  }
}

void Conductor::compute(const Step& step, int worker) {
  const Stage& stage = *stages_[static_cast<std::size_t>(step.of)];
  const int workers = team_.threads() - 1, count = step.last - step.first;
  Workspace& workspace = workspaces_[static_cast<std::size_t>(worker) + 1];
  if (count >= workers) {  // blocks apart
    for (int b = step.first + count * worker / workers; b < step.first + count * (worker + 1) / workers; ++b)
      for (int p = 0; p < stage.passes(); ++p) stage.program().run(b, p, 0, 1, workspace, *call_);
    return;
  }
  std::byte* const own = workspace.block;  // together on each block, in the block memory of the first of them
  workspace.block = workspaces_[1].block;
  for (int b = step.first; b < step.last; ++b)
    for (int p = 0; p < stage.passes(); ++p) {
      stage.program().run(b, p, worker, workers, workspace, *call_);
      crew_.arrive_and_wait();
    }
  workspace.block = own;
}

}  // namespace weft

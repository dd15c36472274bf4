// The conductor: executes a list of steps with one thread in MPI and the others at work.
#pragma once

#include <atomic>
#include <barrier>
#include <exception>
#include <functional>

#include "plan/run/team.hpp"
#include "plan/stage/stage.hpp"
#include "plan/step.hpp"
#include "trace/recorder.hpp"

namespace weft {

/// The caller's thread does the exchange steps, so that MPI_THREAD_FUNNELED is enough; all others
/// of the team do the work steps, each step together. Always true: each side goes through its steps
/// in the order of the list, and every step waits for the earlier ones of the other side whose
/// memory it needs: whatever ends on one thread ends here.
class Conductor {
 public:
  /// The team has at least two threads. `steps`, `stages` and `workspaces` (one a thread) must
  /// outlive it. Nothing is allocated later.
  Conductor(const std::vector<Step>& steps, std::vector<const Stage*> stages, Team& team,
            std::vector<Workspace>& workspaces);

  /// `exchange` executes a step that is not work. `progress(e)` lets exchange e progress; it is
  /// called while there is nothing else to do. Every thread notes its steps and its waiting in
  /// `record`, if that is on.
  void run(const Call& call, const std::function<void(const Step&)>& exchange, const std::function<void(int)>& progress,
           trace::Run& record);

  /// Calls visit(step, lane, needs) for every step in the order of its side: lane 0 exchanges, lane
  /// 1 works, and `needs` steps of the other are done before.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const Part& part : talk_) visit(*part.step, 0, part.needs);
    for (const Part& part : work_) visit(*part.step, 1, part.needs);
  }

 private:
  struct Part {
    const Step* step;
    int needs;           // steps of the other side that must have been done
    int under_way = -1;  // an exchange that has tiles on their way before this step, -1: none
  };
  void work(int thread);
  void talk();
  void compute(const Step& step, int worker);
  std::int32_t number(const Part& part) const { return static_cast<std::int32_t>(part.step - first_); }

  const Step* first_;
  std::vector<Part> work_, talk_;
  std::vector<const Stage*> stages_;
  Team& team_;
  std::vector<Workspace>& workspaces_;
  std::barrier<> crew_;  // of all who compute
  std::atomic<int> worked_{0}, talked_{0};

  // what runs now: kept here so that starting it allocates nothing
  const Call* call_ = nullptr;
  const std::function<void(const Step&)>* exchange_ = nullptr;
  const std::function<void(int)>* progress_ = nullptr;
  trace::Run* record_ = nullptr;
  std::exception_ptr failure_;
  const std::function<void(int)> all_ = [this](int thread) { thread == 0 ? talk() : work(thread); };
};

}  // namespace weft

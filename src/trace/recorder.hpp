// Recorders: what the threads of one rank did when, in memory that is there before the first
// execution.
//
// A plan adds its lists of steps, and every execution leaves a span for each step, which names only
// the list and the step: what these are is looked up when somebody asks. Always true: an execution
// is recorded whole or not at all, and then counted; recording allocates nothing; a row belongs to
// one thread, so that recording needs no lock. Totals are of all executions, those that found no
// room included.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::trace {

/// What a step does; `wait` is of a thread that can do nothing else until another one is done.
enum class Phase : std::int32_t { work, open, start, test, finish, close, wait };
inline constexpr std::array<const char*, 7> phase_names{"work", "open", "start", "test", "finish", "close", "wait"};
inline bool communicates(Phase phase) { return phase != Phase::work && phase != Phase::wait; }

/// The one clock: nanoseconds of this host since an unknown day.
std::int64_t now();

struct Step {
  Phase phase = Phase::work;
  std::int32_t of = 0;               ///< stage or exchange
  std::int32_t first = 0, last = 0;  ///< work: blocks [first, last); others: the tile is `first`
  std::int64_t bytes = 0;            ///< of a start: what leaves for other ranks
  std::int32_t peers = 0;            ///< how many those are
};

/// What one direction of a plan does.
struct List {
  std::string name;                            ///< "forward"
  std::string plan;                            ///< what is transformed and how
  std::vector<std::string> stages, exchanges;  ///< what they do, by number
  std::vector<Step> steps;
};

/// A step of a list, or, where `step` is negative, the wait before step -1 - `step`. Nanoseconds.
struct Span {
  std::int64_t begin = 0, end = 0;
  std::int32_t list = 0, step = 0;
};

/// MPI calls that move data, messages to other ranks, their bytes.
struct Sent {
  std::int64_t calls = 0, messages = 0, bytes = 0;
};

/// A whole execution of a list.
struct Execution {
  std::int64_t begin = 0, end = 0;
  std::int32_t list = 0;
  Sent sent;
};

/// Of one list on one thread.
struct alignas(64) Totals {
  std::array<std::int64_t, phase_names.size()> nanoseconds{};
};

class Recorder {
 public:
  /// Room for so many spans a thread. One that is `rolling` makes room by forgetting what it has:
  /// it keeps the last executions, others the first.
  explicit Recorder(std::int64_t room, bool rolling = false);

  /// Makes what recording needs later; returns the list's number.
  int add(List list, int threads);

  const std::vector<List>& lists() const { return lists_; }
  const std::vector<Execution>& executions() const { return executions_; }
  int threads() const { return static_cast<int>(rows_.size()); }
  int threads(int list) const { return static_cast<int>(totals_[static_cast<std::size_t>(list)].size()); }
  const std::vector<Span>& spans(int thread) const { return rows_[static_cast<std::size_t>(thread)]; }
  const Totals& totals(int list, int thread) const {
    return totals_[static_cast<std::size_t>(list)][static_cast<std::size_t>(thread)];
  }
  std::int64_t room() const { return room_; }
  std::int64_t bytes() const;
  /// Executions that were not recorded: there was no room, or another thread was recording one.
  std::int64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }

 private:
  friend class Run;
  const std::int64_t room_;
  const bool rolling_;
  std::vector<List> lists_;
  std::vector<Execution> executions_;
  std::vector<std::vector<Span>> rows_;
  std::vector<std::vector<Totals>> totals_;
  std::atomic<std::int64_t> left_out_{0};
  std::atomic<bool> busy_{false};
};

/// One execution while it is being recorded; nothing where there is no recorder, or where it is
/// busy with another one.
class Run {
 public:
  Run(Recorder* recorder, int list);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  explicit operator bool() const { return recorder_; }

  /// A thread was at a step from then till then; negative steps are waits (see Span).
  void note(int thread, std::int64_t begin, std::int64_t end, std::int32_t step) {
    const auto row = static_cast<std::size_t>(thread);
    const Phase phase = step < 0 ? Phase::wait : steps_[step].phase;
    (*totals_)[row].nanoseconds[static_cast<std::size_t>(phase)] += end - begin;
    if (stores_) recorder_->rows_[row].push_back({begin, end, list_, step});
  }
  void sent(const Sent& sent) { sent_ = sent; }

 private:
  Recorder* recorder_ = nullptr;
  const Step* steps_ = nullptr;
  std::vector<Totals>* totals_ = nullptr;
  std::int64_t begin_ = 0;
  std::int32_t list_ = 0;
  bool stores_ = false;
  Sent sent_;
};

/// What one thread does, one step after the other, and how long it waits in between.
class Laps {
 public:
  Laps(Run& run, int thread) : run_(run), thread_(thread), last_(run ? now() : 0) {}
  /// The step until now, since the one before it or the wait.
  void did(std::int32_t step) {
    if (run_) lap(now(), step);
  }
  /// For what must be done before this step; waits so short that nobody waited are left to it.
  void waited(std::int32_t step) {
    if (!run_) return;
    if (const std::int64_t time = now(); time - last_ > 500) lap(time, -1 - step);
  }

 private:
  void lap(std::int64_t time, std::int32_t step) {
    run_.note(thread_, last_, time, step);
    last_ = time;
  }

  Run& run_;
  const int thread_;
  std::int64_t last_;
};

}  // namespace weft::trace

#include "trace/recorder.hpp"

#include <algorithm>
#include <chrono>

namespace weft::trace {
namespace {

// A step, and the wait before it.
std::size_t most_spans(const List& list) { return 2 * list.steps.size(); }

}  // namespace

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Recorder::Recorder(std::int64_t room, bool rolling) : room_(room), rolling_(rolling) {
  // An execution has several steps; one of an empty list would have none.
  executions_.reserve(static_cast<std::size_t>(room_ / 4 + 1));
}

int Recorder::add(List list, int threads) {
  while (this->threads() < threads) {
    // Written once, so that no page is missing later
    std::vector<Span>& row = rows_.emplace_back(static_cast<std::size_t>(room_));
    row.clear();
  }
  lists_.push_back(std::move(list));
  totals_.emplace_back(static_cast<std::size_t>(threads));
  return static_cast<int>(lists_.size()) - 1;
}

std::int64_t Recorder::bytes() const {
  return static_cast<std::int64_t>(executions_.capacity() * sizeof(Execution) +
                                   rows_.size() * static_cast<std::size_t>(room_) * sizeof(Span));
}

Run::Run(Recorder* recorder, int list) : list_(list) {
  if (!recorder) return;
  if (recorder->busy_.exchange(true, std::memory_order_acquire)) {
    recorder->left_out_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  recorder_ = recorder;
  const auto at = static_cast<std::size_t>(list);
  steps_ = recorder->lists_[at].steps.data();
  totals_ = &recorder->totals_[at];
  const auto fits = [&] {
    return recorder->executions_.size() < recorder->executions_.capacity() &&
           std::all_of(recorder->rows_.begin(), recorder->rows_.end(), [&](const auto& row) {
             return row.size() + most_spans(recorder->lists_[at]) <= row.capacity();
           });
  };
  if (recorder->rolling_ && !fits()) {
    recorder->executions_.clear();
    for (auto& row : recorder->rows_) row.clear();
  }
  stores_ = fits();
  if (!stores_) recorder->left_out_.fetch_add(1, std::memory_order_relaxed);
  begin_ = now();
}

Run::~Run() {
  if (!recorder_) return;
  if (stores_) recorder_->executions_.push_back({begin_, now(), list_, sent_});
  recorder_->busy_.store(false, std::memory_order_release);
}

}  // namespace weft::trace

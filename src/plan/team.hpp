// A team of threads that work together on one rank: the caller's thread is number 0, the others wait between calls.
// Always true: between calls no team thread touches memory, and only the caller's thread ever calls MPI.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace weft {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return static_cast<int>(others_.size()) + 1; }
  /// Calls f(thread) once on every thread, and returns when all are done.
  void run(const std::function<void(int)>& f);
  /// Inside run: returns when all threads have come here.
  void meet();

 private:
  void serve(int thread);

  std::vector<std::jthread> others_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<unsigned> round_{0}, done_{0}, arrived_{0}, meetings_{0};
  std::atomic<bool> ended_{false};
};

}  // namespace weft

// A team of threads that work together on one rank: the caller's thread is number 0, the others
// wait between calls. Always true: between calls no team thread touches memory, and only the
// caller's thread ever calls MPI.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace weft {

class Team {
 public:
  /// Throws Error where the system refuses a thread; those that were started have ended then.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return static_cast<int>(others_.size()) + 1; }
  /// Calls f(thread) once on every thread, and returns when all are done. What the first thread
  /// that throws does is thrown here then.
  void run(const std::function<void(int)>& f);
  /// Inside run: returns when all threads have come here.
  void meet();

 private:
  void serve(int thread);
  void work(int thread) noexcept;
  void end();

  const std::function<void(int)>* work_ = nullptr;
  std::atomic<unsigned> call_{0}, done_{0}, arrived_{0}, meetings_{0};
  std::atomic<bool> ended_{false}, failed_{false};
  std::exception_ptr failure_;
  std::vector<std::jthread> others_;  // the last, so that they have ended before anything they look at does
};

}  // namespace weft

// What an fftw_plan or fftwf_plan of this library points to, and how it is made.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "kept.hpp"

namespace drop_in {

/// FFTW's own plans, of which programs may have others, begin with an address that is never
/// `mark`'s.
class Plan {
 public:
  Plan(std::shared_ptr<Kept> kept, std::string key, std::shared_ptr<Work> work, const Job& job, void* in, void* out);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// The plan behind a pointer of FFTW's; null: it is not one of weft's.
  static Plan* of(const void* plan) {
    return plan && *static_cast<const void* const*>(plan) == &mark ? const_cast<Plan*>(static_cast<const Plan*>(plan))
                                                                   : nullptr;
  }
  void execute(void* in, void* out);
  void execute() { execute(in_, out_); }
  /// Another plan that does the same.
  Plan* copy() const;
  std::string describe() const;
  double operations() const { return operations_; }

 private:
  Plan(const Plan& other, int);
  static const char mark;

  const void* mark_ = &mark;  // first: `of` reads it
  std::weak_ptr<Kept> kept_;
  std::string key_;
  std::shared_ptr<Work> work_;
  bool back_;
  void *in_, *out_;
  double operations_;
};

/// What FFTW's planner is to answer.
struct Answer {
  Plan* plan = nullptr;
  bool hand_on = false;  ///< FFTW's own MPI transforms are to be asked: `why` says what weft does not do
  std::string why;
};

/// Collective.
Answer answer(const Request& request);
/// What `answer` did not do is said: that FFTW does it, or that nobody does.
void tell(const Request& request, const Answer& answer, bool handed_on);

/// Threads of every plan to come (fftw_plan_with_nthreads).
void plan_with_threads(int threads);
int threads_of_plans();

/// Lets go of all that weft keeps for plans to come, which FFTW's fftw_cleanup wants done.
void forget();

}  // namespace drop_in

// FFTW's calls by precision, and its planner.
//
// Planning sees the wisdom of the line in question alone, never what the process has gathered: so
// it repeats from process to process, and a program's own FFTW wisdom is left as it was; its time
// limit for planning (fftw_set_timelimit) is not, where long lines are searched: it cannot be asked
// for. FFTW's planner is not thread-safe: a program that also plans by itself must not do so while
// weft plans.
#pragma once

#include <fftw3.h>

#include <mutex>
#include <string>

namespace weft::fftw {

template <class Real>
struct Library;

#define WEFT_FFTW(Real, X)                                               \
  template <>                                                            \
  struct Library<Real> {                                                 \
    using Plan = X##_plan;                                               \
    using Dim = X##_iodim64;                                             \
    using Complex = X##_complex;                                         \
    static constexpr auto plan_c2c = X##_plan_guru64_dft;                \
    static constexpr auto plan_r2c = X##_plan_guru64_dft_r2c;            \
    static constexpr auto plan_c2r = X##_plan_guru64_dft_c2r;            \
    static constexpr auto plan_r2r = X##_plan_guru64_r2r;                \
    static constexpr auto c2c = X##_execute_dft;                         \
    static constexpr auto r2c = X##_execute_dft_r2c;                     \
    static constexpr auto c2r = X##_execute_dft_c2r;                     \
    static constexpr auto r2r = X##_execute_r2r;                         \
    static constexpr auto destroy = X##_destroy_plan;                    \
    static constexpr auto alignment_of = X##_alignment_of;               \
    static constexpr auto export_wisdom = X##_export_wisdom;             \
    static constexpr auto import_wisdom = X##_import_wisdom_from_string; \
    static constexpr auto forget_wisdom = X##_forget_wisdom;             \
    static constexpr auto set_timelimit = X##_set_timelimit;             \
  };
WEFT_FFTW(float, fftwf)
WEFT_FFTW(double, fftw)
#undef WEFT_FFTW

/// Guards FFTW's planner. Recursive because a plan that is not kept is destroyed while another is
/// made.
std::recursive_mutex& planner();

/// FFTW's planner, borrowed: while this lives, it knows what it is told here and nothing else, and
/// afterwards what it knew before. Every text that FFTW reads or writes is signed with the names of
/// all its solvers, which takes longer than most plans: so the program's own wisdom is read once,
/// when the planner is first needed, and written back only where there was any.
template <class Real>
class Planner {
 public:
  Planner() = default;
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// Makes it know this and nothing else. False where FFTW refuses this wisdom.
  bool know(const std::string& wisdom);
  /// What it knows now, its entries in order: FFTW writes them in an order that changes from
  /// reading to writing.
  static std::string known();

 private:
  std::lock_guard<std::recursive_mutex> lock_{planner()};
  std::string others_;
  bool borrowed_ = false;
};

extern template class Planner<float>;
extern template class Planner<double>;

}  // namespace weft::fftw

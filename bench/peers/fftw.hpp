// FFTW in both precisions under one name, and its transforms without MPI.
#pragma once

#include <fftw3-mpi.h>

#include <type_traits>

#include "../contender.hpp"

template <class Real>
struct Fftw;

#define WEFT_FFTW(REAL, X)                                                     \
  template <>                                                                  \
  struct Fftw<REAL> {                                                          \
    using Complex = X##_complex;                                               \
    using Plan = std::shared_ptr<std::remove_pointer_t<X##_plan>>;             \
    static Plan owned(X##_plan plan) {                                         \
      if (!plan) throw weft::Declined("FFTW has no plan for this");            \
      return {plan, X##_destroy_plan};                                         \
    }                                                                          \
    static constexpr auto forget_wisdom = X##_forget_wisdom;                   \
    static constexpr auto threads = X##_plan_with_nthreads;                    \
    static constexpr auto c2c = X##_plan_many_dft;                             \
    static constexpr auto r2c = X##_plan_many_dft_r2c;                         \
    static constexpr auto c2r = X##_plan_many_dft_c2r;                         \
    static constexpr auto execute = X##_execute;                               \
    static constexpr auto mpi_local_size = X##_mpi_local_size_many_transposed; \
    static constexpr auto mpi_c2c = X##_mpi_plan_many_dft;                     \
    static constexpr auto mpi_r2c = X##_mpi_plan_many_dft_r2c;                 \
    static constexpr auto mpi_c2r = X##_mpi_plan_many_dft_c2r;                 \
    static constexpr auto mpi_execute_c2c = X##_mpi_execute_dft;               \
    static constexpr auto mpi_execute_r2c = X##_mpi_execute_dft_r2c;           \
    static constexpr auto mpi_execute_c2r = X##_mpi_execute_dft_c2r;           \
  };
WEFT_FFTW(double, fftw)
WEFT_FFTW(float, fftwf)
#undef WEFT_FFTW

/// In place and out of place, on this rank alone.
std::vector<Candidate> fftw_local(const Case& what, int threads);

/// An array of real numbers that shares memory with its transform has rows of 2 (n/2+1).
inline weft::Shape in_place_padding(const Case& what) {
  const int last = what.shape.size() - 1;
  weft::Shape padding = weft::Shape::filled(last + 1, 0);
  if (what.real) padding[last] = 2 * what.after()[last] - what.shape[last];
  return padding;
}

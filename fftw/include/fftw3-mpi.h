/* The interface of FFTW's MPI transforms, as weft's drop-in (libweft_fftw3_mpi) has it: the names, types and values of
   FFTW 3.3, so that a program compiles with either header and links with either library. docs/from_fftw_mpi.md says
   what weft does itself and what it hands on to FFTW's own library.

   Arrays: n[0] x n[1] x ... in C order, cut along the first axis into blocks, one a rank; with howmany numbers at each
   point. Real arrays of r2c and c2r have rows of 2 (n/2+1) numbers. A block of 0 is FFTW_MPI_DEFAULT_BLOCK: the extent
   over the number of ranks, rounded up. Planning is collective; so is executing. */
#ifndef FFTW3_MPI_H
#define FFTW3_MPI_H

#include <fftw3.h>
#include <mpi.h>
#include <stddef.h>

#define FFTW_MPI_DEFAULT_BLOCK (0)

#define FFTW_MPI_SCRAMBLED_IN (1U << 27) /* one dimension only: any order of frequencies will do */
#define FFTW_MPI_SCRAMBLED_OUT (1U << 28)
#define FFTW_MPI_TRANSPOSED_IN (1U << 29) /* the array has the first two axes the other way round */
#define FFTW_MPI_TRANSPOSED_OUT (1U << 30)

#ifdef __cplusplus
extern "C" {
#endif

/* An axis for FFTW's guru interface, which only FFTW itself has. */
struct fftw_mpi_ddim_do_not_use_me {
  ptrdiff_t n, ib, ob; /* extent, block before, block after */
};

/* clang-format off: one line of the macro a row. */
/* All of it for one precision: P is the prefix of its names, R its real type. */
#define WEFT_FFTW_MPI(P, R)                                                                                            \
  typedef struct fftw_mpi_ddim_do_not_use_me P##_mpi_ddim;                                                             \
                                                                                                                       \
  void P##_mpi_init(void);                                                                                             \
  void P##_mpi_cleanup(void);                                                                                          \
  void P##_mpi_gather_wisdom(MPI_Comm comm);                                                                           \
  void P##_mpi_broadcast_wisdom(MPI_Comm comm);                                                                        \
                                                                                                                       \
  /* What a rank has of an array, and how many numbers to allocate: complex ones, for r2c of the transformed array. */ \
  ptrdiff_t P##_mpi_local_size_many_transposed(                                                                        \
      int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,               \
      ptrdiff_t* local_n0, ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);                   \
  ptrdiff_t P##_mpi_local_size_many(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0, MPI_Comm comm,   \
                                    ptrdiff_t* local_n0, ptrdiff_t* local_0_start);                                    \
  ptrdiff_t P##_mpi_local_size_transposed(int rnk, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,             \
                                          ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);    \
  ptrdiff_t P##_mpi_local_size(int rnk, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,                        \
                               ptrdiff_t* local_0_start);                                                              \
  ptrdiff_t P##_mpi_local_size_many_1d(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign, unsigned flags,       \
                                       ptrdiff_t* local_ni, ptrdiff_t* local_i_start, ptrdiff_t* local_no,             \
                                       ptrdiff_t* local_o_start);                                                      \
  ptrdiff_t P##_mpi_local_size_1d(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags, ptrdiff_t* local_ni,          \
                                  ptrdiff_t* local_i_start, ptrdiff_t* local_no, ptrdiff_t* local_o_start);            \
  ptrdiff_t P##_mpi_local_size_2d(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0,                      \
                                  ptrdiff_t* local_0_start);                                                           \
  ptrdiff_t P##_mpi_local_size_2d_transposed(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0,           \
                                             ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start); \
  ptrdiff_t P##_mpi_local_size_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t* local_n0,        \
                                  ptrdiff_t* local_0_start);                                                           \
  ptrdiff_t P##_mpi_local_size_3d_transposed(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,                  \
                                             ptrdiff_t* local_n0, ptrdiff_t* local_0_start, ptrdiff_t* local_n1,       \
                                             ptrdiff_t* local_1_start);                                                \
                                                                                                                       \
  P##_plan P##_mpi_plan_many_transpose(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0,                \
                                       ptrdiff_t block1, R* in, R* out, MPI_Comm comm, unsigned flags);                \
  P##_plan P##_mpi_plan_transpose(ptrdiff_t n0, ptrdiff_t n1, R* in, R* out, MPI_Comm comm, unsigned flags);           \
                                                                                                                       \
  P##_plan P##_mpi_plan_many_dft(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock,    \
                                 P##_complex* in, P##_complex* out, MPI_Comm comm, int sign, unsigned flags);          \
  P##_plan P##_mpi_plan_dft(int rnk, const ptrdiff_t* n, P##_complex* in, P##_complex* out, MPI_Comm comm, int sign,   \
                            unsigned flags);                                                                           \
  P##_plan P##_mpi_plan_dft_1d(ptrdiff_t n0, P##_complex* in, P##_complex* out, MPI_Comm comm, int sign,               \
                               unsigned flags);                                                                        \
  P##_plan P##_mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, P##_complex* in, P##_complex* out, MPI_Comm comm, int sign, \
                               unsigned flags);                                                                        \
  P##_plan P##_mpi_plan_dft_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P##_complex* in, P##_complex* out,            \
                               MPI_Comm comm, int sign, unsigned flags);                                               \
                                                                                                                       \
  P##_plan P##_mpi_plan_many_r2r(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock,   \
                                 R* in, R* out, MPI_Comm comm, const P##_r2r_kind* kind, unsigned flags);              \
  P##_plan P##_mpi_plan_r2r(int rnk, const ptrdiff_t* n, R* in, R* out, MPI_Comm comm, const P##_r2r_kind* kind,       \
                            unsigned flags);                                                                           \
  P##_plan P##_mpi_plan_r2r_2d(ptrdiff_t n0, ptrdiff_t n1, R* in, R* out, MPI_Comm comm, P##_r2r_kind kind0,           \
                               P##_r2r_kind kind1, unsigned flags);                                                    \
  P##_plan P##_mpi_plan_r2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R* in, R* out, MPI_Comm comm,                 \
                               P##_r2r_kind kind0, P##_r2r_kind kind1, P##_r2r_kind kind2, unsigned flags);            \
                                                                                                                       \
  P##_plan P##_mpi_plan_many_dft_r2c(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,                 \
                                     ptrdiff_t oblock, R* in, P##_complex* out, MPI_Comm comm, unsigned flags);        \
  P##_plan P##_mpi_plan_dft_r2c(int rnk, const ptrdiff_t* n, R* in, P##_complex* out, MPI_Comm comm, unsigned flags);  \
  P##_plan P##_mpi_plan_dft_r2c_2d(ptrdiff_t n0, ptrdiff_t n1, R* in, P##_complex* out, MPI_Comm comm,                 \
                                   unsigned flags);                                                                    \
  P##_plan P##_mpi_plan_dft_r2c_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R* in, P##_complex* out, MPI_Comm comm,   \
                                   unsigned flags);                                                                    \
                                                                                                                       \
  P##_plan P##_mpi_plan_many_dft_c2r(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,                 \
                                     ptrdiff_t oblock, P##_complex* in, R* out, MPI_Comm comm, unsigned flags);        \
  P##_plan P##_mpi_plan_dft_c2r(int rnk, const ptrdiff_t* n, P##_complex* in, R* out, MPI_Comm comm, unsigned flags);  \
  P##_plan P##_mpi_plan_dft_c2r_2d(ptrdiff_t n0, ptrdiff_t n1, P##_complex* in, R* out, MPI_Comm comm,                 \
                                   unsigned flags);                                                                    \
  P##_plan P##_mpi_plan_dft_c2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, P##_complex* in, R* out, MPI_Comm comm,   \
                                   unsigned flags);                                                                    \
                                                                                                                       \
  /* Arrays other than those that were planned; P##_execute takes those. */                                            \
  void P##_mpi_execute_dft(P##_plan plan, P##_complex* in, P##_complex* out);                                          \
  void P##_mpi_execute_dft_r2c(P##_plan plan, R* in, P##_complex* out);                                                \
  void P##_mpi_execute_dft_c2r(P##_plan plan, P##_complex* in, R* out);                                                \
  void P##_mpi_execute_r2r(P##_plan plan, R* in, R* out);

WEFT_FFTW_MPI(fftw, double)
WEFT_FFTW_MPI(fftwf, float)
WEFT_FFTW_MPI(fftwl, long double) /* declared only: FFTW's own library has them */

#ifdef __cplusplus
}
#endif

#endif

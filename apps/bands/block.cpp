#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <weft/error.hpp>

extern "C" {
void zgemm_(const char*, const char*, const int*, const int*, const int*, const std::complex<double>*,
            const std::complex<double>*, const int*, const std::complex<double>*, const int*,
            const std::complex<double>*, std::complex<double>*, const int*);
void zheevd_(const char*, const char*, const int*, std::complex<double>*, const int*, double*, std::complex<double>*,
             const int*, double*, const int*, int*, const int*, int*);
}

namespace bands {

namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

void multiply(char transpose, long m, long n, long k, double factor, const Complex* a, long lda, const Complex* b,
              long ldb, double beta, Complex* c, long ldc) {
  const int sizes[6] = {static_cast<int>(m),   static_cast<int>(n),   static_cast<int>(k),
                        static_cast<int>(lda), static_cast<int>(ldb), static_cast<int>(ldc)};
  const Complex alpha = factor, old = beta;
  zgemm_(&transpose, "N", &sizes[0], &sizes[1], &sizes[2], &alpha, a, &sizes[3], b, &sizes[4], &old, c, &sizes[5]);
}

}  // namespace

Block overlap(const Ranks& ranks, const Columns& a, const Columns& b) {
  Block s(a.count, b.count);
  if (a.count == 0 || b.count == 0) return s;
  if (a.rows > 0) {
    const Stopwatch watch(ranks.seconds->products);
    multiply('C', a.count, b.count, a.rows, 1, a.first, a.rows, b.first, b.rows, 0, s.column(0), a.count);
  }
  const Stopwatch watch(ranks.seconds->sums);
  MPI_Allreduce(MPI_IN_PLACE, s.column(0), static_cast<int>(2 * a.count * b.count), MPI_DOUBLE, MPI_SUM, ranks.comm);
  return s;
}

void combine(const Ranks& ranks, const Columns& a, const Block& y, long count, Complex* out, double factor, bool add) {
  if (a.rows == 0 || count == 0) return;
  const Stopwatch watch(ranks.seconds->products);
  multiply('N', a.rows, count, a.count, factor, a.first, a.rows, y.column(0), y.rows(), add ? 1 : 0, out, a.rows);
}

std::vector<double> squared_norms(const Ranks& ranks, const Columns& a) {
  std::vector<double> norms(static_cast<std::size_t>(a.count));
  {
    const Stopwatch watch(ranks.seconds->products);
    for (long c = 0; c < a.count; ++c)
      for (long i = 0; i < a.rows; ++i) norms[static_cast<std::size_t>(c)] += std::norm(a.first[c * a.rows + i]);
  }
  const Stopwatch watch(ranks.seconds->sums);
  MPI_Allreduce(MPI_IN_PLACE, norms.data(), static_cast<int>(a.count), MPI_DOUBLE, MPI_SUM, ranks.comm);
  return norms;
}

Eigen eigen(const Ranks& ranks, const Block& matrix, long n) {
  Eigen result{std::vector<double>(static_cast<std::size_t>(n)), Block(n, n)};
  const Stopwatch watch(ranks.seconds->dense);
  int info = 0;
  if (rank_of(ranks.comm) == 0) {
    for (long c = 0; c < n; ++c)
      for (long r = 0; r < n; ++r) result.vectors(r, c) = (matrix(r, c) + std::conj(matrix(c, r))) * 0.5;
    const int size = static_cast<int>(n), ask = -1;
    Complex work_size;
    double real_size = 0;
    int whole_size = 0;
    zheevd_("V", "L", &size, result.vectors.column(0), &size, result.values.data(), &work_size, &ask, &real_size, &ask,
            &whole_size, &ask, &info);
    const int complex_length = static_cast<int>(work_size.real()), real_length = static_cast<int>(real_size);
    std::vector<Complex> work(static_cast<std::size_t>(complex_length));
    std::vector<double> reals(static_cast<std::size_t>(real_length));
    std::vector<int> wholes(static_cast<std::size_t>(whole_size));
    zheevd_("V", "L", &size, result.vectors.column(0), &size, result.values.data(), work.data(), &complex_length,
            reals.data(), &real_length, wholes.data(), &whole_size, &info);
  }
  MPI_Bcast(&info, 1, MPI_INT, 0, ranks.comm);
  if (info != 0)
    throw weft::Error("LAPACK found no eigenvalues of a matrix of " + std::to_string(n) +
                      " rows (zheevd: " + std::to_string(info) + "); it may hold numbers that are not finite");
  MPI_Bcast(result.values.data(), static_cast<int>(n), MPI_DOUBLE, 0, ranks.comm);
  MPI_Bcast(result.vectors.column(0), static_cast<int>(2 * n * n), MPI_DOUBLE, 0, ranks.comm);
  return result;
}

long orthonormalise(const Ranks& ranks, Block& v, long from, long count) {
  Block kept(v.rows(), count);
  for (int round = 0; round < 2 && count > 0; ++round) {
    const std::vector<double> norms = squared_norms(ranks, columns(v, from, count));
    for (long c = 0; c < count; ++c)
      if (const double norm = std::sqrt(norms[static_cast<std::size_t>(c)]); norm > 0)
        for (long i = 0; i < v.rows(); ++i) v(i, from + c) /= norm;
    const Block shared = overlap(ranks, columns(v, 0, from), columns(v, from, count));
    combine(ranks, columns(v, 0, from), shared, from > 0 ? count : 0, v.column(from), -1, true);

    // S = U s U^+: the columns of V U / sqrt(s) are orthonormal.
    const Eigen s = eigen(ranks, overlap(ranks, columns(v, from, count), columns(v, from, count)), count);
    long first = 0;
    while (first < count && s.values[static_cast<std::size_t>(first)] < 1e-14 * std::max(s.values.back(), 1e-10))
      ++first;
    Block turn(count, count - first);
    for (long c = first; c < count; ++c)
      for (long r = 0; r < count; ++r)
        turn(r, c - first) = s.vectors(r, c) / std::sqrt(s.values[static_cast<std::size_t>(c)]);
    combine(ranks, columns(v, from, count), turn, count - first, kept.column(0));
    count -= first;
    std::copy(kept.column(0), kept.column(0) + count * v.rows(), v.column(from));
  }
  return count;
}

}  // namespace bands

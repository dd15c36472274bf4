#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <weft/error.hpp>

extern "C" {
void zgemm_(const char*, const char*, const int*, const int*, const int*, const std::complex<double>*,
            const std::complex<double>*, const int*, const std::complex<double>*, const int*,
            const std::complex<double>*, std::complex<double>*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void zheevd_(const char*, const char*, const int*, std::complex<double>*, const int*, double*, std::complex<double>*,
             const int*, double*, const int*, int*, const int*, int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*, const int*,
             int*);
void zpotrf_(const char*, const int*, std::complex<double>*, const int*, int*);
void ztrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const std::complex<double>*,
            const std::complex<double>*, const int*, std::complex<double>*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
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

/// The same of real numbers. Coefficients count as two each: their real and imaginary parts.
void multiply(char transpose, long m, long n, long k, double factor, const double* a, long lda, const double* b,
              long ldb, double beta, double* c, long ldc) {
  const int sizes[6] = {static_cast<int>(m),   static_cast<int>(n),   static_cast<int>(k),
                        static_cast<int>(lda), static_cast<int>(ldb), static_cast<int>(ldc)};
  dgemm_(&transpose, "N", &sizes[0], &sizes[1], &sizes[2], &factor, a, &sizes[3], b, &sizes[4], &beta, c, &sizes[5]);
}

const double* parts(const Complex* values) { return reinterpret_cast<const double*>(values); }
double* parts(Complex* values) { return reinterpret_cast<double*>(values); }

/// The real parts of the first n columns.
std::vector<double> real_parts(const Block& matrix, long n) {
  std::vector<double> values(static_cast<std::size_t>(matrix.rows() * n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = matrix.column(0)[i].real();
  return values;
}

/// Collective: sums a matrix over ranks, whose columns [first, first + count) multiply(first,
/// count) makes. Its columns have `rows` times `numbers` doubles. In several steps the sums of one
/// travel while the next one is made.
template <class Multiply>
void sum_products(const Ranks& ranks, long rows, long columns, int numbers, double* values, Multiply&& multiply) {
  const long step = ranks.sum_columns > 0 ? ranks.sum_columns : columns, column = rows * numbers;
  std::vector<MPI_Request> requests;
  for (long first = 0; first < columns; first += step) {
    const long count = std::min(step, columns - first);
    {
      const Stopwatch watch(ranks.seconds->products);
      multiply(first, count);
    }
    const Stopwatch watch(ranks.seconds->sums);
    double* const here = values + first * column;
    const int length = static_cast<int>(count * column);
    if (step >= columns) {
      MPI_Allreduce(MPI_IN_PLACE, here, length, MPI_DOUBLE, MPI_SUM, ranks.comm);
      return;
    }
    MPI_Iallreduce(MPI_IN_PLACE, here, length, MPI_DOUBLE, MPI_SUM, ranks.comm, &requests.emplace_back());
    int done = 0;  // lets those that are on their way go on
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
  }
  const Stopwatch watch(ranks.seconds->sums);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// What a LAPACK routine wants to work in: it is asked with lengths of -1, and told what it said.
template <class Call>
int with_work(Call&& call, bool real) {
  Complex first;
  double first_real = 0;
  int first_whole = 0;
  const int ask = -1;
  call(&first, &ask, &first_real, &ask, &first_whole, &ask);
  const int complex_length = real ? 0 : static_cast<int>(first.real()), real_length = static_cast<int>(first_real);
  std::vector<Complex> work(static_cast<std::size_t>(complex_length));
  std::vector<double> reals(static_cast<std::size_t>(real_length));
  std::vector<int> wholes(static_cast<std::size_t>(first_whole));
  return call(work.data(), &complex_length, reals.data(), &real_length, wholes.data(), &first_whole);
}

/// Eigenvectors of a Hermitian matrix in its place. Returns LAPACK's verdict.
int complex_eigenvectors(Block& matrix, double* values) {
  const int n = static_cast<int>(matrix.columns());
  return with_work(
      [&](Complex* work, const int* length, double* reals, const int* real_length, int* wholes,
          const int* whole_length) {
        int info = 0;
        zheevd_("V", "L", &n, matrix.column(0), &n, values, work, length, reals, real_length, wholes, whole_length,
                &info);
        return info;
      },
      false);
}

int real_eigenvectors(Block& matrix, double* values) {
  const int n = static_cast<int>(matrix.columns());
  std::vector<double> held = real_parts(matrix, n);
  const int info = with_work(
      [&](Complex*, const int*, double* reals, const int* real_length, int* wholes, const int* whole_length) {
        int verdict = 0;
        dsyevd_("V", "L", &n, held.data(), &n, values, reals, real_length, wholes, whole_length, &verdict);
        return verdict;
      },
      true);
  std::copy(held.begin(), held.end(), matrix.column(0));
  return info;
}

}  // namespace

Block overlap(const Ranks& ranks, const Columns& a, const Columns& b) {
  Block s(a.count, b.count);
  if (a.count == 0 || b.count == 0) return s;
  if (!ranks.half) {
    sum_products(ranks, a.count, b.count, 2, parts(s.column(0)), [&](long first, long count) {
      if (a.rows > 0)
        multiply('C', a.count, count, a.rows, 1, a.first, a.rows, b.first + first * b.rows, b.rows, 0, s.column(first),
                 a.count);
    });
    return s;
  }
  std::vector<double> sums(static_cast<std::size_t>(a.count * b.count));
  sum_products(ranks, a.count, b.count, 1, sums.data(), [&](long first, long count) {
    if (a.rows == 0) return;
    const Complex* const from = b.first + first * b.rows;
    double* const to = sums.data() + first * a.count;
    multiply('T', a.count, count, 2 * a.rows, 2, parts(a.first), 2 * a.rows, parts(from), 2 * b.rows, 0, to, a.count);
    if (ranks.origin < 0) return;
    for (long c = 0; c < count; ++c)
      for (long r = 0; r < a.count; ++r)
        to[c * a.count + r] -= a.first[r * a.rows + ranks.origin].real() * from[c * b.rows + ranks.origin].real();
  });
  std::copy(sums.begin(), sums.end(), s.column(0));
  return s;
}

void combine(const Ranks& ranks, const Columns& a, const Block& y, long count, Complex* out, double factor, bool add) {
  if (a.rows == 0 || count == 0) return;
  const Stopwatch watch(ranks.seconds->products);
  const double old = add ? 1 : 0;
  if (!ranks.half)
    return multiply('N', a.rows, count, a.count, factor, a.first, a.rows, y.column(0), y.rows(), old, out, a.rows);
  multiply('N', 2 * a.rows, count, a.count, factor, parts(a.first), 2 * a.rows, real_parts(y, count).data(), y.rows(),
           old, parts(out), 2 * a.rows);
}

std::vector<double> squared_norms(const Ranks& ranks, const Columns& a) {
  std::vector<double> norms(static_cast<std::size_t>(a.count));
  {
    const Stopwatch watch(ranks.seconds->products);
    for (long c = 0; c < a.count; ++c) {
      const Complex* const column = a.first + c * a.rows;
      double sum = 0;
      for (long i = 0; i < a.rows; ++i) sum += std::norm(column[i]);
      if (ranks.half) sum = 2 * sum - (ranks.origin >= 0 ? std::norm(column[ranks.origin]) : 0);
      norms[static_cast<std::size_t>(c)] = sum;
    }
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
    info = (ranks.half ? real_eigenvectors : complex_eigenvectors)(result.vectors, result.values.data());
  }
  MPI_Bcast(&info, 1, MPI_INT, 0, ranks.comm);
  if (info != 0)
    throw weft::Error("LAPACK found no eigenvalues of a matrix of " + std::to_string(n) + " rows (" +
                      (ranks.half ? "dsyevd: " : "zheevd: ") + std::to_string(info) +
                      "); it may hold numbers that are not finite");
  MPI_Bcast(result.values.data(), static_cast<int>(n), MPI_DOUBLE, 0, ranks.comm);
  MPI_Bcast(result.vectors.column(0), static_cast<int>(2 * n * n), MPI_DOUBLE, 0, ranks.comm);
  return result;
}

namespace {

/// Makes columns orthonormal by their overlaps S = L L^H: V L^-H. Their norms were 1 before what
/// they share with other columns was taken away. Does nothing and returns false where too little
/// was left of one, or where it lies too close to the span of those before, to keep all digits that
/// matter. Collective.
bool by_cholesky(const Ranks& ranks, Block s, Complex* columns, long rows) {
  const int n = static_cast<int>(s.rows()), length = static_cast<int>(rows), doubled = 2 * length;
  int fine = 0;
  {
    const Stopwatch watch(ranks.seconds->dense);
    if (rank_of(ranks.comm) == 0) {
      int info = 0;
      zpotrf_("L", &n, s.column(0), &n, &info);
      double least = 1;
      for (long i = 0; i < n && info == 0; ++i) least = std::min(least, s(i, i).real());
      fine = info == 0 && least > 0.05;
    }
    MPI_Bcast(&fine, 1, MPI_INT, 0, ranks.comm);
    if (!fine) return false;
    MPI_Bcast(s.column(0), 2 * n * n, MPI_DOUBLE, 0, ranks.comm);
  }
  const Stopwatch watch(ranks.seconds->products);
  const Complex one = 1;
  if (!ranks.half) {
    if (rows > 0) ztrsm_("R", "L", "C", "N", &length, &n, &one, s.column(0), &n, columns, &length);
    return true;
  }
  const double real_one = 1;
  if (rows > 0)
    dtrsm_("R", "L", "T", "N", &doubled, &n, &real_one, real_parts(s, n).data(), &n, parts(columns), &doubled);
  return true;
}

}  // namespace

long orthonormalise(const Ranks& ranks, Block& v, long from, long count) {
  Block kept;
  for (int round = 0; round < 2 && count > 0; ++round) {
    const std::vector<double> norms = squared_norms(ranks, columns(v, from, count));
    for (long c = 0; c < count; ++c)
      if (const double norm = std::sqrt(norms[static_cast<std::size_t>(c)]); norm > 0)
        for (long i = 0; i < v.rows(); ++i) v(i, from + c) /= norm;
    const Block shared = overlap(ranks, columns(v, 0, from), columns(v, from, count));
    combine(ranks, columns(v, 0, from), shared, from > 0 ? count : 0, v.column(from), -1, true);

    const Block products = overlap(ranks, columns(v, from, count), columns(v, from, count));
    if (by_cholesky(ranks, products, v.column(from), v.rows())) return count;
    // S = U s U^+: the columns of V U / sqrt(s) are orthonormal.
    const Eigen s = eigen(ranks, products, count);
    long first = 0;
    while (first < count && s.values[static_cast<std::size_t>(first)] < 1e-14 * std::max(s.values.back(), 1e-10))
      ++first;
    Block turn(count, count - first);
    for (long c = first; c < count; ++c)
      for (long r = 0; r < count; ++r)
        turn(r, c - first) = s.vectors(r, c) / std::sqrt(s.values[static_cast<std::size_t>(c)]);
    if (kept.columns() == 0) kept = Block(v.rows(), count);
    combine(ranks, columns(v, from, count), turn, count - first, kept.column(0));
    count -= first;
    std::copy(kept.column(0), kept.column(0) + count * v.rows(), v.column(from));
  }
  return count;
}

}  // namespace bands

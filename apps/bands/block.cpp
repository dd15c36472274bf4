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

std::vector<double> real_parts(const Columns& matrix) {
  std::vector<double> values(static_cast<std::size_t>(matrix.rows * matrix.count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = matrix.first[i].real();
  return values;
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
  std::vector<double> held = real_parts(columns(matrix, 0, n));
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

Overlap::Overlap(const Ranks& ranks, long rows, long columns)
    : ranks_(ranks),
      matrix_(rows, columns),
      sums_(ranks.half ? static_cast<std::size_t>(rows * columns) : 0),
      underway_(ranks.comm, ranks.at_once > 0, ranks.seconds->sums) {}

void Overlap::make(const Columns& a, const Columns& b, long first) {
  if (matrix_.rows() == 0 || b.count == 0) return;
  const long rows = matrix_.rows();
  ends_.push_back(first + b.count);
  if (!ranks_.half) {
    Complex* const to = matrix_.column(first);
    {
      const Stopwatch watch(ranks_.seconds->products);
      if (a.rows > 0) multiply('C', a.count, b.count, a.rows, 1, a.first, a.rows, b.first, b.rows, 0, to, rows);
    }
    return underway_.sum(parts(to), 2 * rows * b.count);
  }
  double* const to = sums_.data() + first * rows;
  {
    const Stopwatch watch(ranks_.seconds->products);
    if (a.rows > 0)
      multiply('T', a.count, b.count, 2 * a.rows, 2, parts(a.first), 2 * a.rows, parts(b.first), 2 * b.rows, 0, to,
               rows);
    for (long c = 0; c < b.count && ranks_.origin >= 0; ++c)
      for (long r = 0; r < a.count; ++r)
        to[c * rows + r] -= a.first[r * a.rows + ranks_.origin].real() * b.first[c * b.rows + ranks_.origin].real();
  }
  underway_.sum(to, rows * b.count);
}

Block& Overlap::wait() { return wait(static_cast<long>(ends_.size())); }

Block& Overlap::wait(long calls) {
  const std::size_t end = std::min(ends_.size(), static_cast<std::size_t>(calls));
  if (end <= arrived_) return matrix_;
  underway_.wait(end);
  if (ranks_.half) {
    const long rows = matrix_.rows(), first = arrived_ > 0 ? rows * ends_[arrived_ - 1] : 0;
    std::copy(sums_.begin() + first, sums_.begin() + rows * ends_[end - 1], matrix_.column(0) + first);
  }
  arrived_ = end;
  return matrix_;
}

Block overlap(const Ranks& ranks, const Columns& a, const Columns& b) {
  Overlap all(ranks, a.count, b.count);
  each_some(ranks, b.count, [&](long first, long count) { all.make(a, part(b, first, count), first); });
  return std::move(all.wait());
}

void combine(const Ranks& ranks, const Columns& a, const Columns& y, Complex* out, double factor, bool add) {
  if (a.rows == 0 || a.count == 0 || y.count == 0) return;
  const Stopwatch watch(ranks.seconds->products);
  const double old = add ? 1 : 0;
  if (!ranks.half)
    return multiply('N', a.rows, y.count, a.count, factor, a.first, a.rows, y.first, y.rows, old, out, a.rows);
  multiply('N', 2 * a.rows, y.count, a.count, factor, parts(a.first), 2 * a.rows, real_parts(y).data(), y.rows, old,
           parts(out), 2 * a.rows);
}

void squared_parts(const Ranks& ranks, const Columns& a, double* out) {
  const Stopwatch watch(ranks.seconds->products);
  for (long c = 0; c < a.count; ++c) {
    const Complex* const column = a.first + c * a.rows;
    double sum = 0;
    for (long i = 0; i < a.rows; ++i) sum += std::norm(column[i]);
    out[c] = ranks.half ? 2 * sum - (ranks.origin >= 0 ? std::norm(column[ranks.origin]) : 0) : sum;
  }
}

Eigen::Eigen(const Ranks& ranks, const Block& matrix, long n, long count)
    : values(static_cast<std::size_t>(n)),
      vectors_(n, n),
      underway_(ranks.comm, ranks.at_once > 0, ranks.seconds->sums) {
  int info = 0;
  {
    const Stopwatch watch(ranks.seconds->dense);
    if (rank_of(ranks.comm) == 0) {
      for (long c = 0; c < n; ++c)
        for (long r = 0; r < n; ++r) vectors_(r, c) = (matrix(r, c) + std::conj(matrix(c, r))) * 0.5;
      info = (ranks.half ? real_eigenvectors : complex_eigenvectors)(vectors_, values.data());
    }
    MPI_Bcast(&info, 1, MPI_INT, 0, ranks.comm);
  }
  if (info != 0)
    throw weft::Error("LAPACK found no eigenvalues of a matrix of " + std::to_string(n) + " rows (" +
                      (ranks.half ? "dsyevd: " : "zheevd: ") + std::to_string(info) +
                      "); it may hold numbers that are not finite");
  MPI_Bcast(values.data(), static_cast<int>(n), MPI_DOUBLE, 0, ranks.comm);
  each_some(ranks, count,
            [&](long first, long some) { underway_.spread(parts(vectors_.column(first)), 2 * n * some); });
}

const Block& Eigen::vectors() {
  underway_.wait();
  return vectors_;
}

const Block& Eigen::vectors(long calls) {
  underway_.wait(static_cast<std::size_t>(calls));
  return vectors_;
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
    dtrsm_("R", "L", "T", "N", &doubled, &n, &real_one, real_parts({s.column(0), n, n}).data(), &n, parts(columns),
           &doubled);
  return true;
}

}  // namespace

long orthonormalise(const Ranks& ranks, Block& v, long from, long count) {
  Block kept;
  const Columns before = columns(v, 0, from);
  for (int round = 0; round < 2 && count > 0; ++round) {
    std::vector<double> norms(static_cast<std::size_t>(count));
    Underway travelling(ranks.comm, ranks.at_once > 0, ranks.seconds->sums);
    squared_parts(ranks, columns(v, from, count), norms.data());
    travelling.sum(norms.data(), count);
    Overlap shared(ranks, from, count), products(ranks, count, count);
    each_some(ranks, count, [&](long first, long some) { shared.make(before, columns(v, from + first, some), first); });
    travelling.wait();
    for (double& norm : norms) norm = norm > 0 ? 1 / std::sqrt(norm) : 1;

    long calls = 0;
    each_some(ranks, count, [&](long first, long some) {
      Block& s = shared.wait(++calls);
      for (long c = first; c < first + some; ++c) {
        const double factor = norms[static_cast<std::size_t>(c)];
        for (long i = 0; i < v.rows(); ++i) v(i, from + c) *= factor;
        for (long i = 0; i < from; ++i) s(i, c) *= factor;
      }
      combine(ranks, before, columns(s, first, some), v.column(from + first), -1, true);
      // The matrix is Hermitian: what is left of the diagonal is made with later columns.
      products.make(columns(v, from, first + some), columns(v, from + first, some), first);
    });
    Block& s = products.wait();
    for (long c = 0; c < count; ++c)
      for (long r = 0; r < c; ++r) s(c, r) = std::conj(s(r, c));
    if (by_cholesky(ranks, s, v.column(from), v.rows())) return count;
    // S = U s U^+: the columns of V U / sqrt(s) are orthonormal.
    Eigen eigen(ranks, s, count, count);
    const Block& vectors = eigen.vectors();
    long first = 0;
    while (first < count &&
           eigen.values[static_cast<std::size_t>(first)] < 1e-14 * std::max(eigen.values.back(), 1e-10))
      ++first;
    Block turn(count, count - first);
    for (long c = first; c < count; ++c)
      for (long r = 0; r < count; ++r)
        turn(r, c - first) = vectors(r, c) / std::sqrt(eigen.values[static_cast<std::size_t>(c)]);
    if (kept.columns() == 0) kept = Block(v.rows(), count);
    combine(ranks, columns(v, from, count), columns(turn, 0, count - first), kept.column(0));
    count -= first;
    std::copy(kept.column(0), kept.column(0) + count * v.rows(), v.column(from));
  }
  return count;
}

}  // namespace bands

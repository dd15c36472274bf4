// Blocks of bands: matrices with a row for each of this rank's coefficients and a column for each
// band, and the small matrices of their overlaps, which all ranks have.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include <mpi.h>

#include "seconds.hpp"
#include "underway.hpp"

namespace bands {

using Complex = std::complex<double>;

/// Column by column.
class Block {
 public:
  Block() = default;
  Block(long rows, long columns) : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}

  /// Another shape, whose values are any; memory is kept where it suffices.
  void reshape(long rows, long columns) {
    rows_ = rows, columns_ = columns;
    if (values_.size() < static_cast<std::size_t>(rows * columns))
      values_.resize(static_cast<std::size_t>(rows * columns));
  }

  long rows() const { return rows_; }
  long columns() const { return columns_; }
  Complex* column(long c) { return values_.data() + c * rows_; }
  const Complex* column(long c) const { return values_.data() + c * rows_; }
  Complex& operator()(long row, long c) { return values_[static_cast<std::size_t>(c * rows_ + row)]; }
  const Complex& operator()(long row, long c) const { return values_[static_cast<std::size_t>(c * rows_ + row)]; }

 private:
  long rows_ = 0, columns_ = 0;
  std::vector<Complex> values_;
};

/// Consecutive columns of a block.
struct Columns {
  const Complex* first = nullptr;
  long rows = 0, count = 0;
};
inline Columns columns(const Block& block, long from, long count) { return {block.column(from), block.rows(), count}; }
inline Columns part(const Columns& all, long from, long count) {
  return {all.first + from * all.rows, all.rows, count};
}

/// Where blocks lie and what working on them costs: the ranks that share coefficients, and the
/// times of this one.
struct Ranks {
  MPI_Comm comm = MPI_COMM_SELF;
  Seconds* seconds = nullptr;
  /// So many columns at a time are worked on while the sums of those before travel; 0: all of a
  /// block at once, and nothing travels meanwhile.
  long at_once = 0;
  bool whole_bands = false;  ///< bands are transposed for the Hamiltonian, which each rank applies to some of them
  bool half = false;         ///< rows are one of every pair +-G of real functions: their products are real
  long origin = -1;          ///< then the row of G = 0, which has no partner, where this rank has it
};

/// Calls f(first, count) for consecutive columns, as many as `ranks` work on at once.
template <class F>
void each_some(const Ranks& ranks, long columns, F&& f) {
  const long some = ranks.at_once > 0 ? ranks.at_once : columns;
  for (long first = 0; first < columns; first += some) f(first, std::min(some, columns - first));
}

/// A^H B over the whole sphere, which is made some columns at a time; their sums over ranks travel
/// while others are made. All of it is collective.
class Overlap {
 public:
  /// Zeros.
  Overlap(const Ranks& ranks, long rows, long columns);
  /// Makes columns [first, first + b.count), of which rows [0, a.count) are those of `a`, and lets
  /// them travel. Columns are made once and ascending.
  void make(const Columns& a, const Columns& b, long first);
  /// All that was made, once it has arrived.
  Block& wait();
  /// The same, of which only what the first `calls` of `make` made has arrived.
  Block& wait(long calls);

 private:
  const Ranks& ranks_;
  Block matrix_;
  std::vector<double> sums_;  ///< of real bands the same in real numbers
  std::vector<long> ends_;    ///< of the columns of each call
  std::size_t arrived_ = 0;   ///< calls
  Underway underway_;
};

/// All of A^H B. Collective.
Block overlap(const Ranks& ranks, const Columns& a, const Columns& b);
/// out (+)= factor A Y. Y has a row for each column of A, and `out` room for as many columns as Y.
void combine(const Ranks& ranks, const Columns& a, const Columns& y, Complex* out, double factor = 1, bool add = false);
/// Of each column this rank's part of |column|^2.
void squared_parts(const Ranks& ranks, const Columns& a, double* out);

/// The lowest eigenvalues and eigenvectors of a matrix.
class Eigen {
 public:
  /// Of the Hermitian matrix of the first n rows and columns; with `half` all of it is real.
  /// Collective: one rank computes, so that all have the same bits. All `values` are there at once,
  /// and the first `count` vectors travel.
  Eigen(const Ranks& ranks, const Block& matrix, long n, long count);

  std::vector<double> values;  ///< ascending
  /// The first `count` vectors, or at least those of so many calls of each_some.
  const Block& vectors();
  const Block& vectors(long calls);

 private:
  Block vectors_;
  Underway underway_;
};

/// Makes columns [from, from + count) of `v` orthonormal, and orthogonal to those before, which are
/// orthonormal. Those that depend on others are dropped: returns how many are left, from `from` on.
/// Collective.
long orthonormalise(const Ranks& ranks, Block& v, long from, long count);

}  // namespace bands

// Blocks of bands: matrices with a row for each of this rank's coefficients and a column for each
// band, and the small matrices of their overlaps, which all ranks have.
#pragma once

#include <complex>
#include <vector>

#include <mpi.h>

#include "seconds.hpp"

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

/// Where blocks lie and what working on them costs: the ranks that share coefficients, and the
/// times of this one.
struct Ranks {
  MPI_Comm comm = MPI_COMM_SELF;
  Seconds* seconds = nullptr;
  long sum_columns = 0;  ///< so many columns of overlaps are summed while the next are multiplied; 0: all at the end
  bool half = false;     ///< rows are one of every pair +-G of real functions: their products are real
  long origin = -1;      ///< then the row of G = 0, which has no partner, where this rank has it
};

/// A^H B over the whole sphere, summed over ranks. Collective.
Block overlap(const Ranks& ranks, const Columns& a, const Columns& b);
/// out (+)= factor A Y. Y has a row for each column of A, and `out` room for a column for each of
/// Y's first `count`.
void combine(const Ranks& ranks, const Columns& a, const Block& y, long count, Complex* out, double factor = 1,
             bool add = false);
/// Sums over ranks of |column|^2 of each column. Collective.
std::vector<double> squared_norms(const Ranks& ranks, const Columns& a);

struct Eigen {
  std::vector<double> values;  ///< ascending
  Block vectors;
};
/// All eigenvalues and eigenvectors of the Hermitian matrix of the first n rows and columns; with
/// `half` all of it is real. Collective: one rank computes, so that all have the same bits.
Eigen eigen(const Ranks& ranks, const Block& matrix, long n);

/// Makes columns [from, from + count) of `v` orthonormal, and orthogonal to those before, which are
/// orthonormal. Those that depend on others are dropped: returns how many are left, from `from` on.
/// Collective.
long orthonormalise(const Ranks& ranks, Block& v, long from, long count);

}  // namespace bands

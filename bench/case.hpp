// What is to be transformed, by whom: everything that all contenders of a comparison have in
// common.
#pragma once

#include <complex>
#include <string>

#include <mpi.h>

#include <weft/plan.hpp>

struct World {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
};

/// One transform: c2c forward, or r2c or plane waves forward and then backward.
struct Case {
  bool real = false;
  weft::Shape shape;
  weft::Precision precision = weft::Precision::double_;
  weft::Index batch = 1;
  double radius = 0;     ///< of a sphere of plane waves; 0: none
  bool boxcut = false;   ///< or of a box of half the grid
  bool returns = false;  ///< backward too, also of c2c without plane waves

  bool sphere() const { return radius > 0 || boxcut; }
  bool there_and_back() const { return real || sphere() || returns; }
  /// The plane waves of one of so many ranks.
  std::vector<weft::GVector> vectors(int rank, int ranks) const;

  /// Extents of one array in real and in transformed space.
  weft::Shape before() const { return shape; }
  weft::Shape after() const {
    weft::Shape extents = shape;
    if (real) extents[shape.size() - 1] = shape[shape.size() - 1] / 2 + 1;
    return extents;
  }
  std::size_t before_bytes() const { return weft::element_bytes(precision, !real); }
  std::size_t after_bytes() const { return weft::element_bytes(precision, true); }
  bool is_double() const { return precision == weft::Precision::double_; }

  /// By the convention 5 N log2 N for a complex transform; a real one there and back counts the
  /// same, and plane waves as the whole grid.
  double operations() const;
  /// What rounding excuses; it grows with the depth of the transform.
  double tolerance() const;
  std::string name() const;
};

/// Calls work(In(), Out()) with the element types of real and transformed space.
template <class Work>
auto with_types(const Case& what, Work work) {
  const auto of = [&](auto real) {
    using Real = decltype(real);
    return what.real ? work(Real(), std::complex<Real>()) : work(std::complex<Real>(), std::complex<Real>());
  };
  return what.is_double() ? of(double()) : of(float());
}

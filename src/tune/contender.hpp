// A plan that is measured, once it has proved itself on a tag pattern: values by which every
// element of either space is known wherever it is.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include <weft/plan.hpp>

#include "mpi/communicator.hpp"

namespace weft {

/// A product of one function of each axis, batch and component axes included.
template <class T>
struct Product {
  std::vector<std::vector<T>> lines;  // by axis

  /// Of all axes but `except`.
  T operator()(const Shape& point, int except = -1) const {
    T value = 1;
    for (int a = 0; a < point.size(); ++a)
      if (a != except) value *= lines[static_cast<std::size_t>(a)][static_cast<std::size_t>(point[a])];
    return value;
  }
};

/// Such a product, and its transform, which is the product of the lines' transforms.
class Tags {
 public:
  Tags(const AnyProblem& problem, const Options& options);

  const Product<double>& before() const { return before_; }              ///< in real space
  const Product<std::complex<double>>& after() const { return after_; }  ///< unnormalised
  double before_size() const { return before_size_; }                    ///< root mean square
  double after_size() const { return after_size_; }
  double tolerance() const { return tolerance_; }  ///< relative to those

  /// Of what all right plans make alike from the same, a number that any misplaced element changes;
  /// the first one sets it.
  bool agrees(double signature) const;

 private:
  Product<double> before_;
  Product<std::complex<double>> after_;
  double before_size_ = 1, after_size_ = 1, tolerance_;
  mutable bool signed_ = false;
  mutable double signature_ = 0;
};

class Contender {
 public:
  /// Collective, as all here. Throws as planning does.
  static std::unique_ptr<Contender> make(const mpi::Communicator& comm, const AnyProblem& problem,
                                         const Options& options);
  virtual ~Contender() = default;

  /// What is wrong with its results, the same on all ranks; empty: nothing. Leaves zeros, which may
  /// be transformed any number of times.
  virtual std::string prove(const Tags& tags) = 0;

  /// The same zeros, without any proof. Local.
  virtual void clear() = 0;

  struct Seconds {
    double forward, backward, both;
    double spent;  ///< on all of it, waiting included
  };
  /// Of the slowest rank, ranks starting up to `skew_seconds` apart: the median of so many
  /// executions, each begun together; skewed ones are one.
  virtual Seconds time(double skew_seconds, int executions) = 0;
  /// Leaves one execution of each direction in the trace.
  virtual void record(Trace& trace) = 0;
  virtual const AnyPlan& plan() const = 0;
};

}  // namespace weft

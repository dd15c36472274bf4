// What a plan of the drop-in does when it is executed: one of weft's transforms in one direction, a
// long line, or a transposition.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weft/long_line.hpp>
#include <weft/plan.hpp>
#include <weft/redistribute.hpp>

namespace drop_in {

/// A call of FFTW's planner.
struct Request {
  enum class What { c2c, r2c, c2r, r2r, transpose };
  What what;
  bool single;
  int rank;  ///< axes
  const std::ptrdiff_t* n;
  std::ptrdiff_t howmany, in_block, out_block;
  void *in, *out;
  MPI_Comm comm;
  int sign;          ///< of c2c
  const int* kinds;  ///< of r2r, one an axis, as FFTW numbers them
  unsigned flags;
};

/// One transform for a communicator, either way. Two of FFTW's plans that are each other's inverse
/// share one.
class Work {
 public:
  virtual ~Work() = default;
  /// Collective. `back` exchanges what is before and what is after.
  virtual void run(void* in, void* out, bool back) = 0;
  virtual std::string describe() const = 0;
};

/// A request in weft's words.
struct Job {
  bool transposes = false;
  weft::Index line_rows = 0;          ///< of a long line: into how many rows it is cut; 0: it is none
  bool scrambled = false;             ///< of a long line
  weft::AnyProblem problem;           ///< of a transposition and a long line only shape and precision
  std::vector<weft::Layout> layouts;  ///< before and after forward
  weft::Index howmany = 1;
  weft::Index bytes = 0;  ///< of an element: of a transposition all numbers at a point
  bool back = false;      ///< the request is backward of the problem
  bool may_overwrite = false;
  std::string effort;

  /// All that tells one work from another, but for whether it is in place.
  std::string key() const;
  /// What a rank holds of the larger of the two arrays, on average.
  weft::Index bytes_per_rank() const;
  /// Operations of floating-point numbers on a rank, as FFTs are commonly counted.
  double operations() const;
};

/// Why weft does not do this; empty: it does. `invalid` says of what it answers so that FFTW must
/// not see it either.
std::string declines(const Request& request, int ranks, bool& invalid);
/// Of a request that is not declined.
Job job(const Request& request, int ranks);
/// Collective. Throws weft::Error alike on all ranks.
std::unique_ptr<Work> make(MPI_Comm comm, const Job& job, bool in_place, int threads);

}  // namespace drop_in

// Executions behind one another: none waits for another, one rank is late now and then, and every
// result must be that of its own data. For tools and benchmarks, whatever it is that executes.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include <weft/box.hpp>
#include <weft/plan.hpp>

/// NaN is worse than any error, and stays.
inline void keep_worse(double& worst, double error) {
  if (!std::isnan(worst) && !(error <= worst)) worst = error;
}

/// Makes one rank late now and then, by up to a millisecond: which one and when, all ranks draw
/// alike.
class Late {
 public:
  explicit Late(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }
  void operator()() {
    const bool here = static_cast<int>(random_() % static_cast<unsigned>(ranks_)) == rank_, late = random_() % 2;
    const auto microseconds = static_cast<useconds_t>(random_() % 1000);
    if (here && late) usleep(microseconds);
  }

 private:
  int rank_ = 0, ranks_ = 1;
  std::minstd_rand random_;
};

/// Positions in memory of up to 65,536 elements, in all parts of the array. `dense`: of all that
/// its memory holds, else of those that its view has.
template <class T>
std::vector<std::size_t> places(const weft::Array<T>& array, bool dense) {
  constexpr std::size_t most = 1 << 16;
  std::vector<std::size_t> all;
  if (array.size() == 0) return all;
  if (dense)
    for (std::size_t i = 0; i < static_cast<std::size_t>(array.size()); ++i) all.push_back(i);
  else
    array.for_each(
        [&](const weft::Shape&, const T& value) { all.push_back(static_cast<std::size_t>(&value - array.data())); });
  const std::size_t step = all.size() / most + 1;
  if (step == 1) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < all.size(); i += step + 1 - step % 2)
    some.push_back(all[i]);  // an odd step leaves no plane out
  return some;
}

/// The 2-norm of a difference over that of what was expected, over all ranks; 0 where both are.
inline double relative_error(MPI_Comm comm, double difference_squared, double expected_squared) {
  double sums[2] = {difference_squared, expected_squared};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm);
  return sums[0] == 0 ? 0 : std::sqrt(sums[0] / (sums[1] == 0 ? 1 : sums[1]));
}

/// Collective: the worst relative error of executions in `order` ('f', 'b': forward, backward), of
/// what `in` holds and what comes of it, times a power of two for each execution. What one
/// execution alone makes of it must be known to be right. Leaves `in` as it was. A rank that takes
/// no part has empty arrays. `dense`: see `places`, of `out`.
template <class In, class Out>
double error_in_a_row(MPI_Comm comm, const std::string& order, const weft::Array<In>& in, const weft::Array<Out>& out,
                      bool dense, const std::function<void()>& forward, const std::function<void()>& backward) {
  using Elements = std::vector<std::complex<double>>;
  const auto factor = [](std::size_t k) { return std::ldexp(k % 2 ? -1.0 : 1.0, static_cast<int>(3 * k % 7) - 3); };
  const auto set = []<class T>(const weft::Array<T>& array, const std::vector<T>& values, double times) {
    std::transform(values.begin(), values.end(), array.data(),
                   [&](const T& value) { return value * static_cast<decltype(std::abs(T()))>(times); });
  };
  const auto take = []<class T>(const weft::Array<T>& array, const std::vector<std::size_t>& where, Elements& seen) {
    for (std::size_t i = 0; i < where.size(); ++i) seen[i] = array.data()[where[i]];
  };
  const std::vector<std::size_t> real_space = places(in, false), spectrum = places(out, dense);
  const std::vector<In> before(in.data(), in.data() + in.size());
  forward();
  const std::vector<Out> after(out.data(), out.data() + out.size());
  MPI_Barrier(comm);
  std::vector<In> back;
  if (order.find('b') != std::string::npos) backward(), back.assign(in.data(), in.data() + in.size());
  MPI_Barrier(comm);

  std::vector<Elements> seen;
  for (const char way : order) seen.emplace_back((way == 'f' ? spectrum : real_space).size());
  Late late(comm);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool there = order[k] == 'f';
    there ? set(in, before, factor(k)) : set(out, after, factor(k));
    late();
    there ? forward() : backward();
    there ? take(out, spectrum, seen[k]) : take(in, real_space, seen[k]);
  }
  double worst = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    double difference = 0, expected = 0;
    for (std::size_t i = 0; i < seen[k].size(); ++i) {
      const std::complex<double> wanted = factor(k) * (order[k] == 'f' ? std::complex<double>(after[spectrum[i]])
                                                                       : std::complex<double>(back[real_space[i]]));
      difference += std::norm(seen[k][i] - wanted);
      expected += std::norm(wanted);
    }
    keep_worse(worst, relative_error(comm, difference, expected));
  }
  std::copy(before.begin(), before.end(), in.data());
  return worst;
}

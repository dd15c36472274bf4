// What tests of plans share: values for every element, the transform by its definition, and every
// strategy under every way to cut it.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support/definition.hpp"

namespace weft {

using Complex = std::complex<double>;
inline const MPI_Comm world = MPI_COMM_WORLD;

inline int rank_of_world() {
  int rank;
  MPI_Comm_rank(world, &rank);
  return rank;
}
inline int ranks_of_world() {
  int ranks;
  MPI_Comm_size(world, &ranks);
  return ranks;
}

// More ranks than a small machine has cores wait for one another's turns: there every strategy runs
// every problem, but only some problems under every schedule. WEFT_TEST_THOROUGH in the
// environment: all of them, which the long tests do.
inline bool crowded() { return ranks_of_world() > 2 && !std::getenv("WEFT_TEST_THOROUGH"); }

inline Index position(const Shape& point, const Shape& shape) {
  Index k = 0;
  for (int a = 0; a < shape.size(); ++a) k = k * shape[a] + point[a];
  return k;
}

// A value for every element of a global array, the same on every rank.
inline double value(Index k) {
  return static_cast<double>(static_cast<std::uint64_t>(k + 1) * 2654435761u % 1000003u) / 1000003.0 - 0.5;
}

// The transform of a whole array by its definition, axis by axis in long double: an element k of an
// axis is sum_j x_j w(j, k). `kinds` has one entry an axis; without any all are c2c. What r2c does
// not store is there, too. Collective: ranks share the lines of large arrays.
inline std::vector<Complex> naive(std::vector<Complex> x, const Shape& shape, const Order& axes,
                                  const std::vector<Kind>& kinds = {}) {
  for (int at = 0; at < axes.size(); ++at) {
    const int a = axes[at];
    const Index n = shape[a];
    Index inner = 1, outer = 1;
    for (int b = 0; b < shape.size(); ++b) (b < a ? outer : inner) *= b == a ? 1 : shape[b];
    const Kind kind = kinds.empty() ? Kind::c2c : kinds[static_cast<std::size_t>(at)];
    const std::vector<std::complex<long double>> weights = weights_of(kind, n);
    std::vector<std::complex<long double>> line(static_cast<std::size_t>(n));
    const bool shared = inner * outer * n * n > 1'000'000;
    for (Index l = 0; l < outer * inner; ++l) {
      Complex* first = x.data() + l / inner * n * inner + l % inner;
      const bool mine = !shared || l % ranks_of_world() == rank_of_world();
      for (Index j = 0; j < n; ++j) line[static_cast<std::size_t>(j)] = std::exchange(first[j * inner], Complex());
      // The parts one by one: products of std::complex look for infinities, which takes most of their time.
      for (Index k = 0; k < n && mine; ++k) {
        const std::complex<long double>* const row = real_to_real(kind) ? weights.data() + k * n : weights.data();
        long double sum_re = 0, sum_im = 0;
        for (Index j = 0, turn = 0; j < n; ++j) {
          const std::complex<long double>&point = line[static_cast<std::size_t>(j)],
                                  &weight = row[real_to_real(kind) ? j : turn];
          sum_re += point.real() * weight.real() - point.imag() * weight.imag();
          sum_im += point.real() * weight.imag() + point.imag() * weight.real();
          if ((turn += k) >= n) turn -= n;
        }
        first[k * inner] = Complex(static_cast<double>(sum_re), static_cast<double>(sum_im));
      }
    }
    if (shared)
      MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_CXX_DOUBLE_COMPLEX, MPI_SUM, world);
  }
  return x;
}

struct Case {
  std::string name;
  Options options;
};

// The ways to cut a problem that the tests know.
inline const std::vector<ScheduleOptions>& schedules() {
  static const std::vector<ScheduleOptions> all{{},
                                                {"gathered", 1, 1, 0},
                                                {"gathered", 2, 0, 1},
                                                {"gathered", 1, 2, 0},
                                                {"kept", 2, 1, 0},
                                                {"kept", 1, 3, 2},
                                                {"kept", 4, 0, 1}};
  return all;
}

// Every strategy under every schedule or, `few`, each under one, from `turn` on: whoever takes
// other turns for other problems meets all of them.
inline std::vector<Case> ways(bool few = false, Index turn = 0) {
  std::vector<Case> cases;
  for (const Strategy* s : strategies()) {
    std::vector<ScheduleOptions> cuts = schedules();
    if (few) cuts = {cuts[static_cast<std::size_t>(turn++) % cuts.size()]};
    for (const ScheduleOptions& schedule : cuts) {
      Options o;
      o.strategy = s->name();
      o.schedule = schedule;
      o.effort = "estimate";
      cases.push_back({o.strategy + " " + schedule.tiles + " " + std::to_string(schedule.window), o});
    }
  }
  return cases;
}

// A plan of the same lines: while it lives they need not be planned again, which takes longer than
// all else about a small plan.
inline AnyPlan lines_of(const AnyProblem& problem, Options options) {
  options.strategy = "auto";
  options.schedule = {};
  options.backward_schedule.reset();
  options.threads = 1;
  return AnyPlan(world, problem, options);
}

}  // namespace weft

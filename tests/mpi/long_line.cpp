// Long lines against the definition: every element of every rank, in both orders, for lengths that
// divide and that do not.
#include <weft/exchange.hpp>
#include <weft/long_line.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mpi/communicator.hpp"
#include "support/allocations.hpp"
#include "support/fails.hpp"

namespace weft {
namespace {

using mpi::Communicator;

template <class Real>
std::complex<Real> value_at(Index j, int round) {
  const auto x = static_cast<double>((j * 7919 + 31 * round) % 1009);
  return {static_cast<Real>(x / 500 - 1), static_cast<Real>(std::sin(x))};
}

class LongLineTiny : public testing::Test {
 protected:
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  int rank = world.rank();

  /// The definition, in long double.
  template <class Real>
  std::vector<std::complex<long double>> spectrum(Index n, int round) {
    std::vector<std::complex<long double>> powers, all;
    for (Index k = 0; k < n; ++k)
      powers.push_back(std::polar(
          1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n)));
    for (Index k = 0; k < n; ++k) {
      std::complex<long double> sum = 0;
      for (Index j = 0; j < n; ++j)
        sum += std::complex<long double>(value_at<Real>(j, round)) * powers[static_cast<std::size_t>(j * k % n)];
      all.push_back(sum);
    }
    return all;
  }

  template <class Real>
  void is_right(Index n, const Options& options, bool one_array = false, Index rows = 0) {
    SCOPED_TRACE(std::to_string(n) + " points, " + options.strategy + (options.natural_output ? ", natural" : "") +
                 ", rows " + std::to_string(rows));
    LongLine<Real> fft(MPI_COMM_WORLD, n, options, rows);
    EXPECT_EQ(fft.rows() * fft.columns(), n);
    EXPECT_TRUE(rows == 0 || fft.rows() == rows);
    const Index first_row = options.split.bounds(fft.rows(), world.size())[static_cast<std::size_t>(rank)];
    EXPECT_EQ(fft.input_first(), first_row * fft.columns());
    const Index before = fft.input_elements(), after = fft.output_elements();
    EXPECT_EQ(world.sum(before), n);
    EXPECT_EQ(world.sum(after), n);
    const Index first_in = fft.input_first(), first_out = fft.output_first();
    EXPECT_EQ(fft.input_layout().box(rank).hi[0], first_in + before);
    EXPECT_EQ(fft.output_layout().box(rank).hi[0], first_out + after);
    const auto size = static_cast<double>(n);
    const auto error =
        static_cast<Real>(8 * std::sqrt(size * std::log2(2 * size))) * std::numeric_limits<Real>::epsilon();
    for (int round = 0; round < 3; ++round) {  // no two with the same data
      std::vector<std::complex<Real>> in(static_cast<std::size_t>(std::max(before, one_array ? after : 0)));
      std::vector<std::complex<Real>> other(static_cast<std::size_t>(after));
      std::vector<std::complex<Real>>& out = one_array ? in : other;
      for (Index j = 0; j < before; ++j) in[static_cast<std::size_t>(j)] = value_at<Real>(first_in + j, round);
      const auto given = in;
      const long allocated = allocations();
      fft.forward(in, out);
      EXPECT_EQ(allocations(), allocated);
      EXPECT_TRUE(one_array || in == given);
      const auto wanted = spectrum<Real>(n, round);
      for (Index p = 0; p < after; ++p) {
        const auto got = std::complex<long double>(out[static_cast<std::size_t>(p)]);
        const Index mode = fft.mode(first_out + p);
        EXPECT_TRUE(!options.natural_output || mode == first_out + p);
        ASSERT_LT(std::abs(got - wanted.at(static_cast<std::size_t>(mode))), error) << "element " << first_out + p;
      }
      std::vector<std::complex<Real>> back(given.size());
      fft.backward(out, one_array ? in : back);
      if (one_array) back = in;
      for (Index j = 0; j < before; ++j) {
        const auto got = back[static_cast<std::size_t>(j)] * static_cast<Real>(fft.scale());
        ASSERT_LT(std::abs(got - given[static_cast<std::size_t>(j)]), error) << "back, element " << first_in + j;
      }
    }
  }
};

TEST_F(LongLineTiny, OfEveryLength) {
  for (const bool natural : {false, true})
    for (const Index n : {1, 2, 6, 7, 16, 36, 60, 97, 120, 210, 256, 385}) {
      is_right<double>(n, {.effort = "estimate", .natural_output = natural});
      is_right<float>(n, {.effort = "estimate", .natural_output = natural});
    }
}

TEST_F(LongLineTiny, InOneArray) {
  for (const bool natural : {false, true})
    for (const Index n : {12, 35, 128}) is_right<double>(n, {.effort = "estimate", .natural_output = natural}, true);
}

// What callers see is cut into the rows they ask for, whatever the two plans transform.
TEST_F(LongLineTiny, OfGivenRows) {
  const Index ranks = world.size(), side = 4 * ranks;
  for (const Split& split : {Split::even(), Split::blocks()})
    for (const bool natural : {false, true}) {
      const Options options{.effort = "estimate", .split = split, .natural_output = natural};
      is_right<double>(side * side, options, false, ranks);
      is_right<float>(side * side, options, true, ranks);
      for (const Index rows : {1, 2, 4, 5, 12, 60}) is_right<double>(60, options, false, rows);
      for (const Index rows : {3, 6, 96}) is_right<double>(288, options, true, rows);
    }
  for (const bool natural : {false, true}) {
    const LongLine<double> fft(MPI_COMM_WORLD, side * side, {.effort = "estimate", .natural_output = natural}, ranks);
    const std::string wanted =
        "transformed as " + std::to_string(side) + " rows of " + std::to_string(side) + ", columns, then rows";
    EXPECT_NE(fft.describe().find(wanted), std::string::npos) << fft.describe();
  }
  std::vector<Index> bounds(static_cast<std::size_t>(ranks), 0);
  bounds.push_back(4);  // the last rank has all: of 4 rows and of 4 columns alone
  const Options given{.effort = "estimate", .split = Split::given(bounds)};
  is_right<double>(16, given, false, 4);
}

TEST_F(LongLineTiny, ByEveryStrategyAndManyOptions) {
  int able = 0;
  for (const Strategy* strategy : strategies()) try {
      is_right<double>(72, {.strategy = std::string(strategy->name()), .effort = "estimate", .natural_output = true});
      ++able;
    } catch (const Declined&) {
      continue;
    }
  EXPECT_GT(able, 5);
  is_right<double>(72, {.effort = "estimate", .schedule = {.tiles = "gathered", .tile = 2, .window = 2}});
  is_right<double>(72, {.effort = "estimate", .threads = 2, .split = Split::blocks()});
}

TEST_F(LongLineTiny, ModesAreAPermutation) {
  const LongLine<double> fft(MPI_COMM_WORLD, 60, {.effort = "estimate"});
  std::vector<int> seen(60);
  for (Index p = 0; p < 60; ++p) ++seen.at(static_cast<std::size_t>(fft.mode(p)));
  EXPECT_EQ(seen, std::vector<int>(60, 1));
}

TEST_F(LongLineTiny, Scales) {
  EXPECT_DOUBLE_EQ(LongLine<double>(MPI_COMM_WORLD, 24).scale(), 1.0 / 24);
  LongLine<double> fft(MPI_COMM_WORLD, 24, {.scale = "full"});
  EXPECT_DOUBLE_EQ(fft.scale(), 1);
  std::vector<std::complex<double>> in(static_cast<std::size_t>(fft.input_elements()), 3.0);
  std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.output_elements()));
  fft.forward(in, out);
  for (Index p = 0; p < fft.output_elements(); ++p) {
    const bool mean = fft.mode(fft.output_first() + p) == 0;
    EXPECT_NEAR(std::abs(out[static_cast<std::size_t>(p)] - (mean ? 3.0 : 0.0)), 0, 1e-14);
  }
}

TEST_F(LongLineTiny, WhatCannotBeIsAnErrorOnEveryRank) {
  fails(world, [] { LongLine<double>(MPI_COMM_WORLD, 0); }, {"a line of 0 points; give at least 1"});
  fails(world, [] { LongLine<double>(MPI_COMM_WORLD, 8, {.batch = 2}); }, {"option \"batch\" is given", "long line"});
  fails(world, [] { LongLine<double>(MPI_COMM_WORLD, 8, {.grid = {1}}); }, {"option \"grid\" is given", "long line"});
  if (world.size() > 1)
    fails(world, [&] { LongLine<double>(MPI_COMM_WORLD, 8 + rank); }, {"ranks disagree about the length of the line"});
  LongLine<double> fft(MPI_COMM_WORLD, 64, {.effort = "estimate"});
  std::vector<std::complex<double>> none, room(64);
  if (fft.input_elements() > 0) {
    EXPECT_THROW(fft.forward(none, room), Error);
    EXPECT_THROW(fft.backward(room, none), Error);
  }
}

}  // namespace
}  // namespace weft

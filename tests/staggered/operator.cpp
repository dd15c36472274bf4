// The operator and its solver: the definition, anti-Hermiticity, trace, spectrum and propagator of
// the free lattice, gauge invariance, and the sample solution of the MILC code; by every way of
// filling ghost sites.
#include "staggered/operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <optional>

#include <weft/plan.hpp>
#include <weft/redistribute.hpp>

#include "mpi/communicator.hpp"
#include "staggered/fields.hpp"
#include "staggered/solve.hpp"
#include "staggered/ways.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace staggered {
namespace {

using weft::Index;
using weft::Shape;

class Staggered : public testing::Test {
 protected:
  weft::mpi::Communicator world = weft::mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();

  static weft::Layout alone(const Shape& shape) { return weft::Layout::replicated(shape, 1); }
  std::vector<Links> with_phases(const weft::Layout& layout, std::vector<Links> links) const {
    put_phases(layout, rank, links);
    return links;
  }
  std::vector<Vector> apply(Operator& d, int parity, std::vector<Vector> from) const {
    std::vector<Vector> to(d.elements(parity));
    d.apply(parity, from.data(), to.data());
    return to;
  }
  /// Over this rank's own sites and then all ranks: sum of conj(a) b.
  Complex product(const Operator& d, int parity, const std::vector<Vector>& a, const std::vector<Vector>& b) const {
    Complex mine = 0;
    for (std::size_t i = 0; i < d.sites(parity); ++i)
      for (std::size_t c = 0; c < colours; ++c) mine += std::conj(a[i][c]) * b[i][c];
    return {world.sum(mine.real()), world.sum(mine.imag())};
  }
  double square(const Operator& d, int parity, const std::vector<Vector>& a) const {
    return product(d, parity, a, a).real();
  }
};

/// By the definition, on a whole lattice.
std::vector<Vector> defined(const Shape& shape, const std::vector<Links>& links, const std::vector<Vector>& psi,
                            Index far) {
  std::vector<Vector> out(psi.size());
  const auto index = [&](const Shape& at) { return static_cast<std::size_t>(number_of(shape, wrapped(shape, at))); };
  each_site(weft::Box::whole(shape), [&](const Shape& at) {
    Vector& sum = out[index(at)];
    for (std::size_t d = 0; d < 4; ++d) {
      const int a = 3 - static_cast<int>(d);
      Shape up = at, down = at;
      up[a] += far;
      down[a] -= far;
      const Matrix &there = links[index(at)][d], &back = links[index(down)][d];
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          sum[i] += there[i][j] * psi[index(up)][j] - std::conj(back[j][i]) * psi[index(down)][j];
    }
  });
  return out;
}

/// Alike but for rounding, which conjugate gradients amplify from step to step.
void expect_alike(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 20U);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i] / b[i], 1, i < 10 ? 1e-12 : 1e-6) << "step " << i;
}

TEST_F(Staggered, OperatorOfTheDefinition) {
  for (const Shape& shape : {Shape{4, 2, 6, 4}, Shape{2 * ranks, 2, 4, 2}, Shape{8, 8, 2, 2}}) {
    const std::vector<Links> links = random_links(alone(shape), 0, 1), other = random_links(alone(shape), 0, 2);
    const std::vector<Vector> psi = random_field(alone(shape), 0, 3);
    std::vector<Vector> expected = defined(shape, links, psi, 1);
    const std::vector<Vector> far = defined(shape, other, psi, 3);
    for (std::size_t i = 0; i < far.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) expected[i][c] += far[i][c];
    for (const weft::Layout& layout :
         {sites(shape, ranks), weft::Layout::slab(shape, 2, ranks, weft::Split::blocks())}) {
      const std::vector<Links> one = random_links(layout, rank, 1), three = random_links(layout, rank, 2);
      const std::vector<Vector> here = random_field(layout, rank, 3);
      std::vector<Vector> wanted;
      for (const Index index : weft::oracle::global_indices(layout, rank))
        wanted.push_back(expected[static_cast<std::size_t>(index)]);
      for (const bool overlaps : {true, false}) {
        Operator d(world.raw(), layout, {{1, &one}, {3, &three}}, {.overlaps = overlaps});
        for (const int parity : {0, 1})
          for (int round = 0; round < 2; ++round) {
            const std::vector<Vector> to = apply(d, parity, take_parity(d, 1 - parity, here));
            double most = 0;
            for (std::size_t i = 0; i < d.sites(parity); ++i)
              for (std::size_t c = 0; c < 3; ++c)
                most = std::max(most, std::abs(to[i][c] - wanted[static_cast<std::size_t>(d.places(parity)[i])][c]));
            EXPECT_LT(most, 1e-13) << layout.describe() << ", parity " << parity;
          }
      }
    }
  }
}

TEST_F(Staggered, TinyAntiHermitian) {
  const weft::Layout layout = sites({4, 2, 6, 4}, ranks);
  const std::vector<Links> links = with_phases(layout, random_links(layout, rank, 5));
  Operator d(world.raw(), layout, {{1, &links}});
  const std::vector<Vector> even = take_parity(d, 0, random_field(layout, rank, 6)),
                            odd = take_parity(d, 1, random_field(layout, rank, 7));
  const Complex one = product(d, 0, even, apply(d, 0, odd)), other = product(d, 1, odd, apply(d, 1, even));
  EXPECT_GT(std::abs(one), 1);
  EXPECT_LT(std::abs(one + std::conj(other)), 1e-12);
}

// Tr(-D_eo D_oe) = 24 a site: every link of SU(3) has the square 3, and every site eight of them.
TEST_F(Staggered, Trace) {
  const Shape shape{4, 4, 4, 4};
  const weft::Layout layout = sites(shape, ranks);
  const std::vector<Links> links = with_phases(layout, random_links(layout, rank, 8));
  Operator d(world.raw(), layout, {{1, &links}});
  double trace = 0;
  for (Index site = 0; site < 256; ++site)
    for (std::size_t c = 0; c < colours; ++c) {
      std::vector<Vector> field(static_cast<std::size_t>(layout.elements(rank)));
      const std::vector<Index> mine = weft::oracle::global_indices(layout, rank);
      for (std::size_t i = 0; i < mine.size(); ++i) field[i][c] = mine[i] == site ? 1 : 0;
      const std::vector<Vector> to = apply(d, 1, take_parity(d, 0, field));
      for (std::size_t i = 0; i < d.sites(1); ++i)  // -D_eo D_oe = D_oe^+ D_oe
        for (const Complex& value : to[i]) trace += std::norm(value);
    }
  EXPECT_NEAR(world.sum(trace), 8 * 3 * 128, 1e-9);
}

// (A - 2)(A - 6)(A - 10)(A - 14) = 0 for A = -D D of one parity, and the traces of 1, A, A^2 and
// A^3 fix the multiplicities of the four eigenvalues.
TEST_F(Staggered, SpectrumOfTheFreeLattice) {
  const weft::Layout layout = sites({4, 4, 4, 4}, ranks);
  const std::vector<Links> links = with_phases(layout, unit_links(layout, rank));
  Operator d(world.raw(), layout, {{1, &links}});
  const auto minus_square = [&](const std::vector<Vector>& from) {
    std::vector<Vector> to = apply(d, 0, apply(d, 1, from));
    for (Vector& v : to)
      for (Complex& value : v) value = -value;
    return to;
  };
  std::vector<Vector> psi = take_parity(d, 0, random_field(layout, rank, 1));
  const double before = square(d, 0, psi);
  for (const double eigenvalue : {2.0, 6.0, 10.0, 14.0}) {
    const std::vector<Vector> to = minus_square(psi);
    for (std::size_t i = 0; i < d.sites(0); ++i)
      for (std::size_t c = 0; c < 3; ++c) psi[i][c] = to[i][c] - eigenvalue * psi[i][c];
  }
  EXPECT_LT(square(d, 0, psi), 1e-20 * before);

  double one = 0, two = 0, three = 0;  // traces of powers, over sites of one colour: colours do not mix
  const std::vector<Index> mine = weft::oracle::global_indices(layout, rank);
  for (Index site = 0; site < 256; ++site) {
    if ((site / 64 + site / 16 % 4 + site / 4 % 4 + site % 4) % 2 != 0) continue;
    std::vector<Vector> field(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) field[i][0] = mine[i] == site ? 1 : 0;
    const std::vector<Vector> unit = take_parity(d, 0, field), a = minus_square(unit), aa = minus_square(a);
    one += product(d, 0, unit, a).real();
    two += product(d, 0, a, a).real();
    three += product(d, 0, a, aa).real();
  }
  const auto expected = [](int power) {
    return (48 * std::pow(2, power) + 144 * std::pow(6, power) + 144 * std::pow(10, power) + 48 * std::pow(14, power)) /
           3;
  };
  EXPECT_NEAR(one, expected(1), 1e-9);
  EXPECT_NEAR(two, expected(2), 1e-8);
  EXPECT_NEAR(three, expected(3), 1e-7);
}

// (M^+ M)^-1 (x, 0) by conjugate gradients, and by weft's transform in four dimensions.
TEST_F(Staggered, TinyFreePropagator) {
  const Shape shape{6, 4, 2, 4};
  const double mass = 0.3, points = static_cast<double>(weft::volume(shape)), pi = std::numbers::pi;
  const weft::Layout layout = sites(shape, ranks);
  weft::Plan fft(world.raw(), weft::c2c<double>(shape));
  auto propagator = fft.input(), spectrum = fft.output();
  spectrum.fill([&](const Shape& p) {
    double sum = mass * mass;
    for (int a = 0; a < directions; ++a) {
      const double half = a == 0 ? 0.5 : 0;  // antiperiodic in t
      const double sine = std::sin(2 * pi * (static_cast<double>(p[a]) + half) / static_cast<double>(shape[a]));
      sum += sine * sine;
    }
    return Complex(1 / (4 * sum * points));
  });
  fft.backward(spectrum, propagator);
  propagator.for_each([&](const Shape& x, Complex& value) {
    value *= std::polar(1.0, pi * static_cast<double>(x[0]) / static_cast<double>(shape[0]));
  });
  std::vector<Complex> wave(static_cast<std::size_t>(layout.elements(rank)));
  weft::redistribute(world.raw(), fft.input_layout(), propagator.data(), layout, wave.data(), sizeof(Complex));

  const std::vector<Links> links = with_phases(layout, unit_links(layout, rank));
  Operator d(world.raw(), layout, {{1, &links}});
  const std::vector<Vector> source = point_field(layout, rank);
  for (const int parity : {0, 1}) {
    const std::vector<Vector> b = take_parity(d, parity, source);
    std::vector<Vector> x(d.elements(parity));
    solve(world.raw(), d, parity, mass, b.data(), x.data(), 1e-14, 100);
    double most = 0;
    for (std::size_t i = 0; i < d.sites(parity); ++i)
      most = std::max({most, std::abs(x[i][0] - wave[static_cast<std::size_t>(d.places(parity)[i])]), std::abs(x[i][1]),
                       std::abs(x[i][2])});
    EXPECT_LT(most, 1e-13) << "parity " << parity;
  }
}

TEST_F(Staggered, TinyGaugeInvariance) {
  const Shape shape{4, 4, 2, 6};
  const weft::Layout layout = sites(shape, ranks), whole = alone(shape);
  std::vector<Links> links = random_links(whole, 0, 11), turned = links;
  std::vector<Vector> source = random_field(whole, 0, 12), turned_source = source;
  std::vector<Matrix> g;
  for (std::size_t i = 0; i < links.size(); ++i) {
    Normal normal(13, i);
    g.push_back(random_special_unitary(normal));
  }
  const auto index = [&](const Shape& at) { return static_cast<std::size_t>(number_of(shape, wrapped(shape, at))); };
  each_site(weft::Box::whole(shape), [&](const Shape& at) {
    const Matrix& here = g[index(at)];
    for (std::size_t i = 0; i < 3; ++i)
      turned_source[index(at)][i] =
          here[i][0] * source[index(at)][0] + here[i][1] * source[index(at)][1] + here[i][2] * source[index(at)][2];
    for (std::size_t d = 0; d < 4; ++d) {
      Shape up = at;
      ++up[3 - static_cast<int>(d)];
      turned[index(at)][d] = here * links[index(at)][d] * adjoint(g[index(up)]);
    }
  });
  const auto mine = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> part;
    for (const Index i : weft::oracle::global_indices(layout, rank)) part.push_back(all[static_cast<std::size_t>(i)]);
    return part;
  };
  std::vector<std::vector<double>> histories;
  std::vector<double> lengths;
  for (const bool other : {false, true}) {
    const std::vector<Links> these = with_phases(layout, mine(other ? turned : links));
    Operator d(world.raw(), layout, {{1, &these}});
    const std::vector<Vector> b = take_parity(d, 0, mine(other ? turned_source : source));
    std::vector<Vector> x(d.elements(0));
    const Solution solution = solve(world.raw(), d, 0, 0.5, b.data(), x.data(), 1e-8, 500);
    EXPECT_LT(solution.residual, 2e-8);
    histories.push_back(solution.history);
    lengths.push_back(std::sqrt(square(d, 0, x)));
  }
  EXPECT_NEAR(lengths[0] / lengths[1], 1, 1e-12);
  expect_alike(histories[0], histories[1]);
}

// Residuals by every way have the same bits, and those on one rank to rounding.
TEST_F(Staggered, TinySolvesByEveryWay) {
  const Shape shape{8, 4, 4, 2};
  const auto solution = [&](const weft::mpi::Communicator& comm, const weft::Layout& layout,
                            const OperatorOptions& options) {
    std::vector<Links> links = random_links(layout, comm.rank(), 21);
    put_phases(layout, comm.rank(), links);
    Operator d(comm.raw(), layout, {{1, &links}}, options);
    const std::vector<Vector> b = take_parity(d, 1, random_field(layout, comm.rank(), 22));
    std::vector<Vector> x(d.elements(1));
    return solve(comm.raw(), d, 1, 0.5, b.data(), x.data(), 1e-9, 500);
  };
  const Solution one = solution(weft::mpi::Communicator::duplicate(MPI_COMM_SELF), alone(shape), {});
  EXPECT_LT(one.residual, 2e-9);
  std::vector<double> first;
  int able = 0;
  for (const std::string& way : ways()) {
    std::optional<Solution> found;
    try {
      found = solution(world, sites(shape, ranks), {.way = way, .overlaps = able % 2 == 0});
    } catch (const weft::Declined&) {
      continue;
    }
    ++able;
    if (first.empty()) {
      first = found->history;
      expect_alike(first, one.history);
    }
    EXPECT_EQ(found->history, first) << way;
  }
  EXPECT_GE(able, 5);
}

// As far as double precision goes, though the iterations are single; the same bits by every way.
TEST_F(Staggered, TinyMixedPrecision) {
  const weft::Layout layout = sites({8, 4, 4, 2}, ranks);
  std::vector<Links> links = random_links(layout, rank, 21);
  put_phases(layout, rank, links);
  Operator d(world.raw(), layout, {{1, &links}});
  const std::vector<Vector> b = take_parity(d, 1, random_field(layout, rank, 22));
  std::vector<Vector> x(d.elements(1));
  const double tolerance = 1e-11;
  const Solution exact = solve(world.raw(), d, 1, 0.2, b.data(), x.data(), tolerance, 500);
  std::vector<double> first;
  for (const std::string& way : {std::string("auto"), std::string(by_hand), std::string(by_faces)}) {
    SCOPED_TRACE(way);
    SingleOperator single(world.raw(), layout, {{1, &links}}, {.way = way});
    std::vector<Vector> mixed(d.elements(1));
    const Solution found = solve(world.raw(), d, single, 1, 0.2, b.data(), mixed.data(), tolerance, 500);
    EXPECT_LT(found.residual, tolerance);
    EXPECT_GE(found.restarts, 2);
    EXPECT_LT(found.iterations, 2 * exact.iterations);
    std::vector<Vector> difference = mixed;
    for (std::size_t i = 0; i < d.sites(1); ++i)
      for (std::size_t c = 0; c < colours; ++c) difference[i][c] -= x[i][c];
    EXPECT_LT(std::sqrt(square(d, 1, difference) / square(d, 1, x)), 1e-9);
    if (first.empty()) first = found.history;
    EXPECT_EQ(found.history, first);
  }
}

TEST_F(Staggered, TinyOddExtentsHaveNoParity) {
  const weft::Layout layout = sites({4, 2, 3, 2}, ranks);
  const std::vector<Links> links(static_cast<std::size_t>(layout.elements(rank)));
  weft::fails(world, [&] { Operator(world.raw(), layout, {{1, &links}}); }, {"2x3x2x4", "even extents"});
}

/// The sample solve of the MILC code: fat and long links with all phases in them.
TEST_F(Staggered, TinySolutionsOfMilc) {
  const std::string folder = WEFT_MILC_DATA;
  if (!std::filesystem::exists(folder + "/fat.l8"))
    GTEST_SKIP() << "\"" << folder << "\" has no sample files of the MILC code: give -D WEFT_MILC_DATA=<folder>";
  const double mass = 0.1;
  const weft::Layout layout = sites({8, 8, 8, 8}, ranks);
  const auto vectors = [&](const std::string& name) {
    return read_lime_vectors(world.raw(), folder + "/" + name, layout);
  };
  const std::vector<Links> fat = read_lime_links(world.raw(), folder + "/fat.l8", layout),
                           far = read_lime_links(world.raw(), folder + "/long.l8", layout);
  Operator d(world.raw(), layout, {{1, &fat}, {3, &far}});
  const std::vector<Vector> source = vectors("ksvector.src.sample.l8"),
                            inverse = vectors("ksvector.ans.Minv.sample.l8"),
                            normal = vectors("ksvector.ans.MdaggerMinv.sample.l8");
  std::vector<Vector> b[2], solved[2];
  for (const int p : {0, 1}) {
    b[p] = take_parity(d, p, source);
    solved[p].resize(d.elements(p));
    const Solution solution = solve(world.raw(), d, p, mass, b[p].data(), solved[p].data(), 1e-9, 200);
    EXPECT_EQ(solution.iterations, 60);
  }
  double b2 = 0, inverse_2 = 0, normal_2 = 0, inverse_residual = 0, normal_residual = 0, inverse_off = 0,
         normal_off = 0;
  for (const int p : {0, 1}) {
    const std::vector<Vector> x = take_parity(d, p, inverse), y = take_parity(d, p, normal),
                              dx = apply(d, p, take_parity(d, 1 - p, inverse)), ddy = apply(d, p, apply(d, 1 - p, y)),
                              dy = apply(d, p, solved[1 - p]);
    // (2 m + D) x = b where x = (2 m - D) y and (4 m^2 - D D) y = b
    for (std::size_t i = 0; i < d.sites(p); ++i)
      for (std::size_t c = 0; c < colours; ++c) {
        b2 += std::norm(b[p][i][c]);
        inverse_residual += std::norm(2 * mass * x[i][c] + dx[i][c] - b[p][i][c]);
        normal_residual += std::norm(4 * mass * mass * y[i][c] - ddy[i][c] - b[p][i][c]);
        inverse_2 += std::norm(x[i][c]);
        normal_2 += std::norm(y[i][c]);
        inverse_off += std::norm(2 * mass * solved[p][i][c] - dy[i][c] - x[i][c]);
        normal_off += std::norm(solved[p][i][c] - y[i][c]);
      }
  }
  const auto ratio = [&](double a, double of) { return std::sqrt(world.sum(a) / world.sum(of)); };
  EXPECT_NEAR(std::sqrt(world.sum(b2)), 2627.46088962, 1e-7);
  EXPECT_NEAR(ratio(inverse_residual, b2), 8.0e-8, 0.05e-8);
  EXPECT_NEAR(ratio(normal_residual, b2), 6.3e-8, 0.05e-8);
  EXPECT_NEAR(ratio(inverse_off, inverse_2), 1.17e-7, 0.01e-7);
  EXPECT_NEAR(ratio(normal_off, normal_2), 8.0e-8, 0.05e-8);
}

}  // namespace
}  // namespace staggered

// Bad input: every call is made wrongly on all ranks, then on one rank alone. Each must throw one
// error, with the same message on every rank, and leave a plan that was made before as good as it
// was. What hangs is ended by the limit of every test.
#pragma once

#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "mpi/communicator.hpp"
#include "support/fails.hpp"

namespace weft {

using Complex = std::complex<double>;
inline constexpr Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
inline const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();

class BadInputTiny : public testing::Test {
 protected:
  mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();
  int calls = 0;
  Plan<Complex, Complex> fft{world.raw(), c2c<double>({4, 6, 2}), {.effort = "estimate"}};

  /// A plan that was made before still transforms.
  void usable() {
    const auto u = fft.input(), u_hat = fft.output();
    u.fill([](const Shape& p) { return Complex(p[1] == 2 ? 1.0 : 0.0, 0.0); });
    fft.forward(u, u_hat);
    double worst = 0;
    u_hat.for_each([&](const Shape& k, const Complex& v) {
      const Complex expected = k[0] == 0 && k[2] == 0
                                   ? 8.0 * std::polar(1.0, -2 * std::acos(-1.0) * 2 * static_cast<double>(k[1]) / 6)
                                   : 0.0;
      worst = std::max(worst, std::abs(v - expected));
    });
    EXPECT_LT(world.max(worst), 1e-12);
  }

  /// call(bad) with bad input everywhere must say `word`; with bad input on one rank it must fail on all of them, too.
  void fails_everywhere(const std::string& name, const std::string& word, const std::function<void(bool)>& call) {
    SCOPED_TRACE(name);
    ++calls;
    fails(world, [&] { call(true); }, {word});
    for (const int one : {ranks - 1, 0}) {
      if (ranks == 1) break;
      SCOPED_TRACE("on rank " + std::to_string(one) + " alone");
      ++calls;
      fails(world, [&] { call(rank == one); }, {"rank"});
    }
  }

  /// What a rank sees by itself: it throws there.
  void fails_here(const std::string& name, const std::string& word, const std::function<void()>& call) {
    SCOPED_TRACE(name);
    ++calls;
    try {
      call();
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << "\nlacks: " << word;
      EXPECT_LT(std::strlen(e.what()), 2000u) << "a message that repeats all of what was given";
      for (const char c : std::string_view(e.what()))
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << "a control character: " << int(c);
    }
  }
};

/// A problem and its options, both good.
struct Ask {
  AnyProblem problem = c2c<double>({4, 6, 2});
  Options options = {.effort = "estimate"};
};

}  // namespace weft

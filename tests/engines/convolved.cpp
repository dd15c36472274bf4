// Lengths with large prime factors, as convolutions.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "engines/convolved.hpp"
#include "support/engines.hpp"

namespace weft {
namespace {

// Whatever planning may prefer on the day: both convolutions, over lengths that are odd, even,
// prime and not.
TEST(Convolved, AgreesWithTheDefinition) {
  if (!has_fftw()) GTEST_SKIP() << "only FFTW's lines do without scratch, as convolutions need";
  const Engine &smooth = engine("fftw"), &exact = engine("naive");
  EXPECT_EQ(rader_length(181), 180);
  // Small, not prime, not prime, 226 = 2 113
  for (const Index n : {7, 180, 217, 227}) EXPECT_EQ(rader_length(n), 0) << n;
  for (const Index n : {181, 217, 1009}) EXPECT_GE(bluestein_length(n), 2 * n - 1);
  for (const Precision precision : {Precision::single_, Precision::double_})
    for (const auto& [kind, direction] :
         {std::pair(Kind::c2c, Direction::forward), std::pair(Kind::c2c, Direction::backward),
          std::pair(Kind::r2c, Direction::forward), std::pair(Kind::c2r, Direction::backward)})
      for (const Index n : {100, 181, 211, 217, 1009}) {
        const LineSpec spec{kind, direction, precision, n};
        const Values in = random_lines(spec, 3), expected = transform(*exact.plan(spec, "estimate"), in);
        const auto inner = [&](Index length) {
          return smooth.plan({Kind::c2c, Direction::forward, precision, length}, "estimate");
        };
        EXPECT_LT(distance(transform(*bluestein(spec, inner(bluestein_length(n))), in), expected), tolerance(spec))
            << to_string(spec);
        if (const Index m = rader_length(n)) {
          EXPECT_LT(distance(transform(*rader(spec, inner(m)), in), expected), tolerance(spec)) << to_string(spec);
        }
      }
}

}  // namespace
}  // namespace weft

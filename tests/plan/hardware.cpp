// What the system tells of caches, whatever that is here: more ranks have no less, as long as there are more caches to have.
#include "plan/policy/hardware.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace weft {
namespace {

TEST(Hardware, OfAsManyAsRanksCanHave) {
  const Index one = hardware().last_level(1), cores = sysconf(_SC_NPROCESSORS_CONF);
  if (one == 0) GTEST_SKIP() << "the system does not tell";
  EXPECT_GE(one, 32 << 10);
  for (Index ranks = 1; ranks < 4 * cores; ++ranks) {
    EXPECT_LE(hardware().last_level(ranks), one * std::min(ranks, cores));
    EXPECT_GE(hardware().last_level(ranks + 1), hardware().last_level(ranks));
  }
}

}  // namespace
}  // namespace weft

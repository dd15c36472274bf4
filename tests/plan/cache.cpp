// What the system tells of caches, whatever that is here: more ranks have no less, as long as there are more caches to have.
#include "plan/cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace weft {
namespace {

TEST(Cache, OfAsManyAsRanksCanHave) {
  const Index one = last_level_caches(1), cores = sysconf(_SC_NPROCESSORS_CONF);
  if (one == 0) GTEST_SKIP() << "the system does not tell";
  EXPECT_GE(one, 32 << 10);
  for (Index ranks = 1; ranks < 4 * cores; ++ranks) {
    EXPECT_LE(last_level_caches(ranks), one * std::min(ranks, cores));
    EXPECT_GE(last_level_caches(ranks + 1), last_level_caches(ranks));
  }
}

}  // namespace
}  // namespace weft

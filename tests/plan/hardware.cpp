// What the system and hwloc tell of caches: of this machine, whatever it is, and of some that are
// made up.
#include "plan/policy/hardware.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/environment.hpp"

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

TEST(Hardware, PagesAreTheSystems) { EXPECT_EQ(hardware().page, sysconf(_SC_PAGESIZE)); }

/// A folder of caches as Linux has them.
class Caches {
 public:
  Caches() { std::filesystem::remove_all(folder_); }
  ~Caches() { std::filesystem::remove_all(folder_); }
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  void add(int level, const char* type, const char* size, const char* cores, int line) {
    const std::filesystem::path index = folder_ / ("index" + std::to_string(count_++));
    std::filesystem::create_directories(index);
    std::ofstream(index / "level") << level << '\n';
    std::ofstream(index / "type") << type << '\n';
    std::ofstream(index / "size") << size << '\n';
    std::ofstream(index / "shared_cpu_list") << cores << '\n';
    std::ofstream(index / "coherency_line_size") << line << '\n';
  }
  Hardware told() const {
    Hardware machine;
    ask_system(machine, folder_);
    return machine;
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("weft_caches_" + std::to_string(getpid()));
  int count_ = 0;
};

TEST(Hardware, OfTheSystemWithoutAThirdLevel) {  // as some ARM processors are
  Caches caches;
  caches.add(1, "Data", "128K", "0", 128);
  caches.add(1, "Instruction", "192K", "0", 128);
  caches.add(2, "Unified", "12M", "0-3,8", 128);
  const Hardware machine = caches.told();
  EXPECT_EQ(machine.first.bytes, 128 << 10);
  EXPECT_EQ(machine.second.bytes, 12 << 20);
  EXPECT_EQ(machine.second.cores, 5);
  EXPECT_EQ(machine.third.bytes, 0);
  EXPECT_EQ(&machine.last(), &machine.second);
  EXPECT_EQ(machine.cache_line, 128);
}

TEST(Hardware, OfTheSystemWithAFourthLevel) {  // as IBM's mainframes are
  Caches caches;
  caches.add(1, "Data", "128K", "0", 256);
  caches.add(2, "Data", "4096K", "0", 256);
  caches.add(3, "Unified", "262144K", "0-7", 256);
  caches.add(4, "Unified", "983040K", "0-39", 256);
  const Hardware machine = caches.told();
  EXPECT_EQ(machine.last().bytes, Index{960} << 20);
  EXPECT_EQ(machine.last().cores, 40);
  EXPECT_EQ(machine.cache_line, 256);
}

TEST(Hardware, OfHwloc) {
  Hardware asked;
  if (!ask_hwloc(asked)) GTEST_SKIP() << "this build is without hwloc, or hwloc does not know";
  Hardware machine;
  {
    const Environment other("HWLOC_SYNTHETIC", "numa:2 l2:2(size=2097152) l1d:2(size=65536) pu:1");
    ASSERT_TRUE(ask_hwloc(machine));
  }
  EXPECT_EQ(machine.first.bytes, 64 << 10);
  EXPECT_EQ(machine.first.cores, 1);
  EXPECT_EQ(machine.second.bytes, 2 << 20);
  EXPECT_EQ(machine.second.cores, 2);
  EXPECT_EQ(machine.third.bytes, 0);
}

}  // namespace
}  // namespace weft

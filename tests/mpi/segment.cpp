// Shared segments: every part where it should be, on whichever memory; refusals alike on all ranks;
// nothing left behind.
#include "mpi/segment.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

#include "support/environment.hpp"

namespace weft::mpi {
namespace {

class SegmentsTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(live_handles(), handles_); }

  /// The message that making segments ends with.
  std::string error(Index bytes) {
    try {
      Segments segments(world, bytes);
    } catch (const Error& caught) {
      world.same("the error", caught.what());
      return caught.what();
    }
    return "none";
  }

  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);

 private:
  Handles handles_ = live_handles();
};

bool empty_or(const Index value, const Index bytes) { return bytes == 0 || value == 0; }

/// Bytes that a rank asks for: every kind of size, and other ones on every rank.
Index asked(int rank, int round) {
  constexpr Index sizes[] = {0, 1, 70000, (Index{1} << 20) + 3, (Index{5} << 20) + 8, 4096};
  return sizes[(rank + round) % 6];
}

std::byte mark(int rank, Index at) { return static_cast<std::byte>((rank + 1) * 37 + at % 251); }

void check_parts(const Communicator& world, const Segments& segments, int round) {
  const int rank = world.rank();
  const Index mine = asked(rank, round);
  EXPECT_GE(segments.bytes_held(), mine);
  for (Index i = 0; i < mine; ++i) ASSERT_EQ(segments.part(rank)[i], std::byte{0});
  world.barrier();
  for (Index i = 0; i < mine; ++i) segments.part(rank)[i] = mark(rank, i);
  world.barrier();
  for (int r = 0; r < world.size(); ++r) {
    EXPECT_TRUE(empty_or(reinterpret_cast<Index>(segments.part(r)) % sysconf(_SC_PAGESIZE), asked(r, round)));
    for (Index i = 0; i < asked(r, round); ++i)
      ASSERT_EQ(segments.part(r)[i], mark(r, i)) << "rank " << r << ", byte " << i;
  }
  world.barrier();
}

TEST_F(SegmentsTest, TinyEveryRankSeesEveryPart) {
  for (int round = 0; round < 6; ++round) {
    const Segments segments(world, asked(world.rank(), round));
    EXPECT_EQ(segments.note(), "");
    check_parts(world, segments, round);
  }
}

TEST_F(SegmentsTest, TinyLargePartsLieOnHugePagesAndHoldThemWhole) {
  constexpr Index huge = Index{2} << 20;
  const Segments large(world, huge + 100), half(world, huge / 2), small(world, 100);
  for (int r = 0; r < world.size(); ++r) EXPECT_EQ(reinterpret_cast<Index>(large.part(r)) % huge, 0);
  EXPECT_EQ(large.bytes_held(), huge + sysconf(_SC_PAGESIZE));
  EXPECT_EQ(half.bytes_held(), huge);
  EXPECT_EQ(small.bytes_held(), sysconf(_SC_PAGESIZE));
}

TEST_F(SegmentsTest, TinyNoFileHasItsName) {
  const Segments segments(world, 1000);
  std::ifstream maps("/proc/self/maps");
  std::string all((std::istreambuf_iterator<char>(maps)), {});
  EXPECT_NE(all.find("/memfd:weft (deleted)"), std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_EQ(entry.path().filename().string().find("weft"), std::string::npos) << entry.path();
}

TEST_F(SegmentsTest, TinyWindowWhereWeMayNot) {
  std::optional<Environment> permit;
  if (world.rank() == world.size() - 1) permit.emplace("WEFT_SHARED_MEMORY", "window");  // one rank is enough
  for (int round = 0; round < 3; ++round) {
    const Segments segments(world, asked(world.rank(), round));
    EXPECT_EQ(segments.note(), "shared memory is a window of MPI, without huge pages (rank " +
                                   std::to_string(world.size() - 1) + ": WEFT_SHARED_MEMORY=window)");
    check_parts(world, segments, round);
  }
}

TEST_F(SegmentsTest, TinyWindowWhereTheSystemRefuses) {
  // Between what a window takes of a file (1 MiB a rank) and what our own memory does, rounded up
  // to huge pages.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = static_cast<rlim_t>(world.size()) * 3 << 19;
  if (world.rank() == 0) setrlimit(RLIMIT_FSIZE, &limit);
  {
    const Segments segments(world, Index{1} << 20);
    EXPECT_NE(segments.note().find("rank 0: RLIMIT_FSIZE: File too large"), std::string::npos) << segments.note();
    segments.part(world.rank())[(1 << 20) - 1] = std::byte{1};
    world.barrier();
    for (int r = 0; r < world.size(); ++r) EXPECT_EQ(segments.part(r)[(1 << 20) - 1], std::byte{1});
  }
  if (world.rank() == 0) setrlimit(RLIMIT_FSIZE, &before);
}

TEST_F(SegmentsTest, TinyRefusalsAreAlikeOnAllRanks) {
  const int last = world.size() - 1;
  const std::string who = "rank " + std::to_string(last) + ": ";
  std::optional<Environment> permit;
  if (world.rank() == last) permit.emplace("WEFT_SHARED_MEMORY", "none");
  EXPECT_EQ(
      error(10),
      who + "shared memory is forbidden by WEFT_SHARED_MEMORY=none: allow own or window, or use another strategy");
  permit.reset();
  if (world.rank() == last) permit.emplace("WEFT_SHARED_MEMORY", "mine");
  EXPECT_EQ(error(10), who + "WEFT_SHARED_MEMORY=mine: give own, window or none");
  permit.reset();
  EXPECT_EQ(error(world.rank() == last ? -1 : 10), who + "a segment of -1 bytes was asked for; 0 or more are allowed");
  EXPECT_NE(error(world.rank() == last ? Index{1} << 62 : 10)
                .find("4611686018427387904 bytes asked for by rank " + std::to_string(last)),
            std::string::npos);
}

TEST_F(SegmentsTest, TinyFlagsCarryWhatWasWrittenBefore) {
  const Segments segments(world, 2 * sizeof(Flag));
  const auto flag = [&](int r) { return reinterpret_cast<Flag*>(segments.part(r)); };
  const auto word = [&](int r) { return reinterpret_cast<volatile Index*>(segments.part(r) + sizeof(Flag) + 64); };
  // A ring: every rank passes on one more than what it got.
  const int ranks = world.size(), rank = world.rank(), left = (rank + ranks - 1) % ranks;
  for (std::uint64_t round = 1; round <= 300; ++round) {
    if (rank > 0) flag(left)->wait(round, world);
    *word(rank) = rank > 0 ? *word(left) + 1 : static_cast<Index>(round) * 1000;
    flag(rank)->raise(round);
    if (rank == 0) {
      flag(left)->wait(round, world);
      ASSERT_EQ(*word(left), static_cast<Index>(round) * 1000 + ranks - 1);
    }
  }
}

TEST_F(SegmentsTest, TinyReadersCountTogether) {
  const Segments segments(world, sizeof(Flag));
  Flag& all = *reinterpret_cast<Flag*>(segments.part(0));
  for (std::uint64_t round = 1; round <= 100; ++round) {
    all.add();
    all.wait(round * static_cast<std::uint64_t>(world.size()), world);
  }
  EXPECT_FALSE(all.reached(100 * static_cast<std::uint64_t>(world.size()) + 1));
}

}  // namespace
}  // namespace weft::mpi

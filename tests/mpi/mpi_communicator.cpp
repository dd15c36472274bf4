// Communicators: duplicates with checked errors; failures of one rank become everybody's; who
// shares a node.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numeric>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/window.hpp"
#include "support/environment.hpp"

namespace weft::mpi {
namespace {

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CommunicatorTiny, DuplicatesAndFrees) {
  const Handles before = live_handles();
  {
    Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(world.raw(), MPI_COMM_WORLD, &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT);
    Communicator moved = std::move(world);
    world = std::move(moved);
    EXPECT_EQ(live_handles().communicators, before.communicators + 1);
    const Communicator half = world.split(world.rank() % 2, -world.rank());
    EXPECT_EQ(half.size(), (world.size() + 1 - world.rank() % 2) / 2);
    EXPECT_EQ(half.sum(1), half.size());
    EXPECT_EQ(world.split(world.rank() == 0 ? -1 : 0).raw() == MPI_COMM_NULL, world.rank() == 0);
  }
  EXPECT_EQ(live_handles(), before);
}

TEST(CommunicatorTiny, ErrorsReturn) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const std::string error = message([&] {
    int value = 0;
    check(MPI_Send(&value, 1, MPI_INT, world.size(), 0, world.raw()), "MPI_Send");
  });
  EXPECT_TRUE(contains(error, "MPI_Send failed")) << error;
}

TEST(CommunicatorTiny, DeclinesNull) {
  const std::string error = message([] { Communicator::duplicate(MPI_COMM_NULL); });
  EXPECT_TRUE(contains(error, "MPI_COMM_NULL")) << error;
}

TEST(CommunicatorTiny, DeclinesIntercommunicators) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "an intercommunicator has two sides";
  const bool low = world.rank() == 0;
  const Communicator side = world.split(low ? 0 : 1);
  MPI_Comm inter = MPI_COMM_NULL;
  check(MPI_Intercomm_create(side.raw(), 0, world.raw(), low ? 1 : 0, 7, &inter), "MPI_Intercomm_create");
  const std::string error = message([&] { Communicator::duplicate(inter); });
  EXPECT_TRUE(contains(error, "intercommunicator")) << error;
  MPI_Comm_free(&inter);
}

TEST(CommunicatorTiny, ReducesAndGathers) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Index ranks = world.size();
  EXPECT_EQ(world.max(world.rank()), ranks - 1);
  EXPECT_EQ(world.min(Index{1} << 40), Index{1} << 40);
  EXPECT_EQ(world.sum(Index{1} << 40), ranks << 40);
  EXPECT_EQ(world.sum(0.5), 0.5 * static_cast<double>(ranks));
  EXPECT_EQ(world.max(-1.5), -1.5);
  std::vector<Index> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(world.gather_all(Index{world.rank()}), numbers);
}

TEST(CommunicatorTiny, TextsOfAnyLength) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const auto text = [](int rank) {
    return std::string(static_cast<std::size_t>(5 * rank), static_cast<char>('a' + rank));
  };
  for (const Index limit : {Index{INT_MAX}, Index{7}}) {
    const Index before = std::exchange(count_limit, limit);
    const std::vector<std::string> all = world.gather_all(text(world.rank()));
    for (int r = 0; r < world.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], text(r));
    std::string last = text(world.rank());
    world.bcast(last, world.size() - 1);
    EXPECT_EQ(last, text(world.size() - 1));
    count_limit = before;
  }
}

TEST(CommunicatorTiny, OneRanksFailureIsEverybodys) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  EXPECT_EQ(world.agree([&] { return world.rank(); }), world.rank());
  world.agree([] {});
  const int bad = world.size() - 1;
  const std::string here = "rank " + std::to_string(bad) + ": ";
  EXPECT_EQ(message([&] {
              world.agree([&] {
                if (world.rank() == bad) throw Error("the extent 0 is not allowed");
              });
            }),
            here + "the extent 0 is not allowed");
  const std::string error = message([&] {
    world.agree([&] {
      if (world.rank() == bad) throw std::bad_alloc();
      return 1;
    });
  });
  EXPECT_TRUE(contains(error, here)) << error;
  EXPECT_EQ(message([&] { world.agree([] { throw Error("no"); }); }), "rank 0: no");
  // An outer agreement names the rank that failed, not one that heard of it.
  const std::string inner = message([&] {
    world.agree([&] {
      if (world.rank() == bad) throw Error("no");
    });
  });
  EXPECT_EQ(message([&] { world.agree([&] { throw Error(inner); }); }), here + "no");
}

TEST(CommunicatorTiny, RanksSayTheSame) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  world.same("the shape", "4x4");
  if (world.size() == 1) return;
  const int bad = world.size() - 1;
  EXPECT_EQ(message([&] { world.same("the shape", world.rank() == bad ? "4x5" : "4x4"); }),
            "ranks disagree about the shape: rank 0 has 4x4, rank " + std::to_string(bad) +
                " has 4x5; give every rank the same");
  const std::string most(1000, 'x');
  const std::string error = message([&] { world.same("the layout", most + (world.rank() == bad ? "1" : "2") + most); });
  EXPECT_TRUE(contains(error, "xx1xx") && contains(error, "xx2xx") && error.size() < 700) << error;
}

TEST(CommunicatorTiny, NodesFromTheEnvironment) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const auto ranks = static_cast<std::size_t>(world.size());
  unsetenv("WEFT_RANKS_PER_NODE");
  EXPECT_EQ(world.nodes().size(), ranks);
  EXPECT_EQ(world.nodes()[0], 0);
  {
    const Environment two("WEFT_RANKS_PER_NODE", "1");
    const std::vector<int> nodes = world.nodes();
    for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(nodes[r], static_cast<int>(r));
  }
  for (const char* wrong : {"", "0", "-1", "2x", "many"}) {
    const Environment bad("WEFT_RANKS_PER_NODE", wrong);
    const std::string error = message([&] { world.nodes(); });
    EXPECT_TRUE(contains(error, "WEFT_RANKS_PER_NODE=" + std::string(wrong) + ":")) << error;
  }
  if (ranks > 1) {
    const Environment differs("WEFT_RANKS_PER_NODE", world.rank() == 0 ? "1" : "2");
    const std::string error = message([&] { world.nodes(); });
    EXPECT_TRUE(contains(error, "ranks disagree about WEFT_RANKS_PER_NODE")) << error;
  }
}

TEST(CommunicatorTiny, Windows) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Handles before = live_handles();
  if (world.size() == 1) GTEST_SKIP() << "some MPIs have no windows of a single rank's memory";
  Index probed = 0;
  MPI_Win probe = MPI_WIN_NULL;
  if (MPI_Win_create(&probed, sizeof probed, 1, MPI_INFO_NULL, world.raw(), &probe) != MPI_SUCCESS)
    GTEST_SKIP()
        << "MPI makes no windows here: Open MPI 4 has none between processes that may not read each other's memory";
  MPI_Win_free(&probe);
  {
    const Index value = world.rank();
    const auto mine = std::make_shared<Index>(-1);
    const Window window = Window::create(world, {mine, reinterpret_cast<std::byte*>(mine.get())}, sizeof(Index));
    EXPECT_EQ(live_handles().windows, before.windows + 1);
    check(MPI_Put(&value, 1, MPI_INT64_T, (world.rank() + 1) % world.size(), 0, 1, MPI_INT64_T, window.raw()),
          "MPI_Put");
    window.flush_all();
    world.barrier();
    window.sync();
    EXPECT_EQ(*mine, (world.rank() + world.size() - 1) % world.size());
  }
  EXPECT_EQ(live_handles(), before);
}

TEST(CommunicatorTiny, ThreadLevel) { EXPECT_GE(thread_level(), MPI_THREAD_FUNNELED); }

}  // namespace
}  // namespace weft::mpi

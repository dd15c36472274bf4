// Redistribution on its own: every strategy brings every element of every pair of layouts where it
// belongs, round after round, without allocating.
#include <weft/redistribute.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "mpi/communicator.hpp"
#include "support/allocations.hpp"
#include "support/changing.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace weft {
namespace {

using mpi::Communicator;

class Redistributions : public testing::Test {
 protected:
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();

  /// Every element's value is its global index and the round; what no source has must stay as it
  /// was.
  void moves_by(const std::string& name, const Layout& from, const Layout& to, const Few<int>& periodic = {},
                Index element_bytes = 8) {
    Redistribution move(world.raw(), from, to, element_bytes, {name, periodic});
    EXPECT_EQ(move.strategy(), name);
    const std::vector<Index> has = oracle::global_indices(from, rank),
                             gets = oracle::global_indices(to, rank, periodic);
    std::vector<Index> owned;
    for (const std::string& part :
         world.gather_all(std::string(reinterpret_cast<const char*>(has.data()), has.size() * sizeof(Index)))) {
      owned.resize(owned.size() + part.size() / sizeof(Index));
      std::copy(part.begin(), part.end(), reinterpret_cast<char*>(owned.data() + owned.size()) - part.size());
    }
    std::sort(owned.begin(), owned.end());

    const auto size = static_cast<std::size_t>(element_bytes);
    const auto element = [&](Index value) {
      std::string bytes(size, static_cast<char>(value % 251));
      std::memcpy(bytes.data(), &value, std::min(size, sizeof value));
      return bytes;
    };
    struct Round {
      std::string in, out, before, expected;
    };
    std::vector<Round> rounds(5);
    for (Index number = 0; Round & round : rounds) {
      for (const Index index : has) round.in += element(index + 1000 * number);
      for (const Index index : gets) {
        const bool arrives = index >= 0 && std::binary_search(owned.begin(), owned.end(), index);
        round.expected += element(arrives ? index + 1000 * number : -7);
        round.out += element(-7);
      }
      round.before = round.in;
      ++number;
    }
    Lateness late;  // the others run ahead, into the next round if nobody stops them
    const long allocated = allocations();
    for (Round& round : rounds) {
      late.next();
      move(round.in.data(), round.out.data());
    }
    EXPECT_EQ(allocations(), allocated) << name;
    for (const Round& round : rounds) {
      EXPECT_TRUE(round.out == round.expected) << name << ", round " << &round - rounds.data() << "; " << late.seed()
                                               << ": " << from.describe() << " -> " << to.describe();
      EXPECT_TRUE(round.in == round.before) << name << " changes its input";
    }
  }

  /// Over all strategies that can; all do with something.
  void moves(const Layout& from, const Layout& to, const Few<int>& periodic = {}, Index element_bytes = 8) {
    int able = 0;
    for (const Strategy* strategy : strategies()) {
      const std::string name(strategy->name());
      try {
        Redistribution(world.raw(), from, to, element_bytes, {name, periodic});
      } catch (const Declined&) {
        continue;
      }
      ++able;
      moves_by(name, from, to, periodic, element_bytes);
    }
    EXPECT_GE(able, 3);
  }

  Layout pencils(const Shape& shape, const Order& order = {}) const {
    int grid[2] = {0, 0};
    MPI_Dims_create(ranks, 2, grid);
    Few<int> all = Few<int>::filled(shape.size(), 1);
    all[0] = grid[0];
    all[1] = grid[1];
    return Layout::grid(shape, all, Split::even(), order);
  }
  /// Everything on the last rank.
  Layout alone(const Shape& shape) const {
    std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box::whole(Shape::filled(shape.size(), 0)));
    boxes.back() = Box::whole(shape);
    return Layout(shape, boxes);
  }
  Layout checkerboard(const Layout& like) const {
    std::vector<Box> boxes;
    for (int r = 0; r < ranks; ++r) boxes.push_back(like.box(r));
    return Layout::checkerboard(like.shape(), boxes);
  }
};

TEST_F(Redistributions, TinyTranspose) {
  const Shape shape{5, 7, 3};
  moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 1, ranks, Split::even(), {1, 0, 2}));
}

TEST_F(Redistributions, TinyPeriodicHalo) {
  const Shape shape{5, 4, 3};
  moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 0, ranks).grown({1, 2, 1}), {1, 0, 1});
}

TEST_F(Redistributions, BoxesInAllOrders) {
  const Shape shape{6, 5, 4};
  moves(Layout::slab(shape, 0, ranks), pencils(shape));
  moves(pencils(shape, {2, 0, 1}), Layout::slab(shape, 2, ranks, Split::blocks()).ordered({2, 1, 0}, {1, 2, 3}));
  moves(alone(shape), pencils(shape));
  moves(pencils(shape), alone(shape));
  moves(Layout::slab(shape, 1, ranks), Layout::slab(shape, 1, ranks));
}

TEST_F(Redistributions, DegenerateShapes) {
  for (const Shape& shape : {Shape{1, 64, 3}, Shape{13, 1, 1}, Shape{1, 1, 1}, Shape{2, 3, 5}})
    moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 1, ranks, Split::blocks(), {2, 1, 0}));
  moves(Layout::slab({9}, 0, ranks), alone({9}));
  moves(Layout::slab({2, 3, 2, 3}, 3, ranks), Layout::slab({2, 3, 2, 3}, 1, ranks));
}

TEST_F(Redistributions, Runs) {
  const Shape shape{4, 6, 5};
  const Layout slab = Layout::slab(shape, 0, ranks), across = Layout::slab(shape, 1, ranks);
  moves(slab, checkerboard(slab));
  moves(checkerboard(across), slab);
  moves(checkerboard(slab), checkerboard(across));

  std::vector<std::vector<Stick>> sticks(static_cast<std::size_t>(ranks));
  for (Index x = 0; x < shape[0]; ++x)
    for (Index y = x % 2; y < shape[1]; y += 2)
      sticks[static_cast<std::size_t>((x + y / 2) % ranks)].push_back({{x, y}, x % 3, 5});
  moves(slab, Layout::sticks(shape, sticks));
  moves(Layout::sticks(shape, sticks), across);  // with holes
}

TEST_F(Redistributions, HaloesAndCopies) {
  const Shape shape{6, 4, 5};
  const Few<int> all = {1, 1, 1};
  moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 0, ranks).grown({1, 0, 0}));
  moves(pencils(shape), pencils(shape).grown({1, 2, 3}), all);
  moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 0, ranks).grown({7, 0, 0}), all);  // more than once around
  moves(pencils(shape), Layout::replicated(shape, ranks));
}

TEST_F(Redistributions, Truncation) {
  const Shape shape{6, 4, 5};
  std::vector<Box> inner;
  for (int r = 0; r < ranks; ++r)
    inner.push_back(Layout::slab(shape, 2, ranks).box(r).intersect({{1, 1, 1}, {5, 3, 4}}));
  moves(Layout::slab(shape, 0, ranks), Layout(shape, inner));
  moves(Layout(shape, inner), Layout::slab(shape, 0, ranks));
}

TEST_F(Redistributions, ElementsOfAnySize) {
  const Shape shape{5, 4, 3};
  for (const Index bytes : {1, 2, 3, 4, 12, 16, 24, 48})
    moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 1, ranks, Split::even(), {1, 2, 0}), {}, bytes);
}

TEST_F(Redistributions, GroupsThatHaveNothingToDoWithEachOther) {
  const Shape shape{4, 6, 2};
  moves(Layout::slab(shape, 0, ranks), Layout::slab(shape, 0, ranks, Split::even(), {2, 1, 0}));
  int grid[2] = {0, 0};
  MPI_Dims_create(ranks, 2, grid);
  moves(Layout::grid(shape, {grid[0], grid[1], 1}), Layout::grid(shape, {grid[0], 1, grid[1]}));
}

TEST_F(Redistributions, TinyAutomaticAndOnce) {
  const Shape shape{5, 4};
  const Layout from = Layout::slab(shape, 0, ranks), to = Layout::slab(shape, 1, ranks);
  Redistribution move(world.raw(), from, to, 8);
  EXPECT_NO_THROW(strategy(move.strategy()));
  EXPECT_NE(move.describe().find(move.strategy()), std::string::npos) << move.describe();
  Redistribution moved = std::move(move);
  const std::vector<Index> has = oracle::global_indices(from, rank), gets = oracle::global_indices(to, rank);
  std::vector<Index> out(gets.size(), -7);
  moved(has.data(), out.data());
  EXPECT_EQ(out, gets);
  std::fill(out.begin(), out.end(), -7);
  redistribute(world.raw(), from, has.data(), to, out.data());
  EXPECT_EQ(out, gets);
}

// Ghost layers of an array that holds its own inside them.
TEST_F(Redistributions, TinyHaloWithinTheArray) {
  const Shape shape{2 * ranks + 1, 5, 3}, width{1, 2, 0};
  const Shape around{2 * width[0], 2 * width[1], 2 * width[2]};
  const Layout from = Layout::slab(shape, 0, ranks).ordered({}, around),
               halo = Layout::slab(shape, 0, ranks).grown(width);
  const std::vector<Index> gets = oracle::global_indices(halo, rank, {1, 1, 1});
  const View inside = halo.view(rank).cut(from.box(rank));
  int able = 0;
  for (const Strategy* strategy : strategies()) {
    std::optional<Redistribution> fill;
    try {
      fill.emplace(world.raw(), from, halo, 8, RedistributionOptions{std::string(strategy->name()), {1, 1, 1}});
    } catch (const Declined&) {
      continue;
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<Index> array(static_cast<std::size_t>(halo.elements(rank)), -7);
      const Box& box = inside.box;
      for (Index x = box.lo[0]; x < box.hi[0]; ++x)
        for (Index y = box.lo[1]; y < box.hi[1]; ++y)
          for (Index z = box.lo[2]; z < box.hi[2]; ++z)
            array[static_cast<std::size_t>(inside.at({x, y, z}))] = (x * shape[1] + y) * shape[2] + z + 1000 * round;
      std::string refused;
      try {
        (*fill)(array.data() + inside.offset, array.data());
      } catch (const Error& e) {
        refused = e.what();
      }
      for (const std::string& other : world.gather_all(std::string(refused.empty() ? "" : "refused")))
        ASSERT_EQ(other.empty(), refused.empty()) << strategy->name();
      if (!refused.empty()) {
        EXPECT_NE(refused.find("has MPI move also what stays"), std::string::npos) << refused;
        break;
      }
      able += round == 0;
      std::vector<Index> expected;
      for (const Index index : gets) expected.push_back(index + 1000 * round);
      EXPECT_EQ(array, expected) << strategy->name() << ", round " << round;
    }
  }
  EXPECT_GE(able, 3);
}

TEST_F(Redistributions, TinyArraysThatOverlap) {
  const Shape shape{ranks, 2 * ranks};
  const Layout from = Layout::slab(shape, 0, ranks), to = Layout::slab(shape, 1, ranks);
  Redistribution move(world.raw(), from, to, 8);
  std::vector<Index> array(static_cast<std::size_t>(from.elements(rank) + to.elements(rank)), 0);
  const auto count = static_cast<std::ptrdiff_t>(from.elements(rank));
  const auto refused = [&](const void* in, void* out) {
    try {
      move(in, out);
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("rank " + std::to_string(rank) + ": the arrays of a redistribution overlap"),
                std::string::npos)
          << e.what();
    }
  };
  if (ranks > 1) refused(array.data(), array.data());
  refused(array.data(), array.data() + count - 1);
  refused(array.data(), reinterpret_cast<char*>(array.data() + count) - 1);
  refused(array.data() + count - 1, array.data());
  move(array.data(), array.data() + count);
  move(array.data() + count, array.data());
}

TEST_F(Redistributions, TinyWrongArguments) {
  const Shape shape{5, 4};
  const Layout from = Layout::slab(shape, 0, ranks), to = Layout::slab(shape, 1, ranks);
  const auto makes = [&](const Layout& a, const Layout& b, Index bytes = 8, const RedistributionOptions& options = {}) {
    return [=, this] { Redistribution(world.raw(), a, b, bytes, options); };
  };
  fails(world, makes(from, to, 8, {"pigeon", {}}), {"there is no strategy 'pigeon'", "alltoallv", "isend"});
  fails(world, makes(from, to, 0), {"0 bytes"});
  fails(world, makes(from, Layout::slab({5, 5}, 1, ranks)), {"5x4", "5x5"});
  fails(world, makes(Layout::slab(shape, 0, ranks + 1), Layout::slab(shape, 1, ranks + 1)),
        {std::to_string(ranks) + " rank"});
  fails(world, makes(from, to, 8, {"auto", {1}}), {"periodic", "2"});
  if (ranks > 1) fails(world, makes(Layout::replicated(shape, ranks), to), {"ranks 0 and 1"});
  EXPECT_THROW(Redistribution(MPI_COMM_NULL, from, to, 8), Error);
  Redistribution move(world.raw(), Layout::slab({ranks, 3}, 0, ranks), Layout::replicated({ranks, 3}, ranks), 8);
  EXPECT_THROW(move(nullptr, nullptr), Error);
  if (ranks == 1) return;

  const bool last = rank == ranks - 1;
  const std::string name = "rank " + std::to_string(ranks - 1);
  fails(world, makes(last ? to : from, to), {"ranks disagree", "from", name});
  fails(world, makes(from, last ? from : to), {"ranks disagree", "to", name});
  fails(world, makes(from, to, last ? 4 : 8), {"ranks disagree", "bytes", name});
  fails(world, makes(from, to, 8, {last ? "isend" : "alltoallv", {}}), {"ranks disagree", "strategy", name});
  fails(world, makes(from, to, 8, {"auto", last ? Few<int>{1, 1} : Few<int>{}}), {"ranks disagree", "periodic", name});
}

TEST_F(Redistributions, TinyNothingLeaks) {
  const mpi::Handles live = mpi::live_handles();
  const Shape shape{5, 4, 3};
  for (const Strategy* strategy : strategies()) {
    try {
      Redistribution(world.raw(), Layout::slab(shape, 0, ranks), Layout::slab(shape, 2, ranks), 8,
                     {std::string(strategy->name()), {}});
    } catch (const Error&) {
    }
    EXPECT_EQ(mpi::live_handles(), live) << strategy->name();
  }
}

}  // namespace
}  // namespace weft

// direct: every element arrives where it belongs, round after round, however ranks are delayed, and on either kind of shared memory.
#include <gtest/gtest.h>

#include <weft/exchange.hpp>

#include <algorithm>
#include <optional>
#include <random>

#include <unistd.h>

#include "mpi/communicator.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"

namespace weft {
namespace {

using mpi::Communicator;

using oracle::each_point;

/// What lies beyond the shape wraps.
std::vector<Index> global_indices(const Layout& layout, int rank) {
  return oracle::global_indices(layout, rank, Few<int>::filled(layout.axes(), 1));
}

/// One pattern over `direct`, checked by the global-index oracle: an element's value is its global index, marked with the round.
class Redistribution {
 public:
  Redistribution(const Communicator& world, const Pattern& pattern) : pattern_(pattern), group_(world.split(pattern.members()[0])) {
    const int self = pattern_.members()[static_cast<std::size_t>(pattern_.rank())];
    from_ = global_indices(pattern_.from(), self);
    to_ = global_indices(pattern_.to(), self);
    Demand demand{pattern_, sizeof(Index), {}, -1, -1, &slots_, std::vector<int>(pattern_.members().size(), 0)};
    EXPECT_EQ(strategy("direct").declines(demand), "");
    cost_ = strategy("direct").cost(demand);
    exchange_ = strategy("direct").bind(demand, group_.raw());
    EXPECT_EQ(exchange_->tiles(), pattern_.tiles());
    if (pattern_.from().has_boxes()) {
      View array = pattern_.from().view(self);
      array.slot = exchange_->array().slot;
      EXPECT_EQ(exchange_->array(), array);
      EXPECT_GE(array.slot, 0);
    } else {
      EXPECT_EQ(exchange_->array().slot, -1);
    }
    EXPECT_GE(exchange_->bytes_owned(), pattern_.from().elements(self) * static_cast<Index>(sizeof(Index)));
  }

  /// Poisons what may be written, waits, writes it. Whoever reads too early or too late reads poison.
  void write(int t, Index round) {
    exchange_->open(t);
    const auto& out = exchange_->tile(t).out;
    const auto& gives = pattern_.tile(t).gives;
    ASSERT_EQ(out.size(), gives.size());
    for (const Piece& piece : out) each_point(piece.at.box, [&](const Shape& point) { value(piece.at, point) = -1; });
    hesitate();
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(out[i].at.box, gives[i].at.box);
      each_point(out[i].at.box, [&](const Shape& point) {
        value(out[i].at, point) = marked(from_[static_cast<std::size_t>(gives[i].at.at(point))], round);
      });
    }
    exchange_->start(t);
  }

  /// Checks that everything that belongs here has come, once for every piece that is taken.
  void read(int t, Index round) {
    exchange_->finish(t);
    EXPECT_TRUE(exchange_->tiles() > 1 || exchange_->test());
    hesitate();
    const auto& takes = pattern_.tile(t).takes;
    auto take = takes.begin();
    Index points = 0;
    for (const Piece& piece : exchange_->tile(t).in) {
      while (take != takes.end() && (take->peer != piece.peer || !take->at.box.contains(piece.at.box))) ++take;
      ASSERT_NE(take, takes.end()) << piece.at.box << " of member " << piece.peer << " is not taken";
      each_point(piece.at.box, [&](const Shape& point) {
        ++points;
        if (wrong_ == 0 && value(piece.at, point) != marked(to_[static_cast<std::size_t>(take->at.at(point))], round)) {
          ++wrong_;
          ADD_FAILURE() << "round " << round << ", tile " << t << ", " << point_string(point) << " of member " << piece.peer << ": "
                        << value(piece.at, point) << " instead of " << marked(to_[static_cast<std::size_t>(take->at.at(point))], round);
        }
      });
    }
    Index taken = 0;
    for (const Piece& piece : takes) taken += piece.at.box.volume();
    EXPECT_EQ(points, taken);
    exchange_->close(t);
  }

  void round(Index number, bool all_started_first) {
    for (int t = 0; t < exchange_->tiles(); ++t) {
      write(t, number);
      if (!all_started_first) read(t, number);
    }
    if (!all_started_first) return;
    if (number % 2)
      while (!exchange_->test()) usleep(20);
    for (int t = 0; t < exchange_->tiles(); ++t) read(t, number);
  }

  void check_traffic(Index rounds) {
    const Traffic traffic = exchange_->traffic();
    EXPECT_EQ(traffic.calls + traffic.messages, 0);
    EXPECT_EQ(group_.max(traffic.bytes), rounds * cost_.bytes);
  }

  /// Now and then a rank is late.
  void delay(unsigned seed) { random_.emplace(seed); }

 private:
  Index& value(const View& view, const Shape& point) {
    return reinterpret_cast<Index*>(slots_[static_cast<std::size_t>(view.slot)])[view.at(point)];
  }
  static Index marked(Index index, Index round) { return index * 1000 + round % 1000; }
  void hesitate() {
    if (random_ && (*random_)() % 16 == 0) usleep((*random_)() % 300);
  }

  Pattern pattern_;
  Communicator group_;
  Slots slots_;
  std::unique_ptr<Exchange> exchange_;
  Cost cost_;
  std::vector<Index> from_, to_;  // global index of every element of the local arrays
  std::optional<std::minstd_rand> random_;
  Index wrong_ = 0;
};

struct Case {
  const char* name;
  Layout from, to;
  Few<int> periodic = {};
};

std::vector<Case> cases(int ranks) {
  const Shape shape{7, 6, 5};
  const auto slab = [&](int axis, const Split& split = Split::even()) { return Layout::slab(shape, axis, ranks, split); };
  const Few<int> ab = ranks % 2 ? Few<int>{ranks, 1, 1} : Few<int>{2, ranks / 2, 1};
  const Few<int> bc = ranks % 2 ? Few<int>{1, 1, ranks} : Few<int>{1, 2, ranks / 2};
  const Few<int> abc = ranks % 3 ? ab : Few<int>{ranks / 3, 1, 3};
  const Layout brick = Layout::grid(shape, abc);
  std::vector<Box> boxes, low;
  std::vector<Index> uneven{0};
  for (int r = 0; r < ranks; ++r) {
    boxes.push_back(brick.box(r));
    low.push_back(slab(1).box(r).intersect(Box::whole({3, 4, 2})));
    uneven.push_back(r % 2 ? 7 : 7 * (r + 1) / (ranks + 1));  // every second part is empty or nearly so
  }
  std::sort(uneven.begin(), uneven.end());
  uneven.back() = 7;
  std::vector<std::vector<Stick>> sticks(static_cast<std::size_t>(ranks));
  for (Index x = 0; x < 7; ++x)
    for (Index y = 0; y < 6; ++y) sticks[static_cast<std::size_t>((x * 5 + y * 3) % ranks)].push_back({{x, y}, 0, 5});
  const Layout ragged = Layout::sticks(shape, sticks), board = Layout::checkerboard(shape, boxes);
  return {
      {"slab", slab(0), slab(1)},
      {"slab, transposed and padded", slab(0).ordered({0, 1, 2}, {0, 0, 3}), slab(2).ordered({2, 1, 0}, {1, 0, 0})},
      {"slab, source transposed and padded", slab(1).ordered({1, 2, 0}, {2, 0, 0}), slab(0)},
      {"pencil", Layout::grid(shape, ab), Layout::grid(shape, bc)},
      {"brick", brick, slab(1)},
      {"uneven and empty", slab(0, Split::given(uneven)), slab(2, Split::blocks())},
      {"more ranks than planes", Layout::slab({1, 6, 1}, 0, ranks), Layout::slab({1, 6, 1}, 1, ranks)},
      {"halo", brick, brick.grown({1, 1, 1}), {1, 1, 1}},
      {"wide halo on one axis", slab(0), slab(0).grown({2, 0, 0}), {1, 0, 0}},
      {"replicate", slab(2), Layout::replicated(shape, ranks)},
      {"truncate", slab(0), Layout(shape, low)},
      {"boxes to a checkerboard", slab(0), board},
      {"checkerboard to boxes", board, slab(2)},
      {"checkerboard to sticks", board, ragged},
      {"sticks to boxes", ragged, slab(2)},
  };
}

class DirectTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(mpi::live_handles(), handles_); }
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);

 private:
  mpi::Handles handles_ = mpi::live_handles();
};

TEST_F(DirectTest, TinyEveryPatternAndCut) {
  for (const Case& c : cases(world.size()))
    for (int axis = -1; axis < 3; ++axis) {
      if (axis >= 0 && !(c.from.has_boxes() && c.to.has_boxes())) continue;
      SCOPED_TRACE(std::string(c.name) + ", cut on axis " + std::to_string(axis));
      Redistribution test(world, Pattern(c.from, c.to, world.rank(), {axis, axis < 0 ? 0 : 1 + axis % 2}, c.periodic));
      for (int round = 0; round < 4; ++round) test.round(round, round / 2 == 0);
      test.check_traffic(4);
    }
}

TEST_F(DirectTest, TinyTheWayBack) {
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(world, Pattern(c.from, c.to, world.rank(), {}, c.periodic).adjoint());
    for (int round = 0; round < 2; ++round) test.round(round, true);
  }
}

TEST_F(DirectTest, ManyRoundsWithLateRanks) {
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(world, Pattern(c.from, c.to, world.rank(), c.from.has_boxes() && c.to.has_boxes() ? Cut{0, 2} : Cut{}, c.periodic));
    test.delay(static_cast<unsigned>(world.rank() + 1));
    for (int round = 0; round < 100; ++round) test.round(round, round % 3 == 0);
  }
}

TEST_F(DirectTest, TinyOnAWindowOfMpi) {
  const Environment window("WEFT_SHARED_MEMORY", "window");
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(world, Pattern(c.from, c.to, world.rank(), {}, c.periodic));
    for (int round = 0; round < 4; ++round) test.round(round, true);
  }
}

TEST_F(DirectTest, TinyDeclinesSeveralNodesAndFailsAlike) {
  const int ranks = world.size();
  Slots slots;
  const Pattern pattern(Layout::slab({4, 4}, 0, ranks), Layout::replicated({4, 4}, ranks), world.rank());
  Demand demand{pattern, 8, {}, -1, -1, &slots, std::vector<int>(pattern.members().size(), 3)};
  EXPECT_EQ(strategy("direct").declines(demand), "");
  if (demand.pattern.ranks() > 1) {
    demand.nodes.back() = 4;
    EXPECT_NE(strategy("direct").declines(demand).find("different nodes"), std::string::npos);
  }
  const Communicator group = world.split(demand.pattern.members()[0]);
  const Environment forbidden("WEFT_SHARED_MEMORY", group.rank() == 0 ? "none" : "own");
  EXPECT_THROW(strategy("direct").bind(demand, group.raw()), Error);
}

}  // namespace
}  // namespace weft

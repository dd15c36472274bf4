// direct and deposit: every element arrives where it belongs, round after round, however ranks are
// delayed, and on either kind of shared memory.
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

/// One pattern over a strategy that uses memory in place, checked by the global-index oracle: an
/// element's value is its global index, marked with the round.
class Redistribution {
 public:
  /// What stays on a rank may have its place in the to-array; the from-array may be whole all the
  /// same.
  Redistribution(const Communicator& world, const Strategy& strategy, const Pattern& pattern, bool stays = false,
                 bool all = false)
      : pattern_(pattern), group_(world.split(pattern.members()[0])) {
    const int self = pattern_.members()[static_cast<std::size_t>(pattern_.rank())];
    from_ = global_indices(pattern_.from(), self);
    to_ = global_indices(pattern_.to(), self);
    Demand demand{pattern_, sizeof(Index), {}, -1, -1, &slots_, std::vector<int>(pattern_.members().size(), 0)};
    if (stays) {
      array_.resize(static_cast<std::size_t>(pattern_.to().elements(self)));
      demand.local_slot = 0, demand.wants_array = all;
      slots_.push_back(reinterpret_cast<std::byte*>(array_.data()));
    }
    declined_ = world.max(strategy.declines(demand).empty() ? 0 : 1) > 0;
    if (declined_) return;
    cost_ = strategy.cost(demand);
    exchange_ = strategy.bind(demand, group_.raw());
    EXPECT_EQ(exchange_->tiles(), pattern_.tiles());
    EXPECT_EQ(exchange_->landing().slot >= 0, strategy.has_landing());
    if (stays && pattern_.from().has_boxes() && pattern_.to().has_boxes() && !strategy.has_landing()) {
      check_what_stays(self, all);
      return;
    }
    const Layout& held = strategy.has_landing() ? pattern_.to() : pattern_.from();
    const View& array = strategy.has_landing() ? exchange_->landing() : exchange_->array();
    if (held.has_boxes()) {
      View whole = held.view(self);
      whole.slot = array.slot;
      EXPECT_EQ(array, whole);
      EXPECT_GE(array.slot, 0);
    } else {
      EXPECT_EQ(array.slot, -1);
    }
    EXPECT_GE(exchange_->bytes_owned(), held.elements(self) * static_cast<Index>(sizeof(Index)));
  }

  /// By some rank, so by all.
  bool declined() const { return declined_; }

  /// Poisons what may be written, waits, writes it. Whoever reads too early or too late reads
  /// poison.
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
          ADD_FAILURE() << "round " << round << ", tile " << t << ", " << point_string(point) << " of member "
                        << piece.peer << ": " << value(piece.at, point) << " instead of "
                        << marked(to_[static_cast<std::size_t>(take->at.at(point))], round);
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
  /// It lies in the to-array, and the exchange has room for what leaves alone, or for the whole
  /// from-array, where then what leaves lies.
  void check_what_stays(int self, bool whole) {
    EXPECT_EQ(exchange_->array().slot >= 0, whole);
    Index leaves = 0;
    for (int t = 0; t < exchange_->tiles(); ++t) {
      for (const Piece& piece : exchange_->tile(t).out) {
        EXPECT_EQ(piece.at.slot == 0, piece.peer == pattern_.rank());
        if (piece.at.slot == 0)
          EXPECT_EQ(piece.at, pattern_.to().view(self, 0).cut(piece.at.box));
        else
          leaves += piece.at.box.volume();
        if (whole && piece.at.slot != 0) {
          EXPECT_EQ(piece.at, exchange_->array().cut(piece.at.box));
        }
      }
      for (const Piece& piece : exchange_->tile(t).in) EXPECT_EQ(piece.at.slot == 0, piece.peer == pattern_.rank());
    }
    constexpr Index pages = 3 * 4096, flags = 256;
    if (whole) leaves = pattern_.from().elements(self);
    EXPECT_LE(exchange_->bytes_owned(),
              leaves * static_cast<Index>(sizeof(Index)) + flags * exchange_->tiles() + pages);
  }

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
  std::vector<Index> array_;
  std::unique_ptr<Exchange> exchange_;
  bool declined_ = false;
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
  const auto slab = [&](int axis, const Split& split = Split::even()) {
    return Layout::slab(shape, axis, ranks, split);
  };
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

class InPlaceTest : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { EXPECT_EQ(mpi::live_handles(), handles_); }
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Strategy& used = strategy(GetParam());

 private:
  mpi::Handles handles_ = mpi::live_handles();
};

TEST_P(InPlaceTest, TinyEveryPatternAndCut) {
  for (const Case& c : cases(world.size()))
    for (int axis = -1; axis < 3; ++axis) {
      if (axis >= 0 && !(c.from.has_boxes() && c.to.has_boxes())) continue;
      SCOPED_TRACE(std::string(c.name) + ", cut on axis " + std::to_string(axis));
      Redistribution test(world, used,
                          Pattern(c.from, c.to, world.rank(), {axis, axis < 0 ? 0 : 1 + axis % 2}, c.periodic));
      if (test.declined()) continue;
      for (int round = 0; round < 4; ++round) test.round(round, round / 2 == 0);
      test.check_traffic(4);
    }
}

// What stays on a rank may be written where it is going: nothing else comes there.
TEST_P(InPlaceTest, TinyWhatStaysIsWhereItGoes) {
  for (const Case& c : cases(world.size())) {
    if (!c.periodic.empty()) continue;
    for (int axis = -1; axis < (c.from.has_boxes() && c.to.has_boxes() ? 3 : 0); ++axis)
      for (const bool whole : {false, true}) {
        SCOPED_TRACE(std::string(c.name) + ", cut on axis " + std::to_string(axis) +
                     (whole ? ", in a whole array" : ""));
        Redistribution test(world, used, Pattern(c.from, c.to, world.rank(), {axis, axis < 0 ? 0 : 2}), true, whole);
        if (test.declined()) continue;
        test.delay(static_cast<unsigned>(world.rank() + 1));
        for (int round = 0; round < 4; ++round) test.round(round, round / 2 == 0);
        test.check_traffic(4);
      }
  }
}

TEST_P(InPlaceTest, TinyTheWayBack) {
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(world, used, Pattern(c.from, c.to, world.rank(), {}, c.periodic).adjoint());
    if (test.declined()) continue;
    for (int round = 0; round < 2; ++round) test.round(round, true);
  }
}

TEST_P(InPlaceTest, ManyRoundsWithLateRanks) {
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(
        world, used,
        Pattern(c.from, c.to, world.rank(), c.from.has_boxes() && c.to.has_boxes() ? Cut{0, 2} : Cut{}, c.periodic));
    if (test.declined()) continue;
    test.delay(static_cast<unsigned>(world.rank() + 1));
    for (int round = 0; round < 100; ++round) test.round(round, round % 3 == 0);
  }
}

TEST_P(InPlaceTest, TinyOnAWindowOfMpi) {
  const Environment window("WEFT_SHARED_MEMORY", "window");
  for (const Case& c : cases(world.size())) {
    SCOPED_TRACE(c.name);
    Redistribution test(world, used, Pattern(c.from, c.to, world.rank(), {}, c.periodic));
    if (test.declined()) continue;
    for (int round = 0; round < 4; ++round) test.round(round, true);
  }
}

TEST_P(InPlaceTest, TinyDeclinesSeveralNodesAndFailsAlike) {
  const int ranks = world.size();
  Slots slots;
  const Pattern pattern(Layout::slab({4, 4}, 0, ranks), Layout::replicated({4, 4}, ranks), world.rank());
  Demand demand{pattern, 8, {}, -1, -1, &slots, std::vector<int>(pattern.members().size(), 3)};
  EXPECT_EQ(used.declines(demand), "");
  if (demand.pattern.ranks() > 1) {
    demand.nodes.back() = 4;
    EXPECT_NE(used.declines(demand).find("different nodes"), std::string::npos);
  }
  const Communicator group = world.split(demand.pattern.members()[0]);
  const Environment forbidden("WEFT_SHARED_MEMORY", group.rank() == 0 ? "none" : "own");
  EXPECT_THROW(used.bind(demand, group.raw()), Error);
}

TEST_P(InPlaceTest, TinyOnlyValuesToAddUpAndRunsAreDeclined) {
  for (const Case& c : cases(world.size())) {
    const bool runs = !c.from.has_boxes() || !c.to.has_boxes();
    EXPECT_EQ(Redistribution(world, used, Pattern(c.from, c.to, world.rank(), {}, c.periodic)).declined(),
              used.has_landing() && runs)
        << c.name;
  }
}

// Results that a caller holds between rounds are his until he comes back, however early his peers
// do.
TEST_P(InPlaceTest, TinyALandingIsHeld) {
  if (!used.has_landing()) GTEST_SKIP() << "no landing";
  const Shape shape{6, 5};
  const Pattern pattern(Layout::slab(shape, 0, world.size()), Layout::slab(shape, 1, world.size()), world.rank());
  const Communicator group = world.split(pattern.members()[0]);
  Slots slots;
  const auto exchange = used.bind(
      {pattern, sizeof(Index), {}, -1, -1, &slots, std::vector<int>(pattern.members().size(), 0)}, group.raw());
  exchange->lend_landing();
  const auto each = [&](const std::vector<Piece>& pieces, auto&& f) {
    for (const Piece& piece : pieces)
      each_point(piece.at.box, [&](const Shape& p) {
        f(reinterpret_cast<Index*>(slots[static_cast<std::size_t>(piece.at.slot)])[piece.at.at(p)]);
      });
  };
  for (Index round = 0; round < 50; ++round) {
    exchange->close(0);
    exchange->open(0);
    each(exchange->tile(0).out, [&](Index& value) { value = round; });
    exchange->start(0);
    exchange->finish(0);
    if ((round + group.rank()) % 7 == 0) usleep(300);
    each(exchange->tile(0).in, [&](const Index& value) { ASSERT_EQ(value, round); });
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, InPlaceTest, testing::Values("direct", "deposit"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace weft

// Every strategy, over every kind of pattern: each element says where it comes from and in which
// round, and is checked where it arrives, round after round, in every order of the verbs that
// schedules use, however ranks are delayed. What is written too early or read too late meets
// poison.
#include <gtest/gtest.h>

#include <weft/exchange.hpp>

#include <array>
#include <bit>
#include <random>

#include <unistd.h>

#include "mpi/messages.hpp"
#include "support/allocations.hpp"
#include "support/nodes.hpp"
#include "support/oracle.hpp"

namespace weft {
namespace {

using mpi::Communicator;

template <class T>
class Set {
 public:
  Set(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Set() { variable_ = before_; }

 private:
  T &variable_, before_;
};

/// The bytes of an element in a round; elements of one byte cannot tell all indices apart, but
/// most.
std::byte byte_of(Index index, Index round, Index i) {
  std::uint64_t h = (static_cast<std::uint64_t>(index) * 64 + static_cast<std::uint64_t>(round)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::byte>((h ^ h >> 29) >> (8 * (i % 8)) & 0xff);
}

/// A strategy bound to a pattern, between arrays of global indices.
class Redistribution {
 public:
  Redistribution(const Communicator& world, const Strategy& strategy, const Pattern& pattern, Index element_bytes,
                 const Few<int>& periodic, const std::vector<int>& nodes)
      : pattern_(pattern),
        bytes_(element_bytes),
        group_(world.split(pattern.members()[0])),
        random_(static_cast<unsigned>(world.rank())) {
    const int self = pattern_.members()[static_cast<std::size_t>(pattern_.rank())];
    from_ = oracle::global_indices(pattern_.from(), self, pattern_.is_adjoint() ? periodic : Few<int>{});
    to_ = oracle::global_indices(pattern_.to(), self, pattern_.is_adjoint() ? Few<int>{} : periodic);
    for (auto* arrays : {&from_arrays_, &to_arrays_})
      for (auto& array : *arrays)
        array.resize(static_cast<std::size_t>((arrays == &from_arrays_ ? from_ : to_).size()) *
                     static_cast<std::size_t>(bytes_));
    slots_ = {from_arrays_[0].data(), to_arrays_[0].data()};
    const int axes = pattern_.from().axes();
    Order reversed;
    for (int a = axes - 1; a >= 0; --a) reversed.push_back(a);
    Demand demand{pattern_, bytes_, bytes_ % 3 == 0 ? reversed : Order{}, 0, 1, &slots_, {}};
    for (const int member : pattern_.members()) demand.nodes.push_back(nodes.at(static_cast<std::size_t>(member)));
    declined_ = world.gather_all(strategy.declines(demand));
    for (const std::string& reason : declined_)
      if (!reason.empty()) return;
    cost_ = strategy.cost(demand);
    exchange_ = strategy.bind(demand, group_.raw());
    EXPECT_EQ(exchange_->tiles(), pattern_.tiles());
    EXPECT_EQ(exchange_->traffic(), Traffic{});
  }

  bool declined() const { return !exchange_; }
  Exchange& exchange() { return *exchange_; }
  const Communicator& group() const { return group_; }
  const Cost& cost() const { return cost_; }
  int tiles() const { return pattern_.tiles(); }

  /// Other arrays for the next round, as when the caller passes other pointers.
  void change_arrays(Index round) {
    slots_[0] = from_arrays_[static_cast<std::size_t>(round % 2)].data();
    slots_[1] = to_arrays_[static_cast<std::size_t>(round % 2)].data();
  }

  void write(int t, Index round) {
    exchange_->open(t);
    const std::vector<Index> sequence = indices(pattern_.tile(t).gives, from_);
    each_element(exchange_->tile(t).out,
                 [&](std::size_t, std::byte* element) { std::fill_n(element, bytes_, std::byte{0xee}); });
    hesitate();
    each_element(exchange_->tile(t).out, [&](std::size_t i, std::byte* element) {
      for (Index b = 0; b < bytes_; ++b) element[b] = byte_of(sequence.at(i), round, b);
    });
    hesitate();
  }

  void read(int t, Index round) {
    exchange_->finish(t);
    hesitate();
    const std::vector<Index> sequence = indices(pattern_.tile(t).takes, to_);
    std::size_t count = 0, wrong = 0;
    each_element(exchange_->tile(t).in, [&](std::size_t i, const std::byte* element) {
      ++count;
      for (Index b = 0; b < bytes_; ++b)
        if (i >= sequence.size() || element[b] != byte_of(sequence[i], round, b)) return void(++wrong);
    });
    EXPECT_EQ(count, sequence.size()) << "in tile " << t << " of round " << round;
    EXPECT_EQ(wrong, 0u) << "of " << count << " elements in tile " << t << " of round " << round;
    exchange_->close(t);
  }

  void rounds(Index count) {
    for (Index round = 0; round < count; ++round) {
      change_arrays(round);
      delay_ = group_.size() > 1 && group_.rank() == round % group_.size();
      // All tiles at once, one by one, or two under way.
      const int window = round % 3 == 0 ? tiles() : static_cast<int>(round % 3);
      for (int t = 0; t < tiles() + window; ++t) {
        if (t >= window) read(t - window, round);
        if (t >= tiles()) continue;
        write(t, round);
        exchange_->start(t);
        exchange_->test();
      }
      EXPECT_TRUE(exchange_->test());
    }
  }

 private:
  /// The global indices of pieces, peer by peer in the order of the sequence that both sides agree
  /// on.
  std::vector<Index> indices(const std::vector<Piece>& pieces, const std::vector<Index>& array) const {
    std::vector<Index> all;
    for (const Piece& piece : pieces)
      oracle::each_point(piece.at.box, [&](const Shape& point) {
        all.push_back(array.at(static_cast<std::size_t>(piece.at.at(point))));
      });
    return all;
  }
  template <class F>
  void each_element(const std::vector<Piece>& pieces, F&& f) {
    std::size_t i = 0;
    for (const Piece& piece : pieces)
      oracle::each_point(piece.at.box, [&](const Shape& point) {
        f(i++, slots_.at(static_cast<std::size_t>(piece.at.slot)) + piece.at.at(point) * bytes_);
      });
  }
  void hesitate() {
    if (delay_ && random_() % 8 == 0) usleep(static_cast<useconds_t>(random_() % 200));
  }

  Pattern pattern_;
  Index bytes_;
  Communicator group_;
  std::mt19937 random_;
  bool delay_ = false;
  std::vector<Index> from_, to_;
  std::array<std::vector<std::byte>, 2> from_arrays_, to_arrays_;
  Slots slots_;
  std::vector<std::string> declined_;
  Cost cost_;
  std::unique_ptr<Exchange> exchange_;
};

struct Case {
  std::string name;
  Layout from, to;
  Few<int> periodic{};
  bool back = false;  ///< the adjoint as well
  bool tiny = false;

  bool cuttable() const { return from.has_boxes() && to.has_boxes(); }
};

std::vector<Case> cases(int ranks) {
  const Index n = ranks;
  const int a = ranks % 2 == 0 ? 2 : 1, b = ranks / a;
  const auto boxes = [&](const Layout& layout) {
    std::vector<Box> all;
    for (int r = 0; r < ranks; ++r) all.push_back(layout.box(r));
    return all;
  };
  std::vector<Box> truncated, corner(static_cast<std::size_t>(ranks), Box::whole({0, 0, 0}));
  for (const Box& box : boxes(Layout::slab({6, 5, 7}, 1, ranks)))
    truncated.push_back(box.intersect({{1, 0, 2}, {5, 4, 6}}));
  corner.back() = {{2, 1, 0}, {3, 4, 4}};
  std::vector<std::vector<Stick>> sticks(static_cast<std::size_t>(ranks));
  for (Index x = 0; x < 5; ++x)
    for (Index y = 0; y < 4; ++y)
      if ((x + y) % 3 != 1) sticks[static_cast<std::size_t>((3 * x + y) % n)].push_back({{x, y}, y % 2, 6 - x % 2});

  std::vector<Case> all;
  const auto slabs = [&](const std::string& name, const Shape& shape, bool tiny) {
    all.push_back({name + " slabs", Layout::slab(shape, 0, ranks), Layout::slab(shape, 1, ranks), {}, false, tiny});
    all.push_back(
        {name + " slabs back", Layout::slab(shape, 1, ranks), Layout::slab(shape, 0, ranks), {}, false, false});
  };
  slabs("even", {2 * n, n, 3}, true);
  slabs("uneven", {18, 21, 13}, false);
  slabs("prime", {7, 11, 13}, false);
  slabs("few planes", {2, 5, 3}, true);
  slabs("1x64x64", {1, 64, 64}, false);
  slabs("64x1x1", {64, 1, 1}, false);
  all.push_back({"pencils", Layout::grid({5, 6, 7}, {1, a, b}), Layout::grid({5, 6, 7}, {a, 1, b}), {}, true, false});
  all.push_back({"pencils of FFTW's blocks, other orders",
                 Layout::grid({7, 9, 4}, {a, b, 1}, Split::blocks(), {2, 0, 1}),
                 Layout::grid({7, 9, 4}, {1, a, b}, Split::even(), {1, 2, 0}).ordered({1, 2, 0}, {0, 1, 2})});
  all.push_back(
      {"bricks", Layout::grid({6, 5, 4, 3}, {1, a, b, 1}), Layout::grid({6, 5, 4, 3}, {b, 1, 1, a}), {}, false, false});
  all.push_back({"halo",
                 Layout::grid({4, 5, 3}, {a, b, 1}),
                 Layout::grid({4, 5, 3}, {a, b, 1}).grown({1, 1, 2}),
                 {1, 1, 1},
                 true,
                 true});
  all.push_back({"halo with edges",
                 Layout::grid({8, 7}, {b, a}),
                 Layout::grid({8, 7}, {b, a}).grown({2, 1}),
                 {1, 0},
                 true,
                 false});
  all.push_back({"replicate", Layout::slab({4, 3, 3}, 0, ranks), Layout::replicated({4, 3, 3}, ranks), {}, true, true});
  all.push_back({"truncate", Layout::slab({6, 5, 7}, 0, ranks), Layout({6, 5, 7}, truncated), {}, true, true});
  all.push_back({"all for one", Layout::slab({4, 4, 4}, 0, ranks), Layout({4, 4, 4}, corner), {}, true, false});
  all.push_back({"sticks", Layout::sticks({5, 4, 6}, sticks), Layout::slab({5, 4, 6}, 2, ranks), {}, true, true});
  const Layout lattice = Layout::grid({4, 6, 5}, {a, b, 1});
  all.push_back({"checkerboard", lattice, Layout::checkerboard({4, 6, 5}, boxes(lattice)), {}, true, false});
  all.push_back({"checkerboard to slabs",
                 Layout::checkerboard({4, 6, 5}, boxes(lattice)),
                 Layout::slab({4, 6, 5}, 1, ranks),
                 {},
                 false,
                 false});
  return all;
}

std::vector<Cut> cuts(const Case& c, bool tiny) {
  std::vector<Cut> all{{}};
  if (!c.cuttable()) return all;
  all.push_back({0, 1});
  if (tiny) return all;
  for (int axis = 1; axis < c.from.axes(); ++axis) all.push_back({axis, axis + 1});
  return all;
}

class Strategies : public testing::TestWithParam<const Strategy*> {
 protected:
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::Handles before = mpi::live_handles();

  /// How many of the patterns the strategy took.
  int run(bool tiny, Index rounds, const std::vector<Index>& element_bytes, const std::vector<int>& asked = {}) {
    const std::vector<int> nodes = world.nodes(asked);
    int taken = 0;
    std::size_t turn = 0;
    for (const Case& c : cases(world.size())) {
      if (tiny && !c.tiny) continue;
      for (const Cut& cut : cuts(c, tiny))
        for (const bool back : {false, true}) {
          if (back && !c.back) continue;
          const Index bytes = element_bytes[turn++ % element_bytes.size()];
          SCOPED_TRACE(std::string(GetParam()->name()) + ": " + c.name + (back ? ", adjoint" : "") + ", cut " +
                       std::to_string(cut.axis) + " by " + std::to_string(cut.size) + ", " + std::to_string(bytes) +
                       " bytes");
          Pattern pattern(c.from, c.to, world.rank(), cut, c.periodic);
          if (back) pattern = pattern.adjoint();
          Redistribution redistribution(world, *GetParam(), pattern, bytes, c.periodic, nodes);
          if (redistribution.declined()) continue;
          ++taken;
          redistribution.rounds(rounds);
          compare_with_cost(redistribution, rounds);
          if (HasFailure()) return taken;
        }
    }
    EXPECT_EQ(mpi::live_handles(), before);
    return taken;
  }

  /// What was counted in so many rounds is what the strategy foretold.
  static void compare_with_cost(Redistribution& redistribution, Index rounds) {
    const Traffic traffic = redistribution.exchange().traffic();
    const Cost& cost = redistribution.cost();
    EXPECT_EQ(redistribution.group().max(traffic.calls), rounds * cost.calls);
    EXPECT_EQ(redistribution.group().max(traffic.messages), rounds * cost.messages);
    EXPECT_EQ(redistribution.group().max(traffic.bytes), rounds * cost.bytes);
  }
};

TEST_P(Strategies, Patterns) { EXPECT_GT(run(false, 4, {1, 4, 8, 16, 24}), 0) << "declined every pattern"; }

TEST_P(Strategies, TinyPatterns) { EXPECT_GT(run(true, 2, {8, 24}), 0) << "declined every pattern"; }

TEST_P(Strategies, CountsBeyondAnInt) {
  const Set small(mpi::count_limit, Index{7});
  EXPECT_GT(run(true, 2, {24, 1}), 0) << "declined every pattern";
}

TEST_P(Strategies, SynchronousSends) {
  const Set synchronous(mpi::synchronous_sends, true), older_mpi(mpi::persistent_collectives, false);
  EXPECT_GT(run(true, 2, {16}), 0) << "declined every pattern";
}

TEST_P(Strategies, TinyExecutionAllocatesNothing) {
  const Layout from = Layout::slab({world.size(), 2 * world.size(), 3}, 0, world.size()),
               to = Layout::slab(from.shape(), 1, world.size());
  Redistribution redistribution(world, *GetParam(), Pattern(from, to, world.rank(), {2, 1}), 16, {}, world.nodes());
  ASSERT_FALSE(redistribution.declined());
  redistribution.rounds(1);
  Exchange& exchange = redistribution.exchange();
  const long allocated = allocations();
  for (int round = 0; round < 3; ++round) {
    for (int t = 0; t < exchange.tiles(); ++t) {
      exchange.open(t);
      exchange.start(t);
    }
    exchange.test();
    for (int t = 0; t < exchange.tiles(); ++t) {
      exchange.finish(t);
      exchange.close(t);
    }
  }
  EXPECT_EQ(allocations(), allocated);
}

TEST_P(Strategies, Nodes) {
  if (!knows_nodes(*GetParam())) return;  // the same whatever the nodes
  for (const auto& [name, nodes] : node_layouts(world.size())) {
    SCOPED_TRACE(name);
    EXPECT_GT(run(false, 3, {16, 1, 24}, nodes), 0);
    if (HasFailure()) return;
    if (name != "two ranks a node") continue;
    const Set small(mpi::count_limit, Index{7});
    const Set synchronous(mpi::synchronous_sends, true);
    EXPECT_GT(run(true, 2, {24, 1}, nodes), 0);
  }
}

// Blocks that several ranks carry, in many pieces, whose ends are not those of what ranks wrote.
TEST_P(Strategies, LongBlocksBetweenNodes) {
  if (!knows_nodes(*GetParam())) return;
  const Layout from = Layout::slab({2 * world.size(), 2 * world.size() + 1, 3}, 0, world.size()),
               to = Layout::slab(from.shape(), 1, world.size());
  for (const auto& [name, nodes] : node_layouts(world.size())) {
    SCOPED_TRACE(name);
    Redistribution redistribution(world, *GetParam(), Pattern(from, to, world.rank(), {2, 2}), 15000, {},
                                  world.nodes(nodes));
    redistribution.rounds(3);
    compare_with_cost(redistribution, 3);
  }
}

TEST_P(Strategies, TinyNodes) {
  const bool knows = knows_nodes(*GetParam());
  const Layout from = Layout::slab({world.size(), 2 * world.size() + 1, 3}, 0, world.size()),
               to = Layout::slab(from.shape(), 1, world.size());
  for (const auto& [name, nodes] : node_layouts(world.size())) {
    SCOPED_TRACE(name);
    Redistribution redistribution(world, *GetParam(), Pattern(from, to, world.rank(), {2, 2}), 16, {},
                                  world.nodes(nodes));
    if (redistribution.declined()) continue;
    redistribution.rounds(2);
    compare_with_cost(redistribution, 2);
    if (!knows) return;  // the same whatever the nodes
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Strategies, testing::ValuesIn(strategies()),
                         [](const auto& strategy) { return std::string(strategy.param->name()); });

/// The published counts for one transpose of N^3 complex numbers between slabs on P ranks: calls a
/// rank and bytes a message, plane by plane.
TEST(StrategiesTiny, CallsOfFiveKernels) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Index P = world.size(), N = 4 * P;
  if (P == 1) GTEST_SKIP() << "nothing is sent";
  const Layout from = Layout::slab({N, N, N}, 0, world.size()), to = Layout::slab({N, N, N}, 1, world.size());
  struct Kernel {
    std::string strategy;
    Cut cut;
    Index calls;
  };
  const Cut plane{0, 1};
  for (const auto& [name, cut, calls] :
       {Kernel{"sendrecv_replace", plane, (P - 1) * N / P}, Kernel{"sendrecv", plane, 2 * (P - 1) * N / P},
        Kernel{"isend", plane, 2 * (P - 1) * N / P}, Kernel{"alltoall", plane, N / P}, Kernel{"alltoall", {}, 1}}) {
    Redistribution redistribution(world, strategy(name), Pattern(from, to, world.rank(), cut), 16, {}, world.nodes());
    ASSERT_FALSE(redistribution.declined());
    redistribution.rounds(1);
    const Index messages = (P - 1) * redistribution.tiles();
    EXPECT_EQ(redistribution.exchange().traffic(), (Traffic{calls, messages, (P - 1) * 16 * N * N * N / (P * P)}))
        << name;
    EXPECT_EQ(redistribution.tiles(), cut.axis < 0 ? 1 : N / P);
  }
}

/// Store and forward: ceil(log2 P) messages, and a block that goes i ranks on travels once for
/// every bit of i.
TEST(StrategiesTiny, RoundsOfStoreAndForward) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Index P = world.size(), N = 2 * P + 1;
  const Layout from = Layout::slab({N, N}, 0, world.size()), to = Layout::slab({N, N}, 1, world.size());
  Redistribution redistribution(world, strategy("bruck"), Pattern(from, to, world.rank()), 16, {}, world.nodes());
  ASSERT_FALSE(redistribution.declined());
  redistribution.rounds(1);
  Index rounds = 0, blocks = 0;
  while (Index{1} << rounds < P) ++rounds;
  for (Index i = 1; i < P; ++i) blocks += std::popcount(static_cast<std::uint64_t>(i));
  // The largest block is 3 x 2
  EXPECT_EQ(redistribution.exchange().traffic(), (Traffic{rounds, rounds, 16 * 6 * blocks}));
}

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(StrategiesTiny, UnknownNamesListAll) {
  const std::string error = message([] { strategy("alltoal"); });
  EXPECT_EQ(error.find("there is no strategy 'alltoal'; there are alltoall, alltoallv, padded"), 0u) << error;
}

TEST(StrategiesTiny, DeclinedDemandsFailOnAllRanks) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const mpi::Handles before = mpi::live_handles();
  if (world.size() > 1) {
    Slots slots;
    const Layout from = Layout::slab({5, 7}, 0, world.size()), to = Layout::slab({5, 7}, 1, world.size());
    const Pattern pattern(from, to, world.rank());
    const Communicator group = world.split(pattern.members()[0]);
    const Demand demand{pattern, 8, {}, -1, -1, &slots, std::vector<int>(pattern.members().size(), 0)};
    for (const std::string name : {"alltoall", "datatype", "unpacked"})
      if (pattern.ranks() > 1) {
        const std::string error = message([&] { strategy(name).bind(demand, group.raw()); });
        EXPECT_EQ(error.find("rank 0: " + name + ": "), 0u) << error;
      }
  }
  EXPECT_EQ(mpi::live_handles(), before);
}

/// A user's own: another name for a known one.
class Mine final : public Strategy {
 public:
  explicit Mine(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "alltoallv by another name"; }
  std::string declines(const Demand& demand) const override { return known().declines(demand); }
  Cost cost(const Demand& demand) const override { return known().cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return known().bind(demand, group);
  }

 private:
  static const Strategy& known() { return strategy("alltoallv"); }
  std::string name_;
};

TEST(StrategiesTiny, UsersAddTheirOwn) {
  for (const char* wrong : {"", "isend", "auto", "tune", "all", "a,b", "a b"})
    EXPECT_NE(message([&] { add(std::make_unique<Mine>(wrong)); }), "nothing was thrown") << wrong;
  EXPECT_NE(message([] { add(nullptr); }), "nothing was thrown");
  const std::size_t count = strategies().size();
  add(std::make_unique<Mine>("mine"));
  EXPECT_EQ(strategies().size(), count + 1);
  EXPECT_EQ(strategy("mine").name(), "mine");
}

}  // namespace
}  // namespace weft

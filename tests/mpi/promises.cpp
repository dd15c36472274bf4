// What exchanges promise between ranks, as data, against what they do: whoever goes on has waited
// for all that it says it waits for, however ranks are delayed; and each element that is read is of
// its round.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <tuple>

#include <unistd.h>

#include "mpi/communicator.hpp"
#include "support/nodes.hpp"
#include "support/plans.hpp"
#include "support/wrapped.hpp"

namespace weft {
namespace {

using mpi::Communicator;
using Verb = Exchange::Verb;

/// When a verb of a tile began and ended, round by round. Ranks are on one machine and read one
/// clock.
struct Times {
  std::vector<Index> begun, done;
};

class Stress {
 public:
  Stress(const Communicator& world, const Strategy& strategy, const Pattern& pattern, int ring,
         const std::vector<int>& nodes)
      : pattern_(pattern),
        ahead_(ring > 0 ? ring : pattern.tiles()),
        group_(world.split(pattern.members()[0])),
        random_(static_cast<unsigned>(world.rank() + 1)) {
    const int rank = world.rank();
    from_.resize(static_cast<std::size_t>(pattern_.from().elements(rank)));
    to_.resize(static_cast<std::size_t>(pattern_.to().elements(rank)));
    slots_ = {reinterpret_cast<std::byte*>(from_.data()), reinterpret_cast<std::byte*>(to_.data())};
    Demand demand{.pattern = pattern_,
                  .element_bytes = sizeof(double),
                  .from_slot = 0,
                  .to_slot = 1,
                  .slots = &slots_,
                  .buffered_tiles = ring};
    for (const int member : pattern_.members()) demand.nodes.push_back(nodes[static_cast<std::size_t>(member)]);
    if (world.max(strategy.declines(demand).empty() ? 0 : 1)) return;
    exchange_ = strategy.bind(demand, group_.raw());
    times_.resize(static_cast<std::size_t>(4 * exchange_->tiles()));
  }

  bool declined() const { return !exchange_; }

  /// Elements that were not of their round, and waits that did not wait. One rank after the other
  /// is late before one verb of one tile, a round each, so long that whoever does not wait for it
  /// goes on.
  std::pair<Index, Index> run() {
    const int tiles = exchange_->tiles(), rounds = tiles * verbs * group_.size();
    for (round_ = 0; round_ < rounds; ++round_) {
      for (int t = 0; t < tiles; ++t) {
        if (t >= ahead_) take(t - ahead_);
        late(Verb::open, t);
        call(Verb::open, t);
        late(Verb::start, t);
        each(exchange_->tile(t).out, [&](double& element, double expected) { element = expected; });
        call(Verb::start, t);
      }
      for (int t = std::max(0, tiles - ahead_); t < tiles; ++t) take(t);
    }
    return {wrong_, early(rounds)};
  }

 private:
  static constexpr int verbs = 4;

  Times& times(Verb verb, int t) {
    return times_[static_cast<std::size_t>(static_cast<int>(verb) * exchange_->tiles() + t)];
  }
  static Index now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

  void late(Verb verb, int t) {
    const int point = static_cast<int>(verb) + verbs * (t + exchange_->tiles() * group_.rank());
    if (point == round_)
      usleep(1500);
    else if (random_() % 16 == 0)
      usleep(random_() % 200);
  }

  void call(Verb verb, int t) {
    Times& times = this->times(verb, t);
    times.begun.push_back(now());
    switch (verb) {
      case Verb::open:
        exchange_->open(t);
        break;
      case Verb::start:
        exchange_->start(t);
        break;
      case Verb::finish:
        exchange_->finish(t);
        break;
      case Verb::close:
        exchange_->close(t);
        break;
    }
    times.done.push_back(now());
  }

  void take(int t) {
    late(Verb::finish, t);
    call(Verb::finish, t);
    late(Verb::close, t);
    each(exchange_->tile(t).in, [&](double& element, double expected) { wrong_ += element != expected; });
    call(Verb::close, t);
  }

  template <class F>
  void each(const std::vector<Piece>& pieces, F&& f) {
    for (const Piece& piece : pieces) {
      auto* const base = reinterpret_cast<double*>(slots_[static_cast<std::size_t>(piece.at.slot)]);
      Shape p = piece.at.box.lo;
      for (int a = 0; a >= 0;) {
        f(base[piece.at.at(p)], value(position(p, pattern_.from().shape()) * 64 + round_ % 64));
        a = p.size() - 1;
        while (a >= 0 && ++p[a] == piece.at.box.hi[a]) p[a] = piece.at.box.lo[a], --a;
      }
    }
  }

  /// Of all ranks together: how often a verb was done before what it says it waits for had begun.
  Index early(int rounds) {
    const int tiles = exchange_->tiles(), self = pattern_.rank();
    std::vector<Index> begun;
    for (int verb = 0; verb < 4; ++verb)
      for (int t = 0; t < tiles; ++t)
        for (int r = 0; r < rounds; ++r)
          begun.push_back(times(static_cast<Verb>(verb), t).begun[static_cast<std::size_t>(r)]);
    const auto all = group_.gather_all(begun);
    Index count = 0;
    for (const auto& w : exchange_->promises(self).waits)
      for (int r = 0; r < rounds; ++r) {
        if (r < w.rounds) continue;
        const auto theirs =
            all[static_cast<std::size_t>(w.member)]
               [static_cast<std::size_t>((static_cast<int>(w.of) * tiles + w.of_tile) * rounds + r - w.rounds)];
        count += times(w.verb, w.tile).done[static_cast<std::size_t>(r)] < theirs;
      }
    return count;
  }

  Pattern pattern_;
  int ahead_;  // so many tiles are started before the first is finished
  Communicator group_;
  std::minstd_rand random_;
  std::vector<double> from_, to_;
  Slots slots_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<Times> times_;  // by verb and tile
  int round_ = 0;
  Index wrong_ = 0;
};

struct Outcome {
  bool ran;
  Index wrong, early;
};

/// Of `fields` tiles, of which a ring has room for so many; 0: all start before any is finished, so
/// that no order of a member's own takes the place of what the exchange waits for.
Outcome stressed(const Communicator& comm, const Strategy& strategy, const std::vector<int>& nodes, Index fields,
                 int ring) {
  const Shape shape{fields, 4, 6};
  const Layout from = Layout::slab(shape, 1, comm.size()), to = Layout::slab(shape, 2, comm.size());
  Stress stress(comm, strategy, Pattern(from, to, comm.rank(), Cut{.axis = 0, .size = 1}), ring, nodes);
  if (stress.declined()) return {false, 0, 0};
  const auto [wrong, early] = stress.run();
  return {true, comm.sum(wrong), comm.sum(early)};
}

TEST(Promises, AreKept) {
  const Communicator comm = Communicator::duplicate(world);
  std::vector<std::pair<Index, int>> cases{{5, 2}, {3, 0}};  // fields and room
  if (!crowded()) cases = {{1, 0}, {5, 2}, {4, 3}, {5, 0}};
  std::size_t ran = 0;
  for (const Strategy* strategy : strategies()) {
    auto layouts = node_layouts(comm.size());
    if (!knows_nodes(*strategy)) layouts.resize(1);
    for (const auto& [name, nodes] : layouts)
      for (const auto& [fields, ring] : cases) {
        SCOPED_TRACE(std::string(strategy->name()) + ", " + name + ", " + std::to_string(fields) +
                     " fields, a ring of " + std::to_string(ring));
        const Outcome outcome = stressed(comm, *strategy, nodes, fields, ring);
        EXPECT_EQ(outcome.wrong, 0);
        EXPECT_EQ(outcome.early, 0);
        ran += outcome.ran;
      }
  }
  EXPECT_GE(ran, strategies().size() * cases.size() / 2);
}

TEST(Promises, OneThatIsNotKeptIsCaught) {
  const Communicator comm = Communicator::duplicate(world);
  if (comm.size() == 1) return;
  const std::vector<int> one_node(static_cast<std::size_t>(comm.size()), 0);
  for (const Verb forgotten : {Verb::open, Verb::finish})
    for (const auto& [name, ring] : {std::pair{"direct", 2}, {"direct", 0}, {"deposit", 0}, {"node", 0}}) {
      SCOPED_TRACE(std::string(name) + ", which forgets " + (forgotten == Verb::open ? "open" : "finish"));
      const Forgetful strategy(weft::strategy(name), "forgetful", forgotten, true);
      const Outcome outcome = stressed(comm, strategy, one_node, 5, ring);
      EXPECT_TRUE(outcome.ran);
      EXPECT_GT(outcome.early, 0);
      EXPECT_GT(outcome.wrong, 0);
    }
}

}  // namespace
}  // namespace weft

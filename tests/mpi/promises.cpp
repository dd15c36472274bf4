// What exchanges promise between ranks, as data, against what they do: whoever goes on has waited for all that it says it waits for, however
// ranks are delayed; and each element that is read is of its round.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <tuple>

#include <unistd.h>

#include "mpi/communicator.hpp"
#include "support/nodes.hpp"
#include "support/plans.hpp"

namespace weft {
namespace {

using mpi::Communicator;
using Verb = Exchange::Verb;

/// When a verb of a tile began and ended, round by round. Ranks are on one machine and read one clock.
struct Times {
  std::vector<Index> begun, done;
};

class Stress {
 public:
  Stress(const Communicator& world, const Strategy& strategy, const Pattern& pattern, int ring, const std::vector<int>& nodes)
      : pattern_(pattern), ring_(ring), group_(world.split(pattern.members()[0])), random_(static_cast<unsigned>(world.rank() + 1)) {
    const int rank = world.rank();
    from_.resize(static_cast<std::size_t>(pattern_.from().elements(rank)));
    to_.resize(static_cast<std::size_t>(pattern_.to().elements(rank)));
    slots_ = {reinterpret_cast<std::byte*>(from_.data()), reinterpret_cast<std::byte*>(to_.data())};
    Demand demand{.pattern = pattern_, .element_bytes = sizeof(double), .from_slot = 0, .to_slot = 1, .slots = &slots_, .ring = ring};
    for (const int member : pattern_.members()) demand.nodes.push_back(nodes[static_cast<std::size_t>(member)]);
    if (world.max(strategy.declines(demand).empty() ? 0 : 1)) return;
    exchange_ = strategy.bind(demand, group_.raw());
    times_.resize(static_cast<std::size_t>(4 * exchange_->tiles()));
  }

  bool declined() const { return !exchange_; }

  /// Elements that were not of their round, and waits that did not wait.
  std::pair<Index, Index> run(int rounds) {
    const int tiles = exchange_->tiles();
    for (round_ = 0; round_ < rounds; ++round_) {
      for (int t = 0; t < tiles; ++t) {
        if (t >= ring_) take(t - ring_);
        call(Verb::open, t);
        each(exchange_->tile(t).out, [&](double& element, double expected) { element = expected; });
        call(Verb::start, t);
      }
      for (int t = std::max(0, tiles - ring_); t < tiles; ++t) take(t);
    }
    return {wrong_, early(rounds)};
  }

 private:
  Times& times(Verb verb, int t) { return times_[static_cast<std::size_t>(static_cast<int>(verb) * exchange_->tiles() + t)]; }
  static Index now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

  void call(Verb verb, int t) {
    if (random_() % 8 == 0) usleep(random_() % 400);
    Times& times = this->times(verb, t);
    times.begun.push_back(now());
    switch (verb) {
      case Verb::open: exchange_->open(t); break;
      case Verb::start: exchange_->start(t); break;
      case Verb::finish: exchange_->finish(t); break;
      case Verb::close: exchange_->close(t); break;
    }
    times.done.push_back(now());
  }

  void take(int t) {
    call(Verb::finish, t);
    if (random_() % 4 == 0) usleep(random_() % 400);
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
        for (int r = 0; r < rounds; ++r) begun.push_back(times(static_cast<Verb>(verb), t).begun[static_cast<std::size_t>(r)]);
    const auto all = group_.gather_all(begun);
    Index count = 0;
    for (const auto& w : exchange_->promises(self).waits)
      for (int r = 0; r < rounds; ++r) {
        if (r < w.rounds) continue;
        const auto theirs = all[static_cast<std::size_t>(w.member)][static_cast<std::size_t>((static_cast<int>(w.of) * tiles + w.of_tile) * rounds + r - w.rounds)];
        count += times(w.verb, w.tile).done[static_cast<std::size_t>(r)] < theirs;
      }
    return count;
  }

  Pattern pattern_;
  int ring_;
  Communicator group_;
  std::minstd_rand random_;
  std::vector<double> from_, to_;
  Slots slots_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<Times> times_;  // by verb and tile
  int round_ = 0;
  Index wrong_ = 0;
};

std::pair<Index, Index> stressed(const Communicator& comm, const Strategy& strategy, const Pattern& pattern, int ring, const std::vector<int>& nodes, int rounds, bool& ran) {
  Stress stress(comm, strategy, pattern, ring, nodes);
  ran = !stress.declined();
  const auto [wrong, early] = ran ? stress.run(rounds) : std::pair<Index, Index>{0, 0};
  return {comm.sum(wrong), comm.sum(early)};
}

Pattern tiled(int rank, int ranks, Index fields) {
  const Shape shape{fields, 4, 6};
  return Pattern(Layout::slab(shape, 1, ranks), Layout::slab(shape, 2, ranks), rank, Cut{.axis = 0, .size = 1});
}

TEST(Promises, AreKept) {
  const Communicator comm = Communicator::duplicate(world);
  const int ranks = comm.size(), rounds = crowded() ? 12 : 40;
  int met = 0;
  for (const Strategy* strategy : strategies())
    for (const auto& [name, nodes] : node_layouts(ranks))
      for (const auto& [fields, ring] : {std::pair{1, 1}, {5, 2}, {4, 3}, {7, 3}}) {
        if (crowded() && fields == 4) continue;
        SCOPED_TRACE(std::string(strategy->name()) + ", " + name + ", " + std::to_string(fields) + " fields, a ring of " + std::to_string(ring));
        bool ran = false;
        const auto [wrong, early] = stressed(comm, *strategy, tiled(comm.rank(), ranks, fields), ring, nodes, rounds, ran);
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(early, 0);
        met += ran;
      }
  EXPECT_GE(met, 30);
}

/// direct, but for an open that does not wait.
class Forgetful final : public Strategy {
 public:
  std::string_view name() const override { return "forgets-open"; }
  std::string_view summary() const override { return "for tests"; }
  std::string declines(const Demand& demand) const override { return strategy("direct").declines(demand); }
  Cost cost(const Demand& demand) const override { return strategy("direct").cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override { return std::make_unique<Bound>(strategy("direct").bind(demand, group)); }

 private:
  class Bound final : public Exchange {
   public:
    explicit Bound(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {
      for (int t = 0; t < inner_->tiles(); ++t) tiles_.push_back(inner_->tile(t));
    }
    Promises promises(int self) const override { return inner_->promises(self); }
    void start(int t) override { inner_->start(t); }
    void finish(int t) override { inner_->finish(t); }
    void close(int t) override { inner_->close(t); }

   private:
    std::unique_ptr<Exchange> inner_;
  };
};

TEST(Promises, OneThatIsNotKeptIsCaught) {
  const Communicator comm = Communicator::duplicate(world);
  if (comm.size() == 1) return;
  bool ran = false;
  const auto [wrong, early] = stressed(comm, Forgetful(), tiled(comm.rank(), comm.size(), 5), 2, std::vector<int>(static_cast<std::size_t>(comm.size()), 0), 100, ran);
  EXPECT_TRUE(ran);
  EXPECT_GT(early, 0);
  EXPECT_GT(wrong, 0);
}

}  // namespace
}  // namespace weft

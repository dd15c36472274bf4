// deposit: results written straight into the memory of the peers of the node that want them. What
// arrives lies in the to-layout's own order, in
// memory that a plan may hand to its caller: then nothing is copied after the last transform.
//
//   messages      none
//   extra memory  the to-array itself, which a plan may hand out as its output; two cache lines a
//                 tile
//   wins          for a last exchange whose result needs no further transform (natural output);
//                 where stores that need no answer beat loads
//   loses         across nodes (declined); where what is written would still have been in the
//                 writer's cache
//   source        one-sided puts into shared memory: Hoefler et al., Computing 95 (2013) 1121,
//                 doi:10.1007/s00607-013-0324-2
//
// Always true: flags count rounds and are never reset, and each is raised by its owner alone:
// `written` by who gives, `free` by who takes. A tile may
// be written in a round when all who take it have freed it as often.

#include <algorithm>

#include "strategies/awaited.hpp"
#include "strategies/in_place.hpp"

namespace weft {
namespace {

class Writing final : public Exchange {
 public:
  Writing(const Demand& demand, MPI_Comm group)
      : group_(mpi::Communicator::of(group)),
        arrays_(demand, held(demand.pattern), group_),
        states_(static_cast<std::size_t>(demand.pattern.tiles())) {
    const Pattern& pattern = demand.pattern;
    const int self = group_.rank(), own = arrays_.slots()[static_cast<std::size_t>(self)];
    landing_ = pattern.to().view(pattern.members()[static_cast<std::size_t>(self)], own);
    bytes_owned_ = arrays_.bytes_held();

    auto out = theirs("deposit", group_, arrays_.slots(), gives(pattern), takes(pattern), pattern);
    for (int t = 0; t < pattern.tiles(); ++t) {
      Tile& tile = tiles_.emplace_back(Tile{std::move(out[static_cast<std::size_t>(t)]), pattern.tile(t).takes});
      for (Piece& piece : tile.in) piece.at.slot = own;

      State& state = states_[static_cast<std::size_t>(t)];
      state.written = arrays_.flag(self, t, 0);
      state.free = arrays_.flag(self, t, 1);
      for (const int p : others(tile.out, self)) state.takers.push_back(arrays_.flag(p, t, 1));
      for (const int p : others(tile.in, self)) state.in.flags.push_back(arrays_.flag(p, t, 0));
      for (const Piece& piece : tile.out)
        if (piece.peer != self) state.bytes += piece.at.box.volume() * demand.element_bytes;
    }
  }

  Traffic traffic() const override { return {0, 0, bytes_written_}; }
  Promises promises(int self) const override {
    Promises promises;
    for (int t = 0; t < tiles(); ++t) {
      for (const int taker : others(tile(t).out, self))
        promises.waits.push_back({.verb = Verb::open,
                                  .tile = t,
                                  .member = taker,
                                  .of = Verb::close,
                                  .of_tile = t,
                                  .rounds = 1 - static_cast<int>(ahead_)});
      for (const int giver : others(tile(t).in, self))
        promises.waits.push_back({.verb = Verb::finish, .tile = t, .member = giver, .of = Verb::start, .of_tile = t});
    }
    promises.shared = arrays_.shared();
    return promises;
  }
  std::string note() const override { return arrays_.note(); }

  void lend_landing() override { ahead_ = 1; }

  void open(int t) override {
    const State& state = states_[static_cast<std::size_t>(t)];
    for (const mpi::Flag* taker : state.takers) taker->wait(state.in.round + ahead_, group_);
  }

  void start(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    state.written->raise(++state.in.round);
    bytes_written_ += state.bytes;
  }

  bool test() override {
    return std::all_of(states_.begin(), states_.end(), [](const State& state) { return state.in.here(); });
  }

  void finish(int t) override { states_[static_cast<std::size_t>(t)].in.wait(group_); }

  void close(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    state.free->raise(++state.freed);
  }

 private:
  struct State {
    mpi::Flag *written = nullptr, *free = nullptr;
    std::vector<const mpi::Flag*> takers;  ///< their `free`
    Awaited in;                            ///< `written` of those from whom something comes
    std::uint64_t freed = 0;
    Index bytes = 0;
  };

  static std::vector<Index> held(const Pattern& pattern) {
    std::vector<Index> elements;
    for (const int rank : pattern.members()) elements.push_back(pattern.to().elements(rank));
    return elements;
  }

  mpi::Communicator group_;
  SharedArrays arrays_;
  std::vector<State> states_;
  std::uint64_t ahead_ = 0;  // how many more times than it was written a tile must have been freed
  Index bytes_written_ = 0;
};

class Deposit final : public Strategy {
 public:
  std::string_view name() const override { return "deposit"; }
  std::string_view summary() const override { return "written straight into peers' memory; one node only"; }
  bool overlaps() const override { return true; }
  bool has_landing() const override { return true; }

  std::string declines(const Demand& demand) const override {
    if (!demand.pattern.from().has_boxes() || !demand.pattern.to().has_boxes())
      return "one of the layouts is a list of runs, which both sides cut as their own memory allows";
    if (demand.pattern.accumulates())
      return "values that come from several ranks are to be added, and would be written over one another";
    return apart(demand, "written");
  }
  /// Nothing passes through MPI; the bytes are those written to others.
  Cost cost(const Demand& demand) const override { return {.bytes = most_bytes(demand, &Pair::source)}; }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<Writing>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> deposit() { return std::make_unique<Deposit>(); }

}  // namespace weft

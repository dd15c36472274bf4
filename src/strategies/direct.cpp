// direct: peers of the node read in place. What leaves is written once, into shared memory in the
// from-layout's own order, and whoever gets
// it reads it there. No copy, no message, no barrier: a flag a tile says "written", a counter a
// tile says "read".
//
//   messages      none
//   extra memory  the from-array itself, which a plan may take as its own first array; else less
//                 what stays on its rank, where that may lie in the to-array; of a batch whose
//                 fields follow one another no more of them than the client has open; two cache
//                 lines a tile
//   wins          wherever all members share a node: bytes cross memory once, and each tile is
//                 waited for alone
//   loses         across nodes (declined); where readers are on another socket and read the same
//                 bytes several times
//   source        MPI-3 shared memory windows: Hoefler et al., Computing 95 (2013) 1121,
//                 doi:10.1007/s00607-013-0324-2
//
// Always true: flags count rounds and are never reset; only its owner raises `written`, and all who
// read a tile add to `read`, so that the
// tile may be written again when the sum is rounds times readers. In a ring tile t lies in place t
// % room, and waits for the readers of the tile that lay
// there last: `room` tiles before it in this round, or the last one of that place in the round
// before.

#include <algorithm>

#include "strategies/awaited.hpp"
#include "strategies/in_place.hpp"

namespace weft {
namespace {

class Reading final : public Exchange {
 public:
  Reading(const Demand& demand, MPI_Comm group)
      : group_(mpi::Communicator::of(group)),
        room_(room(demand)),
        stays_(demand.local_slot >= 0 && room_ == demand.pattern.tiles() && demand.pattern.from().has_boxes() &&
               demand.pattern.to().has_boxes()),
        whole_(!stays_ || demand.wants_array),
        arrays_(demand, held(demand), group_),
        states_(static_cast<std::size_t>(demand.pattern.tiles())) {
    const Pattern& pattern = demand.pattern;
    const int self = group_.rank(), own = arrays_.slots()[static_cast<std::size_t>(self)];
    if (whole_ && pattern.from().has_boxes() && room_ == pattern.tiles())
      array_ = pattern.from().view(pattern.members()[static_cast<std::size_t>(self)], own);
    bytes_owned_ = arrays_.bytes_held();

    const Pieces out = placed(demand, own);
    auto in = theirs("direct", group_, arrays_.slots(), takes(pattern), out, pattern);
    for (int t = 0; t < pattern.tiles(); ++t) {
      Tile& tile =
          tiles_.emplace_back(Tile{out[static_cast<std::size_t>(t)], std::move(in[static_cast<std::size_t>(t)])});
      for (Piece& piece : tile.in)
        if (stays_ && piece.peer == self) piece.at.slot = demand.local_slot;

      State& state = states_[static_cast<std::size_t>(t)];
      state.written = arrays_.flag(self, t, 0);
      state.read = arrays_.flag(self, t, 1);
      state.readers = others(tile.out, self).size();
      for (const int p : others(tile.in, self)) {
        state.in.flags.push_back(arrays_.flag(p, t, 0));
        state.taken.push_back(arrays_.flag(p, t, 1));
      }
      for (const Piece& piece : tile.in)
        if (piece.peer != self) state.bytes += piece.at.box.volume() * demand.element_bytes;
    }
  }

  Traffic traffic() const override { return {0, 0, bytes_read_}; }
  Promises promises(int self) const override {
    Promises promises;
    for (int t = 0; t < tiles(); ++t) {
      const int there = before(t);
      for (const int reader : others(tile(there).out, self))
        promises.waits.push_back({.verb = Verb::open,
                                  .tile = t,
                                  .member = reader,
                                  .of = Verb::close,
                                  .of_tile = there,
                                  .rounds = there < t ? 0 : 1});
      for (const int giver : others(tile(t).in, self))
        promises.waits.push_back({.verb = Verb::finish, .tile = t, .member = giver, .of = Verb::start, .of_tile = t});
    }
    promises.shared = arrays_.shared();
    return promises;
  }
  std::string note() const override {
    std::string text = arrays_.note();
    if (room_ < tiles())
      text += (text.empty() ? "" : "; ") + std::string("its array holds ") + std::to_string(room_) + " of " +
              std::to_string(tiles()) + " tiles at a time";
    return text;
  }

  void open(int t) override {
    const State& state = states_[static_cast<std::size_t>(before(t))];
    state.read->wait(state.in.round * state.readers, group_);
  }

  void start(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    state.written->raise(++state.in.round);
  }

  bool test() override {
    return std::all_of(states_.begin(), states_.end(), [](const State& state) { return state.in.here(); });
  }

  void finish(int t) override {
    State& state = states_[static_cast<std::size_t>(t)];
    state.in.wait(group_);
    bytes_read_ += state.bytes;
  }

  void close(int t) override {
    for (mpi::Flag* read : states_[static_cast<std::size_t>(t)].taken) read->add();
  }

 private:
  /// Flags of a tile: `written`, raised by its owner to the round, and `read`, to which every
  /// reader adds.
  struct State {
    mpi::Flag *written = nullptr, *read = nullptr;
    Awaited in;                     ///< `written` of those from whom something comes
    std::vector<mpi::Flag*> taken;  ///< their `read`
    std::uint64_t readers = 0;
    Index bytes = 0;
  };

  /// The tile that lay last where tile t lies: in the round before where it is not before t.
  int before(int t) const { return t >= room_ ? t - room_ : t + (tiles() - 1 - t) / room_ * room_; }

  /// How many tiles the arrays have room for.
  static int room(const Demand& demand) {
    const Pattern& pattern = demand.pattern;
    const Layout& from = pattern.from();
    const int all = pattern.tiles(), axis = pattern.cut().axis;
    if (demand.buffered_tiles < 1 || demand.buffered_tiles >= all || !from.has_boxes() || from.order()[0] != axis)
      return all;
    const auto whole = [&](int rank) {
      return from.box(rank).empty() || from.box(rank).extent(axis) == from.shape()[axis];
    };
    return std::all_of(pattern.members().begin(), pattern.members().end(), whole) ? demand.buffered_tiles : all;
  }

  /// A rank's fields as a ring has them, had it room for all. Planes that lie whole pages apart
  /// meet in few sets of a cache where they are read across: there a row more comes between them.
  /// Not in fields of two axes: their rows lose by it.
  static View fields(const Demand& demand, int rank, int slot) {
    constexpr Index page = 4096, line = 64, short_row = 4 * line;
    const Layout& from = demand.pattern.from();
    const Order& order = from.order();
    const View dense = dense_view(from.box(rank), order, {}, slot);
    if (order.size() < 4) return dense;
    const Index plane = dense.strides[order[1]] * demand.element_bytes,
                row = dense.strides[order[2]] * demand.element_bytes;
    if (plane % page != 0 || row % line != 0 || row < short_row) return dense;
    Shape padding = Shape::filled(from.axes(), 0);
    padding[order[2]] = 1;
    return dense_view(dense.box, order, padding, slot);
  }

  /// Elements that each member's array has room for.
  std::vector<Index> held(const Demand& demand) const {
    const Pattern& pattern = demand.pattern;
    std::vector<Index> elements(pattern.members().size(), 0);
    for (int t = 0; !whole_ && t < pattern.tiles(); ++t)
      pattern.each_count(t, [&](int source, int target, Index count) {
        if (source != target) elements[static_cast<std::size_t>(source)] += count;
        return true;
      });
    for (std::size_t p = 0; whole_ && p < elements.size(); ++p) {
      elements[p] = pattern.from().elements(pattern.members()[p]);
      if (room_ < pattern.tiles())
        elements[p] = fields(demand, pattern.members()[p], -1).strides[pattern.cut().axis] * pattern.cut().size * room_;
    }
    return elements;
  }

  /// What leaves: in the from-layout's memory, or, where that has no room for what stays elsewhere,
  /// piece behind piece in its order.
  Pieces placed(const Demand& demand, int own) const {
    const Pattern& pattern = demand.pattern;
    Pieces all = gives(pattern);
    const View ring = room_ < pattern.tiles()
                          ? fields(demand, pattern.members()[static_cast<std::size_t>(group_.rank())], own)
                          : View();
    Index next = 0;
    for (int t = 0; t < pattern.tiles(); ++t)
      for (Piece& piece : all[static_cast<std::size_t>(t)]) {
        piece.at.slot = own;
        if (stays_ && piece.peer == group_.rank()) {
          piece.at = pattern.to()
                         .view(pattern.members()[static_cast<std::size_t>(piece.peer)], demand.local_slot)
                         .cut(piece.at.box);
        } else if (!whole_) {
          piece.at = dense_view(piece.at.box, pattern.from().order(), {}, own, next);
          next += piece.at.box.volume();
        } else if (room_ < pattern.tiles()) {
          piece.at = ring.cut(piece.at.box);
          piece.at.offset -= t / room_ * room_ * pattern.cut().size * piece.at.strides[pattern.cut().axis];
        }
      }
    return all;
  }

  mpi::Communicator group_;
  int room_;
  bool stays_;  // what stays on a rank lies in its to-array from the start
  bool whole_;  // the array has room for it all the same
  SharedArrays arrays_;
  std::vector<State> states_;
  Index bytes_read_ = 0;
};

class Direct final : public Strategy {
 public:
  std::string_view name() const override { return "direct"; }
  std::string_view summary() const override { return "peers' memory read in place, no copies; one node only"; }
  bool overlaps() const override { return true; }
  bool reads_in_place() const override { return true; }

  std::string declines(const Demand& demand) const override { return apart(demand, "read"); }
  /// Nothing passes through MPI; the bytes are those read from others.
  Cost cost(const Demand& demand) const override { return {.bytes = most_bytes(demand, &Pair::target)}; }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<Reading>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> direct() { return std::make_unique<Direct>(); }

}  // namespace weft

// unpacked: MPI_Isend of every run of memory from where it lies in the array, received one behind
// the other.
//
//   messages      one for every run of what goes to a peer in a tile: planes x (P - 1) where slabs
//                 become slabs, each an MPI_Isend and an MPI_Irecv
//   extra memory  a receive buffer and the requests; what leaves stays where it is, and what stays
//                 on the rank is read there
//   wins          long runs, few ranks: the transforms before it work in place, and nothing is
//                 written for sending alone, which past the caches costs as much as the exchange
//   loses         many ranks, where runs are short
//   source        Hoefler & Gottlieb, EuroMPI 2010, doi:10.1007/978-3-642-15646-5_14: nothing is
//                 packed; here without datatypes, which MPIs copy piece by piece
//
// Always true: both sides cut a piece into the same runs, from the giver's box and order, and
// messages of one tag keep their order.
#include "mpi/memory.hpp"
#include "strategies/nodes.hpp"
#include "strategies/packed.hpp"

namespace weft {
namespace {

/// Elements of `part` that follow one another in the memory of a box that holds it, as `layout` has
/// it.
Index run(const Box& part, const Box& whole, const Layout& layout) {
  const Order& order = layout.order();
  Index elements = 1;
  for (int k = order.size(); k-- > 0;) {
    elements *= part.extent(order[k]);
    const bool padded = !layout.padding().empty() && layout.padding()[order[k]] != 0;
    if (padded || part.extent(order[k]) != whole.extent(order[k])) break;
  }
  return elements;
}

/// A giver's box has the shape of its array; a piece of it has coordinates of the destination, so
/// that extents alone count.
Index run(const Pattern& pattern, int giver, const Box& part) {
  const Layout& from = pattern.from();
  return run(part, from.box(pattern.members()[static_cast<std::size_t>(giver)]), from);
}

std::string declined(const Demand& demand) {
  const Pattern& pattern = demand.pattern;
  if (demand.from_slot < 0) return "no array to send from is on offer";
  if (!demand.from_preserved)
    return "what stays on a rank is read where it was written, and there the output is written; work out of place";
  if (!pattern.from().has_boxes() || !pattern.to().has_boxes())
    return "one of the layouts is a list of runs, of which the other side does not know where they end; use isend";
  constexpr Index many = 64, short_bytes = 1024;
  for (int t = 0; t < pattern.tiles(); ++t)
    for (const bool out : {true, false})
      for (const Piece& piece : out ? pattern.tile(t).gives : pattern.tile(t).takes) {
        const Index length = run(pattern, out ? pattern.rank() : piece.peer, piece.at.box),
                    runs = piece.at.box.volume() / length;
        if (piece.peer != pattern.rank() && runs > many && length * demand.element_bytes < short_bytes)
          return std::to_string(runs) + " runs of " + std::to_string(length * demand.element_bytes) +
                 " bytes go from one rank to another, each as a message; use isend, which packs them";
      }
  return {};
}

class UnpackedExchange final : public Exchange {
 public:
  UnpackedExchange(const Demand& demand, MPI_Comm group)
      : comm_(mpi::Communicator::of(group)),
        element_(mpi::Datatype::bytes(demand.element_bytes)),
        slots_(*demand.slots),
        from_(demand.from_slot) {
    comm_.agree([&] {
      if (const std::string why = declined(demand); !why.empty()) throw Error("unpacked: " + why);
      const Pattern& pattern = demand.pattern;
      array_ = pattern.from().view(pattern.members()[static_cast<std::size_t>(pattern.rank())], from_);
      const Index bytes = lay_out(demand);
      memory_ = allocate(bytes);
      slots_[static_cast<std::size_t>(in_slot_)] = memory_.get();
      bytes_owned_ = bytes;
    });
  }

  Traffic traffic() const override { return comm_.traffic(); }
  Promises promises(int self) const override { return by_messages(*this, self); }
  bool test() override {
    return std::all_of(under_way_.begin(), under_way_.end(), [](mpi::Requests& requests) { return requests.test(); });
  }
  // Addresses are looked up here: the caller's arrays may change between executions.
  void start(int t) override {
    const auto i = static_cast<std::size_t>(t);
    for (const Runs& in : in_[i])
      for (const Index at : in.at) mpi::ireceive(comm_, memory_.get() + at, in.amount, in.peer, tag(t), under_way_[i]);
    for (const Runs& out : out_[i])
      for (const Index at : out.at)
        mpi::isend(comm_, slots_[static_cast<std::size_t>(from_)] + at, out.amount, out.peer, tag(t), under_way_[i]);
  }
  /// Waiting for what is sent as well leaves the array to who writes it next.
  void finish(int t) override { under_way_[static_cast<std::size_t>(t)].wait(); }

 private:
  /// Messages of equal size for one peer.
  struct Runs {
    int peer;
    mpi::Amount amount;
    std::vector<Index> at;  ///< bytes from the array's, or the receive buffer's, begin
  };

  /// Bytes of the receive buffer; its slot is there then.
  Index lay_out(const Demand& demand) {
    const Pattern& pattern = demand.pattern;
    const Order& order = pattern.from().order();
    in_slot_ = static_cast<int>(slots_.size());
    slots_.push_back(nullptr);
    constexpr Index line = 64;
    Index end = 0;
    for (int t = 0; t < pattern.tiles(); ++t) {
      Tile tile{pattern.tile(t).gives, pattern.tile(t).takes};
      std::vector<std::vector<Runs>> give(static_cast<std::size_t>(pattern.ranks())), take(give.size());
      std::size_t count = 0, own = 0;
      for (Piece& piece : tile.out) {
        piece.at.slot = from_;
        if (piece.peer == pattern.rank()) continue;
        Runs runs = cut(piece, run(pattern, pattern.rank(), piece.at.box), order);
        count += runs.at.size();
        give[static_cast<std::size_t>(piece.peer)].push_back(std::move(runs));
      }
      for (Piece& piece : tile.in) {
        if (piece.peer == pattern.rank()) {
          while (tile.out[own].peer != pattern.rank()) ++own;
          piece = tile.out[own++];
          continue;
        }
        const Index align = (line - end * element_.size() % line) % line;
        piece.at = dense_view(piece.at.box, order, {}, in_slot_,
                              end + (align % element_.size() == 0 ? align / element_.size() : 0));
        end = piece.at.offset + piece.at.box.volume();
        Runs runs = cut(piece, run(pattern, piece.peer, piece.at.box), order);
        count += runs.at.size();
        take[static_cast<std::size_t>(piece.peer)].push_back(std::move(runs));
      }
      tiles_.push_back(std::move(tile));
      under_way_.emplace_back(count);
      in_.emplace_back(), out_.emplace_back();
      around(pattern.rank(), pattern.ranks(), [&](int to, int from) {
        for (Runs& runs : give[static_cast<std::size_t>(to)]) out_.back().push_back(std::move(runs));
        for (Runs& runs : take[static_cast<std::size_t>(from)]) in_.back().push_back(std::move(runs));
      });
    }
    return std::max<Index>(end * element_.size(), line);
  }

  /// A piece in runs of `length`, which follow one another as the axes' order has them.
  Runs cut(const Piece& piece, Index length, const Order& order) const {
    const View& view = piece.at;
    Runs runs{piece.peer, mpi::Amount(length, element_), {}};
    Index dense = 1;
    int inner = order.size();  // axes from here on are inside a run
    for (; inner > 0 && dense < length; --inner) {
      const int axis = order[inner - 1];
      if (view.box.extent(axis) > 1 && view.strides[axis] != dense)
        throw Error("unpacked: the array is not as dense as its layout says; use isend");
      dense *= view.box.extent(axis);
    }
    for (Index number = 0; number < view.box.volume() / length; ++number) {
      Index rest = number, offset = view.offset;
      for (int k = inner; k-- > 0;) {
        offset += rest % view.box.extent(order[k]) * view.strides[order[k]];
        rest /= view.box.extent(order[k]);
      }
      runs.at.push_back(offset * element_.size());
    }
    return runs;
  }

  mpi::Communicator comm_;
  mpi::Datatype element_;
  Slots& slots_;
  int from_, in_slot_ = -1;
  std::shared_ptr<std::byte> memory_;        ///< what arrives
  std::vector<std::vector<Runs>> out_, in_;  ///< by tile
  std::vector<mpi::Requests> under_way_;     ///< by tile
};

class Unpacked final : public Strategy {
 public:
  std::string_view name() const override { return "unpacked"; }
  std::string_view summary() const override {
    return "MPI_Isend of every run straight from the array, received one behind the other";
  }
  std::string declines(const Demand& demand) const override { return declined(demand); }
  bool overlaps() const override { return true; }
  Cost cost(const Demand& demand) const override {
    const Pattern& pattern = demand.pattern;
    const auto ranks = static_cast<std::size_t>(pattern.ranks());
    std::vector<Index> sent(ranks, 0), received(ranks, 0), bytes(ranks, 0);
    Leaving leaving(demand);
    Cost cost;
    for (int t = 0; t < pattern.tiles(); ++t) {
      bool any = false;
      pattern.each_box(t, [&](int source, int target, const Box& box) {
        if (source == target) return;
        any = true;
        const Index elements = box.volume(), runs = elements / run(pattern, source, box);
        sent[static_cast<std::size_t>(source)] += runs;
        received[static_cast<std::size_t>(target)] += runs;
        bytes[static_cast<std::size_t>(source)] += elements * demand.element_bytes;
        leaving.add(source, target, runs, elements * demand.element_bytes);
      });
      cost.depth += any;
    }
    for (std::size_t r = 0; r < ranks; ++r) cost.calls = std::max(cost.calls, sent[r] + received[r]);
    cost.messages = *std::max_element(sent.begin(), sent.end());
    cost.bytes = *std::max_element(bytes.begin(), bytes.end());
    leaving.into(cost);
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<UnpackedExchange>(demand, group);
  }
};

}  // namespace

std::unique_ptr<Strategy> unpacked() { return std::make_unique<Unpacked>(); }

}  // namespace weft

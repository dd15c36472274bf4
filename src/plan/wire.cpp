#include "plan/wire.hpp"

#include <cstdlib>

#include "mpi/memory.hpp"

namespace weft {
namespace {

Demand narrowed(Demand demand) {
  demand.element_bytes /= 2;
  demand.from_slot = demand.to_slot = demand.local_slot = -1;  // arrays hold doubles
  return demand;
}

bool dense(const View& view) {
  Index reach = 1;
  for (int a = 0; a < view.box.axes(); ++a) reach += (view.box.extent(a) - 1) * std::abs(view.strides[a]);
  return view.box.empty() || reach == view.box.volume();
}

/// Offers memory of doubles that is laid out as another exchange's, which sends floats.
class SingleExchange final : public Exchange {
 public:
  SingleExchange(std::unique_ptr<Exchange> sent, const Demand& demand) : sent_(std::move(sent)), slots_(*demand.slots) {
    const int out_slot = static_cast<int>(slots_.size()), in_slot = out_slot + 1, self = demand.pattern.rank();
    Index out_end = 0, in_end = 0;  // elements
    for (int t = 0; t < sent_->tiles(); ++t) {
      Tile tile = sent_->tile(t);
      const Index stays = out_end;  // written once and read there
      out_end += elements(tile.out, self);
      const auto place = [&](std::vector<Piece>& pieces, Index own, Index& end, int slot) {
        std::vector<Run> runs;
        for (Piece& piece : pieces) {
          if (!dense(piece.at))
            throw Error("its memory is not packed, and only packed memory can be made of another precision");
          const bool here = piece.peer == self;
          Index& at = here ? own : end;
          const Index count = piece.at.box.volume();
          if (!here)
            runs.push_back({piece.at.slot, piece.at.offset * demand.element_bytes / 2, at * demand.element_bytes,
                            count * demand.element_bytes / static_cast<Index>(sizeof(double))});
          piece.at.slot = here ? out_slot : slot;
          piece.at.offset = at;
          at += count;
        }
        return runs;
      };
      leave_.push_back(place(tile.out, stays, out_end, out_slot));
      arrive_.push_back(place(tile.in, stays, in_end, in_slot));
      tiles_.push_back(std::move(tile));
    }
    element_bytes_ = demand.element_bytes;
    out_ = allocate(out_end * demand.element_bytes);
    in_ = allocate(in_end * demand.element_bytes);
    slots_.insert(slots_.end(), {out_.get(), in_.get()});
    bytes_owned_ = sent_->bytes_owned() + (out_end + in_end) * demand.element_bytes;
  }

  Traffic traffic() const override { return sent_->traffic(); }
  /// What the exchange beneath promises. Its memory is written before its own start, which may tell
  /// peers at once, and read after its own finish.
  Promises promises(int self) const override {
    Promises promises = sent_->promises(self);
    for (auto& touch : promises.touches)
      if (touch.element_bytes == 0) touch.element_bytes = element_bytes_ / 2;
    for (int t = 0; t < tiles(); ++t) {
      const auto &out = tile(t).out, &in = tile(t).in, &narrow_out = sent_->tile(t).out, &narrow_in = sent_->tile(t).in;
      for (std::size_t k = 0; k < out.size(); ++k) {
        if (out[k].peer == self) continue;
        promises.touches.push_back({t, Verb::start, Verb::start, out[k].at, false});
        promises.touches.push_back({t, Verb::open, Verb::start, narrow_out[k].at, true, element_bytes_ / 2, true});
      }
      for (std::size_t k = 0; k < in.size(); ++k) {
        if (in[k].peer == self) continue;
        promises.touches.push_back({t, Verb::finish, Verb::finish, narrow_in[k].at, false, element_bytes_ / 2});
        promises.touches.push_back({t, Verb::finish, Verb::finish, in[k].at, true});
      }
    }
    return promises;
  }
  void open(int t) override { sent_->open(t); }
  void start(int t) override {
    for (const Run& run : leave_[static_cast<std::size_t>(t)]) {
      const auto* from = reinterpret_cast<const double*>(out_.get() + run.wide);
      auto* to = reinterpret_cast<float*>(narrow(run));
      for (Index k = 0; k < run.count; ++k) to[k] = static_cast<float>(from[k]);
    }
    sent_->start(t);
  }
  bool test() override { return sent_->test(); }
  void finish(int t) override {
    sent_->finish(t);
    for (const Run& run : arrive_[static_cast<std::size_t>(t)]) {
      const auto* from = reinterpret_cast<const float*>(narrow(run));
      auto* to = reinterpret_cast<double*>(in_.get() + run.wide);
      for (Index k = 0; k < run.count; ++k) to[k] = static_cast<double>(from[k]);
    }
  }
  void close(int t) override { sent_->close(t); }

 private:
  struct Run {
    int slot;           // of the floats
    Index narrow;       // where they begin there, bytes
    Index wide, count;  // where the doubles begin in the memory here, bytes, and how many numbers there are
  };
  std::byte* narrow(const Run& run) const { return slots_[static_cast<std::size_t>(run.slot)] + run.narrow; }

  std::unique_ptr<Exchange> sent_;
  Slots& slots_;
  std::vector<std::vector<Run>> leave_, arrive_;  // by tile
  std::shared_ptr<std::byte> out_, in_;
  Index element_bytes_ = 0;
};

class SingleOnWire final : public Strategy {
 public:
  explicit SingleOnWire(const Strategy& sent) : sent_(sent) {}
  std::string_view name() const override { return sent_.name(); }
  std::string_view summary() const override { return sent_.summary(); }
  std::string declines(const Demand& demand) const override {
    const Demand narrow = narrowed(demand);
    if (const std::string reason = sent_.declines(narrow); !reason.empty()) return reason;
    const Cost cost = sent_.cost(narrow);
    return cost.bytes > 0 && cost.messages == 0 ? "it sends no messages that single precision could shorten" : "";
  }
  bool overlaps() const override { return sent_.overlaps(); }
  Cost cost(const Demand& demand) const override {
    Cost cost = sent_.cost(narrowed(demand));
    cost.copied += 2 * cost.bytes;
    return cost;
  }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<SingleExchange>(sent_.bind(narrowed(demand), group), demand);
  }

 private:
  const Strategy& sent_;
};

}  // namespace

std::shared_ptr<const Strategy> single_on_wire(const Strategy& sent) { return std::make_shared<SingleOnWire>(sent); }

}  // namespace weft

// Redistribution without a transform: copies from the caller's array to where the exchange sends
// from, and back from where it receives.
#include "plan/redistribute.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "geometry/boxes.hpp"
#include "geometry/checked.hpp"
#include "plan/report/record.hpp"
#include "plan/route/problem.hpp"
#include "plan/stage/mover.hpp"

namespace weft {
namespace {

constexpr int from_slot = 0, to_slot = 1;

/// Whether both views are the same bytes: element p of one is where that of the other is, wherever
/// their boxes lie.
bool same_place(const View& a, const View& b, const Slots& slots, Index bytes) {
  const auto address = [&](const View& view) {
    return slots[static_cast<std::size_t>(view.slot)] + view.offset * bytes;
  };
  for (int i = 0; i < a.box.axes(); ++i)
    if (a.box.extent(i) > 1 && a.strides[i] != b.strides[i]) return false;
  return address(a) == address(b);
}

/// Collective: fails alike on all ranks unless they gave the same, and that can be done.
Pattern checked_pattern(const mpi::Communicator& all, const Layout& from, const Layout& to, Index element_bytes,
                        const RedistributionOptions& options) {
  all.same("the bytes of an element", std::to_string(element_bytes));
  all.same("the strategy", options.strategy);
  all.same("WEFT_CHECK", all.agree([] { return std::string(compares_calls() ? "1" : "0"); }));
  all.same("the periodic axes", point_string(Shape(options.periodic.begin(), options.periodic.end())));
  all.same("the layout that data comes from", from.describe(true));
  all.same("the layout that data goes to", to.describe(true));
  if (element_bytes < 1) throw Error("elements of " + std::to_string(element_bytes) + " bytes: give at least 1");
  for (const Layout* layout : {&from, &to})
    if (layout->ranks() != all.size())
      throw Error("the layout " + layout->describe() + " does not fit a communicator of " + std::to_string(all.size()) +
                  " ranks: make both for as many");
  if (!options.periodic.empty() && options.periodic.size() != from.axes())
    throw Error("periodic says something of " + std::to_string(options.periodic.size()) +
                " axes, and the arrays have " + std::to_string(from.axes()) + ": give one number for each, or none");
  all.agree([&] {
    checked::bytes(from.elements(all.rank()), element_bytes, "the array that data comes from");
    checked::bytes(to.elements(all.rank()), element_bytes, "the array that data goes to");
  });
  return all.agree([&] { return Pattern(from, to, all.rank(), {}, options.periodic); });
}

}  // namespace

Redistribution::Body::Body(mpi::Communicator comm, const Layout& from, const Layout& to, Index element_bytes,
                           const RedistributionOptions& options, const Machine& machine)
    : comm_(std::move(comm)),
      pattern_(checked_pattern(comm_, from, to, element_bytes, options)),
      bytes_(element_bytes),
      compares_(compares_calls()),
      number_(comm_.next_number()) {
  Demand demand{.pattern = pattern_,
                .element_bytes = bytes_,
                .from_slot = from_slot,
                .to_slot = to_slot,
                .slots = &slots_,
                .nodes = comm_.nodes(options.nodes)};
  bound_ = bind_strategy(comm_, demand, options.strategy, false, machine);
  strategy = bound_.strategy->name();
  for (int t = 0; t < bound_.exchange->tiles(); ++t) plan_tile(t, pattern_.tile(t), bound_.exchange->tile(t));
  record(mpi::traced(comm_));
}

void Redistribution::Body::execute(const void* from, void* to) {
  if (compares_) {
    comm_.same("the call", "redistribution " + std::to_string(number_) + " (" + strategy + ")");
    comm_.agree([&] { check_call(from, to); });
  } else {
    check_call(from, to);
  }
  slots_[from_slot] = static_cast<std::byte*>(const_cast<void*>(from));  // nothing writes to slot 0
  slots_[to_slot] = static_cast<std::byte*>(to);
  const mpi::Task task("redistribute", strategy);
  trace::Run run(recorder_.get(), list_);
  const Traffic before = run ? bound_.exchange->traffic() : Traffic{};
  try {
    run_steps(run);
  } catch (...) {  // MPI has failed: exchanges are out of step, and would wait for ever
    failure_ = std::current_exception();
    throw;
  }
  if (run) {
    const Traffic after = bound_.exchange->traffic();
    run.sent({after.calls - before.calls, after.messages - before.messages, after.bytes - before.bytes});
  }
}

void Redistribution::Body::check_call(const void* from, const void* to) {
  if (failure_) throw_failed("redistribution", failure_);
  const int rank = comm_.rank();
  if ((!from && pattern_.from().elements(rank) > 0) || (!to && pattern_.to().elements(rank) > 0))
    throw Error("rank " + std::to_string(rank) + ": the " + (from ? "output" : "input") +
                " array of a redistribution is a null pointer");
  const auto *const in = static_cast<const std::byte*>(from), *const out = static_cast<const std::byte*>(to);
  overlap_ = std::less<>{}(in, out + pattern_.to().elements(rank) * bytes_) &&
             std::less<>{}(out, in + pattern_.from().elements(rank) * bytes_);
  if (overlap_) examine(in, out);
}

void Redistribution::Body::run_steps(trace::Run& run) {
  trace::Laps laps(run, 0);
  for (int k = 0; const Step& step : steps_) {
    if (step.kind == Step::Kind::work) {
      for (const Move& move : moves_[static_cast<std::size_t>(step.first * parts + step.of)])
        if (!overlap_ || !same_place(move.from, move.to, slots_, bytes_))
          copy(move.from, slots_, move.to, slots_, bytes_);
    } else {
      take(*bound_.exchange, step);
    }
    laps.did(k++);
  }
}

void Redistribution::Body::examine(const std::byte* from, const std::byte* to) {
  const std::ptrdiff_t distance = reinterpret_cast<std::intptr_t>(from) - reinterpret_cast<std::intptr_t>(to);
  if (examined_ == distance) return;
  const int rank = comm_.rank(), self = pattern_.rank();
  const auto refuse = [&](const std::string& why) {
    throw Error("rank " + std::to_string(rank) + ": the arrays of a redistribution overlap, and " + why +
                "; give two arrays, or let what is read and what is written be apart but for elements that stay in "
                "their place");
  };
  const Index count = pattern_.to().elements(rank);
  std::vector<bool> written(static_cast<std::size_t>(count)), stays(written.size());
  // of what is read, from `to` on
  const auto place = [&](const View& view, const Shape& point) { return distance + view.at(point) * bytes_; };
  bool any_stays = false;
  for (int t = 0; t < pattern_.tiles(); ++t) {
    const Pattern::Tile& tile = pattern_.tile(t);
    for (const Piece& take : tile.takes)
      each_point(take.at.box, [&](const Shape& point) { written[static_cast<std::size_t>(take.at.at(point))] = true; });
    each_common(for_peer(self, tile.gives), for_peer(self, tile.takes), [&](int, const View& give, const View& take) {
      each_point(give.box, [&](const Shape& point) {
        const Index at = take.at(point);
        if (place(give, point) == at * bytes_) any_stays = stays[static_cast<std::size_t>(at)] = true;
      });
    });
  }
  for (int t = 0; t < pattern_.tiles(); ++t) {
    for (const Piece& give : pattern_.tile(t).gives)
      each_point(give.at.box, [&](const Shape& point) {
        const Index first = place(give.at, point), last = first + bytes_ - 1;
        for (const Index byte : {first, last}) {
          if (byte < 0 || byte / bytes_ >= count) continue;
          const Index at = byte / bytes_;
          if (written[static_cast<std::size_t>(at)] && !(stays[static_cast<std::size_t>(at)] && first == at * bytes_))
            refuse("element " + std::to_string(at) + " of the output is also one that is read");
        }
      });
    if (!any_stays) continue;
    each_common(for_peer(self, bound_.exchange->tile(t).out), for_peer(self, bound_.exchange->tile(t).in),
                [&](int, const View& out, const View& in) {
                  if (out.slot == from_slot && in.slot == to_slot)
                    refuse("strategy " + strategy +
                           " has MPI move also what stays on a rank, which must not be in its place then");
                });
  }
  examined_ = distance;
}

void Redistribution::Body::record(std::shared_ptr<trace::Recorder> on) {
  if (on && on != recorder_) {
    trace::List list{.name = "redistribute",
                     .plan = "redistribution of elements of " + std::to_string(bytes_) + " bytes, " + strategy,
                     .stages = {"copy what leaves", "copy what stays", "copy what has come"},
                     .exchanges = {strategy}};
    for (const Step& step : steps_)
      list.steps.push_back(recorded(step, bound_.exchange.get(), pattern_.rank(), bytes_));
    list_ = on->add(std::move(list), 1);
  }
  recorder_ = std::move(on);
}

std::string Redistribution::Body::describe() const {
  Index sent = 0, kept = 0;
  std::vector<bool> partners(static_cast<std::size_t>(pattern_.ranks()), false);
  for (int t = 0; t < pattern_.tiles(); ++t)
    for (const Piece& piece : pattern_.tile(t).gives) {
      (piece.peer == pattern_.rank() ? kept : sent) += piece.at.box.volume() * bytes_;
      partners[static_cast<std::size_t>(piece.peer)] = piece.peer != pattern_.rank();
    }
  std::ostringstream out;
  out << "redistribution of elements of " << bytes_ << " bytes\n  from " << pattern_.from().describe() << "\n  to   "
      << pattern_.to().describe() << "\n  strategy " << strategy << " (" << bound_.reason << ")\n  rank "
      << comm_.rank() << " sends " << sent << " bytes to " << std::count(partners.begin(), partners.end(), true)
      << " of " << pattern_.ranks() - 1 << " others connected to it, keeps " << kept << " and owns buffers of "
      << bound_.exchange->bytes_owned() << " bytes\n";
  if (const std::string note = bound_.exchange->note(); !note.empty()) out << "  note: " << note << "\n";
  return out.str();
}

void Redistribution::Body::plan_tile(int number, const Pattern::Tile& caller, const Exchange::Tile& exchange) {
  Moves made = moves(in_slot(caller.gives, from_slot), in_slot(caller.takes, to_slot), exchange, pattern_.rank());
  for (std::vector<Move>* each : {&made.leave, &made.stay, &made.arrive})  // as in Part
    moves_.push_back(std::move(*each));
  const auto work = [&](Part part) {
    if (!moves_[static_cast<std::size_t>(number * parts + part)].empty())
      steps_.push_back({Step::Kind::work, part, number, number + 1});
  };
  steps_.push_back({Step::Kind::open, 0, number, 0});
  work(leave);
  steps_.push_back({Step::Kind::start, 0, number, 0});
  work(stay);
  steps_.push_back({Step::Kind::finish, 0, number, 0});
  work(arrive);
  steps_.push_back({Step::Kind::close, 0, number, 0});
}

// The constructor, which looks up the machine, is the tuner's (src/tune/choose.cpp).
Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

void Redistribution::operator()(const void* in, void* out) { body_->execute(in, out); }
const std::string& Redistribution::strategy() const { return body_->strategy; }
std::string Redistribution::describe() const { return body_->describe(); }
void Redistribution::record(Trace& trace) { body_->record(trace.tracing_->recorder); }

}  // namespace weft

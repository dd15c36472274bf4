// Halo exchange: the pattern that fills ghost points, and its adjoint, with copies around them that
// know each field's array.
#include "plan/halo.hpp"

#include <algorithm>
#include <sstream>

#include "geometry/checked.hpp"
#include "plan/report/record.hpp"
#include "plan/route/problem.hpp"
#include "plan/stage/adder.hpp"
#include "plan/stage/mover.hpp"

namespace weft {
namespace {

int own_slot(int field) { return 2 * field; }
int array_slot(int field) { return 2 * field + 1; }

/// The numbers of a list with one more in front.
template <class T>
Few<T> in_front(T first, const Few<T>& rest) {
  Few<T> all{first};
  for (const T& value : rest) all.push_back(value);
  return all;
}

/// So many fields behind one another: one more axis in front, whole on every rank.
Layout stacked(const Layout& layout, Index fields) {
  if (fields == 1) return layout;
  const Shape shape = in_front(fields, layout.shape());
  if (layout.has_boxes()) {
    std::vector<Box> boxes;
    for (int r = 0; r < layout.ranks(); ++r)
      boxes.push_back({in_front(Index{0}, layout.box(r).lo), in_front(fields, layout.box(r).hi)});
    Order order{0};
    for (const int axis : layout.order()) order.push_back(axis + 1);
    return Layout(shape, std::move(boxes), order, in_front(Index{0}, layout.padding()));
  }
  const Index points = volume(layout.shape());
  std::vector<std::vector<Run>> runs(static_cast<std::size_t>(layout.ranks()));
  for (int r = 0; r < layout.ranks(); ++r)
    for (Index f = 0; f < fields; ++f)
      for (const Run& run : layout.runs(r))
        runs[static_cast<std::size_t>(r)].push_back({f * points + run.first, run.count});
  return Layout::runs(shape, std::move(runs));
}

/// Pieces of stacked fields, cut and placed into the slots of their fields, `first` and every
/// second one after it. `elements`: of a rank's part of a field, where a layout is a list of runs;
/// else fields are the first axis.
std::vector<Piece> by_field(const std::vector<Piece>& pieces, int fields, bool boxes, Index elements, int first) {
  std::vector<Piece> all;
  for (const Piece& piece : pieces) {
    const View& at = piece.at;
    const auto add = [&](int axis, Index lo, Index hi, Index field, Index skipped) {
      View view = at.cut(at.box.cut(axis, lo, hi));
      view.slot = first + 2 * static_cast<int>(field);
      view.offset -= skipped;
      all.push_back({piece.peer, view});
    };
    if (fields == 1) {
      add(0, at.box.lo[0], at.box.hi[0], 0, 0);
    } else if (boxes) {
      for (Index f = at.box.lo[0]; f < at.box.hi[0]; ++f) add(0, f, f + 1, f, f * at.strides[0]);
    } else {
      const Index step = at.strides[0];
      for (Index p = at.box.lo[0], next = p; p < at.box.hi[0]; p = next) {
        const Index offset = at.offset + (p - at.box.lo[0]) * step, field = offset / elements;
        const Index room = step > 0   ? ((field + 1) * elements - 1 - offset) / step
                           : step < 0 ? (offset - field * elements) / -step
                                      : at.box.hi[0] - 1 - p;
        next = std::min(p + room + 1, at.box.hi[0]);
        add(0, p, next, field, field * elements);
      }
    }
  }
  return all;
}

}  // namespace

Halo::Body::Way::Way(const mpi::Communicator& comm, const Pattern& given, const Problem& problem,
                     const std::string& name, const Machine& machine)
    : pattern(given), slots(static_cast<std::size_t>(2 * problem.options.fields), nullptr) {
  const int fields = problem.options.fields;
  const bool adds = pattern.is_adjoint();
  Demand demand{.pattern = pattern,
                .element_bytes = problem.element_bytes,
                .slots = &slots,
                .nodes = comm.nodes(problem.options.nodes)};
  if (fields == 1) {  // else there is no one array that holds them all
    demand.from_slot = adds ? array_slot(0) : own_slot(0);
    demand.to_slot = adds ? -1 : array_slot(0);  // what arrives is to be added
  }
  bound = bind_strategy(comm, demand, name, false, machine);
  const bool boxes = pattern.from().has_boxes() && pattern.to().has_boxes();
  const Pattern::Tile& tile = pattern.tile(0);
  const Index given_elements = pattern.from().elements(comm.rank()) / fields,
              taken_elements = pattern.to().elements(comm.rank()) / fields;
  moves = weft::moves(by_field(tile.gives, fields, boxes, given_elements, adds ? array_slot(0) : own_slot(0)),
                      by_field(tile.takes, fields, boxes, taken_elements, adds ? own_slot(0) : array_slot(0)),
                      bound.exchange->tile(0), pattern.rank());
  const auto work = [](std::vector<Step>& steps, Part part, const std::vector<Move>& copies) {
    if (!copies.empty()) steps.push_back({Step::Kind::work, part, 0, 1});
  };
  begin.push_back({Step::Kind::open, 0, 0, 0});
  work(begin, leave, moves.leave);
  begin.push_back({Step::Kind::start, 0, 0, 0});
  work(begin, stay, moves.stay);
  end.push_back({Step::Kind::finish, 0, 0, 0});
  work(end, arrive, moves.arrive);
  end.push_back({Step::Kind::close, 0, 0, 0});
}

Halo::Body::Body(mpi::Communicator comm, const Problem& given, const Machine& machine)
    : problem(given), comm_(std::move(comm)), compares_(compares_calls()), number_(comm_.next_number()) {
  const Index fields = problem.options.fields;
  const Pattern pattern = comm_.agree([&] {
    checked::bytes(checked::product(problem.elements, fields, "the elements of a halo's arrays"), problem.element_bytes,
                   "the arrays of a halo");
    Ghosts ghosts = problem.ghosts;
    Few<int> periodic = problem.options.periodic;
    if (fields > 1) {
      if (!ghosts.before.empty())
        ghosts.before = in_front(Index{0}, ghosts.before), ghosts.behind = in_front(Index{0}, ghosts.behind);
      if (!periodic.empty()) periodic = in_front(0, periodic);
    }
    return Pattern(stacked(problem.from, fields), stacked(problem.to, fields), comm_.rank(), {}, periodic, ghosts);
  });
  const std::string& names = problem.options.strategy;
  const std::size_t plus = std::min(names.find('+'), names.size());
  fill_ = std::make_unique<Way>(comm_, pattern, problem, names.substr(0, plus), machine);
  if (problem.options.adds)
    add_ = std::make_unique<Way>(comm_, pattern.adjoint(), problem, names.substr(plus < names.size() ? plus + 1 : 0),
                                 machine);
  strategy = fill_->bound.strategy->name();
  called_ = "halo " + std::to_string(number_) + " (" + strategy + ")";
  record(mpi::traced(comm_));
}

void Halo::Body::check_call(std::span<void* const> arrays, const Way* way, std::size_t number_bytes) const {
  if (failure_) throw_failed("halo", failure_);
  const auto refuse = [&](const std::string& why) { throw Error("rank " + std::to_string(comm_.rank()) + ": " + why); };
  if (now_) refuse("a halo is started that has been started before: call finish between");
  if (!way) refuse("a halo is to add that was not made to: say adds in its options");
  const auto given = static_cast<Index>(arrays.size()), bytes = static_cast<Index>(number_bytes);
  if (given != problem.options.fields)
    refuse("a halo of fields " + std::to_string(problem.options.fields) + " was given arrays " + std::to_string(given) +
           ": give one for each field");
  if (problem.elements > 0 && std::find(arrays.begin(), arrays.end(), nullptr) != arrays.end())
    refuse("an array of a halo is a null pointer");
  if (bytes > 0 && problem.element_bytes % bytes != 0)
    refuse("a halo is to add numbers of " + std::to_string(bytes) + " bytes, and its elements have " +
           std::to_string(problem.element_bytes) + ": an element is a whole number of them");
}

void Halo::Body::move(Part part) const {
  const Moves& moves = now_->moves;
  for (const Move& each : part == leave ? moves.leave : part == stay ? moves.stay : moves.arrive)
    if (adding_ && part != leave)
      weft::add(each.from, each.to, now_->slots, problem.element_bytes, adding_, numbers_);
    else
      copy(each.from, now_->slots, each.to, now_->slots, problem.element_bytes);
}

void Halo::Body::run(const std::vector<Step>& steps, int list) {
  const mpi::Task task("halo", strategy);
  Exchange& exchange = *now_->bound.exchange;
  trace::Run run(recorder_.get(), list);
  trace::Laps laps(run, 0);
  const Traffic before = run ? exchange.traffic() : Traffic{};
  try {
    for (int k = 0; const Step& step : steps) {
      if (step.kind == Step::Kind::work)
        move(static_cast<Part>(step.of));
      else
        take(exchange, step);
      laps.did(k++);
    }
  } catch (...) {  // MPI has failed: exchanges are out of step, and would wait for ever
    failure_ = std::current_exception();
    now_ = nullptr;
    throw;
  }
  if (run) {
    const Traffic after = exchange.traffic();
    run.sent({after.calls - before.calls, after.messages - before.messages, after.bytes - before.bytes});
  }
}

void Halo::Body::start(std::span<void* const> arrays, Adding adding, std::size_t number_bytes) {
  Way* const way = adding ? add_.get() : fill_.get();
  if (compares_) {
    comm_.same("the call", called_ + (adding ? ", add" : ", fill"));
    comm_.agree([&] { check_call(arrays, way, number_bytes); });
  } else {
    check_call(arrays, way, number_bytes);
  }
  now_ = way;
  adding_ = adding;
  if (adding) numbers_ = problem.element_bytes / static_cast<Index>(number_bytes);
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    auto* const array = static_cast<std::byte*>(arrays[f]);
    way->slots[2 * f] = array + problem.first * problem.element_bytes;
    way->slots[2 * f + 1] = array + problem.behind * problem.element_bytes;
  }
  run(way->begin, way->begin_list);
}

bool Halo::Body::test() { return !now_ || now_->bound.exchange->test(); }

void Halo::Body::finish() {
  if (failure_) throw_failed("halo", failure_);
  if (!now_)
    throw Error("rank " + std::to_string(comm_.rank()) +
                ": a halo is finished that has not been started: call start before");
  run(now_->end, now_->end_list);
  now_ = nullptr;
}

void Halo::Body::record(std::shared_ptr<trace::Recorder> on) {
  if (on && on != recorder_)
    for (Way* way : {fill_.get(), add_.get()}) {
      if (!way) continue;
      const std::string does = way == fill_.get() ? "fill" : "add", by(way->bound.strategy->name());
      for (const bool ends : {false, true}) {
        trace::List list{.name = does + (ends ? " finish" : " start"),
                         .plan = "halo of elements of " + std::to_string(problem.element_bytes) + " bytes, " + by,
                         .stages = {"copy what leaves", "copy what stays", "copy what has come"},
                         .exchanges = {by}};
        for (const Step& step : ends ? way->end : way->begin)
          list.steps.push_back(recorded(step, way->bound.exchange.get(), way->pattern.rank(), problem.element_bytes));
        (ends ? way->end_list : way->begin_list) = on->add(std::move(list), 1);
      }
    }
  recorder_ = std::move(on);
}

std::string Halo::Body::describe() const {
  std::ostringstream out;
  out << "halo of " << problem.from.describe() << ", elements of " << problem.element_bytes << " bytes, fields "
      << problem.options.fields << "\n";
  for (const Way* way : {fill_.get(), add_.get()}) {
    if (!way) continue;
    Index sent = 0, kept = 0;
    std::vector<bool> partners(static_cast<std::size_t>(way->pattern.ranks()), false);
    for (const Piece& piece : way->pattern.tile(0).gives) {
      const bool stays = piece.peer == way->pattern.rank();
      (stays ? kept : sent) += piece.at.box.volume() * problem.element_bytes;
      partners[static_cast<std::size_t>(piece.peer)] = !stays;
    }
    out << "  " << (way == fill_.get() ? "fills" : "adds") << " by " << way->bound.strategy->name() << " ("
        << way->bound.reason << "): rank " << comm_.rank() << " sends " << sent << " bytes to "
        << std::count(partners.begin(), partners.end(), true) << " others, copies " << kept
        << " within itself and owns buffers of " << way->bound.exchange->bytes_owned() << " bytes\n";
    if (const std::string note = way->bound.exchange->note(); !note.empty()) out << "  note: " << note << "\n";
  }
  return out.str();
}

// The constructors, which look up the machine, are the tuner's (src/tune/halo.cpp).
Halo::~Halo() = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;

Index Halo::elements() const { return body_->problem.elements; }

View Halo::inside() const {
  const Body::Problem& problem = body_->problem;
  if (problem.ghosts == Ghosts())
    throw Error(
        "the own points of a halo that was given its ghost points as a layout lie in front: only those of boxes have a "
        "view");
  return body_->inside();
}

void Halo::start(const Fields& arrays) { body_->start(arrays.all(), nullptr, 0); }
void Halo::start_add(const Fields& arrays, Adding adding, std::size_t number_bytes) {
  body_->start(arrays.all(), adding, number_bytes);
}
bool Halo::test() { return body_->test(); }
void Halo::finish() { body_->finish(); }
void Halo::record(Trace& trace) { body_->record(trace.tracing_->recorder); }
const std::string& Halo::strategy() const { return body_->strategy; }
std::string Halo::describe() const { return body_->describe(); }

}  // namespace weft

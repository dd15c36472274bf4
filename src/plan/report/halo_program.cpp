// What a rank reads and writes in a halo exchange, as data, for checks of its order. Array f of a
// call is memory -1 - f; between start and finish the caller reads what he may read then.
#include "plan/halo.hpp"
#include "plan/report/exchange_program.hpp"

namespace weft {

check::Program Halo::Body::program() const {
  const int rank = comm_.rank();
  check::Program program;
  for (int f = 0; f < problem.options.fields; ++f) {
    program.names.push_back({-1 - f, "array " + std::to_string(f)});
    program.arrays.push_back({{rank, -1 - f}, 0, problem.elements * problem.element_bytes, {}});
  }
  for (const Way* way : {fill_.get(), add_.get()}) {
    if (!way) continue;
    const int key = way == add_.get(), self = way->pattern.rank();
    const Exchange& exchange = *way->bound.exchange;
    program.names.push_back({shared_memory + key, "the memory for the exchange"});
    Shared shared;
    share(shared, exchange, self, way->pattern.members(), key);
    const auto region = [&](const View& view, Index bytes) {
      const int slot = view.slot;
      if (const auto found = shared.find(slot); found != shared.end())
        return check::region(view, view.box, bytes, found->second);
      if (slot >= 2 * problem.options.fields) return check::region(view, view.box, bytes, {rank, slot});
      check::Region part = check::region(view, view.box, bytes, {rank, -1 - slot / 2});
      part.first += (slot % 2 == 0 ? problem.first : problem.behind) * problem.element_bytes;
      return part;
    };
    check::Execution& x = program.kinds.emplace_back();
    x.name = way == add_.get() ? "add" : "fill";
    x.exchanges.push_back(described(exchange, self, way->pattern.members(), key, problem.element_bytes, region));
    const auto copies = [&](check::Event& event, const std::vector<Move>& moves, bool writes) {
      for (const Move& move : moves) {
        event.accesses.push_back({region(move.from, problem.element_bytes), false, 0});
        if (writes) event.accesses.push_back({region(move.to, problem.element_bytes), true, 0});
      }
    };
    const auto add = [&](const Step& step) {
      check::Event& event = x.events.emplace_back(check::Event{kind(step.kind), step.of, step.first, 0, 0, {}});
      if (step.kind != Step::Kind::work) return;
      const Moves& moves = way->moves;
      copies(event, step.of == leave ? moves.leave : step.of == stay ? moves.stay : moves.arrive, true);
    };
    for (const Step& step : way->begin) add(step);
    check::Event& meanwhile = x.events.emplace_back(check::Event{check::Kind::work, arrive + 1, 0, 0, 0, {}});
    if (way == add_.get()) {
      copies(meanwhile, way->moves.leave, false), copies(meanwhile, way->moves.stay, false);
    } else {
      for (int f = 0; f < problem.options.fields; ++f) {
        View own = problem.from.has_boxes() ? problem.from.view(rank)
                                            : View{Box{{0}, {problem.from.elements(rank)}}, 0, 0, {1}};
        own.slot = 2 * f;
        meanwhile.accesses.push_back({region(own, problem.element_bytes), false, 0});
      }
    }
    for (const Step& step : way->end) add(step);
  }
  return program;
}

namespace check {

std::vector<Program> programs(const Halo& halo) {
  const Halo::Body& body = *halo.body_;
  return gathered_programs(body.comm(), body.comm().agree([&] { return body.program(); }));
}

}  // namespace check
}  // namespace weft

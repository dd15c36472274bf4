#include "plan/report/exchange_program.hpp"

namespace weft {
namespace {

check::Kind kind(Exchange::Verb verb) {
  switch (verb) {
    case Exchange::Verb::open:
      return check::Kind::open;
    case Exchange::Verb::start:
      return check::Kind::start;
    case Exchange::Verb::finish:
      return check::Kind::finish;
    case Exchange::Verb::close:
      return check::Kind::close;
  }
  return check::Kind::open;
}

}  // namespace

check::Kind kind(Step::Kind step) {
  switch (step) {
    case Step::Kind::open:
      return check::Kind::open;
    case Step::Kind::start:
      return check::Kind::start;
    case Step::Kind::finish:
      return check::Kind::finish;
    case Step::Kind::close:
      return check::Kind::close;
    case Step::Kind::work:
    case Step::Kind::test:
      break;
  }
  return check::Kind::work;
}

void share(Shared& all, const Exchange& exchange, int self, const std::vector<int>& members, int key) {
  for (const auto& [slot, member] : exchange.promises(self).shared)
    if (slot >= 0) all[slot] = {members[static_cast<std::size_t>(member)], shared_memory + key};
}

check::Exchange described(const Exchange& exchange, int self, const std::vector<int>& members, int key,
                          Index element_bytes, const std::function<check::Region(const View&, Index)>& region) {
  const Exchange::Promises promises = exchange.promises(self);
  check::Exchange all{key, members, {}, {}};
  for (const auto& w : promises.waits)
    all.waits.push_back(
        {kind(w.verb), w.tile, members[static_cast<std::size_t>(w.member)], kind(w.of), w.of_tile, w.rounds, w.begun});
  Shared named;
  for (const auto& [slot, member] : promises.shared)
    named[slot] = {members[static_cast<std::size_t>(member)], shared_memory + key};
  for (const auto& t : promises.touches) {
    const Index bytes = t.element_bytes > 0 ? t.element_bytes : element_bytes;
    const auto name = named.find(t.at.slot);
    check::Region there =
        name == named.end() ? region(t.at, bytes) : check::region(t.at, t.at.box, bytes, name->second);
    all.touches.push_back({t.tile, kind(t.from), kind(t.to), {std::move(there), t.writes, 0}, t.until_begun});
  }
  return all;
}

std::vector<check::Program> gathered_programs(const mpi::Communicator& comm, const check::Program& mine) {
  std::vector<check::Program> all;
  for (const std::string& bytes : comm.gather_all(check::packed(mine))) all.push_back(check::unpacked(bytes));
  return all;
}

}  // namespace weft

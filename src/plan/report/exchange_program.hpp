// What an exchange promises, as data of a program, for checks of its order.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <weft/exchange.hpp>

#include "check/order.hpp"
#include "mpi/communicator.hpp"
#include "plan/schedule.hpp"

namespace weft {

/// What memory is called that an exchange with a key shares: so much and the key.
constexpr int shared_memory = 1 << 20;

check::Kind kind(Step::Kind step);

/// By slot: memory that an exchange shares between ranks.
using Shared = std::map<int, check::Memory>;
/// Adds what `exchange` shares. `self`: this rank's place among `members`.
void share(Shared& all, const Exchange& exchange, int self, const std::vector<int>& members, int key);

/// `region(view, bytes of an element)` are the bytes of a view of this rank's memory while the
/// exchange runs.
check::Exchange described(const Exchange& exchange, int self, const std::vector<int>& members, int key,
                          Index element_bytes, const std::function<check::Region(const View&, Index)>& region);

/// Collective: the programs of all ranks from this rank's.
std::vector<check::Program> gathered_programs(const mpi::Communicator& comm, const check::Program& mine);

}  // namespace weft

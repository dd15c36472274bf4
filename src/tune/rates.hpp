// The machine's constants and its rates by size.
#pragma once

#include <vector>

#include <weft/machine.hpp>

#include "mpi/communicator.hpp"

namespace weft {

/// Collective: what `measure_profile` measures but for plans. The same on all ranks.
MachineProfile measured_rates(const mpi::Communicator& comm, const std::vector<int>& asked);

}  // namespace weft

#include "strategies/nodes.hpp"

#include <algorithm>
#include <map>

#include "mpi/communicator.hpp"

namespace weft {

std::vector<int> nodes(MPI_Comm user, const std::vector<int>& asked) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] { return comm.nodes(asked); });
}

Nodes::Nodes(const Demand& demand) {
  std::map<int, int> numbers;
  for (int m = 0; m < demand.pattern.ranks(); ++m) {
    const int given = demand.nodes.empty() ? 0 : demand.nodes[static_cast<std::size_t>(m)];
    const int node = numbers.try_emplace(given, static_cast<int>(numbers.size())).first->second;
    members.resize(numbers.size());
    auto& list = members[static_cast<std::size_t>(node)];
    of.push_back(node);
    place.push_back(static_cast<int>(list.size()));
    list.push_back(m);
  }
}

void Leaving::into(Cost& cost) const {
  cost.node_messages = *std::max_element(messages_.begin(), messages_.end());
  cost.node_bytes = *std::max_element(bytes_.begin(), bytes_.end());
}

}  // namespace weft

// Layouts of nodes for tests: one machine stands for several.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <weft/exchange.hpp>

namespace weft {

/// Every way to be on nodes, with its name: all ranks on one, one a rank, equal and unequal ones,
/// ranks of a node not beside one another. With few ranks some of them are the same, and come once.
inline std::vector<std::pair<std::string, std::vector<int>>> node_layouts(int ranks) {
  std::vector<std::pair<std::string, std::vector<int>>> all;
  std::set<std::vector<int>> known;  // by the first rank of everyone's node
  const auto add = [&](const char* name, auto node_of) {
    std::vector<int> nodes, firsts;
    for (int r = 0; r < ranks; ++r) {
      nodes.push_back(node_of(r));
      firsts.push_back(static_cast<int>(std::find(nodes.begin(), nodes.end(), nodes.back()) - nodes.begin()));
    }
    if (known.insert(firsts).second) all.emplace_back(name, nodes);
  };
  add("one node", [](int) { return 0; });
  add("one rank a node", [](int r) { return r; });
  add("two ranks a node", [](int r) { return r / 2; });
  add("unequal nodes", [](int r) { return r > 0; });
  add("ranks dealt to two nodes", [](int r) { return r % 2; });
  add("nodes numbered backwards, the last rank alone", [&](int r) { return r == ranks - 1 ? 0 : 7 - r % 2; });
  return all;
}

/// Whether what a strategy sends depends on who is on which node.
inline bool knows_nodes(const Strategy& strategy) {
  const auto sent = [&](const std::vector<int>& nodes) {
    const Layout from = Layout::slab({4, 4}, 0, 4), to = Layout::slab({4, 4}, 1, 4);
    Slots slots;
    const Cost cost = strategy.cost({Pattern(from, to, 0), 8, {}, 0, 1, &slots, nodes});
    return std::array{cost.calls, cost.messages, cost.bytes};
  };
  const auto all = node_layouts(4);
  return sent(all[0].second) != sent(all[1].second);
}

}  // namespace weft

// Nodes as a demand has them: who is with whom, and what leaves each of them.
#pragma once

#include <cstddef>
#include <vector>

#include <weft/exchange.hpp>

namespace weft {

/// The number of a rank, a node or a tile, as lists are indexed.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The members of every node. Always true: nodes are numbered in order of their first members, and
/// members ascend, so that all ranks of all nodes have the same lists.
struct Nodes {
  explicit Nodes(const Demand& demand);

  int count() const { return static_cast<int>(members.size()); }
  /// The members of the node that a member is on.
  const std::vector<int>& beside(int member) const {
    return members[static_cast<std::size_t>(of[static_cast<std::size_t>(member)])];
  }

  std::vector<int> of, place;             ///< by member: its node, and its place among that node's members
  std::vector<std::vector<int>> members;  ///< by node
};

/// Adds up what leaves every node for another, for Cost.
class Leaving {
 public:
  explicit Leaving(const Demand& demand) : nodes_(demand), messages_(nodes_.members.size(), 0), bytes_(messages_) {}

  void add(int source, int target, Index messages, Index bytes) {
    const auto node = static_cast<std::size_t>(nodes_.of[static_cast<std::size_t>(source)]);
    if (static_cast<int>(node) == nodes_.of[static_cast<std::size_t>(target)]) return;
    messages_[node] += messages;
    bytes_[node] += bytes;
  }
  void into(Cost& cost) const;

 private:
  Nodes nodes_;
  std::vector<Index> messages_, bytes_;
};

}  // namespace weft

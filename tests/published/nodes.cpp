// Bethune, HECToR dCSE report on Quantum ESPRESSO / GWW, 2010: messages between ranks, and between
// nodes where only leaders exchange. For the full numbers of ranks they follow from the patterns
// alone; small groups count them while they run.
#include <gtest/gtest.h>

#include <weft/exchange.hpp>

#include "mpi/communicator.hpp"

namespace weft {
namespace {

std::vector<int> nodes_of(int ranks, int each) {
  std::vector<int> nodes;
  for (int r = 0; r < ranks; ++r) nodes.push_back(r / each);
  return nodes;
}

/// A transpose in which every rank has something for every other.
Pattern dense(int ranks, int rank) {
  return {Layout::slab({ranks, ranks}, 0, ranks), Layout::slab({ranks, ranks}, 1, ranks), rank};
}

struct Messages {
  Index all, between_nodes;
};

/// Of a strategy for `ranks` ranks of which `each` share a node. Every node sends alike, and, but
/// for leaders, every rank.
Messages messages(const std::string& name, int ranks, int each) {
  Slots slots;
  const Cost cost = strategy(name).cost({dense(ranks, 0), 16, {}, -1, -1, &slots, nodes_of(ranks, each)});
  return {ranks * cost.messages, ranks / each * cost.node_messages};
}

TEST(NodesTiny, send_as_many_messages_as_the_report_says) {
  EXPECT_EQ(messages("isend", 64, 4).all, 4032);  // P (P - 1)
  EXPECT_EQ(messages("node", 64, 4).between_nodes, 240);
  EXPECT_EQ(messages("isend", 288, 24).all, 82656);
  EXPECT_EQ(messages("node", 288, 24).between_nodes, 132);
  for (const std::string name : {"leader", "hierarchical"}) {
    EXPECT_EQ(messages(name, 64, 4).between_nodes, 240) << name;
    EXPECT_EQ(messages(name, 288, 24).between_nodes, 132) << name;
  }
  // Of 82656 messages those between nodes: 288 (288 - 24). The report prints 79488, which is so for
  // 12 ranks a node.
  EXPECT_EQ(messages("alltoallv", 288, 24).between_nodes, 76032);
  EXPECT_EQ(messages("alltoallv", 288, 12).between_nodes, 79488);
}

TEST(NodesTiny, send_as_many_messages_when_they_run) {
  const mpi::Communicator comm = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size();
  for (int each = 1; each <= ranks; ++each) {
    const Index nodes = (ranks + each - 1) / each;
    for (const std::string name : {"isend", "node", "hierarchical", "leader"}) {
      Slots slots;
      const Demand demand{dense(ranks, comm.rank()), 16, {}, -1, -1, &slots, nodes_of(ranks, each)};
      const auto exchange = strategy(name).bind(demand, comm.raw());
      exchange->open(0), exchange->start(0), exchange->finish(0), exchange->close(0);
      const Index inside = 2 * (ranks - nodes);  // to the leader and back
      EXPECT_EQ(comm.sum(exchange->traffic().messages),
                name == "isend" ? Index{ranks} * (ranks - 1) : nodes * (nodes - 1) + (name == "leader" ? inside : 0))
          << name << ", " << each << " ranks a node";
    }
  }
}

// A long block goes in pieces of at most 60 KiB, and by several ranks at once, at most as many as
// the smaller node has.
TEST(NodesTiny, share_long_blocks) {
  const auto sent = [](Index rows) {  // between the nodes, pieces of a part as one, and by the busiest rank
    Slots slots;
    const Layout from = Layout::slab({8, rows * 8}, 0, 8), to = Layout::slab(from.shape(), 1, 8);
    const Cost cost = strategy("hierarchical").cost({Pattern(from, to, 0), 16, {}, -1, -1, &slots, nodes_of(8, 4)});
    EXPECT_EQ(cost.node_bytes, 16 * 16 * rows);
    return std::pair{cost.node_messages, cost.messages};
  };
  EXPECT_EQ(sent(240), std::pair(Index{1}, Index{1}));  // a block of 16 x 240 elements of 16 bytes: 60 KiB
  EXPECT_EQ(sent(241), std::pair(Index{1}, Index{2}));
  EXPECT_EQ(sent(1535), std::pair(Index{1}, Index{7}));  // less than 384 KiB
  EXPECT_EQ(sent(1536), std::pair(Index{2}, Index{4}));
  EXPECT_EQ(sent(3072), std::pair(Index{4}, Index{4}));  // four ranks, 192 KiB each
  EXPECT_EQ(sent(4800), std::pair(Index{4}, Index{5}));
}

}  // namespace
}  // namespace weft

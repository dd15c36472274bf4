// Plans that are told, or find, which ranks share a node.
#include <gtest/gtest.h>

#include <optional>

#include "mpi/dense.hpp"
#include "support/environment.hpp"
#include "support/message.hpp"
#include "support/nodes.hpp"

namespace weft {
namespace {

// Who is on which node changes how data travel and nothing else. One strategy that does not care
// gives the bits.
TEST(Plan, Nodes) {
  const auto wanted = [](const Strategy& s) { return s.name() == "alltoallv" || knows_nodes(s); };
  const int ranks = ranks_of_world();
  const Few<int> pencils = ranks % 2 == 0 ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  for (const auto& [name, nodes] : node_layouts(ranks)) {
    SCOPED_TRACE(name);
    const auto on_nodes = [&, &numbers = nodes](Options& o) { o.nodes = numbers; };
    over_all(c2c<double>({7, 5, 6}), 1e-13, on_nodes, false, wanted);
    over_all(
        c2c<double>({5, 6, 7}), 1e-13, [&](Options& o) { on_nodes(o), o.grid = pencils; }, crowded(), wanted);
    over_all(r2c<double>({5, 4, 7}), 1e-13, on_nodes, crowded(), wanted);
    if (HasFailure()) return;
  }
}

TEST(Plan, NodesAreStatedAndChecked) {
  const int ranks = ranks_of_world();
  Options o;
  for (int r = 0; r < ranks; ++r) o.nodes.push_back(5 - r % 2);
  const std::string text = Plan(world, c2c<double>({4, 4, 4}), o).describe();
  EXPECT_EQ(text.find(" on 2 nodes") != text.npos, ranks > 1) << text;
  const auto said = [&] { return message([&] { AnyPlan(world, c2c<double>({4, 4, 4}), o); }); };
  if (ranks >= 4) {  // short messages: what sends fewest between nodes is cheapest; on one node no message is
    for (int r = 0; r < ranks; ++r) o.nodes[static_cast<std::size_t>(r)] = r / 2;
    EXPECT_TRUE(knows_nodes(strategy(Plan(world, c2c<double>({12, 12, 2}), o).effective().strategy)));
    EXPECT_EQ(Plan(world, c2c<double>({12, 12, 2}), {.effort = "estimate"}).effective().strategy, "direct");
  }
  o.nodes.assign(static_cast<std::size_t>(ranks) + 1, 0);
  EXPECT_EQ(said(), "nodes are given for " + std::to_string(ranks + 1) + " ranks, but the communicator has " +
                        std::to_string(ranks) + "; give one number a rank, or none to have them found");
  o.nodes.assign(static_cast<std::size_t>(ranks), rank_of_world() > 0);
  if (ranks > 1) {
    EXPECT_EQ(said().find("ranks disagree about nodes: rank 0 has 0,0"), 0u) << said();
  }
}

// A node without shared memory: on all ranks another strategy, and it is said why.
TEST(Plan, OneNodeWithoutSharedMemory) {
  const int ranks = ranks_of_world(), last = ranks - 1;
  std::optional<Environment> forbidden;
  if (rank_of_world() == last) forbidden.emplace("WEFT_SHARED_MEMORY", "none");
  for (const Strategy* s : strategies()) {
    if (!s->instead()) continue;
    Options o;
    o.strategy = s->name(), o.effort = "estimate";
    for (int r = 0; r < ranks; ++r) o.nodes.push_back(r == last);
    verify(c2c<double>({7, 5, 6}), o, 1e-13);
    Plan fft(world, c2c<double>({7, 5, 6}), o);
    if (ranks == 1) continue;
    const std::string name(s->instead()->name()), text = fft.describe();
    EXPECT_EQ(fft.requested().strategy, s->name());
    EXPECT_EQ(fft.effective().strategy, name);
    EXPECT_NE(
        text.find("exchange: " + name + " (as requested, but in the place of " + std::string(s->name()) + ": rank "),
        text.npos)
        << text;
    EXPECT_NE(text.find("shared memory is forbidden by WEFT_SHARED_MEMORY=none"), text.npos) << text;
    EXPECT_EQ(of_rank_0(text.substr(text.find("exchange: "), 200)), text.substr(text.find("exchange: "), 200));
  }
}

}  // namespace
}  // namespace weft

// What moving data costs: counts that a strategy tells, and the seconds that a machine needs for
// them.
#pragma once

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// What one execution of all tiles costs one rank, at most over ranks.
struct Cost {
  Index calls = 0;     ///< MPI calls that move data
  Index messages = 0;  ///< to other ranks
  /// Sent to other ranks, padding included; what is read in place of others' memory counts as sent
  /// by the reader
  Index bytes = 0;
  Index copied = 0;  ///< bytes copied in memory beyond writing out-views and reading in-views
  int depth = 0;     ///< messages that follow one another
  /// What all ranks of one node together send to other nodes, at most over nodes: they share its
  /// link. Pieces of one block that a rank sends at once count as one message here: none waits for
  /// another.
  Index node_messages = 0, node_bytes = 0;
};

/// A machine as the model knows it, when all ranks are at work. By default a first guess;
/// `measure_machine` finds out.
struct Machine {
  double message_seconds = 1e-6;       ///< a call, and a message within a node
  double bytes_per_second = 5e9;       ///< of a rank, within a node
  double copied_per_second = 10e9;     ///< of a rank, in memory
  double node_message_seconds = 5e-6;  ///< a message between nodes
  double node_bytes_per_second = 2e9;  ///< of a node's link, which its ranks share
  double flops_per_second = 3e9;       ///< of a thread, in line transforms, at 5 n log2 n each
};

/// What an exchange of this cost takes on the machine, in seconds. Ranks the strategies: what
/// overlaps is not known to it.
double seconds(const Machine& machine, const Cost& cost);

}  // namespace weft
#pragma GCC visibility pop

// Aggregated exchanges: what the strategies share whose ranks write into the memory of their node,
// where peers of the node read in place, and from where all that goes to another node leaves in one
// message, or a few.
//
// Always true: within a node nothing is copied. A block between two nodes is ordered by source,
// then by target, then as the pattern has it; it is written by its sources, sent as it lies, and
// read by its targets where it has arrived. Flags count rounds, as in `direct`.
//
// A rank that carries blocks does it inside `start`, which returns when the tile's data have moved:
// it waits for those of its node who wrote them, whose starts come in the same order, and for those
// at the other ends. So nobody ever waits for a carrier that is busy elsewhere, in whatever other
// exchange or MPI call, and any strategies may be mixed. For all others `start` raises a flag.
#pragma once

#include <memory>

#include "mpi/messages.hpp"
#include "strategies/awaited.hpp"
#include "strategies/nodes.hpp"

namespace weft {

/// Who carries a block from one node to another.
enum class Carriers {
  leader,  ///< the first rank of each of the two nodes, in one message
  /// One rank of each, others for other nodes; a long block in parts, by several ranks at once,
  /// mostly by those who wrote them, and in pieces
  many
};

/// One message: a piece of a block, in elements from its begin.
struct Carried {
  int source, target;  // members
  Index first, count;
};

/// The messages that a block of so many elements between two nodes makes: none where it is empty.
std::vector<Carried> carried(const Nodes& nodes, Carriers carriers, int from, int to, Index elements,
                             Index element_bytes);

class AggregatedExchange final : public Exchange {
 public:
  /// Collective over the group. Throws on all its ranks when some node has no shared memory. Where
  /// the leader carries, the whole node's memory is the leader's part; where many do, every rank's
  /// own data are in its own.
  AggregatedExchange(const Demand& demand, MPI_Comm group, Carriers carriers);

  /// Bytes: sent, and read in place of others' on this node.
  Traffic traffic() const override;
  std::string note() const override { return segments_->note(); }
  Promises promises(int) const override { return promises_; }

  void open(int t) override;
  void start(int t) override;
  bool test() override;
  void finish(int t) override;
  void close(int t) override;

 private:
  struct Message {
    int peer;
    std::byte* data;
    mpi::Amount amount;
  };
  /// Of every rank and tile, behind one another: its data are written; one more reader of its node
  /// has read them; what it carries away has left; what it carries here has arrived; one more of
  /// its node has read that.
  enum Sign { written, read, left, arrived, taken, signs };
  struct State {
    mpi::Flag* own = nullptr;            // this rank's, by Sign
    std::vector<mpi::Flag*> givers;      // `written` of those of the node whose data this rank carries
    std::vector<mpi::Flag*> carry_away;  // `left` of those who carry this rank's
    // `written` of those of the node who give to this one, `arrived` of those who carry that
    Awaited coming;
    std::vector<mpi::Flag*> tell;  // who of them counts that it was read: `read` and `taken`
    std::vector<Message> out, in;
    mpi::Requests leaving, arriving;
    std::uint64_t readers = 0, takers = 0;
    Index bytes_read = 0;
  };
  mpi::Flag* flag(int place, int t, Sign sign) const;

  mpi::Communicator comm_, node_;
  mpi::Datatype element_;
  std::vector<Index> flags_at_;  // by place: bytes from the begin of its part
  std::unique_ptr<mpi::Segments> segments_;
  std::vector<State> states_;
  Promises promises_;  // what the flags of the states say
  Index bytes_read_ = 0;
};

Cost aggregated_cost(const Demand& demand, Carriers carriers);

}  // namespace weft

// Exchanges and strategies: how a pattern travels. A strategy knows nothing of FFTs; an exchange is
// a strategy bound to a pattern, with all memory, datatypes and requests made, ready to run any
// number of times without allocating.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include <weft/model.hpp>
#include <weft/pattern.hpp>
#include <weft/traffic.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// A strategy bound to a pattern. For every tile it offers views to write (`out`) and to read
/// (`in`), fixed at planning, and five verbs. The order of calls for a tile is open, (write out),
/// start, [test ...], finish, (read in), close; starts happen in the same order on all members, and
/// every verb is called for every tile, empty ones included. The next round's open may follow at
/// once: it waits where peers still read. Verbs throw only when MPI itself fails.
class Exchange {
 public:
  /// The pieces of the pattern's tile, same peers and boxes in the same order, placed: `at.slot`,
  /// `at.offset` and `at.strides` say where to write what leaves and where to read what has
  /// arrived. (Between runs `in` may cut a peer's sequence at more positions than the pattern's
  /// takes do, in the same order: where the giver's memory is read, it is its cuts that count.)
  /// What stays on this rank is one of them (the out- and the in-view of the rank itself may be the
  /// same memory: then it is written once and never copied).
  struct Tile {
    std::vector<Piece> out, in;
  };

  /// A datatype that the exchange gives to MPI for a tile and a peer, read back from MPI.
  struct Type {
    int tile = 0, peer = 0;
    bool out = true;         ///< of what leaves for the peer; false: of what comes from it
    std::string text;        ///< size, extents, tree, bytes in order: several lines, long lists shortened
    std::string difference;  ///< where its bytes are not those of the tile's pieces in their order; empty: they are
  };

  enum class Verb { open, start, finish, close };

  /// What an exchange promises between its members, as data: what checks of schedules rely on
  /// beside each member's own order of calls. A tile's round is the number of its starts; open and
  /// start belong to the round that they lead to.
  struct Promises {
    /// This member's `verb` of `tile` goes on when `member` is through its `of` of `of_tile` in the
    /// same round, or so many `rounds` before; `begun`: when it has begun it.
    struct Wait {
      Verb verb;
      int tile, member;
      Verb of;
      int of_tile, rounds = 0;
      bool begun = false;
    };
    /// Bytes that the exchange itself reads or writes between what `from` waits for and the end of
    /// `to`, or, `until_begun`, its begin.
    struct Touch {
      int tile;
      Verb from, to;
      View at;
      bool writes;
      Index element_bytes = 0;  ///< 0: of the demand
      bool until_begun = false;
    };
    /// A slot that is the memory of a member, the same for all who say so. Slots below -1 are names
    /// for what this member has no address of.
    struct Shared {
      int slot, member;
    };
    std::vector<Wait> waits;
    std::vector<Touch> touches;
    std::vector<Shared> shared;  ///< all other slots are this member's alone
  };

  virtual ~Exchange() = default;
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int tiles() const { return static_cast<int>(tiles_.size()); }
  const Tile& tile(int t) const { return tiles_[static_cast<std::size_t>(t)]; }
  /// The rank's whole from-array when the out-memory is one array (slot -1 otherwise): a client may
  /// then put its own array there.
  const View& array() const { return array_; }
  /// The rank's whole to-array when the in-memory is one array of the exchange's own (slot -1
  /// otherwise): a client may then hand it out as its result.
  const View& landing() const { return landing_; }
  /// Bytes of memory that the exchange itself owns on this rank.
  Index bytes_owned() const { return bytes_owned_; }
  /// Counted where the calls are made, so that it can be compared with the strategy's cost.
  virtual Traffic traffic() const { return {}; }
  /// What a user should know of how it came out on this machine, for the plan's print: one line,
  /// mostly empty.
  virtual std::string note() const { return {}; }
  /// The derived datatypes that it sends from and receives into arrays with; empty where MPI is
  /// given packed memory.
  virtual std::vector<Type> datatypes() const { return {}; }

  /// What this exchange promises as member `self`. Unless a strategy says otherwise: a tile that is
  /// finished was started by all who give to it, one that is opened was closed the round before by
  /// all who take from it, and bytes move from out- to in-memory, both the member's own, between
  /// start and finish.
  virtual Promises promises(int self) const;

  /// Called once on all members, before the first round, by a client that gives the landing away
  /// between rounds: peers write there only when it has come back. Every round then begins with
  /// `close` of all tiles rather than end with it.
  virtual void lend_landing() {}

  /// Returns when tile t of the out-memory may be written: nobody reads it any more.
  virtual void open(int t) { static_cast<void>(t); }
  /// Tile t is written; may move the data at once (blocking strategies) or begin to.
  virtual void start(int t) = 0;
  /// Lets started tiles progress; true when all of them are done.
  virtual bool test() { return true; }
  /// Returns when tile t's in-views may be read.
  virtual void finish(int t) = 0;
  /// Tile t's in-views are read and may be overwritten by peers.
  virtual void close(int t) { static_cast<void>(t); }

 protected:
  std::vector<Tile> tiles_;
  View array_, landing_;
  Index bytes_owned_ = 0;
};

/// What a client asks a strategy to realise: a plan, a redistribution, a halo.
struct Demand {
  Pattern pattern;
  Index element_bytes = 0;
  /// Memory order wished for inside a block of an own buffer, slowest axis first (empty: the
  /// from-layout's order).
  Order order;
  /// Slots of arrays in the pattern's layouts' own memory (offset 0) that the strategy may send
  /// from and receive into, -1: not on offer. The client allocates such an array only when some
  /// view of the exchange refers to it.
  int from_slot = -1, to_slot = -1;
  /// The client's memory table: the strategy appends slots for its own buffers when bound, and
  /// looks addresses up when executing.
  Slots* slots = nullptr;
  /// Which node each member is on (any numbering; empty: all on one).
  std::vector<int> nodes;
  /// Whether the from-array is left alone from when a tile is started until the tile is closed.
  bool from_preserved = true;
  /// Slot of one more array in the to-layout's own memory, -1: not on offer; alike on all members.
  /// What stays on a rank may lie there from when it is written until it is read, and then need lie
  /// nowhere else.
  int local_slot = -1;
  /// Whether the client wants the from-array whole, as `Exchange::array()`, even where `local_slot`
  /// holds part of it; alike on all members.
  bool wants_array = false;
  /// Whether what arrives is a result, which the client only hands on: without a landing that is a
  /// copy more.
  bool to_is_result = false;
  /// How many tiles the client has between `open` and `close` at most, on every member: it opens a
  /// tile only after it has closed the one so many before it, so that the exchange's own memory
  /// need hold no more of them. 0: any number.
  int buffered_tiles = 0;
};

/// Which node every rank of a communicator is on: 0 for rank 0's, counted on in order of first
/// appearance. Nodes are what MPI says can share memory, cut further by `WEFT_RANKS_PER_NODE=n` in
/// the environment (groups of n consecutive ranks of MPI_COMM_WORLD) and by `asked`, a number for
/// every rank: ranks with different numbers are on different nodes. Collective; throws Error on all
/// ranks when either is wrong.
std::vector<int> nodes(MPI_Comm comm, const std::vector<int>& asked = {});

/// A named way to realise any pattern.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  /// One line for lists and tables.
  virtual std::string_view summary() const = 0;
  /// Why this demand cannot be met (empty: it can). Computed from the demand alone; a plan declines
  /// on all ranks when any rank does.
  virtual std::string declines(const Demand& demand) const = 0;
  virtual Cost cost(const Demand& demand) const = 0;
  /// True when start returns before the data has moved, so that work can overlap it.
  virtual bool overlaps() const { return false; }
  /// True when a tile is read where its giver has written it, and so has arrived once it is
  /// started: then nothing is on its way, and ranks may differ in how long they wait with what has
  /// arrived.
  virtual bool reads_in_place() const { return false; }
  /// What takes its place where the machine refuses what `bind` needs (null: nothing does, it is an
  /// error): on all ranks, and stated.
  virtual const Strategy* instead() const { return nullptr; }
  /// True when its exchanges have a landing.
  virtual bool has_landing() const { return false; }
  /// Collective over the pattern's members, which are the ranks of `group` in order; the exchange
  /// duplicates `group`. Throws alike on all of them: Declined where only trying tells that MPI
  /// cannot carry it, Error where the machine refuses what it needs.
  virtual std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const = 0;
};

/// All strategies, built-in ones first, in the order they were added.
const std::vector<const Strategy*>& strategies();
/// The strategy of that name; throws Error listing all names when there is none.
const Strategy& strategy(std::string_view name);
/// Adds a strategy of one's own (name must be new) to lists, tuner, tests and every interface. Not
/// thread-safe; call it before planning.
void add(std::unique_ptr<Strategy> strategy);

}  // namespace weft
#pragma GCC visibility pop

// Stages: gather -> line transforms (or a pointwise map) -> scatter, over blocks of a box. A stage reads where the last
// exchange landed (or the user's array) and writes where the next one leaves; packing is the first and last touch of a
// block that is in cache for its transform anyway. The only code, with movers and engines, that touches values.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include <weft/plan.hpp>

#include "engines/engine.hpp"
#include "plan/guarded_map.hpp"
#include "plan/mover.hpp"
#include "plan/scattered.hpp"

namespace weft {

/// What happens to every line of one axis: `first`, then the plan's map when `map`, then `second`, then `scale`. Empty pointers: nothing.
struct Operation {
  int axis = 0;
  std::shared_ptr<const Lines> first, second;
  bool map = false;
  double scale = 1;
  /// Whether lines are columns, transformed where rows leave them.
  bool strided() const { return first && first->spec().in_stride > 1; }
};

/// Where one side of a stage lies: views that cover its box, and bytes an element there. With a table the views are of other axes than the box (see Table).
struct Side {
  Box box;
  std::vector<View> views;
  Index bytes = 0;
  std::shared_ptr<const Table> table = nullptr;
};

/// Memory that one thread works in; made at planning.
struct Bench {
  std::shared_ptr<std::byte> memory;
  std::byte* block = nullptr;     ///< a block between two passes
  std::byte* lines[2] = {};       ///< a batch of lines
  std::vector<const std::byte*> from;  ///< addresses of a cell's segments
  std::vector<std::byte*> to;
  std::vector<const std::byte*> from_rows;  ///< addresses of every point of a batch's first line
  std::vector<std::byte*> to_rows;
  std::vector<const std::byte*> ahead_rows;  ///< addresses of what the next block will read, and this one write
};

/// What one execution hands to its stages.
struct Round {
  const Slots* slots = nullptr;
  GuardedMap* map = nullptr;
};

struct Portion;

class Stage {
 public:
  struct Request {
    Side from, to;
    std::vector<Operation> operations;  ///< in order; none: a copy
    Precision precision = Precision::double_;
    std::vector<int> tile_axes;               ///< axes along which blocks must follow one another, outermost first
    std::vector<std::vector<Index>> bounds;   ///< an entry for each of tile_axes: where a block must not straddle
    bool stream = false;                      ///< the results go past the caches, unless they are written where they were read
    bool told = false;                        ///< they do so once told to
    bool in_runs = false;                     ///< rows that columns leave are copied from the block, one behind the other
    int keep_slot = -1;                       ///< what is in this slot does not, where this stage is told to keep it
    bool descending = false;                  ///< the last block first
    bool overwrites = false;                  ///< the results may be written where they were read
    bool far = false;                         ///< what is read is in no cache
    bool fetch = false;                       ///< lines are copied in their order before they are transformed
    Index threads = 1;                        ///< that have a bench each
    std::pair<int, int> one_memory = {-1, -1};  ///< slots of source and destination that may be the same array
    bool by_blocks = false;                   ///< a block is read whole, and transformed along its first axis, before any of it is written; not of copies
  };
  explicit Stage(const Request& request);
  /// As requested or, where that would write what is still to be read, in another order of blocks or by blocks, if that would not.
  static std::unique_ptr<Stage> undisturbed(const Request& request);
  /// True when it writes what it has still to read: its results are wrong unless an array lies between.
  bool disturbs() const;

  int blocks() const { return static_cast<int>(blocks_.size()); }
  /// Block b, in the coordinates of `from`, whole along transformed axes.
  const Box& block(int b) const { return blocks_[static_cast<std::size_t>(b)].box; }
  /// True when `axis` is transformed here, so that every block reaches over all of it.
  bool transforms(int axis) const;
  /// Columns of several axes are transformed first, into a block where the others find them.
  static bool columns_first(const Request& request);
  /// True when the source may begin where the destination's array in that slot does, blocks being run one after the other: every block has been read, into the bench, before it is written, and is written
  /// where no block that follows is read.
  bool overlays(int slot) const;
  /// True when all rows of a side begin cache lines if the first does.
  static bool begins_lines(const Side& side);
  const Request& request() const { return request_; }
  /// From now on what may go past the caches does, or does not.
  void stream(bool past) {
    past_ = past;
    if (copying_) copying_->stream(past);
  }
  /// From now on what may be kept in the caches is, or is not, whatever becomes of the rest; as planned it is.
  void keep(bool keeps) {
    keeps_ = keeps;
    for (Stage* other : others())
      if (other) other->keep(keeps);
  }
  /// True where rows that columns leave pile up, and had perhaps better be copied in runs; from now on they are, or are not. As planned they are not.
  bool may_copy() const { return copying_ != nullptr; }
  void copy(bool copies) { copies_ = copies; }
  /// After block b comes not the next one here but a block of another stage, and its memory is what b had better ask for.
  void follow(int b, const Stage& next, int block);
  /// Lines of a batch that is gathered or scattered, of so many bytes a point, and that may hold so many.
  static Index batch_width(Index bytes, Index length, Index budget = 256 * 1024);
  int passes() const { return static_cast<int>(most_of_others(passes_.size(), [](const Stage& s) { return s.passes_.size(); })); }

  /// Bytes of a bench's block and of one of its two line buffers, segments, and rows, that this stage needs.
  Index block_bytes() const { return block_bytes_; }
  Index line_bytes() const { return line_bytes_; }
  std::size_t segments() const { return segments_; }
  std::size_t rows() const { return rows_; }
  std::size_t ahead_rows() const;
  /// Lines that a pass transforms in all blocks together; those filled up to a whole batch do not count.
  Index lines(int pass) const;

  /// Runs share `part` of `parts` of one pass of a block; between passes all parts meet. `block` of the bench must be the same memory for all parts.
  void run(int block, int pass, int part, int parts, Bench& bench, const Round& round) const;

 private:
  struct Segment {  // where part of each line lies
    int slot = -1;
    Index offset = 0;  // bytes, at the cell's low corner
    Shape strides;     // bytes
    Index first = 0, count = 0;  // elements of the line
    Mover move;        // to or from the line buffer
    bool in_block = false;
  };
  struct Cell {  // a box whose lines all have the same segments
    Box box;
    std::vector<Segment> from, to;
    std::shared_ptr<const Scattered> from_table, to_table;
    Order outer;        // loops, slowest first
    int companion = -1; // the axis along which lines are batched, -1: one line at a time
    bool zero = false;  // its lines are to be zero
    bool from_lines = false, to_lines = false;  // lines lie contiguous, one behind the other: no line buffer needed
    bool past_lines = false;  // nor where they go past the caches
    bool straight = false;  // from source to target, through no buffer, however many
    bool rows = false;  // columns go straight from segments to segments
    bool apart = false; // contiguous lines go straight from an array to the block, or back, where they lie farther apart than the spec says
    std::pair<Index, Index> kept;  // points of them, half-open, that do not go past the caches where the stage keeps what it may: such as are written where they were read, or are in the slot for it
    bool asks = false;  // they, or such columns, ask memory for what is wanted next
    std::vector<std::pair<int, int>> pairs;  // copies: which from meets which to
    std::vector<Mover> moves;
  };
  struct Pass {
    Operation operation;
    bool copies = false, streams = false;
    bool into_block = false;   // it writes the bench
    bool in_parts = false;     // a batch is transformed and scattered in parts that stay in the first-level cache
    bool rows = false;         // some columns go straight from rows to rows
    bool buffered = false;     // some lines pass through buffers
    bool looks_ahead = false;  // meanwhile memory brings what the next one gathers
    Box from_box, to_box;
    Index from_bytes = 0, to_bytes = 0, in_length = 0, out_length = 0, width = 1;
    Index mid_length = 0, mid_bytes = 0;  // of a line between first and second
    Index in_stride = 1, in_step = 0, mid_step = 0, out_stride = 1, out_step = 0;  // elements: how lines lie in buffers, from point to point and from line to line
    std::vector<Cell> cells;
    bool apart() const {  // what is read and what is written need two buffers
      return from_bytes != mid_bytes || in_length != mid_length ||
             (operation.first && (operation.first->prefers_out_of_place() || !operation.first->spec().in_place()));
    }
    bool returns() const { return mid_bytes != to_bytes || mid_length != out_length || mid_step != out_step; }  // second leaves lines of another length than first
  };
  struct Rows {  // runs of memory, alike and evenly apart along some axes
    int slot = -1;
    Index offset = 0, bytes = 0;  // of each
    std::vector<std::pair<Index, Index>> loops;  // how many, how far apart; fastest first
    Index count() const;
  };
  struct Area {
    std::vector<Rows> parts;
    Index rows = 0, kept = 0;  // of all parts, and of the first ones, which may be kept in the caches
    bool near = false;         // wanted in the first-level cache
  };
  struct Block {
    Box box;
    std::vector<std::vector<int>> cells;  // for each pass
    Area ahead, target;  // what the block that is worked on next will read, and what this one will write, where somebody asks for it
  };
  struct Share {  // of an area's rows
    const Area* area = nullptr;
    Index first = 0, count = 0;
    Share part(Index k, Index of) const { return {area, first + count * k / of, count * (k + 1) / of - count * k / of}; }
  };
  struct Wanted {
    Share ahead, target;
    Wanted part(Index k, Index of) const { return {ahead.part(k, of), target.part(k, of)}; }
  };
  struct End {  // of a pass
    const Side& side;
    bool in_block;
  };

  // A block should stay in a core's second-level cache between its passes, and be one of many: threads share its lines, and plans of a few MiB own little beside their arrays. Over 256 KiB, two
  // threads of one rank took 0.8 of the time at 48^3 and 32^3 x 64, 128^3 on two ranks 1.0.
  static constexpr Index block_budget = 128 * 1024;
  static constexpr Index parts_budget = 64 * 1024;     // of a batch that is transformed and scattered in parts
  static constexpr Index fetched_budget = 512 * 1024;  // where the second-level cache has room for the next block, too
  static constexpr Index told_far = 1024 * 1024;       // where more goes past the caches, what is read is in none either
  static constexpr Index shortest_row = 256;           // that is asked for
  static constexpr Index cache_line = 64;

  /// A box in parts, at the given bounds of every axis, in C order.
  static std::vector<Box> split(const Box& box, const std::vector<std::vector<Index>>& bounds, const Order& order);
  void plan_blocks();
  void plan_passes();
  void plan_fetches();
  static Area area(const Side& side, const Box& box);
  /// Whether source and destination share memory but not places.
  static bool lies_otherwise(const Request& request);
  Box whole(Box box, const Box& all) const;  // along the axes that are transformed
  Order across() const;
  std::vector<Portion> portions(const Box& part) const;
  Area wanted(int block) const;
  Index width(Index bytes, Index length) const;  // of a batch of this stage
  Index thickness(int axis) const;  // of the thickest block
  Side between(const Box& box, Index bytes);
  std::shared_ptr<const Scattered> resolve(const Side& side, const Box& cell, const Scattered::Lie& lie, std::vector<Segment>& segments);
  std::vector<Index> cuts(const Box& cell, int axis, Index width) const;
  std::pair<Index, Index> nobodys(int axis, bool read) const;
  Pass plan_pass(const Operation& operation, bool copies, End from, End to, bool stream);
  void plan_cell(Pass& pass, const Box& box, bool zero, End from, End to);
  static std::vector<Segment> segments(End end, const Box& cell, int axis);
  int companion(const Pass& pass, const Cell& cell, const Segment& source, const Segment& target) const;
  void plan_ways(const Pass& pass, Cell& cell, End from, End to) const;
  void recall(std::size_t block) const;
  void run_cell(const Pass& pass, const Cell& cell, const Box& region, const Shape& origin, int part, int parts, Bench& bench, const Round& round, const Wanted& wanted) const;
  bool in_place(const Round& round) const;
  bool past(const Pass& pass, const Round& round) const;
  bool kept(const Segment& to) const { return keeps_ && !to.in_block && to.slot == request_.keep_slot; }
  template <class Visit>
  static void each_row(const Share& share, const Round& round, Visit visit);
  /// `more` lines follow in the same cell. What is `wanted` is asked for meanwhile where the cell asks.
  void run_lines(const Pass& pass, const Cell& cell, const Box& region, const Shape& at, Index width, Index more, const Wanted& wanted, Bench& bench, const Round& round) const;
  void transform(const Pass& pass, const std::byte* lines, std::byte* middle, std::byte* done, Index count, bool streams, const Shape& at, Index first, int companion, const Round& round) const;

  Request request_;
  bool otherwise_ = false;  // source and destination share memory, but points lie elsewhere
  // Others that work in its stead, with the same blocks, bench and bits: where it is told to stream, since blocks that go past the caches are not put where they go before they are done; and where it is told to copy.
  std::unique_ptr<Stage> streaming_, copying_;
  std::array<Stage*, 2> others() const { return {streaming_.get(), copying_.get()}; }
  template <class Size, class Of>
  Size most_of_others(Size own, Of of) const {
    for (const Stage* other : others())
      if (other) own = std::max<Size>(own, of(*other));
    return own;
  }
  std::optional<bool> past_;  // as told
  bool keeps_ = true, copies_ = false;
  std::vector<Block> blocks_;
  std::vector<Pass> passes_;
  std::vector<std::pair<const Table*, std::shared_ptr<const Scattered>>> resolved_;
  Index block_bytes_ = 0, line_bytes_ = 0;
  std::size_t segments_ = 0, rows_ = 0;
  std::size_t fetching_ = 0, fetched_ = 0;  // the first pass that asks for the next block's memory, and the one behind the last; 0: nobody does
  bool brings_ = false;  // its first lines ask for those behind them
};

}  // namespace weft

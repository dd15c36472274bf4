// A variant of a stage, worked out: blocks, the passes that each goes through, and cells, whose
// lines all lie alike.
//
// Always true: running allocates nothing and decides nothing. Programs of one stage have the same
// blocks and give the same bits.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "plan/stage/area.hpp"
#include "plan/stage/guarded_map.hpp"
#include "plan/stage/mover.hpp"
#include "plan/stage/parts.hpp"
#include "plan/stage/scattered.hpp"
#include "plan/stage/spec.hpp"
#include "plan/stage/variant.hpp"
#include "plan/stage/workspace.hpp"

namespace weft {

/// What one execution hands to its stages.
struct Call {
  const Slots* slots = nullptr;
  GuardedMap* map = nullptr;
};

struct Portion;

class StageProgram {
 public:
  /// Neither side of the spec is empty. The spec must outlive the program.
  StageProgram(const StageSpec& spec, const Variant& variant);
  StageProgram(const StageProgram&) = delete;
  StageProgram& operator=(const StageProgram&) = delete;

  /// What may change from one execution to the next.
  struct Stores {
    Store store;
    bool retains;
  };
  void choose(Stores stores) { stores_ = stores; }
  /// Runs share `part` of `parts` of one pass of a block, and nothing behind the last pass; between
  /// passes all parts meet. `workspace.block` must be the same memory for all parts.
  void run(int block, int pass, int part, int parts, Workspace& workspace, const Call& call) const;

  int blocks() const { return blocks_.count(); }
  Box block(int b) const { return blocks_[b].box; }
  int passes() const { return static_cast<int>(passes_.size()); }
  /// Lines that a pass transforms in all blocks together; those filled up to a whole batch do not
  /// count.
  Index lines(int pass) const;
  /// Whether it writes what it has still to read.
  bool disturbs() const;
  /// Whether the source may begin where the destination's array in that slot does.
  bool overlays(int slot) const;

  /// Bytes of a workspace's block and of one of its two line buffers, segments, and rows, that this
  /// program needs.
  Index block_bytes() const { return block_bytes_; }
  Index line_bytes() const { return line_bytes_; }
  std::size_t segments() const { return segments_; }
  std::size_t rows() const { return rows_; }
  std::size_t ahead_rows() const;

  /// Whether it asks for the next block's memory, and for what of a block of its own somebody had
  /// better ask.
  bool prefetches() const { return prefetching_end_ > 0; }
  PlacedArea wanted(int block) const;
  /// What is asked for while the block is worked on is this, which outlives the program.
  void prefetch(int block, const PlacedArea& area);

 private:
  struct Segment {  // where part of each line lies
    int slot = -1;
    Index offset = 0;            // bytes, at the cell's low corner
    Shape strides;               // bytes
    Index first = 0, count = 0;  // elements of the line
    Mover move;                  // to or from the line buffer
    bool in_block = false;
    // how the lines of a batch that has fields lie: evenly apart, or the fields of each row side by
    // side, which then move as one element
    bool even = true, wide = false;
  };
  struct Batch;
  struct Cell {  // a box whose lines all have the same segments
    Box box;
    void (StageProgram::*work)(const Batch&) const = nullptr;  // what happens to a batch of its lines
    std::vector<Segment> from, to;
    std::shared_ptr<const Scattered> from_table, to_table;
    Order outer;              // loops, slowest first
    int companion = -1;       // the axis along which lines are batched, -1: one line at a time
    int fields_axis = -1;     // a short axis, of which all lines are in every batch; -1: there is none
    Index fields = 1;         // its lines
    bool zero = false;        // its lines are to be zero
    bool from_lines = false;  // lines lie contiguous, one behind the other, where they are read: no line buffer needed
    bool to_lines = false;    // or where they are written
    bool streaming_lines = false;  // nor where they go past the caches
    bool straight = false;         // from source to target, through no buffer, however many
    bool rows = false;             // columns go straight from segments to segments
    // contiguous lines go straight from an array to the block, or back, farther apart than the spec
    // says
    bool apart = false;
    // points of them, half-open, that are retained: such as are written where they were read, or in
    // the retained slot
    std::pair<Index, Index> retained;
    bool asks = false;                       // such lines or columns ask memory for what is wanted next
    std::vector<std::pair<int, int>> pairs;  // copies: which from meets which to
    std::vector<Mover> moves;
    /// Bytes from line to line or, where they are not evenly apart, from row to row.
    Index stride(const Segment& s) const {
      return companion < 0 ? Index{0} : s.strides[fields_axis >= 0 && s.even ? fields_axis : companion];
    }
  };
  struct Pass {
    Operation operation;
    bool copies = false, streams = false;
    bool into_block = false;   // it writes the workspace
    bool in_parts = false;     // a batch is transformed and scattered in parts that stay in the first-level cache
    bool rows = false;         // some columns go straight from rows to rows
    bool buffered = false;     // some lines pass through buffers
    bool looks_ahead = false;  // meanwhile memory brings what the next batch gathers
    Box from_box, to_box;
    Index from_bytes = 0, to_bytes = 0, in_length = 0, out_length = 0, width = 1;
    Index mid_length = 0, mid_bytes = 0;  // of a line between first and second
    // how lines lie in buffers, from point to point and from line to line, in elements
    Index in_stride = 1, in_step = 0, mid_step = 0, out_stride = 1, out_step = 0;
    std::vector<Cell> cells;
    /// What is read and what is written need two buffers.
    bool apart() const {
      return from_bytes != mid_bytes || in_length != mid_length ||
             (operation.first && (operation.first->prefers_out_of_place() || !operation.first->spec().in_place()));
    }
    /// Second leaves lines of another length than first.
    bool second_differs() const { return mid_bytes != to_bytes || mid_length != out_length || mid_step != out_step; }
  };
  using Cells = std::vector<std::vector<int>>;  // numbers of cells, for each pass
  struct Common {                               // to all blocks of a sort
    Cells cells;                                // that they meet
    Area reads;                                 // what somebody had better ask for before
    Area writes;                                // where somebody asks for it
  };
  enum class Targets { none, own, next };  // whether a block's work asks where it will write, or the next one
  struct Wanted {
    AreaShare ahead, target;
    Wanted part(Index k, Index of) const { return {ahead.part(k, of), target.part(k, of)}; }
  };
  struct End {  // of a pass
    const Side& side;
    bool in_block;
  };
  struct Panels {  // alike, each so many bytes behind the one before it
    Panel each;
    Index count, from, to;
  };
  struct Batch {  // of lines, on their way through a pass
    const Pass& pass;
    const Cell& cell;
    const Box& region;  // of the cell, in a block
    const Shape& at;    // the first of them
    Index width, more;  // and as many follow in the same cell
    const Wanted& wanted;
    bool streams;
    Workspace& workspace;
    const Call& call;

    /// As that of the cell.
    Index stride(const Segment& s) const { return cell.stride(s); }
    Index stride_along(const Segment& s) const { return s.strides[pass.operation.axis]; }
    /// What moves so many lines from memory to a buffer where they lie `step` and their points
    /// `point` bytes apart.
    Panels gathered(const Segment& s, Index lines, Index point, Index step) const;
    /// The addresses of a share, which the workspace has room for behind so many others.
    Lines::Ahead listed(const AreaShare& share, Index behind) const;
  };

  /// A box in parts, at the given bounds of every axis, in C order.
  static std::vector<Box> split(const Box& box, const std::vector<std::vector<Index>>& bounds, const Order& order);
  const Common& common(const Parts::Part& block) const { return common_[block.sort]; }
  void plan_blocks();
  Order block_axes() const;
  int fields_axis() const;
  Index line_set_bytes() const;
  int batched_axis(const Order& cut) const;
  std::vector<Index> tile_bounds(int axis) const;
  std::vector<Index> traits(int axis, Index lo, Index hi) const;
  bool meets(const Pass& pass, const Cell& cell, int axis, Index lo, Index hi) const;
  void sort_blocks();
  Cells cells_of(const Box& block) const;
  Index thickness(int axis) const;               // of the thickest block
  Index width(Index bytes, Index length) const;  // of a batch
  Side between(const Box& box, Index bytes);
  Order order_between(const Box& largest) const;

  void plan_passes();
  Pass plan_pass(const Operation& operation, bool copies, End from, End to, bool streams);
  int copied_axis(End from, End to) const;
  void lay_lines(Pass& pass) const;
  void plan_cells(Pass& pass, End from, End to);
  void plan_cell(Pass& pass, const Box& box, bool zero, End from, End to);
  void plan_moves(const Pass& pass, Cell& cell, End from, End to) const;
  void plan_ways(const Pass& pass, Cell& cell, End from, End to) const;
  void plan_rows(const Pass& pass, Cell& cell, End from, End to) const;
  static std::vector<Segment> segments(End end, const Box& cell, int axis);
  std::shared_ptr<const Scattered> resolve(const Side& side, const Box& cell, const Scattered::BufferLayout& buffer,
                                           std::vector<Segment>& segments);
  std::vector<Index> cuts(const Box& cell, int axis, Index width) const;
  std::pair<Index, Index> untouched(int axis, bool read) const;
  int companion(const Pass& pass, const Cell& cell, const Segment& source, const Segment& target) const;

  void plan_prefetches();
  void list_areas();
  Pass* lines_that_ask(Pass& columns);
  Area area(const Side& side, const Box& box) const;
  Area read_ahead(const Box& block) const;
  Area written(const Box& block) const;
  PlacedArea ahead(int block) const;
  PlacedArea target(int block) const;

  Box whole(Box box, const Box& all) const;  // along the axes that are transformed
  Order across() const;
  std::vector<Portion> portions(const Box& part) const;
  void add_batches(const Pass& pass, const Cell& cell, const Box& region, std::vector<Portion>& list) const;

  void recall(int block) const;
  void run_cell(const Pass& pass, const Cell& cell, const Box& region, const Shape& origin, int part, int parts,
                const Wanted& wanted, Workspace& workspace, const Call& call) const;
  static Index batch_of(const Pass& pass, const Cell& cell, Index along, Index outer, int parts, const Wanted& wanted);
  Wanted wanted_at(const PlacedArea& ahead, const PlacedArea& target, int pass, Index cell, Index cells,
                   const Call& call) const;
  bool in_place(const Call& call) const;
  bool streams(const Pass& pass, const Call& call) const;
  bool retained(const Segment& to) const { return stores_.retains && !to.in_block && to.slot == spec_.retained_slot; }
  void fill_zeros(const Batch& batch) const;
  void run_copies(const Batch& batch) const;
  void run_rows(const Batch& batch) const;
  void run_apart(const Batch& batch) const;
  void run_lines(const Batch& batch) const;
  const std::byte* gather(const Batch& batch, std::byte* into) const;
  void zero_gap(const Batch& batch, std::byte* into, Index first, Index last) const;
  void scatter(const Batch& batch, const std::byte* done, Index first, Index count) const;
  static void look_ahead(const Batch& batch, Index first, Index count);
  struct Places {  // of a batch of lines: where they are read, between first and second, and in the end
    const std::byte* lines;
    std::byte *middle, *done;
    bool straight;  // they end where they go
  };
  Places place(const Batch& batch) const;
  static void map(const Batch& batch, std::byte* middle, Index first, Index count);
  void scale(const Pass& pass, std::byte* lines, Index count) const;

  const StageSpec& spec_;
  const Variant variant_;
  Stores stores_{};
  bool lies_otherwise_ = false;  // source and destination share memory, but points lie elsewhere
  int fields_axis_ = -1;         // a short axis of lines side by side, of which every block has all; -1: there is none
  Parts blocks_;
  std::vector<Common> common_;  // by sort of block
  std::vector<Pass> passes_;
  std::vector<std::pair<const Table*, std::shared_ptr<const Scattered>>> resolved_;
  Index block_bytes_ = 0, line_bytes_ = 0;
  std::size_t segments_ = 0, rows_ = 0;
  // the first pass that asks for the next block's memory, and the one behind the last; 0: none does
  std::size_t prefetching_ = 0, prefetching_end_ = 0;
  bool brings_ = false;  // its first lines ask for those behind them
  Targets targets_ = Targets::none;
  // by block: what it asks for in place of the next one's memory, and where that stands; -1: it
  // does not
  std::vector<PlacedArea> followers_;
  std::vector<int> follower_of_;
};

}  // namespace weft

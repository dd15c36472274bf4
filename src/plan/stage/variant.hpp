// How a stage goes about its work on a machine: a plain value, chosen in plan/policy. Results and
// their bits do not depend on it.
#pragma once

#include <algorithm>
#include <optional>

#include <weft/box.hpp>

namespace weft {

/// How results are stored.
enum class Store {
  cached,               ///< as usual
  streaming,            ///< past the caches
  streaming_elsewhere,  ///< past the caches, unless they are written where they were read
};

/// How what is read comes from memory.
enum class Load {
  direct,      ///< as it is needed
  prefetched,  ///< asked for while the block before it is worked on
  staged,      ///< so, and lines are copied in their order before they are transformed
};

/// Where a block may lie between two passes.
enum class Between {
  anywhere,   ///< in the destination where that holds it as it is needed, else in the workspace
  workspace,  ///< so that results are stored once
};

/// How rows that columns make leave a block.
enum class Leave {
  as_made,  ///< column by column, into all rows at once
  in_runs,  ///< copied from the workspace, one row behind the other
};

/// Sizes in bytes by which work is cut.
struct Blocking {
  Index block = 0;       ///< of a block between its passes
  Index batch = 0;       ///< of a batch of lines, and of one of long lines
  Index long_batch = 0;  ///< of a batch of lines of at least `long_line`
  Index long_line = 0;
  Index array_share = 1;   ///< so that all batches of long lines are at most this part of the array: one in so many
  Index across = 0;        ///< of a batch at one point of its lines
  Index part = 0;          ///< of a batch that is transformed and scattered in parts
  Index part_across = 0;   ///< of a part at one point of its lines
  Index prefetched = 0;    ///< of a block that the second-level cache holds beside the one that is worked on
  Index shortest_row = 0;  ///< that is prefetched
  Index longest_run = 0;   ///< of memory that is sure to be one page's
  Index cache_line = 0;

  /// Lines of one batch: at least as many as engines like or as fill two cache lines.
  Index batch_width(Index bytes, Index length, Index budget) const {
    return std::max({Index{8}, 2 * cache_line / bytes, std::min(across / bytes, budget / (length * bytes)) / 8 * 8});
  }
  Index batch_width(Index bytes, Index length) const { return batch_width(bytes, length, batch); }
};

struct Variant {
  Store store = Store::cached;
  Load load = Load::direct;
  Between between = Between::anywhere;
  Leave leave = Leave::as_made;
  /// What the stage's `retained_slot` gets, and what is written where it was read, stays in the
  /// caches when the rest goes past them.
  bool retains = true;
  /// Where results will be written is asked for, too, but for what is sure to be stored past the
  /// caches.
  bool prefetches_target = true;
  Blocking blocking;
};

/// What a stage may do, and what it tries: every variant gives the same bits.
struct Variants {
  Variant planned;                   ///< what it does where nothing is tried
  std::optional<Variant> streaming;  ///< in its stead when results are to go past the caches
  std::optional<Variant> in_runs;    ///< in its stead when rows are to leave in runs
};

/// One of them.
struct Choice {
  bool in_runs = false;
  std::optional<bool> streams = std::nullopt;  ///< empty: as planned
  bool retains = true;
};

}  // namespace weft

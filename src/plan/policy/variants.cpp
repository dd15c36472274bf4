#include "plan/policy/variants.hpp"

#include "plan/policy/limits.hpp"

namespace weft {
namespace {

/// Whether results go past the caches.
enum class Past { never, always, tried };

// Whether what a stage writes lies where it reads, but for what is retained in a slot of its own.
bool written_where_read(const StageSpec& spec) {
  const auto waits = [&](const View& v, const View& to) {
    return spec.from.views.size() > 1 && to.box.contains(v.box) && same_memory(v, to.cut(v.box));
  };
  return std::any_of(spec.from.views.begin(), spec.from.views.end(), [&](const View& v) {
    if (spec.to.views.empty()) return true;
    const View& to = spec.to.views.front();
    return v.slot == to.slot && !waits(v, to);
  });
}

// Past the caches may go what callers get, unless all of it is worked on where it lies; and what a
// stage leaves for others where a block is copied out or was one axis. A first stage's goes there
// where it is large; what ranks of a node exchange, and their caches may hold, is tried.
Past past_caches(const StageSpec& spec, const StageFacts& facts, const Hardware& hardware) {
  const Index bytes = spec.bytes_written();
  const bool tried =
      facts.ranks > 1 && bytes >= limits::may_stream && facts.ranks * bytes <= hardware.last_level(facts.ranks);
  if (written_where_read(spec)) return Past::never;
  if (facts.returns) {
    const bool may = !facts.first && (spec.operations.size() == 1 || spec.from.table || spec.columns_first());
    if (!may) return Past::never;
    return bytes >= limits::streaming ? Past::always : tried && !facts.last ? Past::tried : Past::never;
  }
  if (!facts.sends || spec.from.table || spec.to.table || spec.operations.empty()) return Past::never;
  const Operation& last = spec.operations.back();
  const bool columns = last.first && last.first->spec().out_stride > 1;
  if (spec.operations.size() > 1 && !columns) return Past::never;
  const bool large = facts.first && bytes >= limits::streaming;
  if (tried && !(large && spec.to.begins_lines(hardware.cache_line))) return Past::tried;
  return large ? Past::always : Past::never;
}

// Whether rows that columns leave where they were read fall on the same few sets of a first-level
// cache, while in the workspace they would not. Columns that cannot leave the workspace are copied
// from there anyway.
bool piles_up(const StageSpec& spec, const StageFacts& facts) {
  if (!facts.overwrites || spec.operations.size() < 2) return false;
  const Operation& columns = spec.operations.back();
  const auto piled = [&](Index apart) { return apart * spec.to.bytes % limits::cache_sets == 0; };
  return !spec.from.box.empty() && columns.strided() && columns.first->takes_rows() &&
         !piled(columns.first->spec().out_stride) && spec.to.box.extent(columns.axis) > limits::cache_ways &&
         std::all_of(spec.to.views.begin(), spec.to.views.end(),
                     [&](const View& view) { return piled(view.strides[columns.axis]); });
}

// Rows that no cache holds are staged where planes are large or rows scattered.
Load load(const StageSpec& spec, const StageFacts& facts) {
  if (spec.bytes_read() < limits::from_memory) return Load::direct;
  const bool staged = facts.first && (spec.to.table || !facts.paired_rows) && !spec.operations.empty();
  return staged ? Load::staged : Load::prefetched;
}

}  // namespace

Blocking blocking(const Hardware& hardware) {
  return {.block = limits::block,
          .batch = limits::batch,
          .long_batch = limits::long_batch,
          .long_line = limits::long_line,
          .array_share = limits::long_batch_array_share,
          .across = limits::batch_across,
          .part = limits::part,
          .part_across = limits::part_across,
          .prefetched = limits::prefetched_block,
          .shortest_row = limits::shortest_row,
          .longest_run = std::min(limits::longest_run, hardware.page / 2),
          .cache_line = hardware.cache_line};
}

Variants variants(const StageSpec& spec, const StageFacts& facts, const Hardware& hardware) {
  Variants all;
  Variant& planned = all.planned;
  planned.blocking = blocking(hardware);
  planned.load = load(spec, facts);
  const Past past = past_caches(spec, facts, hardware);
  if (past == Past::always) planned.store = Store::streaming_elsewhere, planned.between = Between::workspace;
  if (piles_up(spec, facts)) {
    all.in_runs = planned;
    all.in_runs->leave = Leave::in_runs;
  }
  if (past == Past::tried) {
    planned.prefetches_target = false;
    Variant& streaming = all.streaming.emplace(planned);
    streaming.store = Store::streaming;
    streaming.between = Between::workspace;
    if (!spec.to.begins_lines(hardware.cache_line)) streaming.leave = Leave::in_runs;
    if (streaming.load == Load::direct && spec.bytes_read() > limits::streamed_is_read)
      streaming.load = Load::prefetched;
  }
  return all;
}

// Where the last-level cache might hold results until they are read, nobody knows what is faster,
// for neighbours share it. What callers get is tried only if a cache might hold it beside what it
// comes from. What is retained is kept first: it may be what makes streaming the rest pay.
Trials trials(const StageSpec& spec, const Variants& variants, const StageFacts& facts, const Hardware& hardware) {
  const Index cache = hardware.last_level(facts.ranks);
  const bool streams = variants.planned.store != Store::cached;
  Trials all;
  all.in_runs = variants.in_runs.has_value();
  all.streams = variants.streaming || (streams && facts.bytes_at_once * (facts.returns ? 2 : 1) <= cache);
  all.retains = spec.retained_slot >= 0;
  const bool past = facts.returns
                        ? spec.operations.size() == 1 || facts.bytes_at_once > cache / limits::caller_cache_share
                        : !facts.overwrites && facts.bytes_at_once > cache / limits::stage_cache_share;
  all.streams_guess = past && !variants.streaming;
  return all;
}

}  // namespace weft

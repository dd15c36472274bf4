// What memory is asked for while a block is worked on, so that it is there when the next one is.
#include <algorithm>

#include "plan/stage/program.hpp"

namespace weft {

// Columns that come from rows ask for the next block themselves, where rows begin cache lines and
// the second-level cache has room for both blocks. Rows before them ask for half of it, and for
// where the columns will put their results. Without such columns the next block is asked for in all
// passes where there is room, else while it is copied out. Not where lines ask for those behind
// them; and not where rows that leave in runs stay in the caches: such rows pile up in few sets,
// and what is asked for early is lost before it is read.
void StageProgram::plan_prefetches() {
  const Operation& first = passes_.front().operation;
  if (variant_.load == Load::direct || spec_.from.table) return;
  brings_ = first.first && first.first->reads_ahead();
  if (brings_ && variant_.leave == Leave::in_runs && variant_.store != Store::streaming) return;
  Index largest = spec_.from.bytes;
  for (int a = 0; a < spec_.from.box.axes(); ++a) largest *= thickness(a);
  const bool room = largest <= variant_.blocking.prefetched;
  const auto columns = std::find_if(passes_.begin(), passes_.end(), [](const Pass& pass) { return pass.rows; });
  const bool columns_ask = room && columns != passes_.end() && spec_.from.begins_lines(variant_.blocking.cache_line);
  const bool nobody_can =
      passes_.size() < 2 || (first.first && first.first->takes_rows()) || (!room && !passes_.back().copies);
  if (!columns_ask && nobody_can) return;
  prefetching_ = columns_ask ? static_cast<std::size_t>(columns - passes_.begin()) : room ? 0 : passes_.size() - 1;
  prefetching_end_ = columns_ask ? prefetching_ + 1 : passes_.size();
  Pass* rows = nullptr;
  if (columns_ask) {
    for (Cell& cell : columns->cells) cell.asks = cell.rows;
    rows = lines_that_ask(*columns);
  }
  if (rows) {
    prefetching_ = 0, prefetching_end_ = 2;
    for (Cell& cell : rows->cells) {
      cell.apart = cell.asks = true;
      if (!cell.rows) cell.work = &StageProgram::run_apart;
    }
  }
  brings_ = brings_ && !columns_ask;
  // rows ask where the columns behind them will write, columns alone where they will next
  if (columns_ask && columns + 1 == passes_.end() && (rows || passes_.size() == 1))
    targets_ = rows ? Targets::own : Targets::next;
  list_areas();
}

void StageProgram::list_areas() {
  for (std::size_t sort = 0; sort < common_.size(); ++sort) {
    const Box block = blocks_.example(sort);
    common_[sort].reads = read_ahead(block);
    if (targets_ != Targets::none) common_[sort].writes = written(block);
  }
}

// What a block will write, of which what is retained comes first.
Area StageProgram::written(const Box& block) const {
  Area all = area(spec_.to, block);
  const auto others = std::stable_partition(all.parts.begin(), all.parts.end(),
                                            [&](const Area::Rows& part) { return part.slot == spec_.retained_slot; });
  std::for_each(all.parts.begin(), others, [&](const Area::Rows& part) { all.retained += part.count(); });
  return all;
}

// The other one of two passes, if it transforms contiguous lines that can ask for memory as columns
// do; else null.
StageProgram::Pass* StageProgram::lines_that_ask(Pass& columns) {
  if (passes_.size() != 2 || spec_.to.table) return nullptr;
  Pass& rows = passes_[&columns == &passes_.front() ? 1 : 0];
  const Operation& operation = rows.operation;
  if (rows.copies || !operation.first || !operation.first->asks() || operation.second || operation.map ||
      operation.scale != 1)
    return nullptr;
  const auto whole = [&](const std::vector<Segment>& parts, Index length, Index point) {
    return parts.size() == 1 && parts[0].even && parts[0].count == length && parts[0].strides[operation.axis] == point;
  };
  const auto asks = [&](const Cell& cell) {
    return cell.companion >= 0 && whole(cell.from, rows.in_length, rows.from_bytes) &&
           whole(cell.to, rows.out_length, rows.to_bytes);
  };
  return std::all_of(rows.cells.begin(), rows.cells.end(), asks) ? &rows : nullptr;
}

Area StageProgram::read_ahead(const Box& block) const {
  Area all = area(spec_.from, block);
  std::erase_if(all.parts, [&](const Area::Rows& part) {
    return part.bytes < variant_.blocking.shortest_row || (brings_ && part.loops.empty());
  });
  all.rows = 0;
  for (const Area::Rows& part : all.parts) all.rows += part.count();
  all.to_l1 = passes_.size() > 1 && block.volume() * spec_.from.bytes <= variant_.blocking.block;
  return all;
}

PlacedArea StageProgram::wanted(int b) const {
  if (!prefetches()) return {};
  const Parts::Part block = blocks_[b];
  return {&common(block).reads, block.box.lo};
}

void StageProgram::prefetch(int block, const PlacedArea& area) {
  follower_of_.resize(static_cast<std::size_t>(blocks()), -1);
  follower_of_[static_cast<std::size_t>(block)] = static_cast<int>(followers_.size());
  followers_.push_back(area);
}

// What the block that is worked on next will read.
PlacedArea StageProgram::ahead(int block) const {
  if (!follower_of_.empty())
    if (const int k = follower_of_[static_cast<std::size_t>(block)]; k >= 0)
      return followers_[static_cast<std::size_t>(k)];
  return block + 1 < blocks() ? wanted(block + 1) : PlacedArea{};
}

// What it asks for of where results go.
PlacedArea StageProgram::target(int b) const {
  const int of = targets_ == Targets::next ? b + 1 : b;
  if (targets_ == Targets::none || of == blocks()) return {};
  const Parts::Part block = blocks_[of];
  return {&common(block).writes, block.box.lo};
}

// The runs of memory that hold a box of a side.
Area StageProgram::area(const Side& side, const Box& box) const {
  const Index longest = variant_.blocking.longest_run;
  Area all;
  for (const View& view : side.views) {
    const Box part = view.box.intersect(box);
    if (part.empty()) continue;
    Order order = c_order(part.axes());
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return view.strides[x] < view.strides[y]; });
    Area::Rows rows{view.slot, view.at(part.lo) * side.bytes, side.bytes, Shape::filled(box.axes(), 0), {}};
    for (int a = 0; a < std::min(view.box.axes(), box.axes()); ++a) {
      rows.strides[a] = view.strides[a] * side.bytes;
      rows.offset -= rows.strides[a] * box.lo[a];
    }
    for (const int a : order) {
      if (part.extent(a) == 1) continue;
      if (rows.loops.empty() && view.strides[a] * side.bytes == rows.bytes)
        rows.bytes *= part.extent(a);
      else
        rows.loops.emplace_back(part.extent(a), view.strides[a] * side.bytes);
    }
    if (rows.bytes > longest) {
      rows.loops.insert(rows.loops.begin(), {rows.bytes / longest, longest});
      rows.bytes = longest;
    }
    all.rows += rows.count();
    all.parts.push_back(std::move(rows));
  }
  return all;
}

std::size_t StageProgram::ahead_rows() const {
  Index most = 0;
  const auto rows = [](const PlacedArea& area) { return area.area ? area.area->rows : 0; };
  for (int b = 0; prefetches() && b < blocks(); ++b) most = std::max(most, rows(ahead(b)) + rows(target(b)));
  return static_cast<std::size_t>(most);
}

}  // namespace weft

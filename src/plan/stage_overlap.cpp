// Stages whose source and destination lie in one memory: in which portions they work, and ways that leave what is unread alone.
#include "plan/overlap.hpp"
#include "plan/stage.hpp"

namespace weft {
namespace {

int memory_of(const View& view, const std::pair<int, int>& one_memory) { return view.slot == one_memory.second ? one_memory.first : view.slot; }

Placed placed(const Side& side, const std::pair<int, int>& one_memory) {
  Placed all{side.views, side.bytes};
  for (View& view : all.views) view.slot = memory_of(view, one_memory);
  return all;
}

}  // namespace

bool Stage::lies_otherwise(const Request& request) {
  if (request.from.table || request.to.table) return false;
  std::vector<int> read;  // memories, mostly none of which is written
  for (const View& view : request.from.views) read.push_back(memory_of(view, request.one_memory));
  std::sort(read.begin(), read.end());
  if (std::none_of(request.to.views.begin(), request.to.views.end(), [&](const View& view) { return std::binary_search(read.begin(), read.end(), memory_of(view, request.one_memory)); }))
    return false;
  const Placed from = placed(request.from, request.one_memory), to = placed(request.to, request.one_memory);
  return std::any_of(to.views.begin(), to.views.end(), [&](const View& written) {
    return std::any_of(from.views.begin(), from.views.end(), [&](const View& view) {
      return view.slot == written.slot && !same_places(view, from.bytes, written, to.bytes);
    });
  });
}

Box Stage::whole(Box box, const Box& all) const {
  for (int a = 0; a < box.axes(); ++a)
    if (transforms(a)) box.lo[a] = all.lo[a], box.hi[a] = all.hi[a];
  return box;
}

// Axes along which portions have the same coordinates on both sides: all but those along which a portion is whole.
Order Stage::across() const {
  const Pass& first = passes_.front();
  Order axes;
  for (int a = 0; a < request_.from.box.axes(); ++a)
    if (!transforms(a) || (!first.into_block && a != first.operation.axis && request_.from.box.extent(a) == request_.to.box.extent(a))) axes.push_back(a);
  return axes;
}

// What lies in `part` of the box, which is whole but for axes of `across`: blocks where they are read into the bench before anything is written, else batches of
// lines, as `run_cell` walks them.
std::vector<Portion> Stage::portions(const Box& part) const {
  const Pass& first = passes_.front();
  const Box &from = request_.from.box, &to = request_.to.box;
  const Order cut = across();
  const auto within = [&](Box box) {
    for (const int a : cut) box.lo[a] = std::max(box.lo[a], part.lo[a]), box.hi[a] = std::min(box.hi[a], part.hi[a]);
    return box;
  };
  std::vector<Portion> list;
  for (const Block& block : blocks_) {
    const Box here = within(block.box);
    if (here.empty()) continue;
    if (first.into_block) {
      list.push_back({whole(here, from), whole(here, to)});
      continue;
    }
    for (const int number : block.cells.front()) {
      const Cell& cell = first.cells[static_cast<std::size_t>(number)];
      Box region = within(cell.box);
      for (int a = 0; a < region.axes(); ++a)
        if (!transforms(a)) region.lo[a] = std::max(region.lo[a], here.lo[a]), region.hi[a] = std::min(region.hi[a], here.hi[a]);
      if (region.empty()) continue;
      const int axis = first.operation.axis, c = cell.companion;
      for (Shape at = region.lo;;) {
        for (Index batch = 0; batch < (c < 0 ? 1 : region.extent(c)); batch += first.width) {
          Portion lines{region, region};
          for (const int a : cell.outer) lines.from = lines.from.cut(a, at[a], at[a] + 1);
          if (c >= 0) lines.from = lines.from.cut(c, region.lo[c] + batch, region.lo[c] + batch + first.width);
          lines.to = lines.from;
          lines.from.lo[axis] = from.lo[axis], lines.from.hi[axis] = from.hi[axis];
          lines.to.lo[axis] = first.to_box.lo[axis], lines.to.hi[axis] = first.to_box.hi[axis];
          list.push_back(lines);
        }
        int k = cell.outer.size() - 1;
        while (k >= 0 && ++at[cell.outer[k]] == region.hi[cell.outer[k]]) at[cell.outer[k]] = region.lo[cell.outer[k]], --k;
        if (k < 0) break;
      }
    }
  }
  return list;
}

bool Stage::disturbs() const {
  if (!otherwise_ || blocks_.empty()) return false;
  for (const Stage* other : others())
    if (other && other->disturbs()) return true;
  const Pass& first = passes_.front();
  if (first.copies && !first.into_block) return true;  // a mover reads and writes by turns
  const Placed from = placed(request_.from, request_.one_memory), to = placed(request_.to, request_.one_memory);
  return weft::disturbs(from, to, portions(representative(request_.from.box, across(), from, to)), request_.threads == 1);
}

std::unique_ptr<Stage> Stage::undisturbed(const Request& request) {
  auto planned = std::make_unique<Stage>(request);
  if (!planned->disturbs()) return planned;
  for (const bool by_blocks : {false, !request.operations.empty()})
    for (const bool turned : {false, true}) {
      if (!(by_blocks || turned) || (turned && request.threads > 1)) continue;
      Request other = request;
      other.by_blocks = by_blocks;
      other.descending = request.descending != turned;
      if (auto stage = std::make_unique<Stage>(other); !stage->disturbs()) return stage;
    }
  return planned;
}

}  // namespace weft

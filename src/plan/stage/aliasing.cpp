// Stages whose source and destination lie in one memory: in which portions they work, and whether
// one of them writes what another has still to read.
#include "plan/stage/aliasing.hpp"

#include <limits>

#include "plan/stage/program.hpp"

namespace weft {
namespace {

int memory_of(const View& view, const std::pair<int, int>& one_memory) {
  return view.slot == one_memory.second ? one_memory.first : view.slot;
}

}  // namespace

Placed placed(const Side& side, const std::pair<int, int>& one_memory) {
  Placed all{side.views, side.bytes};
  for (View& view : all.views) view.slot = memory_of(view, one_memory);
  return all;
}

bool lies_otherwise(const StageSpec& spec) {
  if (spec.from.table || spec.to.table) return false;
  std::vector<int> read;  // memories, mostly none of which is written
  for (const View& view : spec.from.views) read.push_back(memory_of(view, spec.one_memory));
  std::sort(read.begin(), read.end());
  if (std::none_of(spec.to.views.begin(), spec.to.views.end(), [&](const View& view) {
        return std::binary_search(read.begin(), read.end(), memory_of(view, spec.one_memory));
      }))
    return false;
  const Placed from = placed(spec.from, spec.one_memory), to = placed(spec.to, spec.one_memory);
  return std::any_of(to.views.begin(), to.views.end(), [&](const View& written) {
    return std::any_of(from.views.begin(), from.views.end(), [&](const View& view) {
      return view.slot == written.slot && !same_places(view, from.bytes, written, to.bytes);
    });
  });
}

Box StageProgram::whole(Box box, const Box& all) const {
  for (int a = 0; a < box.axes(); ++a)
    if (spec_.transforms(a)) box.lo[a] = all.lo[a], box.hi[a] = all.hi[a];
  return box;
}

// Axes along which portions have the same coordinates on both sides: all but those along which a
// portion is whole.
Order StageProgram::across() const {
  const Pass& first = passes_.front();
  Order axes;
  for (int a = 0; a < spec_.from.box.axes(); ++a) {
    const bool alike =
        !first.into_block && a != first.operation.axis && spec_.from.box.extent(a) == spec_.to.box.extent(a);
    if (!spec_.transforms(a) || alike) axes.push_back(a);
  }
  return axes;
}

// What lies in `part` of the box, which is whole but for axes of `across`: blocks where they are
// read into the workspace before anything is written, else batches of lines, as `run_cell` walks
// them.
std::vector<Portion> StageProgram::portions(const Box& part) const {
  const Pass& first = passes_.front();
  const Order cut = across();
  const auto within = [&](Box box) {
    for (const int a : cut) box.lo[a] = std::max(box.lo[a], part.lo[a]), box.hi[a] = std::min(box.hi[a], part.hi[a]);
    return box;
  };
  std::vector<Portion> list;
  for (int b = 0; b < blocks_.count(); ++b) {
    const Parts::Part block = blocks_[b];
    const Box here = within(block.box);
    if (here.empty()) continue;
    if (first.into_block) {
      list.push_back({whole(here, spec_.from.box), whole(here, spec_.to.box)});
      continue;
    }
    for (const int number : common(block).cells.front()) {
      const Cell& cell = first.cells[static_cast<std::size_t>(number)];
      Box region = within(cell.box);
      for (int a = 0; a < region.axes(); ++a)
        if (!spec_.transforms(a))
          region.lo[a] = std::max(region.lo[a], here.lo[a]), region.hi[a] = std::min(region.hi[a], here.hi[a]);
      if (!region.empty()) add_batches(first, cell, region, list);
    }
  }
  return list;
}

void StageProgram::add_batches(const Pass& pass, const Cell& cell, const Box& region,
                               std::vector<Portion>& list) const {
  const int axis = pass.operation.axis, c = cell.companion;
  const Index width = pass.width / cell.fields;
  for (Shape at = region.lo;;) {
    for (Index batch = 0; batch < (c < 0 ? 1 : region.extent(c)); batch += width) {
      Portion lines{region, region};
      for (const int a : cell.outer) lines.from = lines.from.cut(a, at[a], at[a] + 1);
      if (c >= 0) lines.from = lines.from.cut(c, region.lo[c] + batch, region.lo[c] + batch + width);
      lines.to = lines.from;
      lines.from.lo[axis] = spec_.from.box.lo[axis], lines.from.hi[axis] = spec_.from.box.hi[axis];
      lines.to.lo[axis] = pass.to_box.lo[axis], lines.to.hi[axis] = pass.to_box.hi[axis];
      list.push_back(lines);
    }
    int k = cell.outer.size() - 1;
    while (k >= 0 && ++at[cell.outer[k]] == region.hi[cell.outer[k]]) at[cell.outer[k]] = region.lo[cell.outer[k]], --k;
    if (k < 0) return;
  }
}

// In bytes: no block reads behind the first that an earlier one writes.
bool StageProgram::overlays(int slot) const {
  const Side &from = spec_.from, &to = spec_.to;
  if (passes_.size() < 2 || from.table || to.table || from.views.size() != 1) return false;
  for (const Cell& cell : passes_.front().cells)
    for (const Segment& s : cell.to)
      if (!s.in_block) return false;
  const auto read = [&](const Box& block) {
    Shape last = whole(block, from.box).hi;
    for (Index& k : last) --k;
    return (from.views.front().at(last) + 1) * from.bytes;
  };
  Index written = std::numeric_limits<Index>::max();
  for (int b = 0; b < blocks_.count(); ++b) {
    const Box block = blocks_[b].box;
    if (read(block) > written) return false;
    for (const View& view : to.views) {
      const Box part = view.box.intersect(whole(block, to.box));
      if (view.slot == slot && !part.empty()) written = std::min(written, view.at(part.lo) * to.bytes);
    }
  }
  return true;
}

bool StageProgram::disturbs() const {
  if (!lies_otherwise_) return false;
  const Pass& first = passes_.front();
  if (first.copies && !first.into_block) return true;  // a mover reads and writes by turns
  const Placed from = placed(spec_.from, spec_.one_memory), to = placed(spec_.to, spec_.one_memory);
  const Box part = representative(spec_.from.box, across(), from, to);
  return weft::disturbs(from, to, portions(part), spec_.threads == 1);
}

}  // namespace weft

// Passes of a block: which transforms it goes through, and where it lies between them.
#include <algorithm>

#include "plan/stage/aliasing.hpp"
#include "plan/stage/program.hpp"

namespace weft {
namespace {

// All bounds at which some view begins or ends on an axis, inside the box.
std::vector<Index> breaks(const Box& box, int axis, const std::vector<View>& from, const std::vector<View>& to) {
  std::vector<Index> at{box.lo[axis], box.hi[axis]};
  for (const auto* views : {&from, &to})
    for (const View& view : *views)
      for (const Index b : {view.box.lo[axis], view.box.hi[axis]})
        if (b > box.lo[axis] && b < box.hi[axis]) at.push_back(b);
  return at;
}

// What cuts the stage's own axes: with a table the views say so of the axes that are theirs too.
std::vector<View> cutting(const Side& side) {
  if (!side.table) return side.views;
  std::vector<View> views(side.views.size());
  for (std::size_t v = 0; v < views.size(); ++v) {
    views[v].box = side.box;
    for (int a = 0; a < side.table->number_axis; ++a)
      views[v].box.lo[a] = side.views[v].box.lo[a], views[v].box.hi[a] = side.views[v].box.hi[a];
  }
  return views;
}

}  // namespace

StageProgram::StageProgram(const StageSpec& spec, const Variant& variant)
    : spec_(spec), variant_(variant), lies_otherwise_(weft::lies_otherwise(spec)), fields_axis_(fields_axis()) {
  plan_blocks();
  plan_passes();
  sort_blocks();
  plan_prefetches();
}

// Between its passes a block lies in its destination where that is one array of the right elements,
// else in the workspace. Columns that come first are read where they are, if their transform can do
// so.
void StageProgram::plan_passes() {
  const auto& operations = spec_.operations;
  const Side &from = spec_.from, &to = spec_.to;
  const bool streams = variant_.store != Store::cached;
  if (operations.empty()) {
    passes_.push_back(plan_pass({}, true, {from, false}, {to, false}, streams));
    return;
  }
  const bool whole = to.views.size() == 1 && to.views.front().box.contains(to.box);
  Side here = from;
  bool here_in_block = spec_.columns_first() && !operations.front().first->takes_rows();
  if (here_in_block) {
    here = between(here.box, here.bytes);
    passes_.push_back(plan_pass({}, true, {from, false}, {here, true}, false));
  }
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const bool last = k + 1 == operations.size();
    const Operation& operation = operations[k];
    const auto& lines = operation.second ? operation.second : operation.first;
    const bool columns_out = operation.first && operation.first->spec().out_stride > 1;
    Side there = to;
    if (!last) {
      there.table = nullptr;
      there.box = here.box;
      there.bytes = here.bytes;
      if (lines) there.bytes = static_cast<Index>(element_bytes(spec_.precision, lines->spec().complex_out()));
      if (operation.first) there.box.lo[operation.axis] = 0, there.box.hi[operation.axis] = lines->out_length();
    }
    // The next transform may read its lines strided, where they lie: in the block, or in a
    // destination that holds planes just so.
    const auto fits = [&](const Operation& next) {
      return whole && variant_.between == Between::anywhere &&
             to.views.front().strides[next.axis] == next.first->spec().in_stride && next.first->spec().in_place();
    };
    const bool apart = !last && operations[k + 1].strided() && !fits(operations[k + 1]);
    // columns stay in the block until they are rows, or leave it
    const bool in_runs = last && variant_.leave == Leave::in_runs;
    const bool leaves = last && !in_runs && !there.table && operation.first && operation.first->takes_rows() &&
                        !operation.second && !operation.map;
    const bool stays = (here_in_block || in_runs) && !leaves && !there.table && columns_out;
    const bool holds_it = whole && !spec_.kept_table() && !to.table && there.bytes == to.bytes && there.box == to.box &&
                          !apart && !operation.strided();
    const bool in_destination = !stays && !(spec_.by_blocks && k == 0) && (last || holds_it);
    if (stays && here_in_block)
      there = here;
    else if (!in_destination)
      there = between(there.box, there.bytes);
    passes_.push_back(plan_pass(operation, false, {here, here_in_block}, {there, !in_destination},
                                last && in_destination && streams));
    here = there;
    here_in_block = !in_destination;
  }
  if (here_in_block) passes_.push_back(plan_pass({}, true, {here, true}, {to, false}, streams));
}

// Any axis may play the line that no block cuts in the workspace: the one that is fastest where it
// is written.
int StageProgram::copied_axis(End source, End target) const {
  const Side &from = source.side, &to = target.side;
  int best = -1;
  for (int a = 0; a < from.box.axes(); ++a) {
    if (!spec_.transforms(a) && (source.in_block || target.in_block)) continue;
    const auto faster = [&] {
      if (to.views.empty() || to.box.extent(a) <= 1) return false;
      const Shape& strides = to.views.front().strides;
      return to.box.extent(best) < 2 || strides[a] <= strides[best];
    };
    if (best < 0 || faster()) best = a;
  }
  return best;
}

// How lines lie in the buffers of a pass.
void StageProgram::lay_lines(Pass& pass) const {
  pass.mid_length = pass.mid_step = pass.out_step = pass.out_length;
  pass.mid_bytes = pass.to_bytes;
  pass.in_step = pass.in_length;
  const Operation& operation = pass.operation;
  if (!operation.first) return;
  const LineSpec& lines = operation.first->spec();
  pass.mid_length = lines.out_length();
  pass.mid_bytes = static_cast<Index>(lines.out_bytes()) / pass.mid_length;
  pass.in_stride = lines.in_stride;
  pass.in_step = lines.in_step();
  for (const Index stride : {lines.in_stride, lines.out_stride})  // columns lie side by side in a row
    if (stride > 1) pass.width = std::min(pass.width, stride / 8 * 8);
  pass.mid_step = lines.out_step();
  pass.out_step = operation.second ? operation.second->spec().out_step() : pass.mid_step;
  if (!operation.second) pass.out_stride = lines.out_stride;
}

StageProgram::Pass StageProgram::plan_pass(const Operation& operation, bool copies, End source, End target,
                                           bool streams) {
  const Side &from = source.side, &to = target.side;
  Pass pass;
  pass.operation = operation;
  pass.copies = copies;
  pass.streams = streams;
  pass.into_block = target.in_block;
  pass.from_box = from.box;
  pass.to_box = to.box;
  pass.from_bytes = from.bytes;
  pass.to_bytes = to.bytes;
  if (copies) pass.operation.axis = copied_axis(source, target);
  const int axis = pass.operation.axis;
  pass.in_length = from.box.extent(axis);
  pass.out_length = to.box.extent(axis);
  const Index fields = fields_axis_ < 0 || copies ? 1 : from.box.extent(fields_axis_);
  Index most = 1;  // lines that any companion has in one block
  for (int a = 0; a < from.box.axes(); ++a)
    if (a != axis) most = std::max(most, std::min(from.box.extent(a), thickness(a)) * (a == fields_axis_ ? 1 : fields));
  pass.width = std::min(width(std::max(from.bytes, to.bytes), std::max(pass.in_length, pass.out_length)), most);
  pass.in_parts =
      pass.width * std::max(pass.in_length * from.bytes, pass.out_length * to.bytes) <= variant_.blocking.part;
  pass.looks_ahead = variant_.load != Load::direct && pass.in_parts && !source.in_block && !copies && !from.table;
  lay_lines(pass);
  plan_cells(pass, source, target);
  if (pass.buffered) {
    const LineSpec* lines = operation.first ? &operation.first->spec() : nullptr;
    const Index in_span = lines ? lines->in_span(pass.width) : pass.width * pass.in_length;
    const Index out_span = lines ? lines->out_span(pass.width) : pass.width * pass.out_length;
    const Index out_step = std::max(pass.out_length, pass.out_stride > 1 ? 0 : pass.out_step);
    line_bytes_ =
        std::max({line_bytes_, in_span * from.bytes, out_span * pass.mid_bytes, pass.width * out_step * to.bytes});
  }
  return pass;
}

// Cells of a pass. Columns that a table leaves all zero are not transformed: there rows are filled
// with zeros, or not read.
void StageProgram::plan_cells(Pass& pass, End source, End target) {
  const Side &from = source.side, &to = target.side;
  const int axis = pass.operation.axis;
  const Table* table = from.table ? from.table.get() : to.table.get();
  const Table* sparse = pass.operation.strided() && table && !table->kept.empty() ? table : nullptr;
  const auto unused = table ? untouched(table->line_axis, from.table != nullptr) : std::pair<Index, Index>();
  std::vector<std::vector<Index>> bounds;
  Order others;
  for (int a = 0; a < from.box.axes(); ++a) {
    auto& at = bounds.emplace_back(std::vector<Index>{from.box.lo[a], from.box.hi[a]});
    if (a != axis) at = breaks(from.box, a, cutting(from), cutting(to));
    if (sparse && a == sparse->line_axis)
      for (const auto& [lo, hi] : sparse->kept) at.insert(at.end(), {lo, hi});
    if (table && a == table->line_axis && unused.first < unused.second)
      at.insert(at.end(), {unused.first, unused.second});
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    if (a != axis) others.push_back(a);
  }
  for (const Box& box : split(from.box, bounds, others)) {
    const auto inside = [&](int a, const std::pair<Index, Index>& range) {
      return box.lo[a] >= range.first && box.hi[a] <= range.second;
    };
    const bool zero = sparse && std::none_of(sparse->kept.begin(), sparse->kept.end(),
                                             [&](const auto& range) { return inside(sparse->line_axis, range); });
    const bool unwanted = table && inside(table->line_axis, unused);
    if (!unwanted && !(zero && to.table)) plan_cell(pass, box, zero, source, target);
  }
}

Index StageProgram::lines(int p) const {
  const Pass& pass = passes_[static_cast<std::size_t>(p)];
  Index count = 0;
  for (const Cell& cell : pass.cells) {
    if (cell.zero) continue;
    const Index lines = cell.box.volume() / cell.box.extent(pass.operation.axis);
    const Scattered* table = cell.from_table ? cell.from_table.get() : cell.to_table.get();
    const int c = cell.companion;
    count += table ? lines / cell.box.extent(c) * table->filled(cell.box.lo[c], cell.box.hi[c]) : lines;
  }
  return count;
}

}  // namespace weft

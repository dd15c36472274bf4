// Maps: one direction up to the last stage that transforms, which maps and transforms back, and the
// other direction from there.
#include <algorithm>
#include <limits>

#include "plan/plan.hpp"

namespace weft {

void AnyPlan::Body::build_map(double scale) {
  const Transform &there = waves ? backward : forward, &back = waves ? forward : backward;
  const auto works = [](const std::vector<Operation>& list) { return !list.empty(); };
  const auto first_work = std::find_if(back.operations.begin(), back.operations.end(), works);
  const auto last_work = std::find_if(there.operations.rbegin(), there.operations.rend(), works);
  // the stage that maps, and the same one on the way back
  auto turn = static_cast<std::size_t>(there.operations.rend() - last_work) - 1;
  auto mirrored = static_cast<std::size_t>(first_work - back.operations.begin());
  if (waves) turn = turning_stage(route), mirrored = homeward().work.size() - 1 - turn;

  const auto ahead = [](auto& list, std::size_t count) { return list.begin() + static_cast<std::ptrdiff_t>(count); };
  map.operations.assign(there.operations.begin(), ahead(there.operations, turn));
  map.operations.push_back(mapped_operations(there.operations[turn]));
  map.operations.insert(map.operations.end(), ahead(back.operations, mirrored + 1), back.operations.end());
  for (auto& list : map.operations)
    for (Operation& o : list) o.scale = 1;
  rescale(map, scale);

  map.first = map.last = there.first;
  map.bytes.assign(there.bytes.begin(), ahead(there.bytes, turn + 1));
  map.bytes.insert(map.bytes.end(), ahead(back.bytes, mirrored + 1), back.bytes.end());
  const auto share = [&](const Transform& of, std::size_t begin, std::size_t end) {
    for (std::size_t h = begin; h < end; ++h) {
      map.transitions.push_back(of.transitions[h]), map.exchanges.push_back(of.exchanges[h]);
      map.strategies.push_back(of.strategies[h]), map.selves.push_back(of.selves[h]);
    }
  };
  share(there, 0, turn), share(back, mirrored, back.transitions.size());
  const auto stages = map.operations.size();
  map.sides.resize(2 * stages);
  for (std::size_t s = 0; s < stages; ++s) {
    map.sides[2 * s] = s <= turn ? there.sides[2 * s] : back.sides[2 * (s - turn + mirrored)];
    map.sides[2 * s + 1] = s < turn ? there.sides[2 * s + 1] : back.sides[2 * (s - turn + mirrored) + 1];
  }
  for (std::size_t h = 0; h < turn; ++h) keep_apart(there, h);
  map.turn = static_cast<int>(turn);
  give_slots_to_map(there);
  for (std::size_t s = 0; s < stages; ++s) map.stages.push_back(stage(map, s));
}

// What the stage that maps does: the transforms of the last stage on the way there, the map, and
// their inverses.
std::vector<Operation> AnyPlan::Body::mapped_operations(const std::vector<Operation>& up) const {
  std::vector<Operation> middle(up.begin(), up.end() - 1);
  Operation top = up.back();
  top.map = true;
  if (crossing.contains(top.axis)) top.first = lines.at(mapped_spec());
  const std::vector<LineSpec> down = returning_specs();
  top.second = lines.at(down.front());
  middle.push_back(top);
  for (std::size_t k = 1; k < down.size(); ++k) {
    Operation o;
    o.axis = up[up.size() - 1 - k].axis;
    o.first = lines.at(down[k]);
    middle.push_back(o);
  }
  return middle;
}

// The caller's input and output have slots of their own in a map, so that they may be two arrays.
// Exchanges look slot 0 up themselves: it is the input until the first exchange of the way back
// starts, then the output; slot 1 is an array of the plan's own.
void AnyPlan::Body::give_slots_to_map(const Transform& there) {
  map.first_slot = new_array(0);
  map.last_slot = new_array(0);
  bool in_spectrum = false;
  for (std::size_t k = 0; k < map.sides.size(); ++k)
    for (View& view : map.sides[k].views) {
      in_spectrum = in_spectrum || (view.slot == there.last_slot && !requested.in_place());
      const bool before = k <= 2 * static_cast<std::size_t>(map.turn);
      if (view.slot == there.first_slot) view.slot = before ? map.first_slot : map.last_slot;
    }
  if (!in_spectrum) return;
  work_arrays.emplace_back(std::numeric_limits<int>::max(), route.output.elements(comm.rank()) * output_bytes);
}

// What stays on this rank in a transition of a map, and waits in the output array on the way there,
// lies in the exchange's array, or where that has no room for it in memory of its own: a map has no
// such output. Where messages arrive in that array, all of it is needed.
void AnyPlan::Body::keep_apart(const Transform& there, std::size_t h) {
  std::vector<View>&written = map.sides[2 * h + 1].views, &read = map.sides[2 * h + 2].views;
  const auto waits = [&](const View& v) {
    return v.slot == there.last_slot && std::find(written.begin(), written.end(), v) != written.end();
  };
  if (requested.in_place() || std::none_of(read.begin(), read.end(), waits) ||
      std::any_of(read.begin(), read.end(), [&](const View& v) { return v.slot == there.last_slot && !waits(v); }))
    return;
  const View array = map.exchanges[h] ? map.exchanges[h]->array() : View();
  const int slot = array.slot >= 0 ? array.slot : new_array(0);
  Index elements = 0;
  for (View& view : written) {
    if (view.slot != there.last_slot) continue;
    const View own =
        array.slot >= 0 ? array.cut(view.box) : dense_view(view.box, map.transitions[h].to.order(), {}, slot, elements);
    std::replace(read.begin(), read.end(), View(view), own);
    view = own;
    elements += view.box.volume();
  }
  if (array.slot >= 0) {
    written = {array};
    return;
  }
  wanted_bytes.back() = elements * map.bytes[h + 1];
  need(slot);
}

}  // namespace weft

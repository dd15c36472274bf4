#include "geometry/ghosts.hpp"

#include "geometry/checked.hpp"

namespace weft {

namespace {

/// The box without the ghost points of one axis.
Box inside(const Box& box, const Ghosts& ghosts, int axis) {
  return box.cut(axis, box.lo[axis] + ghosts.before[axis], box.hi[axis] - ghosts.behind[axis]);
}

}  // namespace

std::vector<Box> ghost_boxes(const Box& box, const Ghosts& ghosts) {
  std::vector<Box> all;
  if (box.empty()) return all;
  Box core = box;
  for (int a = 0; a < box.axes(); ++a) core = inside(core, ghosts, a);
  Box rest = box;  // what no axis so far has ghost points of
  for (int a = 0; a < box.axes(); ++a) {
    Box around = ghosts.corners ? rest : core;
    for (const bool behind : {false, true}) {
      around.lo[a] = behind ? core.hi[a] : box.lo[a];
      around.hi[a] = behind ? box.hi[a] : core.lo[a];
      if (!around.empty()) all.push_back(around);
    }
    rest = inside(rest, ghosts, a);
  }
  return all;
}

void check_ghosts(const Box& box, int rank, const Ghosts& ghosts) {
  const int axes = box.axes();
  const auto numbers = [&] {
    return point_string(ghosts.before) + " before and " + point_string(ghosts.behind) + " behind";
  };
  bool good = ghosts.before.size() == axes && ghosts.behind.size() == axes;
  for (int a = 0; good && a < axes; ++a) good = ghosts.before[a] >= 0 && ghosts.behind[a] >= 0;
  if (!good)
    throw Error("ghost points " + numbers() + " a part of " + std::to_string(axes) +
                " axes: give a number for each axis, 0 or more");
  if (box.empty()) return;
  for (int a = 0; a < axes; ++a)
    if (ghosts.before[a] > box.extent(a) || ghosts.behind[a] > box.extent(a) - ghosts.before[a])
      throw Error("rank " + std::to_string(rank) + " gets ghost points " + numbers() + " in " + to_string(box) +
                  ", which has fewer points than these on axis " + std::to_string(a) +
                  ": the box is the part with its ghost points around it");
}

Box grown(const Box& box, const Ghosts& ghosts) {
  if (box.empty()) return box;
  Box all = box;
  for (int a = 0; a < box.axes(); ++a) {
    all.lo[a] = checked::difference(box.lo[a], ghosts.before[a], "a box grown by a halo");
    all.hi[a] = checked::sum(box.hi[a], ghosts.behind[a], "a box grown by a halo");
  }
  return all;
}

}  // namespace weft

// What a halo is asked to do: the layouts of its own points and of its ghost points, checked and
// the same on all ranks.
#include <algorithm>

#include "geometry/boxes.hpp"
#include "geometry/checked.hpp"
#include "geometry/ghosts.hpp"
#include "plan/halo.hpp"
#include "plan/route/problem.hpp"

namespace weft {
namespace {

constexpr int most_fields = 1 << 20;

/// The ghost points that options ask for on parts of so many axes. Throws Error where they do not
/// fit these.
Ghosts ghosts_of(const HaloOptions& options, int axes) {
  const Shape& behind = options.behind.empty() ? options.width : options.behind;
  for (const Shape* width : {&options.width, &behind})
    if (width->size() != axes || std::any_of(width->begin(), width->end(), [](Index w) { return w < 0; }))
      throw Error("halo of width " + point_string(options.width) +
                  (options.behind.empty() ? "" : " and " + point_string(options.behind) + " behind") +
                  " for an array of " + std::to_string(axes) + " axes: give a width for each axis, 0 or more");
  return {options.width, behind, options.corners};
}

/// Collective: what all ranks must give alike, and what none may give.
void check_alike(const mpi::Communicator& comm, const Layout& layout, Index element_bytes, const HaloOptions& options) {
  const auto numbers = [](const auto& list) { return point_string(Shape(list.begin(), list.end())); };
  comm.same("the bytes of an element", std::to_string(element_bytes));
  comm.same("the strategy", options.strategy);
  comm.same("WEFT_CHECK", comm.agree([] { return std::string(compares_calls() ? "1" : "0"); }));
  comm.same("the halo", "width " + numbers(options.width) + ", behind " + numbers(options.behind) + ", periodic " +
                            numbers(options.periodic) + (options.corners ? ", corners" : ", no corners") + ", fields " +
                            std::to_string(options.fields) + (options.adds ? ", adds" : ""));
  comm.same("the layout of a halo", layout.describe(true));
  if (element_bytes < 1) throw Error("elements of " + std::to_string(element_bytes) + " bytes: give at least 1");
  if (options.fields < 1 || options.fields > most_fields)
    throw Error("halo of " + std::to_string(options.fields) + " fields: give 1 to " + std::to_string(most_fields));
  if (options.fields > 1 && layout.axes() == max_axes)
    throw Error("halo of " + std::to_string(options.fields) + " fields of " + std::to_string(max_axes) +
                " axes: arrays of several fields have at most " + std::to_string(max_axes - 1));
  if (layout.ranks() != comm.size())
    throw Error("the layout " + layout.describe() + " does not fit a communicator of " + std::to_string(comm.size()) +
                " ranks: make it for as many");
}

}  // namespace

Halo::Body::Problem Halo::Body::of_boxes(const mpi::Communicator& comm, const Layout& layout, Index element_bytes,
                                         const HaloOptions& options) {
  check_alike(comm, layout, element_bytes, options);
  if (!layout.has_boxes())
    throw Error("the layout " + layout.describe() +
                " consists of runs, around which no halo lies: give the ghost points as a layout of their own");
  const Ghosts ghosts = ghosts_of(options, layout.axes());
  if (!options.periodic.empty() && options.periodic.size() != layout.axes())
    throw Error("periodic says something of " + std::to_string(options.periodic.size()) +
                " axes, and the arrays have " + std::to_string(layout.axes()) + ": give one number for each, or none");
  return comm.agree([&] {
    Shape around = layout.padding();
    for (int a = 0; a < layout.axes(); ++a)
      around[a] =
          checked::sum(checked::sum(around[a], ghosts.before[a], "a padded axis"), ghosts.behind[a], "a padded axis");
    std::vector<Box> boxes;
    for (int r = 0; r < layout.ranks(); ++r) boxes.push_back(grown(layout.box(r), ghosts));
    const Layout from = layout.ordered(layout.order(), around),
                 to(layout.shape(), std::move(boxes), layout.order(), layout.padding());
    const Box& mine = layout.box(comm.rank());
    return Problem{from,
                   to,
                   mine.empty() ? 0 : to.view(comm.rank()).cut(mine).offset,
                   0,
                   to.elements(comm.rank()),
                   ghosts,
                   element_bytes,
                   options};
  });
}

Halo::Body::Problem Halo::Body::of_lists(const mpi::Communicator& comm, const Layout& layout, const Layout& ghosts,
                                         Index element_bytes, const HaloOptions& options) {
  check_alike(comm, layout, element_bytes, options);
  comm.same("the layout of ghost points", ghosts.describe(true));
  if (!options.width.empty() || !options.behind.empty() || !options.periodic.empty() || !options.corners)
    throw Error("halo with a layout of its ghost points, and with widths, corners or periodic axes: give one of them");
  return comm.agree([&] {
    const Index own = layout.elements(comm.rank());
    return Problem{layout,
                   ghosts,
                   0,
                   own,
                   checked::sum(own, ghosts.elements(comm.rank()), "the elements of a halo's array"),
                   {},
                   element_bytes,
                   options};
  });
}

Layout checkerboard_ghosts(const Layout& layout, const HaloOptions& options, int parity) {
  if (!layout.has_boxes()) throw Error("ghost points of " + layout.describe() + ": only boxes have them");
  if (parity < -1 || parity > 1)
    throw Error("ghost points of parity " + std::to_string(parity) + ": give 0 (even), 1 (odd) or -1 (both)");
  const Shape& shape = layout.shape();
  const Ghosts ghosts = ghosts_of(options, layout.axes());
  const auto periodic = [&](int a) { return !options.periodic.empty() && options.periodic[a] != 0; };
  if (!options.periodic.empty() && options.periodic.size() != layout.axes())
    throw Error("periodic says something of " + std::to_string(options.periodic.size()) +
                " axes, and the arrays have " + std::to_string(layout.axes()) + ": give one number for each, or none");
  for (int a = 0; a < layout.axes(); ++a)
    if (periodic(a) && shape[a] % 2 != 0)
      throw Error("ghost points of a checkerboard of shape " + to_string(shape) + ", periodic on axis " +
                  std::to_string(a) + ", whose ends have the same parity: periodic axes need even extents");
  std::vector<std::vector<Run>> runs(static_cast<std::size_t>(layout.ranks()));
  for (int r = 0; r < layout.ranks(); ++r) {
    const std::vector<Box> parts = ghost_boxes(grown(layout.box(r), ghosts), ghosts);
    for (const Index wanted : {0, 1}) {
      if (parity >= 0 && wanted != parity) continue;
      const auto add = [&](const Shape& point) {
        Index index = 0, sum = 0;
        for (int a = 0; a < layout.axes(); ++a) {
          if ((point[a] < 0 || point[a] >= shape[a]) && !periodic(a)) return;
          const Index wrapped = (point[a] % shape[a] + shape[a]) % shape[a];
          index = index * shape[a] + wrapped;
          sum += wrapped;
        }
        if (sum % 2 == wanted) runs[static_cast<std::size_t>(r)].push_back({index, 1});
      };
      for (const Box& part : parts) each_point(part, add);
    }
  }
  return Layout::runs(shape, std::move(runs));
}

}  // namespace weft

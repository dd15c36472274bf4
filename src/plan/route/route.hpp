// Routes: which axes are transformed where. A route leads from the input layout to the output
// layout through layouts in which the axes of each stage are whole on every rank. No MPI, no
// memory: computed alike on all ranks.
#pragma once

#include <weft/plan.hpp>

namespace weft {

/// What lies between two stages: an exchange from one layout to another, or (from == to) an array
/// on the same rank.
struct Transition {
  Layout from, to;
  bool exchanges = true;
  Cut cut;
  std::optional<Cut> back_cut = std::nullopt;  ///< on the way back, where it does not follow from `cut`
};

struct Route {
  Layout input, output;     ///< the caller's arrays, batch and component axes included
  std::vector<Order> work;  ///< for every stage the axes that it transforms, in order; may be empty (a copy)
  std::vector<Transition> transitions;  ///< one fewer
  int halved = -1;                      ///< the axis that r2c halves, -1: none
  std::vector<Kind> kinds;              ///< for every axis of the layouts; meaningful where it is transformed
  Shape shape;                          ///< logical extents, batch and component axes included
  /// of plane waves, by number; the output, or the memory of a box that is the output
  Layout coefficients = Layout::slab({1}, 0, 1);
  int sphere_transition = -1;  ///< the transition between planes and sticks of plane waves, -1: none
  /// of plane waves: the stage that reads or leaves real space as it is transformed, in forward's
  /// order
  int space = 0;
};

/// Throws Error for what cannot be: grids that do not multiply to the ranks, layouts that are no
/// partitions; Declined for tiles of an axis that is not there.
Route plan_route(const AnyProblem& problem, const Options& options, int ranks);

/// A line for every stage in which more than half of the ranks have nothing to do.
std::vector<std::string> idle_notes(const Route& route);

/// The caller's layout with a batch axis in front and a component axis behind, where there are any.
Layout extended(const Layout& layout, const Options& options);

/// Bytes of the array shape whose halved axis is n/2+1.
Shape halved_shape(Shape shape, int halved);

}  // namespace weft

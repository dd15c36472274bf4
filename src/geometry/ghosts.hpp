// Ghost points: the outermost points of a box that has grown, as boxes.
#pragma once

#include <vector>

#include <weft/pattern.hpp>

namespace weft {

/// The ghost points of a box, as at most two boxes an axis that do not overlap. They are empty or
/// not as the numbers of `ghosts` say; empty ones are left out. Where there are corners, the first
/// axes have them, which keeps planes whole.
std::vector<Box> ghost_boxes(const Box& box, const Ghosts& ghosts);

/// Throws Error unless `ghosts` has a number, 0 or more, for both ends of every axis of a rank's
/// box, and the box, where it is not empty, has as many points there.
void check_ghosts(const Box& box, int rank, const Ghosts& ghosts);

/// The box, if it is not empty, with its ghost points around it. Throws Error where they are beyond
/// what can be counted.
Box grown(const Box& box, const Ghosts& ghosts);

}  // namespace weft

// What a plan asks of a cutoff before it counts its sticks, which may be more than memory holds.
#pragma once

#include <optional>
#include <string>

#include <weft/sphere.hpp>

namespace weft {

/// Nothing where the grid, of three axes, holds the sphere: 2 max|g| + 1 points on every axis. Else
/// the smallest grid that does, "65x65x65", or where the sphere is much too large to be counted,
/// about which. Looks at no more sticks than the grid has. Throws Error for a cutoff that is none.
std::optional<std::string> missing_grid(const Cutoff& cutoff, const Shape& grid);

}  // namespace weft

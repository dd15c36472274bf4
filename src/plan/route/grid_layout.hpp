// From process grids to layouts, and back.
#pragma once

#include <optional>
#include <string>

#include <weft/plan.hpp>

#include "plan/route/grid.hpp"

namespace weft {

/// Ranks are in C order of the dimensions. Of a shape whose halved axis is shorter, parts are cut
/// short.
Layout layout_of(const Dimensions& dimensions, const Shape& shape, int ranks, const Order& order = {});

/// The process grid behind a layout, when its boxes are one in C order.
std::optional<Dimensions> recognise(const Layout& layout);

bool same_boxes(const Layout& a, const Layout& b);

/// {P} while every rank gets a plane before and after, else the two factors closest to each other.
/// Where that leaves ranks idle, `busier` may know better.
Few<int> default_grid(const Shape& shape, int ranks);

/// Throws Error unless a caller's layout is a partition of the expected shape into boxes, one for
/// each rank. `the` names it, `whose` has the expected shape, and `needs` says why it must be
/// boxes.
void check_layout(const Layout& given, const Shape& expected, int ranks, const std::string& the,
                  const std::string& whose, const std::string& needs);

/// "2x3".
std::string to_text(const Few<int>& grid);

}  // namespace weft

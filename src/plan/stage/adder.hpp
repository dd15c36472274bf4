// The mover's sibling, which adds to what is there.
#pragma once

#include <weft/halo.hpp>
#include <weft/view.hpp>

namespace weft {

/// Adds the elements of one view to those of another one of equal extents, each of them `numbers`
/// numbers. The views share no memory; an element of `to` that comes twice is added to twice.
void add(const View& from, const View& to, const Slots& slots, Index element_bytes, Adding adding, Index numbers);

}  // namespace weft

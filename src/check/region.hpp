// Bytes of memories, and whether two sets of them have one in common.
#pragma once

#include <compare>
#include <utility>
#include <vector>

#include <weft/box.hpp>
#include <weft/view.hpp>

namespace weft::check {

/// What one memory is called on all ranks: the rank whose it is, and a number there.
struct Memory {
  int rank = 0, number = 0;
  auto operator<=>(const Memory&) const = default;
};

/// Bytes of a memory: runs of `run` bytes, repeated `first` times at a distance of `second` bytes
/// along every loop.
struct Region {
  Memory memory;
  Index first = 0, run = 0;
  std::vector<std::pair<Index, Index>> loops;  ///< largest distance first; no loop of one
  Index end() const;                           ///< one past the last byte
};

/// The part of a view that is in a box, which reaches over at least the view's axes; without bytes
/// where they do not meet.
Region region(const View& view, const Box& part, Index element_bytes, const Memory& memory);
/// Whether two regions of one memory, whatever each of them calls it, have a byte in common:
/// exactly.
bool overlap(const Region& a, const Region& b);

}  // namespace weft::check

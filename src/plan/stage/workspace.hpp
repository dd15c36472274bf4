// Memory that one thread works in; made when the plan is.
#pragma once

#include <vector>

#include <weft/box.hpp>

namespace weft {

struct Workspace {
  Index bytes = 0, line_bytes = 0;     ///< of all of it, and of each of the batches, which end it; 0: there are none
  std::byte* block = nullptr;          ///< a block between two passes, which begins it
  std::byte* lines[2] = {};            ///< a batch of lines
  std::vector<const std::byte*> from;  ///< addresses of a cell's segments
  std::vector<std::byte*> to;
  std::vector<const std::byte*> from_rows;  ///< addresses of every point of a batch's first line
  std::vector<std::byte*> to_rows;
  std::vector<const std::byte*> ahead_rows;  ///< addresses of what the next block will read, and this one write

  /// It lies there from now on.
  void place(std::byte* memory) {
    block = memory;
    if (line_bytes > 0)
      for (const int k : {0, 1}) lines[k] = block + bytes - (2 - k) * line_bytes;
  }
};

}  // namespace weft

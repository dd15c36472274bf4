// Memory that one thread works in; made when the plan is.
#pragma once

#include <memory>
#include <vector>

namespace weft {

struct Workspace {
  std::shared_ptr<std::byte> memory;
  std::byte* block = nullptr;          ///< a block between two passes
  std::byte* lines[2] = {};            ///< a batch of lines
  std::vector<const std::byte*> from;  ///< addresses of a cell's segments
  std::vector<std::byte*> to;
  std::vector<const std::byte*> from_rows;  ///< addresses of every point of a batch's first line
  std::vector<std::byte*> to_rows;
  std::vector<const std::byte*> ahead_rows;  ///< addresses of what the next block will read, and this one write
};

}  // namespace weft

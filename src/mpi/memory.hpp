// Memory for arrays, buffers and scratch of one rank: on a cache line, and on huge pages where it is large.
#pragma once

#include <cstddef>
#include <memory>

#include <weft/box.hpp>

namespace weft {

/// `bytes` of zeroed memory, its pages touched; never none. Throws Error.
std::shared_ptr<std::byte> allocate(Index bytes);

}  // namespace weft

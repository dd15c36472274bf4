// Memory for arrays and scratch: on a cache line, and on huge pages where it is large.
#pragma once

#include <cstddef>
#include <memory>

#include <weft/box.hpp>

namespace weft {

/// `bytes` of zeroed memory. Throws std::bad_alloc.
std::shared_ptr<std::byte> allocate(Index bytes);

}  // namespace weft

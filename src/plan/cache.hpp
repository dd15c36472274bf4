// What the system tells of caches.
#pragma once

#include <weft/box.hpp>

namespace weft {

/// Bytes of the last-level caches that so many ranks of this node have together, where each takes the least used: at most all of them. 0 where the system does not tell.
Index last_level_caches(Index ranks);

}  // namespace weft

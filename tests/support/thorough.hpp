// Whether tests take their time.
#pragma once

#include <cstdlib>

namespace weft {

/// True where WEFT_TEST_THOROUGH is set: all cases are wanted, however long they take.
inline bool thorough() { return std::getenv("WEFT_TEST_THOROUGH") != nullptr; }

}  // namespace weft

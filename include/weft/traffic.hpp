// What a rank has sent: counted where the calls are made.
#pragma once

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// What one rank has done since its exchange was bound: MPI calls that move data, messages to other
/// ranks, and their bytes.
struct Traffic {
  Index calls = 0, messages = 0, bytes = 0;
  bool operator==(const Traffic&) const = default;
};

}  // namespace weft
#pragma GCC visibility pop

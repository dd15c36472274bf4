// What lines take in cache, so that engines can choose among them.
#pragma once

#include "engine.hpp"

namespace weft {

/// The least seconds of several executions of as many lines for every way to run a line, in the
/// manner that these prefer. Measured on zeros, which stay zeros however often they are
/// transformed.
double seconds_in_cache(const Lines& lines);

}  // namespace weft

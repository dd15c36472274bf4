// Real-to-real lines of complex values: real and imaginary parts are two real lines, which any
// engine transforms.
#pragma once

#include <memory>

#include "engine.hpp"

namespace weft {

/// Lines of `spec`, which is of both parts, by `one_part`, which transforms plain real lines of the
/// same kind, precision and length.
std::shared_ptr<const Lines> in_parts(const LineSpec& spec, std::shared_ptr<const Lines> one_part);
/// Whether `lines` are of `in_parts` and transform by `one_part`.
bool in_parts_by(const Lines& lines, const std::shared_ptr<const Lines>& one_part);

}  // namespace weft

// Sums, differences and products of indices that 64 bits must hold: what they do not hold is an
// error, never another number.
#pragma once

#include <limits>
#include <string>

#include <weft/box.hpp>

namespace weft::checked {

/// Bounds of boxes lie within +-farthest: then their extents, and the sums of two bounds, are
/// indices too.
inline constexpr Index farthest = Index{1} << 62;
/// No array has more bytes: no address space does.
inline constexpr Index most_bytes = Index{1} << 56;

[[noreturn]] inline void overflow(const char* what, Index a, char sign, Index b) {
  throw Error(std::string(what) + ": " + std::to_string(a) + " " + sign + " " + std::to_string(b) +
              " is beyond what can be counted (at most " + std::to_string(std::numeric_limits<Index>::max()) + ")");
}

/// a + b, a - b and a * b. Throw Error, which `what` begins.
inline Index sum(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflow(what, a, '+', b);
  return result;
}
inline Index difference(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_sub_overflow(a, b, &result)) overflow(what, a, '-', b);
  return result;
}
inline Index product(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflow(what, a, '*', b);
  return result;
}

/// b - a where a <= b, or the largest index where that is more: what is told of it is then an error
/// anyway.
inline Index distance(Index a, Index b) {
  Index result = 0;
  return __builtin_sub_overflow(b, a, &result) ? std::numeric_limits<Index>::max() : result;
}

/// Bytes of `elements` elements; throws Error, which `what` begins, where no memory has so many.
inline Index bytes(Index elements, Index element_bytes, const std::string& what) {
  Index result = 0;
  if (__builtin_mul_overflow(elements, element_bytes, &result) || result > most_bytes)
    throw Error(what + ": " + std::to_string(elements) + " elements of " + std::to_string(element_bytes) +
                " bytes are more than memory can be addressed (at most " + std::to_string(most_bytes) + " bytes)");
  return result;
}

}  // namespace weft::checked

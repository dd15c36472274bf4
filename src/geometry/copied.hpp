// Copies of variants that may fail.
#pragma once

#include <variant>

namespace weft {

/// What `value` holds. Throws what copying that throws. In libstdc++ 12 the copy constructor of a
/// variant of texts, lists and numbers destroys an alternative that was never made where making it
/// throws; assignment makes it apart.
template <class... Alternatives>
std::variant<Alternatives...> copied(const std::variant<Alternatives...>& value) {
  std::variant<Alternatives...> copy;
  copy = value;
  return copy;
}

}  // namespace weft

// What a call has to say when it fails.
#pragma once

#include <string>

#include <weft/error.hpp>

namespace weft {

/// The message of the Error that f throws, or "no error". Local.
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace weft

// Messages of failures, and the version.
#include "c/handles.hpp"

namespace {
thread_local std::string message;
thread_local const char* instead = nullptr;  // where there is no memory for the message
}  // namespace

namespace weft::c {

void failed(const char* what) noexcept {
  instead = nullptr;
  try {
    message = what;
  } catch (...) {
    instead = "out of memory";
  }
}

}  // namespace weft::c

extern "C" {

const char* weft_error(void) { return instead != nullptr ? instead : message.c_str(); }
const char* weft_version(void) { return WEFT_VERSION; }

}  // extern "C"

// The text in which an engine keeps what it has chosen for lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace weft {

/// What was chosen for one line with one effort.
struct WisdomRow {
  LineSpec spec;
  std::string effort;
  std::string manner;   ///< one word
  std::string details;  ///< text of the engine's own, any characters

  /// "KIND DIRECTION PRECISION LENGTH EFFORT MANNER BYTES", then as many bytes of details, each
  /// followed by a new line. LENGTH is as `to_string(LineSpec)` has it.
  std::string text() const;
};

/// The line that begins wisdom of this engine.
std::string wisdom_header(std::string_view engine);

/// The rows behind the header. Throws `Error` for text that is not this engine's wisdom, or not
/// whole.
std::vector<WisdomRow> wisdom_rows(std::string_view engine, const std::string& wisdom);

}  // namespace weft

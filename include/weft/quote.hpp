// How messages repeat what a user gave: short, and without characters that a terminal would obey.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace weft {

/// `text` for a message: control characters and bytes that are no UTF-8 as \n, \t or \x1b. A text
/// of more than `most` bytes loses its middle, and its length is told: "abc...xyz (1048576
/// characters)". No quotation marks are added.
std::string shown(std::string_view text, std::size_t most = 60);

/// The same of the name of a file, which may be longer before it is shortened.
std::string shown_path(std::string_view path);

}  // namespace weft
#pragma GCC visibility pop

#include <weft/quote.hpp>

#include <algorithm>

namespace weft {
namespace {

/// Bytes of the character that begins `text`, 0 where it is to be written as an escape: control
/// characters, C1 among them, and what is no UTF-8.
std::size_t printable(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

std::string escaped(char c) {
  constexpr std::string_view named = "\n\t\r", names = "ntr", digits = "0123456789abcdef";
  if (const auto at = named.find(c); at != named.npos) return {'\\', names[at]};
  const auto value = static_cast<unsigned char>(c);
  return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

/// A place at or before `at` where no character of UTF-8 is cut; the text around it may be none.
std::size_t boundary(std::string_view text, std::size_t at) {
  std::size_t back = 0;
  while (back < 3 && back < at && (static_cast<unsigned char>(text[at - back]) & 0xc0) == 0x80) ++back;
  return (static_cast<unsigned char>(text[at - back]) & 0xc0) == 0x80 ? at : at - back;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  const auto append = [](std::string& out, std::string_view part) {
    while (!part.empty()) {
      const std::size_t whole = printable(part);
      out += whole ? std::string(part.substr(0, whole)) : escaped(part.front());
      part.remove_prefix(std::max<std::size_t>(whole, 1));
    }
  };
  std::string out;
  if (text.size() <= most) {
    append(out, text);
    return out;
  }
  append(out, text.substr(0, boundary(text, most - most / 3)));
  out += "...";
  append(out, text.substr(boundary(text, text.size() - most / 3)));
  return out + " (" + std::to_string(text.size()) + " characters)";
}

std::string shown_path(std::string_view path) { return shown(path, 300); }

}  // namespace weft

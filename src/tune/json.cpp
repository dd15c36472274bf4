#include "tune/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

#include <weft/error.hpp>

namespace weft {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = any(0);
    skip();
    if (at_ < text_.size()) fail("nothing more");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error("no JSON: at byte " + std::to_string(at_) + " there should be " + wanted);
  }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(std::string("'") + c + "'");
  }
  bool word(std::string_view name) {
    if (text_.substr(at_, name.size()) != name) return false;
    at_ += name.size();
    return true;
  }

  Json any(int depth) {
    if (depth > 64) fail("less depth");
    skip();
    if (take('{')) {
      Json::Members members;
      while (!take('}')) {
        if (!members.empty()) need(',');
        skip();
        std::string name = string();
        need(':');
        members.emplace_back(std::move(name), any(depth + 1));
      }
      return members;
    }
    if (take('[')) {
      Json::List list;
      while (!take(']')) {
        if (!list.empty()) need(',');
        list.push_back(any(depth + 1));
      }
      return list;
    }
    if (at_ < text_.size() && text_[at_] == '"') return string();
    if (word("true")) return true;
    if (word("false")) return false;
    if (word("null")) return {};
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) fail("a value");
    at_ = static_cast<std::size_t>(end - text_.data());
    return number;
  }

  std::string string() {
    if (at_ == text_.size() || text_[at_] != '"') fail("a string");
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        value += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) break;
      constexpr std::string_view names = "nrtbf", meant = "\n\r\t\b\f";
      if (const auto k = names.find(text_[at_]); k != std::string_view::npos)
        value += meant[k];
      else if (text_[at_] == 'u')
        unicode(value);
      else
        value += text_[at_];
    }
    if (at_ == text_.size()) fail("the end of a string");
    ++at_;
    return value;
  }

  // One code unit as UTF-8; pairs of them, which nothing here writes, become two characters.
  void unicode(std::string& value) {
    unsigned code = 0;
    const char* const first = text_.data() + at_ + 1;
    if (text_.size() - at_ < 5 || std::from_chars(first, first + 4, code, 16).ptr != first + 4)
      fail("four hexadecimal digits");
    at_ += 4;
    if (code < 0x80)
      value += static_cast<char>(code);
    else if (code < 0x800)
      value += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    else
      value += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
                static_cast<char>(0x80 | (code & 0x3f))};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += "\\u00" + std::string(1, "01"[c >> 4]) + "0123456789abcdef"[c & 15];
    else
      out += c;
  }
  return out + '"';
}

std::string shortest(double number) {
  if (!std::isfinite(number)) return "null";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

const Json nothing;

}  // namespace

Json Json::parse(std::string_view text) { return Reader(text).whole(); }

std::string Json::dump(int indent) const {
  if (const auto* truth = std::get_if<bool>(&value_)) return *truth ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value_)) return shortest(*number);
  if (const auto* text = std::get_if<std::string>(&value_)) return quoted(*text);
  if (is_null()) return "null";
  std::vector<std::string> parts;
  for (const Json& value : list()) parts.push_back(value.dump(indent + 1));
  for (const auto& [name, value] : members()) parts.push_back(quoted(name) + ": " + value.dump(indent + 1));
  std::size_t length = 0;
  bool lines = false;
  for (const std::string& part : parts) length += part.size() + 2, lines = lines || part.find('\n') != part.npos;
  lines = lines || length > 150;
  const std::string space(static_cast<std::size_t>(indent), ' ');
  std::string out(1, is_list() ? '[' : '{');
  for (std::size_t k = 0; k < parts.size(); ++k)
    out += (k ? (lines ? "," : ", ") : "") + (lines ? "\n " + space : "") + parts[k];
  return out + (lines ? "\n" + space : "") + (is_list() ? ']' : '}');
}

std::string Json::text(std::string otherwise) const {
  const auto* value = std::get_if<std::string>(&value_);
  return value ? *value : otherwise;
}
double Json::number(double otherwise) const {
  const auto* value = std::get_if<double>(&value_);
  return value ? *value : otherwise;
}
bool Json::truth(bool otherwise) const {
  const auto* value = std::get_if<bool>(&value_);
  return value ? *value : otherwise;
}
const Json::List& Json::list() const {
  static const List none;
  const auto* value = std::get_if<List>(&value_);
  return value ? *value : none;
}
Json::List& Json::list() {
  if (!is_list()) value_ = List();
  return std::get<List>(value_);
}
const Json::Members& Json::members() const {
  static const Members none;
  const auto* value = std::get_if<Members>(&value_);
  return value ? *value : none;
}
const Json& Json::operator[](std::string_view name) const {
  for (const auto& [key, value] : members())
    if (key == name) return value;
  return nothing;
}
void Json::set(const std::string& name, Json value) {
  if (!is_object()) value_ = Members();
  auto& list = std::get<Members>(value_);
  for (auto& [key, old] : list)
    if (key == name) {
      old = std::move(value);
      return;
    }
  list.emplace_back(name, std::move(value));
}

}  // namespace weft

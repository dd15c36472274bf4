// What options have in common: how they are read, checked and told. Nothing here knows any of them
// by name.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <weft/options.hpp>
#include <weft/quote.hpp>

#include "geometry/copied.hpp"

namespace weft {
namespace {

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}
std::string text_of(Index number) { return std::to_string(number); }
std::string text_of(bool truth) { return truth ? "true" : "false"; }
std::string text_of(const std::string& text) { return text; }
std::string text_of(const std::vector<Index>& list) {
  std::string text;
  for (const Index each : list) text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
}

std::string text_of(const OptionValue& value) {
  return std::visit([](const auto& it) { return text_of(it); }, value);
}

/// As messages repeat it.
std::string quoted(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? "\"" + shown(*text) + "\"" : shown(text_of(value));
}

/// All of the text as a number; false where it is none.
template <class Number>
bool reads(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool reads(std::string_view text, std::vector<Index>& list) {
  for (;;) {
    const std::size_t end = text.find_first_of(",x");
    if (!reads(text.substr(0, end), list.emplace_back())) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

std::string range(const Option& row) {
  const auto text = [](double bound) { return text_of(static_cast<Index>(bound)); };
  return std::isinf(row.most) ? text(row.least) + " or more" : text(row.least) + " to " + text(row.most);
}

/// What a text says, or a value of another type that holds the same; what it is not stays as it is.
OptionValue as_type(OptionType type, const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto* whole = std::get_if<Index>(&value);
  Index integer = 0;
  double number = 0;
  std::vector<Index> list;
  switch (type) {
    case OptionType::integer:
      if (text && reads(*text, integer)) return integer;
      break;
    case OptionType::number:
      if (text && reads(*text, number)) return number;
      if (whole) return static_cast<double>(*whole);
      break;
    case OptionType::boolean:
      if (text && (*text == "true" || *text == "false")) return *text == "true";
      break;
    case OptionType::integers:
      if (text && reads(*text, list)) return list;
      if (whole) return std::vector<Index>{*whole};
      break;
    case OptionType::text:
    case OptionType::layout:
      break;
  }
  return copied(value);
}

/// Whether a value that is no word is allowed.
bool within(const Option& row, const OptionValue& value) {
  const auto in_range = [&](auto number) {
    return static_cast<double>(number) >= row.least && static_cast<double>(number) <= row.most;
  };
  if (const auto* whole = std::get_if<Index>(&value)) return row.type == OptionType::integer && in_range(*whole);
  if (const auto* number = std::get_if<double>(&value)) return row.type == OptionType::number && in_range(*number);
  if (const auto* list = std::get_if<std::vector<Index>>(&value))
    return row.type == OptionType::integers && !list->empty() && std::all_of(list->begin(), list->end(), in_range);
  return std::holds_alternative<bool>(value) && row.type == OptionType::boolean;
}

}  // namespace

std::string_view to_string(OptionType type) {
  switch (type) {
    case OptionType::text:
      return "text";
    case OptionType::integer:
      return "integer";
    case OptionType::number:
      return "number";
    case OptionType::boolean:
      return "boolean";
    case OptionType::integers:
      return "integers";
    case OptionType::layout:
      return "layout";
  }
  return "";
}

std::string_view to_string(OptionGroup group) { return group == OptionGroup::speed ? "speed" : "results"; }

std::string Option::text(const Options& options) const { return text_of(value(options)); }

std::vector<std::string> Option::known() const {
  std::vector<std::string> all = words;
  if (names)
    for (std::string& one : names()) all.push_back(std::move(one));
  return all;
}

std::string Option::allowed(bool in_short) const {
  std::vector<std::string> all;
  for (const std::string& word : in_short ? words : known()) all.push_back("\"" + word + "\"");
  if (in_short && names) all.push_back("a name of `weft list " + std::string(list) + "`");
  switch (type) {
    case OptionType::text:
      if (takes) all.emplace_back(form);
      break;
    case OptionType::integer:
    case OptionType::number:
      all.push_back(range(*this));
      break;
    case OptionType::boolean:
      all = {"\"true\"", "\"false\""};
      break;
    case OptionType::integers: {
      const std::string numbers = "whole numbers with commas between them";
      all.push_back(least < 0 ? numbers : numbers + ", each " + range(*this));
      break;
    }
    case OptionType::layout:
      all.emplace_back("a layout, which only a program can give");
      break;
  }
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : &each == &all.back() ? " or " : ", ") + each;
  return text;
}

OptionValue Option::checked(const OptionValue& given) const {
  OptionValue read = as_type(type, given);
  if (within(*this, read)) return read;
  if (const auto* word = std::get_if<std::string>(&read))
    if (const std::vector<std::string> all = known();
        std::find(all.begin(), all.end(), *word) != all.end() || (takes && takes(*word)))
      return read;
  throw Error(std::string(name) + " is " + quoted(read) + "; allowed: " + allowed());
}

const Option& option(std::string_view name) {
  std::string names;
  for (const Option& row : options()) {
    if (row.name == name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error("no option '" + shown(name) + "'; there are " + names);
}

void set(Options& options, std::string_view name, const OptionValue& value) {
  const Option& row = option(name);
  row.store(options, row.checked(value));
}

std::string get(const Options& options, std::string_view name) { return option(name).text(options); }

void check_options(const Options& given) {
  for (const Option& row : options())
    if (row.type != OptionType::layout) static_cast<void>(row.checked(row.value(given)));
}

std::string to_string(const Options& given) {
  static const Options initial;
  std::string text;
  for (const Option& row : options())
    if (const OptionValue value = row.value(given); value != row.value(initial))
      text += (text.empty() ? "" : ", ") + std::string(row.name) + " " + shown(text_of(value));
  return text;
}

std::string to_string(const ScheduleOptions& s) {
  std::string text = s.tiles == "auto" ? "tiles auto" : "one tile";
  if (s.tiles != "one" && s.tiles != "auto") {
    text = s.tiles + " axis, " + std::to_string(s.tile) + (s.tile == 1 ? " plane" : " planes") + " a tile, " +
           (s.window == 0 ? "all on their way" : "window " + std::to_string(s.window));
    if (s.test != 0) text += ", test every " + std::to_string(s.test);
  }
  return text + (s.communicate == "thread" ? ", exchanges on a thread" : "");
}

}  // namespace weft

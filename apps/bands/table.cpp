#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include <weft/error.hpp>
#include <weft/quote.hpp>

namespace bands {

namespace {

/// What a value looks like in the file, on one line.
std::string shown(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  std::istringstream words(text.str());
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() || line.back() == '[' ? "" : " ") + word;
  return weft::shown(line);
}

}  // namespace

Table::Table(std::string file, const toml::table& table, std::string name)
    : file_(std::move(file)), table_(&table), name_(std::move(name)) {}

bool Table::has(const std::string& key) const { return table_->contains(key); }

std::string Table::place(const std::string& key) const {
  const toml::node* const found = table_->get(key);
  const auto line = (found ? found->source() : table_->source()).begin.line;
  return fmt::format("{}:{}: {}{}", weft::shown_path(file_), std::max<unsigned>(line, 1),
                     name_.empty() ? "" : name_ + ".", weft::shown(key));
}

void Table::fail(const std::string& key, const std::string& message) const {
  throw weft::Error(place(key) + " " + message);
}

const toml::node& Table::node(const std::string& key, const std::string& what) {
  asked_.insert(key);
  const toml::node* const found = table_->get(key);
  if (!found) fail(key, "is missing; give " + what);
  return *found;
}

double Table::number(const std::string& key, const std::string& what, double above, double most) {
  const toml::node& found = node(key, what);
  const double value = found.value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
  if (!(value > above && value <= most)) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return value;
}

long long Table::whole(const std::string& key, const std::string& what, long long least, long long most) {
  const toml::node& found = node(key, what);
  const auto* const value = found.as_integer();
  if (!value || value->get() < least || value->get() > most)
    fail(key, fmt::format("is {}; give {}, {} to {}", shown(found), what, least, most));
  return value->get();
}

std::string Table::text(const std::string& key, const std::string& what) {
  const toml::node& found = node(key, what);
  if (!found.is_string()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return found.as_string()->get();
}

bool Table::truth(const std::string& key, const std::string& what) {
  const toml::node& found = node(key, what);
  if (!found.is_boolean()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return found.as_boolean()->get();
}

std::vector<std::string> Table::texts(const std::string& key, const std::string& what) {
  const toml::node& found = node(key, what);
  std::vector<std::string> all;
  if (const toml::array* const list = found.as_array())
    for (const toml::node& word : *list) {
      if (!word.is_string()) fail(key, fmt::format("has {}; give {}", shown(word), what));
      all.push_back(word.as_string()->get());
    }
  if (all.empty()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return all;
}

std::vector<double> Table::numbers(const toml::node& list, std::size_t least, std::size_t most, const std::string& key,
                                   const std::string& what) const {
  std::vector<double> all;
  const toml::array* const array = list.as_array();
  if (array)
    for (const toml::node& entry : *array) all.push_back(entry.value<double>().value_or(std::nan("")));
  bool good = array && all.size() >= least && all.size() <= most;
  for (const double value : all) good &= std::isfinite(value);
  if (!good) {
    const std::string count = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    fail(key, fmt::format("has {} where {} numbers belong; give {}", shown(list), count, what));
  }
  return all;
}

Vector3 Table::vector(const std::string& key, const std::string& what) {
  const std::vector<double> all = row(key, 3, 3, what);
  return {all[0], all[1], all[2]};
}

std::vector<double> Table::row(const std::string& key, std::size_t least, std::size_t most, const std::string& what) {
  return numbers(node(key, what), least, most, key, what);
}

std::vector<std::vector<double>> Table::rows(const std::string& key, std::size_t columns, const std::string& what) {
  const toml::node& found = node(key, what);
  const toml::array* const list = found.as_array();
  if (!list || list->empty()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  std::vector<std::vector<double>> all;
  for (const toml::node& entry : *list)
    all.push_back(numbers(entry, columns == 0 ? 1 : columns, columns == 0 ? list->size() : columns, key, what));
  return all;
}

Table Table::table(const std::string& key, const std::string& what) {
  const toml::node& found = node(key, what);
  if (!found.is_table()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return {file_, *found.as_table(), name_.empty() ? key : name_ + "." + key};
}

std::vector<Table> Table::tables(const std::string& key, const std::string& what) {
  const toml::node& found = node(key, what);
  const toml::array* const list = found.as_array();
  std::vector<Table> all;
  if (list)
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) fail(key, fmt::format("has {}; give {}", shown(entry), what));
      all.push_back({file_, *entry.as_table(), name_.empty() ? key : name_ + "." + key});
    }
  if (all.empty()) fail(key, fmt::format("is {}; give {}", shown(found), what));
  return all;
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> all;
  for (const auto& [key, value] : *table_) all.emplace_back(key.str());
  return all;
}

void Table::finish() const {
  std::string known;
  for (const std::string& key : asked_) known += (known.empty() ? "" : ", ") + key;
  for (const std::string& key : keys())
    if (!asked_.contains(key)) fail(key, "is no key here; there are " + known);
}

}  // namespace bands

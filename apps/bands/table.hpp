// A table of a TOML file that is read key by key. Every error names the file, the line and the key,
// what was given and what is allowed; keys that nobody asked for are errors, so that a misspelt one
// is never ignored.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "vector3.hpp"

namespace bands {

class Table {
 public:
  /// `name` is the table's path in the file, empty for the whole file.
  Table(std::string file, const toml::table& table, std::string name);

  bool has(const std::string& key) const;
  /// Required: an Error where they are missing. `what` says what to give: "a length in bohr".
  double number(const std::string& key, const std::string& what, double above, double most = 1e300);
  long long whole(const std::string& key, const std::string& what, long long least, long long most);
  std::string text(const std::string& key, const std::string& what);
  bool truth(const std::string& key, const std::string& what);
  std::vector<std::string> texts(const std::string& key, const std::string& what);
  Vector3 vector(const std::string& key, const std::string& what);
  /// From `least` to `most` numbers.
  std::vector<double> row(const std::string& key, std::size_t least, std::size_t most, const std::string& what);
  /// An array of arrays of `columns` numbers each; 0: of any.
  std::vector<std::vector<double>> rows(const std::string& key, std::size_t columns, const std::string& what);
  Table table(const std::string& key, const std::string& what);
  std::vector<Table> tables(const std::string& key, const std::string& what);
  /// Everything in this table, in the order of the file.
  std::vector<std::string> keys() const;

  /// Throws Error where a key was never asked for.
  void finish() const;
  /// Throws Error at the line of a key.
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

 private:
  const toml::node& node(const std::string& key, const std::string& what);
  std::vector<double> numbers(const toml::node& list, std::size_t least, std::size_t most, const std::string& key,
                              const std::string& what) const;
  std::string place(const std::string& key) const;

  std::string file_;
  const toml::table* table_;
  std::string name_;
  std::set<std::string> asked_;
};

}  // namespace bands

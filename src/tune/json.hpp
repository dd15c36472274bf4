// JSON as wisdom and explanations need it: read, looked into, and written so that people can read
// it. The library links no other for it. Always true: what `dump` writes `parse` reads as the same
// value; members keep their order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/copied.hpp"

namespace weft {

class Json {
 public:
  using List = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;

  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  template <class Whole>
  requires std::is_integral_v<Whole> Json(Whole value) : value_(static_cast<double>(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(List value) : value_(std::move(value)) {}
  Json(Members value) : value_(std::move(value)) {}
  Json(const Json& other) : value_(copied(other.value_)) {}
  Json(Json&&) = default;
  Json& operator=(const Json&) = default;
  Json& operator=(Json&&) = default;

  /// Throws Error, naming the position, for what is no JSON, and for lists in lists 64 deep.
  static Json parse(std::string_view text);
  /// Objects that fit are one line.
  std::string dump(int indent = 0) const;

  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_object() const { return std::holds_alternative<Members>(value_); }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }

  /// The value, or what is given for a missing member or one of another type: what foreign files
  /// hold is never trusted.
  std::string text(std::string otherwise = "") const;
  double number(double otherwise = 0) const;
  bool truth(bool otherwise = false) const;
  const List& list() const;        ///< empty when it is none
  const Members& members() const;  ///< the same
  List& list();                    ///< makes it one
  /// A member, null when there is none.
  const Json& operator[](std::string_view name) const;
  /// Adds a member, or replaces it.
  void set(const std::string& name, Json value);

 private:
  std::variant<std::monostate, bool, double, std::string, List, Members> value_;
};

}  // namespace weft

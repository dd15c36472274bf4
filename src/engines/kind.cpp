// Names of kinds, directions and precisions.
#include <array>
#include <string>
#include <utility>

#include <weft/kind.hpp>
#include <weft/quote.hpp>

namespace weft {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> precisions{"single", "double"};
constexpr std::array<std::string_view, 2> directions{"forward", "backward"};
constexpr std::array<std::string_view, 14> kinds{"c2c",  "r2c",  "c2r",  "dct1", "dct2", "dct3", "dct4",
                                                  "dst1", "dst2", "dst3", "dst4", "r2hc", "hc2r", "dht"};

template <class Enum, std::size_t N>
Enum from_string(std::string_view name, const std::array<std::string_view, N>& names, std::string_view noun) {
  std::string allowed;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    allowed += (i ? ", " : "") + std::string(names[i]);
  }
  throw Error("unknown " + std::string(noun) + " \"" + shown(name) + "\"; allowed are " + allowed);
}

}  // namespace

std::string_view to_string(Precision precision) { return precisions[static_cast<std::size_t>(precision)]; }
std::string_view to_string(Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Direction direction) { return directions[static_cast<std::size_t>(direction)]; }

Precision precision_from_string(std::string_view name) {
  return from_string<Precision>(name == "float" ? "single" : name, precisions, "precision");
}
Kind kind_from_string(std::string_view name) { return from_string<Kind>(name, kinds, "kind"); }
Direction direction_from_string(std::string_view name) { return from_string<Direction>(name, directions, "direction"); }

Kind inverse(Kind kind) {
  switch (kind) {
    case Kind::r2c:
      return Kind::c2r;
    case Kind::c2r:
      return Kind::r2c;
    case Kind::dct2:
      return Kind::dct3;
    case Kind::dct3:
      return Kind::dct2;
    case Kind::dst2:
      return Kind::dst3;
    case Kind::dst3:
      return Kind::dst2;
    case Kind::r2hc:
      return Kind::hc2r;
    case Kind::hc2r:
      return Kind::r2hc;
    default:
      return kind;
  }
}

Index logical_size(Kind kind, Index n) {
  if (kind == Kind::dct1) return 2 * (n - 1);
  if (kind == Kind::dst1) return 2 * (n + 1);
  return kind >= Kind::dct1 && kind <= Kind::dst4 ? 2 * n : n;
}

}  // namespace weft

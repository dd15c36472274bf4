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
constexpr std::array<std::string_view, kinds.size()> summaries{
    "Fourier, n complex values to n",
    "Fourier, n real values to n/2+1 complex ones; one axis at most",
    "Fourier, n/2+1 complex values to n real ones: backward of r2c",
    "cosines, n points with both ends: slope zero on the walls (REDFT00)",
    "cosines, n points between: slope zero half a point beyond them (REDFT10); undone by dct3",
    "cosines of half waves, undone by dct2 (REDFT01)",
    "cosines of half waves at half points (REDFT11)",
    "sines, n points without the ends: value zero one point beyond them (RODFT00)",
    "sines, n points between: value zero half a point beyond them (RODFT10); undone by dst3",
    "sines of half waves, undone by dst2 (RODFT01)",
    "sines of half waves at half points (RODFT11)",
    "Fourier, n real values to n: real parts, then imaginary ones backwards; undone by hc2r",
    "Fourier, back from r2hc",
    "Hartley, n values to n by cosine plus sine"};

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

std::vector<std::pair<std::string, std::string>> kind_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (static_cast<Kind>(k) != Kind::c2r) list.emplace_back(kinds[k], summaries[k]);
  return list;
}

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

// What a line transform is: kind, direction, precision. The names are FFTW's definitions under the
// field's short names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/box.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// The real type of all values of a transform: `float` or `double`.
enum class Precision { single_, double_ };

/// A transform along one axis, unnormalised, as FFTW defines it ("What FFTW Really Computes", FFTW
/// 3.3 manual): dct1..dct4 are REDFT00, 10, 01, 11 and dst1..dst4 are RODFT00, 10, 01, 11. r2hc is
/// r2c in n reals: real parts 0 to n/2, then imaginary parts (n-1)/2 down to 1; hc2r is its way
/// back. dht is Hartley's sum of x_j (cos + sin)(2 pi jk/n).
enum class Kind { c2c, r2c, c2r, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, r2hc, hc2r, dht };

/// The sign of the exponent of c2c: forward is -1. Every other kind has one direction: c2r is
/// backward, the rest forward.
enum class Direction { forward, backward };

/// The names users type: "single", "double"; "c2c", "dct2", ...; "forward", "backward".
std::string_view to_string(Precision);
std::string_view to_string(Kind);
std::string_view to_string(Direction);

/// The inverse of `to_string`. Throws `Error` naming the allowed names. `precision_from_string`
/// also knows "float".
Precision precision_from_string(std::string_view);
Kind kind_from_string(std::string_view);
Direction direction_from_string(std::string_view);

constexpr bool complex_input(Kind kind) { return kind == Kind::c2c || kind == Kind::c2r; }
constexpr bool complex_output(Kind kind) { return kind == Kind::c2c || kind == Kind::r2c; }
constexpr bool real_to_real(Kind kind) { return kind >= Kind::dct1; }

/// Name and one line of every kind that an axis of a plan may have: all but c2r, which is backward
/// of r2c.
std::vector<std::pair<std::string, std::string>> kind_list();

/// The kind that undoes `kind`, up to the factor `logical_size`; c2c does so in the other
/// direction.
Kind inverse(Kind kind);

/// What `kind` followed by its inverse multiplies a line of `n` points by: 2(n-1) for dct1, 2(n+1)
/// for dst1, 2n for all other dct and dst, n for the rest.
Index logical_size(Kind kind, Index n);

/// Bytes of one element: 4, 8 or 16.
constexpr std::size_t element_bytes(Precision precision, bool is_complex) {
  return (precision == Precision::single_ ? 4 : 8) * (is_complex ? std::size_t{2} : std::size_t{1});
}

}  // namespace weft
#pragma GCC visibility pop

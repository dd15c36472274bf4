// weft_lines SET KIND PRECISION LENGTH FORM TIMES: transforms 8 lines so many times, by the kernels
// of an instruction set or by FFTW's lines ("fftw"), contiguous ("rows") or side by side
// ("columns"). Whoever counts instructions counts those of two runs.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "engines/aligned.hpp"
#include "engines/engine.hpp"
#include "engines/lanes.hpp"

namespace {

using namespace weft;
constexpr Index count = 8;

LineSpec spec_of(std::string_view kind, std::string_view precision, Index length, std::string_view form) {
  LineSpec spec;
  spec.kind = kind == "c2c" ? Kind::c2c : kind == "r2c" ? Kind::r2c : Kind::c2r;
  spec.direction = kind == "c2r" ? Direction::backward : Direction::forward;
  spec.precision = precision == "float" ? Precision::single_ : Precision::double_;
  spec.length = length;
  if (form == "columns") spec.in_stride = spec.out_stride = count, spec.in_distance = spec.out_distance = 1;
  return spec;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: weft_lines fftw|" << (kernel_sets().empty() ? "none" : kernel_sets().front())
              << " c2c|r2c|c2r double|float LENGTH rows|columns TIMES\n";
    return 2;
  }
  const LineSpec spec = spec_of(argv[2], argv[3], std::atol(argv[4]), argv[5]);
  const std::string_view set = argv[1];
  const auto lines = set == "fftw" ? engine("fftw").plan(spec, "estimate") : in_lanes(spec, set);
  lines->prepare();
  const auto memory = [&](Index elements, bool is_complex) {
    Aligned made(Aligned::padded(static_cast<std::size_t>(elements) * element_bytes(spec.precision, is_complex)));
    std::memset(made.data(), 0, made.bytes());
    return made;
  };
  const Aligned in = memory(spec.in_span(count), spec.complex_in()),
                out = memory(spec.out_span(count), spec.complex_out());
  for (long k = std::atol(argv[6]); k > 0; --k) (*lines)(in.data(), out.data(), count);
}

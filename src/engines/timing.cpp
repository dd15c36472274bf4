#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "aligned.hpp"

namespace weft {

double seconds_in_cache(const Lines& lines) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const LineSpec& spec = lines.spec();
  const Index count = std::clamp<Index>(65536 / spec.length, 1, 16);  // whole batches where any are made
  const auto span = [&](Index elements, bool is_complex) {
    return Aligned::padded(static_cast<std::size_t>(elements) * element_bytes(spec.precision, is_complex));
  };
  const Aligned in(span(spec.in_span(count), spec.complex_in())), out(span(spec.out_span(count), spec.complex_out()));
  std::memset(in.data(), 0, in.bytes());
  std::memset(out.data(), 0, out.bytes());
  std::byte* target = lines.prefers_out_of_place() ? out.data() : in.data();
  double least = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  for (int round = 0; round < 3 || (round < 10 && Seconds(Clock::now() - begin).count() < 0.2); ++round) {
    const auto start = Clock::now();
    Seconds elapsed{};
    int runs = 0;
    for (; elapsed.count() < 2e-5; elapsed = Clock::now() - start, ++runs) lines(in.data(), target, count);
    least = std::min(least, elapsed.count() / runs);
  }
  return least;
}

}  // namespace weft

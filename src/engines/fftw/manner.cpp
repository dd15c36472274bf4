#include "manner.hpp"

#include <algorithm>

#include "engines/convolved.hpp"

namespace weft::fftw {
namespace {

// By measurement: from this prime factor on a convolution may win, and from this prime on Rader's
// does, whatever the kind.
constexpr Index awkward = 37, certain = 61;

Index largest_prime(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

std::vector<Manner> fftws_own(const LineSpec& spec) {
  if (spec.kind == Kind::c2r) return {Manner::from_scratch};
  if (!spec.in_place()) return {Manner::out_of_place};
  if (spec.in_stride > 1) return {Manner::in_place};  // asked for where nothing else will do
  return spec.length <= small_line ? std::vector{Manner::in_place, Manner::out_of_place}
                                   : std::vector{Manner::out_of_place, Manner::in_place};
}

}  // namespace

bool is_awkward(const LineSpec& spec) { return largest_prime(logical_size(spec.kind, spec.length)) >= awkward; }

bool convolves(Manner manner) { return manner == Manner::rader || manner == Manner::bluestein; }

LineSpec inner_of(const LineSpec& spec, Manner manner) {
  return {Kind::c2c, Direction::forward, spec.precision,
          manner == Manner::rader ? rader_length(spec.length) : bluestein_length(spec.length)};
}

std::vector<Manner> manners_of(const LineSpec& spec) {
  std::vector<Manner> manners = fftws_own(spec);
  if (real_to_real(spec.kind) || largest_prime(spec.length) < awkward || spec.length > longest_convolved)
    return manners;
  manners.push_back(Manner::bluestein);
  if (rader_length(spec.length) > 0)
    manners.insert(spec.length >= certain ? manners.begin() : manners.end(), Manner::rader);
  return manners;
}

std::vector<Manner> candidates(const LineSpec& spec) {
  constexpr Index short_prime = 1024, in_place_first = 65536;
  std::vector<Manner> manners = manners_of(spec);
  const auto has = [&](Manner manner) { return std::find(manners.begin(), manners.end(), manner) != manners.end(); };
  if (manners.front() == Manner::rader && spec.length > short_prime)
    for (const Manner own : fftws_own(spec)) std::erase(manners, own);
  if (has(Manner::in_place) && has(Manner::out_of_place)) {
    if (has(Manner::bluestein) && spec.length > long_line)
      std::erase(manners, Manner::in_place);
    else if (spec.length > in_place_first)
      std::swap(manners[0], manners[1]);
  }
  return manners;
}

}  // namespace weft::fftw

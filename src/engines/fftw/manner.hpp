// How FFTW's engine may do a line, and which ways are worth a search.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.hpp"

namespace weft::fftw {

enum class Manner { in_place, out_of_place, from_scratch, rader, bluestein };
/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 5> manner_names{"in_place", "out_of_place", "from_scratch", "rader",
                                                              "bluestein"};

/// What a line's plan depends on besides its spec and effort.
struct Choice {
  Manner manner{};
  std::string wisdom;       ///< FFTW's, of this line alone
  bool unfinished = false;  ///< the search was cut short: what the wisdom does not say is estimated
  bool operator==(const Choice&) const = default;
};

/// Points up to which batches and working in place are faster.
inline constexpr Index small_line = 128;
/// Of lines beyond this many points FFTW's search takes from half a second to minutes. With effort
/// "measure" all of a plan's together get so many seconds, and those beyond the longest none, for
/// one measurement takes seconds.
inline constexpr Index long_line = 4096, longest_searched = Index{1} << 21;
inline constexpr double search_seconds = 6;

/// Whether the line has a prime factor so large that a convolution may be faster.
bool is_awkward(const LineSpec&);
/// Whether the manner is a convolution over transforms of another length.
bool convolves(Manner);
/// Of lines that are convolutions: the transform of which they consist.
LineSpec inner_of(const LineSpec&, Manner);

/// The manners that a line may have, the one that "estimate" takes first.
std::vector<Manner> manners_of(const LineSpec&);
/// What a search tries, the most promising first: of long lines less, where FFTW takes long to plan
/// what seldom wins.
std::vector<Manner> candidates(const LineSpec&);

}  // namespace weft::fftw

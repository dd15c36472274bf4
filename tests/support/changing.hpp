// Executions that follow one another with other data each: what one of them hands over to another
// is seen.
//
// A plan that transforms the same data again and again looks right even where it gives out what an
// earlier execution left. Here every execution has its own data, a known field times a power of
// two: that changes no digit of the result but its exponent, so it is known to the last bit. They
// go back to back without a barrier, one rank late at random, with arrays of their own or the
// plan's in turn, and all results are checked at the end.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <weft/weft.hpp>

namespace weft {

/// Forward, backward and mapped: every pair of them in a row, and every three in a row.
inline const char *const every_pair = "ffbbfmmbmf", *const every_three = "fffbfmbbfbmbmmfmffbbbmfbfmmmb";

/// What single executions made, with barriers before and after them: whole arrays of this rank, for
/// the caller to check.
template <class In, class Out>
struct Quiet {
  std::vector<Out> forward;
  std::vector<In> backward;
  std::vector<Out> mapped_waves;  ///< of plane waves: coefficients
  std::vector<In> mapped;         ///< of others: real space
};

/// Collective: executes `order` back to back, forward from multiples of `before`, backward from
/// multiples of `after`, mapped from either, and expects of every result the same multiple of what
/// a quiet execution makes. `before` and `after` are this rank's arrays, padding included, which
/// need not belong together. WEFT_TEST_SEED sets who is late, and when.
template <class In, class Out>
Quiet<In, Out> back_to_back(Plan<In, Out>& plan, const std::vector<In>& before, const std::vector<Out>& after,
                            const std::string& order = every_pair);

/// The same from any data: of dense plans `after` is what forward makes of it.
template <class In, class Out>
Quiet<In, Out> back_to_back(Plan<In, Out>& plan, const std::string& order = every_pair);

/// Collective: who is late before the next execution. All ranks hear the same.
class Lateness {
 public:
  Lateness();
  /// Perhaps sleeps, up to a millisecond; returns how many microseconds this rank might sleep later
  /// on.
  unsigned next();
  std::string seed() const { return seed_; }

 private:
  unsigned random();
  std::uint64_t state_;
  std::string seed_;
};

/// Of execution k: no two of 17 in a row are alike.
inline double factor(std::size_t k) { return std::ldexp(k % 2 ? -1.0 : 1.0, static_cast<int>(5 * k % 17) - 8); }

}  // namespace weft

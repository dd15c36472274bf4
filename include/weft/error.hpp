// What weft throws.
#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)
namespace weft {

/// What every failure of weft throws. The message names the rank where it arose (when ranks can
/// differ), what was given, what is allowed and what to do. Errors found while planning are thrown
/// alike on every rank.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A strategy or a schedule was asked for by name, works, and cannot carry this demand: another
/// one, or "auto", may. Thrown alike on every rank while planning.
class Declined : public Error {
 public:
  using Error::Error;
};

}  // namespace weft
#pragma GCC visibility pop

// Plans with the processor's own kernels for every line, whatever planning measures today.
#pragma once

#include <sstream>

#include "engines/engine.hpp"
#include "engines/lanes.hpp"
#include "support/plans.hpp"

namespace weft {

// A plan of the lines of `problem`. All that are planned after it, with effort "measure" as
// `options` have it, take kernels for these lines; where a processor has none, import leaves the
// entry out.
inline AnyPlan with_kernels(const AnyProblem& problem, const Options& options) {
  AnyPlan lines = lines_of(problem, options);
  std::istringstream wisdom(engine("weft").export_wisdom());
  std::string line, changed;
  std::getline(wisdom, line);
  changed = line + "\n";
  while (std::getline(wisdom, line)) {
    const auto bytes = line.rfind(' '), manner = line.rfind(' ', bytes - 1);
    changed += line.substr(0, manner) + " " + std::string(lanes_manner()) + " 0\n\n";
    wisdom.ignore(std::stol(line.substr(bytes)) + 1);
  }
  engine("weft").import_wisdom(changed);
  return lines;
}

}  // namespace weft

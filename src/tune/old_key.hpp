// How wisdom of weft 0.1 names problems, so that files of that time are found.
#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft {

/// The problem with its options as the key of an entry had them before there was one table of options.
std::string old_problem_key(const AnyProblem& problem, Options options);

}  // namespace weft

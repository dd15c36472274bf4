// How wisdom of weft 0.1 names problems, so that files of that time are found.
#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft {

/// The problem with its options as the key of an entry had them before there was one table of
/// options.
std::string old_problem_key(const AnyProblem& problem, Options options);

/// The engine's name in keys, old and new: where "weft" is over FFTW it has the one that it had
/// before it was an engine of its own, "fftw", and FFTW alone has "fftw_alone".
std::string engine_in_keys(const std::string& engine);

}  // namespace weft

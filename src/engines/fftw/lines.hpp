// Lines by FFTW, planned so that the bits of a line never depend on the company it is in.
//
// A line transform has one plan, for one batch of contiguous lines, run in one manner: in place,
// out of place or, for c2r (which is faster when it may destroy its input), from scratch. A call in
// another manner, a remainder of a batch (filled up with copies of a line) and memory that is not
// aligned as FFTW wants it go through scratch, with the same plan. Short lines are faster in
// batches of 8 and in place, longer ones one by one and out of place.
//
// For large prime factors FFTW's plans take tables over from plans alive in the process: there the
// last bit may depend on what else is planned. FFTW itself allocates a buffer at execution for
// real-to-real kinds, large prime factors and some other plans.
#pragma once

#include <memory>
#include <string_view>

#include "library.hpp"
#include "manner.hpp"

namespace weft::fftw {

/// Lines planned from the choice's wisdom alone, to which the planner adds what it had to find out
/// if that is to be learned.
template <class Real>
std::shared_ptr<const Lines> plan_lines(Planner<Real>&, const LineSpec&, std::string_view effort, Choice&, bool learn);

}  // namespace weft::fftw

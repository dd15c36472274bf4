// Which manner is the fastest for a line.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "library.hpp"
#include "manner.hpp"

namespace weft::fftw {

/// The fastest of these manners, and its wisdom. The plans made on the way are all gone when it
/// returns, because FFTW's plans of large prime factors share tables with those alive, and so bits.
/// `inner`: what was found of transforms inside convolutions. `limit`: seconds after which FFTW
/// takes the best that it has come upon, and no further manner is tried that might take as long as
/// those before.
template <class Real>
Choice search(Planner<Real>&, const LineSpec&, std::string_view effort, const std::vector<Manner>&,
              std::map<LineSpec, Choice>& inner, double limit);

}  // namespace weft::fftw

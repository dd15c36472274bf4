// The route of plane waves: planes of real space, sticks, coefficients.
#pragma once

#include "plan/route/route.hpp"
#include "sphere/waves.hpp"

namespace weft {

/// Forward: planes are transformed, their elements on sticks move from whom the plane is to whom
/// the stick is, sticks are transformed. Between planes and sticks lies an array (axis 0 of the
/// grid, number of the stick), so that no exchange sees a sphere. Throws as plan_route does.
Route plan_sphere_route(const AnyProblem& problem, const Options& options, int ranks, const Waves& waves);

}  // namespace weft

// Gaussian cube files, which VESTA, XCrySDen and others show.
#pragma once

#include <string>
#include <vector>

#include "crystal.hpp"

namespace bands {

/// The text of a cube file of a function on the whole grid, axis 2 fastest. `charges` are the ions'
/// of each species; atomic numbers follow from the species' names, 0 for what is no element.
std::string cube(const Crystal& crystal, const std::vector<double>& charges, const std::vector<weft::Index>& grid,
                 const std::vector<double>& values, const std::string& title);

/// 14 for "Si", 0 for what is no element. What follows the letters does not count: "Si1" is
/// silicon.
int atomic_number(const std::string& name);

}  // namespace bands

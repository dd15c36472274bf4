// XCrySDen's structure files, which VESTA reads, too: a crystal, and a function on its grid.
#pragma once

#include <string>
#include <vector>

#include <weft/box.hpp>

#include "crystal.hpp"

namespace bands {

/// `values` in C order on the whole grid, in atomic units; lengths are written in angstrom. The
/// file repeats the first point of every axis behind the last one.
std::string xsf(const Crystal& crystal, const std::vector<weft::Index>& grid, const std::vector<double>& values,
                const std::string& title);

}  // namespace bands

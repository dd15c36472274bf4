#include "case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

std::vector<weft::GVector> Case::vectors(int rank, int ranks) const {
  const auto sticks = boxcut ? weft::box_sticks({shape[0] / 2, shape[1] / 2, shape[2] / 2})
                             : weft::sphere_sticks({.squared = radius * radius});
  return weft::vectors(weft::share_sticks(sticks, ranks)[static_cast<std::size_t>(rank)]);
}

double Case::operations() const {
  const double points = static_cast<double>(volume(shape));
  return (sphere() || returns ? 10 : 5) * static_cast<double>(batch) * points * std::log2(std::max(points, 2.0));
}

double Case::tolerance() const {
  return (is_double() ? 1e-13 : 1e-5) * std::max(1.0, std::log2(static_cast<double>(volume(shape))) / 20);
}

std::string Case::name() const {
  const std::string kind = boxcut       ? "boxcut 2 in"
                           : radius > 0 ? fmt::format("sphere of radius {:g} in", radius)
                           : real       ? "r2c+c2r"
                                        : "c2c";
  return fmt::format("{} {} {}{}", kind, to_string(shape), is_double() ? "double" : "float",
                     batch > 1 ? fmt::format(" x {}", batch) : "");
}

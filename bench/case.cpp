#include "case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

double Case::operations() const {
  const double points = static_cast<double>(volume(shape));
  return 5 * static_cast<double>(batch) * points * std::log2(std::max(points, 2.0));
}

double Case::tolerance() const { return (is_double() ? 1e-13 : 1e-5) * std::max(1.0, std::log2(static_cast<double>(volume(shape))) / 20); }

std::string Case::name() const {
  return fmt::format("{} {} {}{}", real ? "r2c+c2r" : "c2c", to_string(shape), is_double() ? "double" : "float",
                     batch > 1 ? fmt::format(" x {}", batch) : "");
}

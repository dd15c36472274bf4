// Data whose transform is known everywhere without transforming it: the product of one random line
// an axis, the batch's axis included. Its transform is the product of the lines' transforms, which
// are computed by their definition. All modes take part.
#pragma once

#include <vector>

#include "case.hpp"

class Field {
 public:
  explicit Field(const Case& what);

  /// At a global point, the position in the batch first.
  std::complex<double> before(const weft::Shape& point) const { return product(before_, point); }
  std::complex<double> after(const weft::Shape& point) const { return product(after_, point); }

 private:
  using Lines = std::vector<std::vector<std::complex<double>>>;
  static std::complex<double> product(const Lines& lines, const weft::Shape& point) {
    std::complex<double> value = 1;
    for (int axis = 0; axis < point.size(); ++axis)
      value *= lines[static_cast<std::size_t>(axis)][static_cast<std::size_t>(point[axis])];
    return value;
  }

  Lines before_, after_;
};

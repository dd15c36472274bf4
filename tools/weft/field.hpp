// The data that a benchmark transforms, and what must come out of it, known without the transform
// that is tested.
#pragma once

#include <memory>
#include <string>

#include <weft/file.hpp>

#include "command.hpp"
#include "values.hpp"

class Field {
 public:
  virtual ~Field() = default;
  /// Collective: this rank's part in a layout of boxes, before the transform.
  virtual Values before(const weft::Layout& layout) const = 0;
  /// The same after it, or nothing when that is not known.
  virtual Values after(const weft::Layout& layout) const = 0;
  /// The same at points of the spectrum, the position in the batch first where there is one.
  virtual Values after(const std::vector<weft::Shape>& points) const = 0;
  /// What `after` is: "a serial transform".
  virtual std::string reference() const = 0;
};

/// A sum of products of random lines, one line an axis. Its transform is the same sum of products
/// of the lines' transforms: a dense spectrum that is known at any size, and every rank makes its
/// own part.
std::unique_ptr<Field> random_field(const World& world, const weft::AnyProblem& problem, const weft::Options& options);

/// What an npy file holds. Its transform is made by rank 0 alone, as long as that has room for it.
std::unique_ptr<Field> file_field(const World& world, const weft::AnyProblem& problem, const std::string& path);

/// A whole transform in double precision on this rank alone.
Values serial_transform(weft::AnyProblem problem, const std::string& engine, Values values);

/// What a file holds; an error that says how to convert unless that is floating-point numbers, real
/// or complex.
weft::FileType inspect_numbers(const World& world, const std::string& path);
inline bool complex_numbers(const weft::FileType& file) { return file.type[0] == 'c'; }
inline weft::Precision precision_of(const weft::FileType& file) {
  return file.type == "f4" || file.type == "c8" ? weft::Precision::single_ : weft::Precision::double_;
}

// Arrays of NumPy and of the library: what an element is, what a rank's part looks like, and the
// caller's memory.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <weft/weft.hpp>

namespace nb = nanobind;
using weft::Index;
using weft::Shape;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;  // whatever may wait for other ranks runs so

using Numbers = std::vector<Index>;
inline Shape few(const Numbers& numbers) { return {numbers}; }
weft::Few<int> ints(const Numbers& numbers);
template <class Entries>
Numbers listed(const Entries& entries) {
  return {entries.begin(), entries.end()};
}
template <class Entries>
nb::tuple tuple_of(const Entries& entries) {
  return nb::tuple(nb::cast(listed(entries)));
}
inline std::pair<nb::tuple, nb::tuple> pair_of(const weft::Box& box) { return {tuple_of(box.lo), tuple_of(box.hi)}; }
std::vector<weft::Box> boxes_of(const std::vector<std::pair<Numbers, Numbers>>& boxes);

/// Throws Error unless MPI can be called.
void check_mpi();
/// The communicator that Fortran knows by a number.
MPI_Comm communicator_of(int number);

/// What an element is: NumPy's letter for its kind (b, i, u, f or c), and its bytes.
struct Element {
  char kind = 'f';
  Index bytes = 8;

  Element() = default;
  Element(char letter, Index size) : kind(letter), bytes(size) {}
  Element(weft::Precision precision, bool is_complex);
  /// Of NumPy's type string without byte order: "f8".
  explicit Element(const std::string& type);
  std::string type() const { return kind + std::to_string(bytes); }
  /// NumPy's name: "float64".
  std::string name() const;
  bool is(const Py_buffer& array) const;
};

/// Arrays of one end of a plan, a redistribution or a halo, or of a file: their elements, and the
/// shape and strides of this rank's part, the latter in bytes.
struct Side {
  Element element;
  Numbers shape, strides;
  Index reach = 0;  ///< elements that an array has at least

  Side() = default;
  Side(Element type, const weft::View& view, Index least);
  /// A rank's part of a layout. A list of runs is an array of one axis.
  Side(Element type, const weft::Layout& layout, int rank);
};

/// An array of the caller's, held while it is used. Throws TypeError or ValueError unless it is one
/// of the side's: `what` begins the message, and `needed_by` names what it is for.
class Buffer {
 public:
  Buffer(nb::handle array, const Side& side, bool writes, const char* what, const char* needed_by);
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data() const { return view_.buf; }

 private:
  std::string misfit(const Side& side, bool writes) const;

  Py_buffer view_;
};

/// Memory of the library's as an array of NumPy, which keeps it.
nb::object numpy_of(std::shared_ptr<std::byte> memory, const Side& side);
/// G-vectors as an array of n x 3 integers.
nb::object numpy_of_vectors(const std::vector<weft::GVector>& vectors);

/// Options by name, and all of them with their names.
weft::Options options_of(const nb::dict& given);
nb::dict dict_of(const weft::Options& options);

// The parts of the module.
void bind_layouts(nb::module_& m);
void bind_problems(nb::module_& m);
void bind_plans(nb::module_& m);
void bind_moves(nb::module_& m);
void bind_tuning(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_forecasts(nb::module_& m);

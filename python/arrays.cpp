// Arrays of NumPy and of the library.
#include "arrays.hpp"

#include <algorithm>
#include <cstring>

weft::Few<int> ints(const Numbers& numbers) {
  weft::Few<int> all;
  for (const Index n : numbers) {
    if (n != static_cast<int>(n)) throw weft::Error(std::to_string(n) + " is given as an axis or a number of parts");
    all.push_back(static_cast<int>(n));
  }
  return all;
}

std::vector<weft::Box> boxes_of(const std::vector<std::pair<Numbers, Numbers>>& boxes) {
  std::vector<weft::Box> all;
  for (const auto& [lo, hi] : boxes) all.push_back({few(lo), few(hi)});
  return all;
}

void check_mpi() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    throw weft::Error(finalized != 0 ? "MPI has been finalised; weft is of no use after that"
                                     : "MPI is not initialised; import mpi4py.MPI");
}

MPI_Comm communicator_of(int number) {
  check_mpi();
  return MPI_Comm_f2c(number);
}

Element::Element(weft::Precision precision, bool is_complex)
    : kind(is_complex ? 'c' : 'f'), bytes((precision == weft::Precision::single_ ? 4 : 8) * (is_complex ? 2 : 1)) {}

Element::Element(const std::string& type) {
  for (const char* known : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"})
    if (type == known) {
      kind = type[0], bytes = std::stoi(type.substr(1));
      return;
    }
  throw weft::Error("no type of elements '" + type + "'");
}

std::string Element::name() const {
  if (kind == 'b') return "bool";
  const char* word = kind == 'i' ? "int" : kind == 'u' ? "uint" : kind == 'f' ? "float" : "complex";
  return word + std::to_string(8 * bytes);
}

bool Element::is(const Py_buffer& array) const {
  const char* format = array.format == nullptr ? "B" : array.format;
  if (*format == '=' || *format == '@') ++format;
  if (*format == 'Z') return kind == 'c' && std::strchr("fd", format[1]) && format[2] == 0 && array.itemsize == bytes;
  if (*format == 0 || format[1] != 0 || array.itemsize != bytes) return false;
  const char* formats = kind == 'b' ? "?" : kind == 'i' ? "bhilqn" : kind == 'u' ? "BHILQN" : kind == 'f' ? "efd" : "";
  return std::strchr(formats, *format) != nullptr;
}

namespace {

std::string text_of(const Numbers& numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

weft::View view_of(const weft::Layout& layout, int rank) {
  if (layout.has_boxes()) return layout.view(rank);
  weft::View list;
  list.box = weft::Box{{0}, {layout.elements(rank)}};
  list.strides = {1};
  return list;
}

}  // namespace

Side::Side(Element type, const weft::View& view, Index least) : element(type), reach(least) {
  for (int a = 0; a < view.box.axes(); ++a) {
    shape.push_back(std::max<Index>(view.box.extent(a), 0));
    strides.push_back(view.strides[a] * type.bytes);
  }
}

Side::Side(Element type, const weft::Layout& layout, int rank)
    : Side(type, view_of(layout, rank), view_of(layout, rank).reach()) {}

Buffer::Buffer(nb::handle array, const Side& side, bool writes, const char* what, const char* needed_by) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    throw nb::type_error((std::string(what) + " is no array: give a weft.Array or a numpy.ndarray").c_str());
  }
  if (std::string why = misfit(side, writes); !why.empty()) {
    const bool type = !side.element.is(view_);
    why = what + why + "; " + needed_by + " needs " + side.element.name() + " of shape " + text_of(side.shape) +
          " and strides " + text_of(side.strides);
    PyBuffer_Release(&view_);
    if (type) throw nb::type_error(why.c_str());
    throw nb::value_error(why.c_str());
  }
}

std::string Buffer::misfit(const Side& side, bool writes) const {
  if (!side.element.is(view_))
    return std::string(" has elements of type '") + (view_.format == nullptr ? "B" : view_.format) + "'";
  if (writes && view_.readonly != 0) return " is read-only";
  if (side.reach == 0) return "";
  if (view_.ndim == 1 && view_.strides[0] == view_.itemsize && view_.shape[0] >= side.reach) return "";
  bool fits = view_.ndim == static_cast<int>(side.shape.size());
  for (int a = 0; fits && a < view_.ndim; ++a) {
    const auto i = static_cast<std::size_t>(a);
    fits = view_.shape[a] == side.shape[i] && (side.shape[i] <= 1 || view_.strides[a] == side.strides[i]);
  }
  return fits ? ""
              : " has shape " + text_of({view_.shape, view_.shape + view_.ndim}) + " and strides " +
                    text_of({view_.strides, view_.strides + view_.ndim});
}

nb::object numpy_of(std::shared_ptr<std::byte> memory, const Side& side) {
  std::vector<std::size_t> shape(side.shape.begin(), side.shape.end());
  std::vector<int64_t> strides;
  for (const Index s : side.strides) strides.push_back(s / side.element.bytes);
  static std::byte nothing[16];  // an array of no elements has an address, too
  void* const data = memory == nullptr ? nothing : memory.get();
  nb::capsule owner(new std::shared_ptr<std::byte>(std::move(memory)),
                    [](void* held) noexcept { delete static_cast<std::shared_ptr<std::byte>*>(held); });
  const auto code = side.element.kind == 'c' ? nb::dlpack::dtype_code::Complex : nb::dlpack::dtype_code::Float;
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * side.element.bytes), 1};
  return nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, strides.data(), type).cast();
}

nb::object numpy_of_vectors(const std::vector<weft::GVector>& vectors) {
  auto* held = new std::vector<weft::GVector>(vectors);
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<weft::GVector>*>(p); });
  static int64_t nothing[3];
  void* const data = held->empty() ? static_cast<void*>(nothing) : held->data();
  return nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>(data, {held->size(), 3}, owner).cast();
}

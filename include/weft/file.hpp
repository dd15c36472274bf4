// Parallel files: raw and npy arrays by MPI-IO, every rank its own part; nothing gathers on one
// rank.
//
//     weft::write(comm, "u.npy", plan.input_layout(), u.span());
//     weft::read(comm, "u.npy", plan.input_layout(), u.span());        // of the array's type
//     weft::read(comm, "u.npy", plan.input_layout(), "f4", u.span());  // of floats, into doubles
#pragma once

#include <complex>
#include <span>
#include <string>
#include <type_traits>

#include <mpi.h>

#include <weft/layout.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// What a file holds: its global shape, and NumPy's type string without byte order: b1, i1 to i8,
/// u1 to u8, f2, f4, f8, c8 or c16.
struct FileType {
  Shape shape;
  std::string type;
};

/// NumPy's type string of the elements of an array: bool, whole numbers of 1 to 8 bytes, float,
/// double, and complex numbers of these.
template <class T>
std::string file_type() {
  if constexpr (std::is_same_v<T, bool>)
    return "b1";
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return (std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T));
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return "f" + std::to_string(sizeof(T));
  else {
    static_assert(std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>,
                  "files hold bool, whole numbers, float, double, std::complex<float> and std::complex<double>");
    return "c" + std::to_string(sizeof(T));
  }
}

/// Type and shape of an npy file. Collective. Throws Error alike on all ranks when the file is
/// missing, no npy, corrupt, shorter than its header says, of the other byte order, or of elements
/// that are no numbers.
FileType inspect(MPI_Comm comm, const std::string& path);

/// Collective: reads this rank's part of a file into an array laid out as `layout` says. The name
/// of an npy file ends in .npy: its shape must be the layout's, and its elements of `type`; Fortran
/// order is read into layouts of boxes. Any other file is raw: C order, and as large as the whole
/// array. Elements of a halo beyond the global shape are left as they are. `array_type` is the type
/// of the array's elements: the file's (empty), or the same in the other precision, f4 and f8, c8
/// and c16, which are converted. `room`: elements that the array has room for (-1: not known).
/// Throws Error alike on all ranks.
void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, void* array,
          const std::string& array_type = "", Index room = -1);
/// Collective: writes the whole array in C order from everybody's parts, which must be a partition,
/// as elements of `type`; `array_type` and `room` as above. Numbers beyond the range of f4 become
/// infinite. Atomic: a failure (full disk, no rights) is an Error alike on all ranks and leaves
/// what was there under that name; a file beside it, PATH.PROCESS.part, exists while writing. The
/// folder must be seen by all ranks; what is there and no regular file (a link, a device) is never
/// replaced.
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, const void* array,
           const std::string& array_type = "", Index room = -1);

/// The same of arrays whose type is known to the compiler: the file holds elements of T, or of
/// `type` where that is the same in the other precision. Another type is an Error that names both,
/// and so is a span that is too short.
template <class T>
void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, T* array) {
  read(comm, path, layout, type, static_cast<void*>(array), file_type<T>());
}
template <class T>
void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, std::span<T> array) {
  read(comm, path, layout, type, static_cast<void*>(array.data()), file_type<T>(), static_cast<Index>(array.size()));
}
template <class T>
void read(MPI_Comm comm, const std::string& path, const Layout& layout, T* array) {
  read(comm, path, layout, file_type<T>(), array);
}
template <class T>
void read(MPI_Comm comm, const std::string& path, const Layout& layout, std::span<T> array) {
  read(comm, path, layout, file_type<T>(), array);
}
template <class T>
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, const T* array) {
  write(comm, path, layout, type, static_cast<const void*>(array), file_type<T>());
}
template <class T>
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, std::span<T> array) {
  write(comm, path, layout, type, static_cast<const void*>(array.data()), file_type<std::remove_const_t<T>>(),
        static_cast<Index>(array.size()));
}
template <class T>
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const T* array) {
  write(comm, path, layout, file_type<T>(), array);
}
template <class T>
void write(MPI_Comm comm, const std::string& path, const Layout& layout, std::span<T> array) {
  write(comm, path, layout, file_type<std::remove_const_t<T>>(), array);
}

}  // namespace weft
#pragma GCC visibility pop

// Parallel files: raw and npy arrays by MPI-IO, every rank its own part; nothing gathers on one rank.
#pragma once

#include <string>

#include <mpi.h>

#include <weft/layout.hpp>

namespace weft {

/// What a file holds: its global shape, and NumPy's type string without byte order: b1, i1 to i8, u1 to u8, f2, f4, f8, c8 or c16.
struct FileType {
  Shape shape;
  std::string type;
};

/// Type and shape of an npy file. Collective. Throws Error alike on all ranks when the file is missing, no npy, corrupt, shorter than its header
/// says, of the other byte order, or of elements that are no numbers.
FileType inspect(MPI_Comm comm, const std::string& path);

/// Collective: reads this rank's part of a npy file (name ends in .npy: shape and type must agree with layout and `type`; Fortran order is
/// read into layouts of boxes) or of a raw file (any other name: C order, its size must be that of the whole array) into an array laid out as
/// `layout` says. Elements of a halo beyond the global shape are left as they are. Throws Error alike on all ranks.
void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, void* array);
/// Collective: writes the whole array in C order from everybody's parts, which must be a partition. Atomic: a failure (full disk, no rights) is an
/// Error alike on all ranks and leaves what was there under that name; a file beside it, PATH.PROCESS.part, exists while writing. The folder must be
/// seen by all ranks; what is there and no regular file (a link, a device) is never replaced.
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, const void* array);

}  // namespace weft

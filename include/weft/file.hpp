// Parallel files: raw and npy arrays by MPI-IO, every rank its own part; nothing gathers on one rank.
#pragma once

#include <string>

#include <mpi.h>

#include <weft/layout.hpp>

namespace weft {

/// What a file holds: its global shape (C order), and NumPy's type string without byte order ("f4", "f8", "c8", "c16", "i2", "u1", ...).
struct FileType {
  Shape shape;
  std::string type;
};

/// Type and shape of an npy file. Collective; rank 0 reads the header. Throws Error alike on all ranks when the file is missing, no npy, or corrupt.
FileType inspect(MPI_Comm comm, const std::string& path);

/// Collective: reads this rank's part of a npy file (name ends in .npy: shape and type must agree with layout and `type`) or of a raw file
/// (any other name: its size must be that of the whole array) into an array laid out as `layout` says.
void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, void* array);
/// Collective: writes the whole array from everybody's parts, atomically: a failure (full disk, no rights) is an Error on all ranks and leaves no half-written file under that name.
void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, const void* array);

}  // namespace weft

// Gauge configurations in the format "v5" of the MILC code.
//
// A header of 96 bytes: magic number 20103, whose bytes tell the byte order of the file; nx, ny,
// nz, nt; a stamp of 64 characters; the order of sites, 0; two checksums. Then, x fastest, the
// links of every site in directions x, y, z, t: 3x3 complex numbers in single precision, row by
// row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include <weft/layout.hpp>

#include "lattice.hpp"
#include "su3.hpp"

namespace staggered {

/// The links of a site: in directions x, y, z, t.
using Links = std::array<Matrix, directions>;

struct GaugeHeader {
  weft::Shape shape;     ///< t, z, y, x
  std::string stamp;     ///< when it was written, by the one who wrote it
  bool swapped = false;  ///< in the other byte order
  /// Of all data as words of 32 bits, by exclusive or: word i turned left by i mod 29, and by i mod
  /// 31.
  std::uint32_t sum29 = 0, sum31 = 0;
};

/// Collective. Throws weft::Error alike on all ranks where the file is missing, has another magic
/// number, extents below 1, another order of sites, or another length than its extents say.
GaugeHeader read_header(MPI_Comm comm, const std::string& path);

/// Collective: the links of a rank's sites, in the order of `layout`, whose shape must be the
/// file's. Every rank reads an equal range of the file, and a redistribution brings its links to
/// where they belong. Throws weft::Error alike on all ranks, also where a checksum is wrong.
std::vector<Links> read_links(MPI_Comm comm, const std::string& path, const weft::Layout& layout);

}  // namespace staggered

// Fields in LIME files, as the SciDAC libraries write them: records behind one another, one of
// which is the data.
//
// A record is a header of 144 bytes and its data, padded to a multiple of 8: magic number
// 0x456789ab, the length in bytes as 64 bits at byte 8, the type, a text, at byte 16; all
// big-endian. The data of a field are the first record of type "scidac-binary-data": x fastest, the
// same number of big-endian single precision numbers for every site.
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

#include <weft/layout.hpp>

namespace staggered {

/// Collective: the field of a rank's sites, `numbers` for each, in the order of `layout`. Throws
/// weft::Error alike on all ranks where the file is missing, is no LIME file, ends too early, or
/// has no data of this length.
std::vector<float> read_field(MPI_Comm comm, const std::string& path, const weft::Layout& layout, weft::Index numbers);

}  // namespace staggered

// The faces of a rank's part: what goes to the neighbour across each of its eight sides, as lists
// of indices and as datatypes.
#pragma once

#include <array>
#include <vector>

#include <mpi.h>

#include <weft/layout.hpp>

#include "lattice.hpp"

namespace staggered {

constexpr int sides = 2 * directions;

/// One side: side 2 a is the lower end of axis a, 2 a + 1 the upper one.
struct Face {
  int neighbour = MPI_PROC_NULL;  ///< the rank across, where the lattice is cut: else all is this rank's
  std::vector<int> leaves;        ///< own sites of one parity that the neighbour has as ghosts, in its order
  int arrives = 0, count = 0;     ///< ghost sites on this side: the first one's number, and how many
};

/// Collective: the faces of this rank's fields of one parity. Where an axis is whole they are one
/// site deep, and nothing travels. Throws weft::Error alike on all ranks where a rank's ghosts
/// across a side are not all of one neighbour.
std::array<Face, sides> faces(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, int parity);

/// The 48 datatypes of a lattice code: of three objects, two parities and eight sides, which pick
/// the sites of a face out of a field. Made once.
class FaceTypes {
 public:
  /// Collective, as `faces`. Numbers have parts of type `real`.
  FaceTypes(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, MPI_Datatype real = MPI_DOUBLE);
  ~FaceTypes();
  FaceTypes(const FaceTypes&) = delete;
  FaceTypes& operator=(const FaceTypes&) = delete;

  const Face& face(int parity, int side) const { return faces_[at(parity)][at(side)]; }
  /// Of `object`, an index in `objects`.
  MPI_Datatype leaves(int object, int parity, int side) const { return types_[at(object)][at(parity)][at(side)]; }
  /// One object of a site.
  MPI_Datatype site(int object) const { return sites_[at(object)]; }
  int site_bytes(int object) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::array<std::array<Face, sides>, 2> faces_;
  std::array<MPI_Datatype, 3> sites_;
  std::array<std::array<std::array<MPI_Datatype, sides>, 2>, 3> types_;
};

}  // namespace staggered

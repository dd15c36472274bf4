// MPI datatypes: committed, freed by the destructor, of any size: counts beyond what an int holds
// are nested. Always true: the data of a type made of views come in C order of each view's box,
// whatever the memory order, so that two ranks whose views have the same boxes agree on the
// sequence.
#pragma once

#include <climits>
#include <utility>
#include <vector>

#include <mpi.h>

#include <weft/pattern.hpp>

#include "mpi/check.hpp"

namespace weft::mpi {

/// The largest count and displacement given to MPI as an int. Tests lower it to walk the paths of
/// huge messages.
inline Index count_limit = INT_MAX;

class Datatype {
 public:
  /// No data: raw() is a type that may be given with count 0.
  Datatype() = default;
  /// An element of `count` contiguous bytes.
  static Datatype bytes(Index count);
  /// `count` elements of this type behind one another, as one element.
  Datatype repeated(Index count) const;
  /// The elements of a view, or of several one after the other, relative to the base of their slot.
  static Datatype of(const View& view, Index element_bytes);
  static Datatype of(const std::vector<View>& views, Index element_bytes);
  /// What one peer gives or gets: the views of its pieces.
  static Datatype of(const std::vector<Piece>& pieces, int peer, Index element_bytes);

  Datatype(Datatype&& other) noexcept { swap(other); }
  Datatype& operator=(Datatype&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Datatype();

  MPI_Datatype raw() const { return raw_; }
  /// Bytes of data in one element, holes apart.
  Index size() const { return size_; }
  /// Whether an element is known to be one run of bytes from its base on, so that so many MPI_BYTEs
  /// are the same.
  bool dense() const { return dense_; }

 private:
  /// `count` elements of a type, `at` bytes from the base.
  struct Part {
    Index at, count;
    const Datatype* type;
  };
  Datatype(MPI_Datatype uncommitted, Index size);
  static Datatype strided(const Datatype& element, Index count, Index stride_bytes);
  static Datatype joined(const std::vector<Part>& parts);
  /// Checks that MPI has made what was wanted: `size_` bytes of data that reach from byte first to
  /// byte last.
  void commit(Index first, Index last);
  void swap(Datatype& other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(size_, other.size_);
    std::swap(dense_, other.dense_);
  }

  MPI_Datatype raw_ = MPI_BYTE;
  Index size_ = 0;
  bool dense_ = false;
};

}  // namespace weft::mpi

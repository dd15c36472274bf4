// Waves: the sticks of all ranks under one numbering, and this rank's tables. A stick is a number
// to all that moves data; which column of the grid it is and which coefficients it holds is known
// here alone.
#pragma once

#include <memory>
#include <string>

#include <weft/sphere.hpp>

#include "sphere/table.hpp"

namespace weft {

/// One rank's coefficients, checked and put on the grid. `half`: every G stands for itself and,
/// conjugated, for -G; the representative with g2 > 0, or g2 = 0 and g1 > 0, or both 0 and g0 >= 0
/// is used, whichever was given.
class Share {
 public:
  struct Element {
    Index at0 = 0, at1 = 0, at2 = 0;  ///< on the grid, wrapped
    Index coefficient = 0;            ///< the number in the caller's list
    bool conjugate = false;
  };
  /// Throws Error for a vector that does not fit the grid or is given twice, or with its mirror
  /// image. `box`: these are any indices from -n to n - 1.
  Share(const Shape& grid, const std::vector<GVector>& vectors, bool half, bool box = false);

  const std::vector<Element>& elements() const { return elements_; }  ///< by at2, at1, at0
  Index sticks() const { return sticks_; }
  /// What other ranks need to know.
  std::string text() const;

 private:
  Index reach0_ = 0;  // max |g0|
  std::vector<Element> elements_;
  Index sticks_ = 0;
};

struct Waves {
  Index coefficients = 0;
  Shape least;                                   ///< the smallest grid that holds them: 2 max|g| + 1
  bool half = false, real = false;               ///< real: as half, or all of a real box
  std::vector<Index> first_coefficient;          ///< by rank, one more than there are
  std::vector<int> place;                        ///< by rank: which of the following bounds are its own
  std::vector<Index> first_stick;                ///< bounds of ranks' sticks
  std::vector<std::pair<Index, Index>> columns;  ///< (axis 1, axis 2) of every stick, by number
  /// Real space in pencils: ranks that share rows' points have sticks at one and the same indices
  /// of axis 2, which are numbered here. Empty: slabs. The index of every number, and bounds by
  /// rank among those that share a plane
  std::vector<Index> lines, first_line;
  /// Lines along axis 1 at each index of axis 2 (pencils: each number that is this rank's), from
  /// stick numbers
  std::shared_ptr<const Table> planes;
  /// Lines along axis 0 of the sticks that this rank transforms, from coefficient numbers
  std::shared_ptr<const Table> sticks;

  /// `texts` are those of all ranks. This one transforms the sticks of the ranks from `first` on,
  /// whose elements are given; `before` axes stand before the grid's in arrays (batch). `rows` > 1:
  /// real space shall be in pencils, rows ranks to a plane, which is possible where sticks are
  /// shared as share_sticks does for them; else these are waves for slabs. Throws Error when a
  /// stick is on two ranks, or there is none.
  Waves(const Shape& grid, const std::vector<std::string>& texts, int first,
        const std::vector<std::vector<Share::Element>>& elements, bool half, bool real, int before, int rows = 1);
  bool pencils() const { return !lines.empty(); }
};

}  // namespace weft

// Tables: lines of which only some elements are stored, and where those lie. What a table does not
// name is zero and is never moved.
#pragma once

#include <utility>
#include <vector>

#include <weft/box.hpp>

namespace weft {

/// How a stage finds its lines on a side whose memory has other axes than its own. Axes below
/// `number_axis` are the same on both; on that axis the memory counts elements by a number (of a
/// stick, of a coefficient), and the entries of a line say which of its positions have which
/// numbers.
struct Table {
  /// `count` consecutive positions of a line have as many consecutive numbers.
  struct Entry {
    Index position = 0, number = 0, count = 1;
    bool conjugate = false;  ///< the element is the conjugate of what is stored
    bool mirror = false;     ///< only read: the element is stored as that of another position
  };
  static constexpr Index batch = 8;  ///< lines that engines like to transform together
  int line_axis = 0;                 ///< the stage's axis that counts lines
  int number_axis = 0;               ///< of the side's memory
  Index first_line = 0, length = 0;
  std::vector<std::vector<Entry>> lines;  ///< from first_line on; of each, sorted by number
  /// Half-open ranges of line_axis that are transformed, when the lines of that axis are not
  /// transformed by themselves: lines that have entries, and beside them so many that transforms in
  /// batches find whole ones, where there is room. Of large planes a stage holds no others between
  /// its passes.
  std::vector<std::pair<Index, Index>> kept;

  /// Positions of a line that no entry names.
  std::vector<std::pair<Index, Index>> gaps(const std::vector<Entry>& line) const;
};

}  // namespace weft

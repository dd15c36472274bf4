// Lines gathered from, and scattered to, where a table says that their elements lie.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <weft/view.hpp>

#include "sphere/table.hpp"

namespace weft {

/// A table whose numbers are resolved to places in the memory of one side of a stage. Elements are
/// complex.
class Scattered {
 public:
  /// What of the numbered axis one segment of memory holds: [lo, hi), `stride` bytes apart.
  struct Reach {
    Index lo = 0, hi = 0, stride = 0;
    bool operator==(const Reach&) const = default;
  };
  /// How lines lie where they are gathered to or scattered from.
  struct BufferLayout {
    Index step, point;                  ///< bytes from line to line, and from point to point
    std::pair<Index, Index> untouched;  ///< points that nobody looks at, half-open
    std::vector<Index> cuts;            ///< lines with which batches begin or behind which they end, ascending
    bool operator==(const BufferLayout&) const = default;
  };
  /// Throws Error when a number is in no segment.
  Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes, const BufferLayout& buffer);

  bool is(const std::vector<Reach>& segments, const BufferLayout& buffer) const {
    return segments_ == segments && buffer_ == buffer;
  }
  /// Lines [line, line + count), a batch; segment s begins at from[s]. What has no entry becomes
  /// zero, but for untouched points.
  void gather(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to) const;
  void scatter(Index line, Index count, const std::byte* from, const std::vector<std::byte*>& to) const;
  /// How many of lines [lo, hi) have an entry.
  Index filled(Index lo, Index hi) const;

 private:
  struct Entry {
    std::int32_t position, count, segment;
    bool conjugate, mirror;
    Index offset;  // bytes
    std::int32_t stride;
  };
  struct Hole {
    std::int32_t position, count;
  };
  /// Elements of a batch of columns that follow one another in a segment.
  struct Run {
    std::int32_t segment, count;
    Index offset, stride;  ///< bytes
  };
  void list_runs();
  template <class Real>
  void gather_as(Index, Index, const std::vector<const std::byte*>&, std::byte*) const;
  template <class Real>
  void scatter_as(Index, Index, const std::byte*, const std::vector<std::byte*>&) const;

  std::vector<Reach> segments_;
  Index first_line_, length_, element_bytes_;
  BufferLayout buffer_;
  std::vector<std::uint32_t> begin_, hole_begin_, run_begin_, place_begin_;  // by line
  std::vector<Entry> entries_;
  std::vector<Hole> holes_;
  // Of columns where no element is a conjugate or mirrored: a batch's elements in the order in
  // which they are stored, and bytes from where the table's first line is gathered to each. Else
  // empty.
  std::vector<Run> runs_;
  std::vector<std::int32_t> places_;
};

}  // namespace weft

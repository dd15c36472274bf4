// Lines gathered from, and scattered to, where a table says that their elements lie.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <weft/view.hpp>

#include "sphere/table.hpp"

namespace weft {

/// A table whose numbers are resolved to places in the memory of one side of a stage. Elements are complex.
class Scattered {
 public:
  /// What of the numbered axis one segment of memory holds: [lo, hi), `stride` bytes apart.
  struct Reach {
    Index lo = 0, hi = 0, stride = 0;
    bool operator==(const Reach&) const = default;
  };
  /// Lines lie `step` bytes apart where they are gathered to or scattered from, their points `point` bytes. Throws Error when a number is in no segment.
  Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes, Index step, Index point);

  bool is(const std::vector<Reach>& segments, Index step, Index point) const { return segments_ == segments && step_ == step && point_ == point; }
  /// Lines [line, line + count); segment s begins at from[s]. What has no entry becomes zero.
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
  /// One element of columns, bytes from where its segment begins and from where the table's first line does.
  struct Point {
    std::int32_t segment, stored, gathered;
  };
  void list_points();
  template <class Real>
  void gather_as(Index, Index, const std::vector<const std::byte*>&, std::byte*) const;
  template <class Real>
  void scatter_as(Index, Index, const std::byte*, const std::vector<std::byte*>&) const;

  std::vector<Reach> segments_;
  Index first_line_, length_, element_bytes_, step_, point_;
  std::vector<std::uint32_t> begin_, hole_begin_, point_begin_;  // by line
  std::vector<Entry> entries_;
  std::vector<Hole> holes_;
  std::vector<Point> points_;  // of columns, where no element is a conjugate or mirrored: they have few elements in a run, and are copied one by one without a branch; else empty
};

}  // namespace weft

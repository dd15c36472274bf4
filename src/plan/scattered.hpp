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
  /// Throws Error when a number is in no segment.
  Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes);

  const std::vector<Reach>& segments() const { return segments_; }
  /// Lines [line, line + count) that lie `step` bytes apart, their points `point` bytes; segment s begins at from[s]. What has no entry becomes zero.
  void gather(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to, Index step, Index point) const;
  void scatter(Index line, Index count, const std::byte* from, Index step, Index point, const std::vector<std::byte*>& to) const;
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
  template <class Real>
  void gather_as(Index, Index, const std::vector<const std::byte*>&, std::byte*, Index, Index) const;
  template <class Real>
  void scatter_as(Index, Index, const std::byte*, Index, Index, const std::vector<std::byte*>&) const;

  std::vector<Reach> segments_;
  Index first_line_, length_, element_bytes_;
  std::vector<std::uint32_t> begin_, hole_begin_;  // by line
  std::vector<Entry> entries_;
  std::vector<Hole> holes_;
};

}  // namespace weft

#include "plan/scattered.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft {

Scattered::Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes, Index step, Index point)
    : segments_(segments), first_line_(table.first_line), length_(table.length), element_bytes_(element_bytes), step_(step), point_(point) {
  begin_.push_back(0);
  hole_begin_.push_back(0);
  for (const auto& line : table.lines) {
    for (const Table::Entry& e : line)
      for (Index done = 0; done < e.count;) {
        const Index number = e.number + done;
        const auto segment = std::find_if(segments.begin(), segments.end(), [&](const Reach& r) { return number >= r.lo && number < r.hi; });
        if (segment == segments.end()) throw Error("element " + std::to_string(number) + " of a sphere lies in no memory of this rank; report it with the plan's print");
        const Index count = std::min(e.count - done, segment->hi - number);
        entries_.push_back({static_cast<std::int32_t>(e.position + done), static_cast<std::int32_t>(count), static_cast<std::int32_t>(segment - segments.begin()),
                            e.conjugate, e.mirror, (number - segment->lo) * segment->stride, static_cast<std::int32_t>(segment->stride)});
        done += count;
      }
    for (const auto& [lo, hi] : table.gaps(line)) holes_.push_back({static_cast<std::int32_t>(lo), static_cast<std::int32_t>(hi - lo)});
    begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
    hole_begin_.push_back(static_cast<std::uint32_t>(holes_.size()));
  }
  if (point != element_bytes) list_points();
}

void Scattered::list_points() {
  constexpr Index reach = std::numeric_limits<std::int32_t>::max();
  point_begin_.push_back(0);
  for (std::size_t l = 0; l + 1 < begin_.size(); ++l) {
    for (std::uint32_t i = begin_[l]; i < begin_[l + 1]; ++i) {
      const Entry& e = entries_[i];
      const Index stored = e.offset, gathered = static_cast<Index>(l) * step_ + e.position * point_;
      if (e.conjugate || e.mirror || stored + e.count * Index{e.stride} > reach || gathered + e.count * point_ > reach) {
        points_.clear();
        return;
      }
      for (Index k = 0; k < e.count; ++k)
        points_.push_back({e.segment, static_cast<std::int32_t>(stored + k * e.stride), static_cast<std::int32_t>(gathered + k * point_)});
    }
    point_begin_.push_back(static_cast<std::uint32_t>(points_.size()));
  }
}

namespace {

// Points that lie `from_step` and `to_step` bytes apart. Its own function: what lies in memory might be where points are written, and would be read again for each of them.
template <Index size>
inline void copy_points(const std::byte* from, Index from_step, std::byte* to, Index to_step, Index count) {
  for (Index k = 0; k < count; ++k) std::memcpy(to + k * to_step, from + k * from_step, size);
}

// Rows of columns side by side.
void clear_rows(std::byte* first, Index apart, Index rows, Index bytes) {
  constexpr Index batch = 128;  // eight columns in double precision
  if (bytes == batch)
    for (Index k = 0; k < rows; ++k) std::memset(first + k * apart, 0, batch);
  else
    for (Index k = 0; k < rows; ++k) std::memset(first + k * apart, 0, static_cast<std::size_t>(bytes));
}

}  // namespace

template <class Real>
void Scattered::gather_as(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to) const {
  struct Complex {
    Real re, im;
  };
  constexpr Index size = sizeof(Complex);
  const Index step = step_, point = point_;
  const bool contiguous = point == size;
  if (!contiguous) clear_rows(to, point, length_, count * step);
  if (!points_.empty()) {
    const auto first = static_cast<std::size_t>(line - first_line_);
    std::byte* const base = to - static_cast<Index>(first) * step;
    const Point *p = points_.data() + point_begin_[first], *const end = points_.data() + point_begin_[first + static_cast<std::size_t>(count)];
    const std::byte* const* const segments = from.data();
    for (; p < end; ++p) std::memcpy(base + p->gathered, segments[p->segment] + p->stored, size);
    return;
  }
  for (Index w = 0; w < count; ++w, to += step) {
    const auto l = static_cast<std::size_t>(line + w - first_line_);
    for (std::uint32_t h = hole_begin_[l]; contiguous && h < hole_begin_[l + 1]; ++h) std::memset(to + holes_[h].position * size, 0, static_cast<std::size_t>(holes_[h].count * size));
    for (std::uint32_t i = begin_[l]; i < begin_[l + 1]; ++i) {
      const Entry& e = entries_[i];
      const std::byte* source = from[static_cast<std::size_t>(e.segment)] + e.offset;
      std::byte* target = to + e.position * point;
      if (e.conjugate) {
        Complex value;
        std::memcpy(&value, source, size);
        value.im = -value.im;
        std::memcpy(target, &value, size);
      } else if (e.count > 1 && e.stride == size && contiguous) {
        std::memcpy(target, source, static_cast<std::size_t>(e.count * size));
      } else {
        copy_points<size>(source, e.stride, target, point, e.count);
      }
    }
  }
}

template <class Real>
void Scattered::scatter_as(Index line, Index count, const std::byte* from, const std::vector<std::byte*>& to) const {
  struct Complex {
    Real re, im;
  };
  constexpr Index size = sizeof(Complex);
  const Index step = step_, point = point_;
  if (!points_.empty()) {
    const auto first = static_cast<std::size_t>(line - first_line_);
    const std::byte* const base = from - static_cast<Index>(first) * step;
    const Point *p = points_.data() + point_begin_[first], *const end = points_.data() + point_begin_[first + static_cast<std::size_t>(count)];
    std::byte* const* const segments = to.data();
    for (; p < end; ++p) std::memcpy(segments[p->segment] + p->stored, base + p->gathered, size);
    return;
  }
  for (Index w = 0; w < count; ++w, from += step) {
    const auto l = static_cast<std::size_t>(line + w - first_line_);
    for (std::uint32_t i = begin_[l]; i < begin_[l + 1]; ++i) {
      const Entry& e = entries_[i];
      if (e.mirror) continue;
      std::byte* target = to[static_cast<std::size_t>(e.segment)] + e.offset;
      const std::byte* source = from + e.position * point;
      if (e.conjugate) {
        Complex value;
        std::memcpy(&value, source, size);
        value.im = -value.im;
        std::memcpy(target, &value, size);
      } else if (e.count > 1 && e.stride == size && point == size) {
        std::memcpy(target, source, static_cast<std::size_t>(e.count * size));
      } else {
        copy_points<size>(source, point, target, e.stride, e.count);
      }
    }
  }
}

void Scattered::gather(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to) const {
  element_bytes_ == 16 ? gather_as<double>(line, count, from, to) : gather_as<float>(line, count, from, to);
}

void Scattered::scatter(Index line, Index count, const std::byte* from, const std::vector<std::byte*>& to) const {
  element_bytes_ == 16 ? scatter_as<double>(line, count, from, to) : scatter_as<float>(line, count, from, to);
}

Index Scattered::filled(Index lo, Index hi) const {
  Index count = 0;
  for (auto l = static_cast<std::size_t>(lo - first_line_); l < static_cast<std::size_t>(hi - first_line_); ++l) count += begin_[l] != begin_[l + 1];
  return count;
}

}  // namespace weft

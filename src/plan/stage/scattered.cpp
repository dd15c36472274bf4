#include "plan/stage/scattered.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft {

Scattered::Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes,
                     const BufferLayout& buffer)
    : segments_(segments),
      first_line_(table.first_line),
      length_(table.length),
      element_bytes_(element_bytes),
      buffer_(buffer) {
  begin_.push_back(0);
  hole_begin_.push_back(0);
  for (const auto& line : table.lines) {
    for (const Table::Entry& e : line)
      for (Index done = 0; done < e.count;) {
        const Index number = e.number + done;
        const auto segment = std::find_if(segments.begin(), segments.end(),
                                          [&](const Reach& r) { return number >= r.lo && number < r.hi; });
        if (segment == segments.end())
          throw Error("element " + std::to_string(number) +
                      " of a sphere lies in no memory of this rank; report it with the plan's print");
        const Index count = std::min(e.count - done, segment->hi - number);
        entries_.push_back({static_cast<std::int32_t>(e.position + done), static_cast<std::int32_t>(count),
                            static_cast<std::int32_t>(segment - segments.begin()), e.conjugate, e.mirror,
                            (number - segment->lo) * segment->stride, static_cast<std::int32_t>(segment->stride)});
        done += count;
      }
    for (const auto& [lo, hi] : table.gaps(line))
      for (const auto& [first, last] :
           {std::pair(lo, std::min(hi, buffer.untouched.first)), std::pair(std::max(lo, buffer.untouched.second), hi)})
        if (first < last) holes_.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(last - first)});
    begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
    hole_begin_.push_back(static_cast<std::uint32_t>(holes_.size()));
  }
  if (buffer.point != element_bytes) list_runs();
}

// Places, or nothing where an element cannot be copied as it is.
void Scattered::list_runs() {
  struct Point {
    std::int32_t segment;
    Index stored, gathered;
    bool operator<(const Point& other) const {
      return std::pair(segment, stored) < std::pair(other.segment, other.stored);
    }
  };
  std::vector<Point> batch;
  const auto put_down = [&] {
    std::sort(batch.begin(), batch.end());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Point& p = batch[i];
      const Index stride = segments_[static_cast<std::size_t>(p.segment)].stride;
      const bool goes_on =
          i > 0 && runs_.back().segment == p.segment && runs_.back().offset + runs_.back().count * stride == p.stored;
      if (!goes_on) runs_.push_back({p.segment, 0, p.stored, stride});
      ++runs_.back().count;
      places_.push_back(static_cast<std::int32_t>(p.gathered));
    }
    batch.clear();
  };
  const auto lines = static_cast<Index>(begin_.size()) - 1;
  for (Index l = 0; l <= lines; ++l) {
    if (l == lines || std::binary_search(buffer_.cuts.begin(), buffer_.cuts.end(), first_line_ + l)) put_down();
    run_begin_.push_back(static_cast<std::uint32_t>(runs_.size()));
    place_begin_.push_back(static_cast<std::uint32_t>(places_.size()));
    for (std::uint32_t i = begin_[static_cast<std::size_t>(l)];
         l < lines && i < begin_[static_cast<std::size_t>(l) + 1]; ++i) {
      const Entry& e = entries_[i];
      for (Index k = 0; k < e.count; ++k)
        batch.push_back({e.segment, e.offset + k * e.stride, l * buffer_.step + (e.position + k) * buffer_.point});
      if (e.conjugate || e.mirror || batch.back().gathered > std::numeric_limits<std::int32_t>::max()) {
        runs_.clear(), places_.clear();
        return;
      }
    }
  }
}

namespace {

// Points that buffer `from_step` and `to_step` bytes apart. Its own function: what lies in memory
// might be where points are written, and would be read again for each of them.
template <Index size>
inline void copy_points(const std::byte* from, Index from_step, std::byte* to, Index to_step, Index count) {
  for (Index k = 0; k < count; ++k) std::memcpy(to + k * to_step, from + k * from_step, size);
}

// Points from, or to, places that a list has; it returns where the list goes on.
template <Index size>
inline const std::int32_t* put_points(const std::byte* from, Index step, Index count, std::byte* to,
                                      const std::int32_t* place) {
  for (Index k = 0; k < count; ++k) std::memcpy(to + place[k], from + k * step, size);
  return place + count;
}
template <Index size>
inline const std::int32_t* take_points(const std::byte* from, const std::int32_t* place, std::byte* to, Index step,
                                       Index count) {
  for (Index k = 0; k < count; ++k) std::memcpy(to + k * step, from + place[k], size);
  return place + count;
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
  const Index step = buffer_.step, point = buffer_.point;
  const bool contiguous = point == size;
  if (!contiguous) {
    clear_rows(to, point, buffer_.untouched.first, count * step);
    clear_rows(to + buffer_.untouched.second * point, point, length_ - buffer_.untouched.second, count * step);
  }
  if (!runs_.empty()) {
    const auto first = static_cast<std::size_t>(line - first_line_), last = first + static_cast<std::size_t>(count);
    std::byte* const base = to - static_cast<Index>(first) * step;
    const std::int32_t* place = places_.data() + place_begin_[first];
    for (const Run *run = runs_.data() + run_begin_[first], *const end = runs_.data() + run_begin_[last]; run < end;
         ++run)
      place = put_points<size>(from[static_cast<std::size_t>(run->segment)] + run->offset, run->stride, run->count,
                               base, place);
    return;
  }
  for (Index w = 0; w < count; ++w, to += step) {
    const auto l = static_cast<std::size_t>(line + w - first_line_);
    for (std::uint32_t h = hole_begin_[l]; contiguous && h < hole_begin_[l + 1]; ++h)
      std::memset(to + holes_[h].position * size, 0, static_cast<std::size_t>(holes_[h].count * size));
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
  const Index step = buffer_.step, point = buffer_.point;
  if (!runs_.empty()) {
    const auto first = static_cast<std::size_t>(line - first_line_), last = first + static_cast<std::size_t>(count);
    const std::byte* const base = from - static_cast<Index>(first) * step;
    const std::int32_t* place = places_.data() + place_begin_[first];
    for (const Run *run = runs_.data() + run_begin_[first], *const end = runs_.data() + run_begin_[last]; run < end;
         ++run)
      place = take_points<size>(base, place, to[static_cast<std::size_t>(run->segment)] + run->offset, run->stride,
                                run->count);
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
  for (auto l = static_cast<std::size_t>(lo - first_line_); l < static_cast<std::size_t>(hi - first_line_); ++l)
    count += begin_[l] != begin_[l + 1];
  return count;
}

}  // namespace weft

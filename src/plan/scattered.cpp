#include "plan/scattered.hpp"

#include <algorithm>
#include <cstring>

namespace weft {

Scattered::Scattered(const Table& table, const std::vector<Reach>& segments, Index element_bytes)
    : segments_(segments), first_line_(table.first_line), element_bytes_(element_bytes) {
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
}

template <class Real>
void Scattered::gather_as(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to, Index step) const {
  struct Complex {
    Real re, im;
  };
  for (Index w = 0; w < count; ++w, to += step) {
    const auto l = static_cast<std::size_t>(line + w - first_line_);
    auto* const values = reinterpret_cast<Complex*>(to);
    for (std::uint32_t h = hole_begin_[l]; h < hole_begin_[l + 1]; ++h) std::memset(values + holes_[h].position, 0, static_cast<std::size_t>(holes_[h].count) * sizeof(Complex));
    for (std::uint32_t i = begin_[l]; i < begin_[l + 1]; ++i) {
      const Entry& e = entries_[i];
      const std::byte* source = from[static_cast<std::size_t>(e.segment)] + e.offset;
      Complex* target = values + e.position;
      if (e.conjugate) {
        std::memcpy(target, source, sizeof(Complex));
        target->im = -target->im;
      } else if (e.count > 1 && e.stride == sizeof(Complex)) {
        std::memcpy(target, source, static_cast<std::size_t>(e.count) * sizeof(Complex));
      } else {
        for (std::int32_t k = 0; k < e.count; ++k, source += e.stride) std::memcpy(target + k, source, sizeof(Complex));
      }
    }
  }
}

template <class Real>
void Scattered::scatter_as(Index line, Index count, const std::byte* from, Index step, const std::vector<std::byte*>& to) const {
  struct Complex {
    Real re, im;
  };
  for (Index w = 0; w < count; ++w, from += step) {
    const auto l = static_cast<std::size_t>(line + w - first_line_);
    const auto* const values = reinterpret_cast<const Complex*>(from);
    for (std::uint32_t i = begin_[l]; i < begin_[l + 1]; ++i) {
      const Entry& e = entries_[i];
      if (e.mirror) continue;
      std::byte* target = to[static_cast<std::size_t>(e.segment)] + e.offset;
      const Complex* source = values + e.position;
      if (e.conjugate) {
        const Complex value{source->re, -source->im};
        std::memcpy(target, &value, sizeof(Complex));
      } else if (e.count > 1 && e.stride == sizeof(Complex)) {
        std::memcpy(target, source, static_cast<std::size_t>(e.count) * sizeof(Complex));
      } else {
        for (std::int32_t k = 0; k < e.count; ++k, target += e.stride) std::memcpy(target, source + k, sizeof(Complex));
      }
    }
  }
}

void Scattered::gather(Index line, Index count, const std::vector<const std::byte*>& from, std::byte* to, Index step) const {
  element_bytes_ == 16 ? gather_as<double>(line, count, from, to, step) : gather_as<float>(line, count, from, to, step);
}

void Scattered::scatter(Index line, Index count, const std::byte* from, Index step, const std::vector<std::byte*>& to) const {
  element_bytes_ == 16 ? scatter_as<double>(line, count, from, step, to) : scatter_as<float>(line, count, from, step, to);
}

}  // namespace weft

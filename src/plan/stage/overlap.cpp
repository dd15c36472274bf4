#include "plan/stage/overlap.hpp"

#include <optional>

namespace weft {
namespace {

/// From a place in memory back to the point that lies there.
class Inverse {
 public:
  explicit Inverse(const View& view) : view_(view) {
    for (int a = 0; a < view.box.axes(); ++a)
      if (view.box.extent(a) > 1) axes_.push_back(a);
    std::sort(axes_.begin(), axes_.end(), [&](int a, int b) { return view.strides[a] > view.strides[b]; });
    Index inner = 1;  // elements that the faster axes take
    for (int k = axes_.size() - 1; k >= 0; --k) {
      nested_ = nested_ && view.strides[axes_[k]] >= inner;
      inner = view.strides[axes_[k]] * (view.box.extent(axes_[k]) - 1) + inner;
    }
  }
  /// False where strides do not say to whom an element belongs. Layouts of arrays always do.
  bool nested() const { return nested_; }
  /// Nothing where only padding lies, or nothing at all.
  std::optional<Shape> at(Index element) const {
    Index rest = element - view_.offset;
    if (rest < 0) return std::nullopt;
    Shape point = view_.box.lo;
    for (const int a : axes_) {
      const Index k = rest / view_.strides[a];
      if (k >= view_.box.extent(a)) return std::nullopt;
      point[a] += k;
      rest -= k * view_.strides[a];
    }
    return rest == 0 ? std::optional(point) : std::nullopt;
  }

 private:
  const View& view_;
  Order axes_;
  bool nested_ = true;
};

/// Which portion reads a point.
class Readers {
 public:
  explicit Readers(const std::vector<Portion>& portions) : portions_(portions) {}
  /// Its number; none where nobody reads the point.
  std::optional<std::size_t> of(const Shape& point) {
    for (std::size_t tried = 0; tried < portions_.size(); ++tried) {
      const std::size_t k = (last_ + tried) % portions_.size();
      if (portions_[k].from.contains(point)) return last_ = k;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Portion>& portions_;
  std::size_t last_ = 0;  // neighbours mostly belong to one portion
};

/// Calls visit(point) for every point of the box until it returns true; whether it did.
template <class Visit>
bool any_point(const Box& box, Visit visit) {
  if (box.empty()) return false;
  for (Shape p = box.lo;;) {
    if (visit(p)) return true;
    int a = p.size() - 1;
    while (a >= 0 && ++p[a] == box.hi[a]) p[a] = box.lo[a], --a;
    if (a < 0) return false;
  }
}

}  // namespace

bool same_places(const View& a, Index a_bytes, const View& b, Index b_bytes) {
  if (a.slot != b.slot || a_bytes != b_bytes) return false;
  Index apart = b.offset - a.offset;  // of b's first point from where a has it
  for (int i = 0; i < a.box.axes(); ++i) {
    if ((a.box.extent(i) > 1 || b.box.extent(i) > 1) && a.strides[i] != b.strides[i]) return false;
    if (b.box.lo[i] != a.box.lo[i]) apart -= (b.box.lo[i] - a.box.lo[i]) * a.strides[i];
  }
  return apart == 0;
}

Box representative(Box box, const Order& across, const Placed& from, const Placed& to) {
  if (from.views.size() != 1 || to.views.size() != 1 || from.views[0].slot != to.views[0].slot) return box;
  const View &read = from.views[0], &written = to.views[0];
  const auto fixed = [&](int a) { return box.extent(a) == 1; };
  for (bool found = true; found;) {
    found = false;
    for (const int a : across) {
      const Index step = read.strides[a] * from.bytes;
      if (fixed(a) || step != written.strides[a] * to.bytes || read.box.lo[a] != written.box.lo[a]) continue;
      Index first[2] = {read.offset * from.bytes, written.offset * to.bytes}, length[2] = {from.bytes, to.bytes};
      for (int b = 0; b < box.axes(); ++b) {
        if (b == a || (fixed(b) && std::find(across.begin(), across.end(), b) != across.end())) continue;
        length[0] += (read.box.extent(b) - 1) * read.strides[b] * from.bytes;
        length[1] += (written.box.extent(b) - 1) * written.strides[b] * to.bytes;
      }
      if (std::max(first[0] + length[0], first[1] + length[1]) - std::min(first[0], first[1]) > step) continue;
      box.hi[a] = box.lo[a] + 1;
      found = true;
    }
  }
  return box;
}

bool disturbs(const Placed& from, const Placed& to, const std::vector<Portion>& portions, bool in_order) {
  if (portions.size() < 2) return false;
  Readers readers(portions);
  for (const View& read : from.views) {
    const Inverse inverse(read);
    for (const View& written : to.views) {
      if (read.slot != written.slot || same_places(read, from.bytes, written, to.bytes)) continue;
      if (!inverse.nested()) return true;
      for (std::size_t k = 0; k < portions.size(); ++k)
        if (any_point(written.box.intersect(portions[k].to), [&](const Shape& point) {
              const Index first = written.at(point) * to.bytes, last = first + to.bytes - 1;
              for (Index element = first / from.bytes; element <= last / from.bytes; ++element) {
                const auto there = inverse.at(element);
                const auto reader = there ? readers.of(*there) : std::nullopt;
                if (reader && (in_order ? *reader > k : *reader != k)) return true;
              }
              return false;
            }))
          return true;
    }
  }
  return false;
}

}  // namespace weft

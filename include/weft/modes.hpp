// Modes: what the indices of a transformed array stand for. Signed wavenumbers, what an odd
// derivative multiplies by, and how many modes of the whole spectrum one stored value is.
//
//     fft.modes().for_each(u_hat, [&](const weft::Mode& k, auto& value) {   // k[a]: the signed wavenumber of axis a
//       energy += k.weight * std::norm(value);
//       value *= k.square() == 0 ? 0 : fft.scale() / k.square();
//     });
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <weft/box.hpp>
#include <weft/sphere.hpp>

#pragma GCC visibility push(default)
namespace weft {

struct AnyProblem;

/// One value of a transformed array. Its axes are those of the problem's shape, without batch and
/// components.
struct Mode {
  /// The signed wavenumber of each axis: how often the mode's wave repeats in the period of the
  /// axis, which is `logical_size(kind, n)` points; 0 on axes that are not transformed. A c2c mode
  /// is exp(2 pi i k j / n). n/2 of an even axis stands for +n/2 and -n/2 alike: it is -n/2 of c2c,
  /// and +n/2 where r2c halves the axis. dct1 and dct2 have k = 0, 1, 2 ..., dst1 and dst2 1, 2, 3
  /// ..., the kinds 3 and 4 of both 1/2, 3/2, 5/2 ... r2hc has 0, 1, 2 ... n/2 where its real parts
  /// are, and k again where the imaginary part of mode k is. dht is numbered as c2c. hc2r makes
  /// points of modes: its index is counted as c2c counts, and its weight is 1.
  Few<double> k;
  /// k, but 0 where the array has no mode -k beside it, as at n/2 of an even axis. Odd derivatives
  /// of real functions multiply by it: the wave of n/2 alternates from point to point, and has
  /// slope 0 at all of them.
  Few<double> odd;
  /// How many modes of the whole spectrum the value is. The half spectrum of r2c has 2 where the
  /// mirror image is left out, which is everywhere but at k = 0 and at n/2 of an even halved axis;
  /// c2c and dht have 1. r2hc, cosines and sines count their mirror images likewise. Parseval,
  /// unless a kind is hc2r: the sum of |u|^2 over the period is the sum of weight * |u_hat|^2,
  /// times `plan.scale()` of a plan that does not scale by itself.
  double weight = 1;
  /// The global point of the array, batch and component axes included.
  Shape at;

  double operator[](int axis) const { return k[axis]; }
  /// The sum of k[a]^2.
  double square() const {
    double sum = 0;
    for (const double component : k) sum += component * component;
    return sum;
  }
};

/// The modes of a plan's transformed array, of which it holds a table an axis. Make it with
/// `plan.modes()`.
class Modes {
 public:
  /// `vectors` are this rank's, for plane waves without a box; their numbers in the array begin
  /// with `first`.
  Modes(const AnyProblem& problem, bool batch, bool components, const std::vector<GVector>& vectors, Index first);

  /// Axes of the problem's shape.
  int axes() const { return axes_; }
  /// The signed wavenumber of a global index of the transformed array along an axis of the
  /// problem's shape. Of plane waves without a box the index is the number of one of this rank's
  /// coefficients. Throws Error for any other.
  double wavenumber(int axis, Index index) const { return entry(axis, index).k; }
  /// Everything about a global point of the transformed array (batch and component axes included).
  /// Throws as above.
  Mode at(const Shape& point) const;

  /// Calls f(mode, value&) for every point of an array of transformed space (weft::Array), in the
  /// order of its memory. Throws Error when the array's box is not of this transformed space.
  /// Allocates nothing.
  template <class A, class F>
  void for_each(const A& array, F&& f) const {
    const Box& box = array.box();
    check(box);
    if (box.empty()) return;
    const int axes = box.axes();
    Order order = c_order(axes);  // slowest first
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const Index at_a = array.strides()[a], at_b = array.strides()[b];
      return at_a != at_b ? at_a > at_b : box.extent(a) < box.extent(b);
    });
    Mode mode = start(box.lo);
    const int inner = order[axes - 1];
    const Index step = array.strides()[inner];
    auto* row = array.data();
    for (;;) {
      along(mode, inner, box.lo[inner], box.hi[inner], [&, value = row]() mutable {
        f(static_cast<const Mode&>(mode), *value);
        value += step;
      });
      int i = axes - 2;
      for (; i >= 0; --i) {
        const int a = order[i];
        row += array.strides()[a];
        const Index next = mode.at[a] + 1;
        set(mode, a, next < box.hi[a] ? next : box.lo[a]);
        if (next < box.hi[a]) break;
        row -= box.extent(a) * array.strides()[a];
      }
      if (i < 0) return;
    }
  }
  /// Calls f(mode, value&) for `count` values that lie one behind the other, at the global points
  /// `first`, `first` + 1 along `axis`, ...: a line of `forward_map_backward`.
  template <class T, class F>
  void for_line(const Shape& first, int axis, Index count, T* values, F&& f) const {
    if (count <= 0) return;
    Mode mode = start(first);
    along(mode, axis, first[axis], first[axis] + count, [&, value = values]() mutable {
      f(static_cast<const Mode&>(mode), *value);
      ++value;
    });
  }

 private:
  struct Entry {
    double k = 0, odd = 0, weight = 1;
  };

  const Entry& entry(int axis, Index index) const;
  void check(const Box& box) const;
  /// The table of an axis of the array; null for batch, components and lists of plane waves.
  const Entry* table(int a) const {
    const int axis = a - before_;
    return listed_ || axis < 0 || axis >= axes_ ? nullptr : tables_[static_cast<std::size_t>(axis)].data();
  }
  const std::array<Entry, 3>& vector(Index number) const { return vectors_[static_cast<std::size_t>(number - first_)]; }
  /// What the index along axis `a` of the array says of the wavenumbers.
  void set(Mode& mode, int a, Index index) const {
    mode.at[a] = index;
    if (const Entry* entries = table(a)) {
      mode.k[a - before_] = entries[index].k, mode.odd[a - before_] = entries[index].odd;
    } else if (listed_ && a == before_) {
      for (int axis = 0; axis < 3; ++axis) {
        const Entry& e = vector(index)[static_cast<std::size_t>(axis)];
        mode.k[axis] = e.k, mode.odd[axis] = e.odd;
      }
    }
  }
  double weight(int a, Index index) const {
    if (const Entry* entries = table(a)) return entries[index].weight;
    return listed_ && a == before_ ? vector(index)[0].weight : 1;
  }
  Mode start(const Shape& first) const {
    Mode mode{Few<double>::filled(axes_, 0), Few<double>::filled(axes_, 0), 1, first};
    for (int a = 0; a < first.size(); ++a) set(mode, a, first[a]);
    return mode;
  }
  /// Calls f() for each index from `lo` to `hi` of axis `a` of the array, the mode being set.
  template <class F>
  void along(Mode& mode, int a, Index lo, Index hi, F&& f) const {
    double beside = 1;
    for (int b = 0; b < mode.at.size(); ++b)
      if (b != a) beside *= weight(b, mode.at[b]);
    if (const Entry* entries = table(a)) {
      double &k = mode.k[a - before_], &odd = mode.odd[a - before_];
      for (Index index = lo; index < hi; ++index) {
        const Entry& e = entries[index];
        mode.at[a] = index, k = e.k, odd = e.odd, mode.weight = beside * e.weight;
        f();
      }
      return;
    }
    for (Index index = lo; index < hi; ++index) {
      set(mode, a, index);
      mode.weight = beside * weight(a, index);
      f();
    }
  }

  bool listed_ = false;                        // plane waves without a box
  int axes_ = 0, before_ = 0, behind_ = 0;     // of the problem's shape; of the array before and behind them
  std::vector<std::vector<Entry>> tables_;     // one an axis, by global index
  std::vector<std::array<Entry, 3>> vectors_;  // if listed; the weight stands in the first of the three
  Index first_ = 0;
};

}  // namespace weft
#pragma GCC visibility pop

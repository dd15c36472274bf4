// The tables of a plan's modes, axis by axis; of lists of plane waves, vector by vector.
#include <weft/modes.hpp>

#include <cmath>

#include "plan/plan.hpp"

namespace weft {
namespace {

// Of an index of c2c: n/2 of an even axis is -n/2.
Index wrapped(Index index, Index n) { return index < (n + 1) / 2 ? index : index - n; }

// Of an index of a kind with real output, by its definition in <weft/kind.hpp>; of any other what
// c2c says.
double wavenumber_of(Kind kind, Index index, Index n) {
  const auto i = static_cast<double>(index);
  switch (kind) {
    case Kind::r2c:
    case Kind::dct1:
    case Kind::dct2:
      return i;
    case Kind::dst1:
    case Kind::dst2:
      return i + 1;
    case Kind::dct3:
    case Kind::dct4:
    case Kind::dst3:
    case Kind::dst4:
      return i + 0.5;
    case Kind::r2hc:
      return static_cast<double>(std::min(index, n - index));
    default:
      return static_cast<double>(wrapped(index, n));
  }
}

}  // namespace

Modes::Modes(const AnyProblem& problem, bool batch, bool components, const std::vector<GVector>& vectors, Index first)
    : listed_(problem.waves && !problem.waves->box),
      axes_(problem.shape.size()),
      before_(batch),
      behind_(components),
      first_(first) {
  const Shape& grid = problem.shape;
  if (listed_) {
    const bool half = problem.waves->half;
    for (const GVector& given : vectors) {
      std::array<Entry, 3> entries;
      bool own_image = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const Index n = grid[static_cast<int>(a)], g = wrapped((given[a] + n) % n, n);
        const bool middle = 2 * g == -n;
        own_image = own_image && (g == 0 || middle);
        entries[a] = {static_cast<double>(g), middle ? 0 : static_cast<double>(g), 1};
      }
      entries[0].weight = half && !own_image ? 2 : 1;
      vectors_.push_back(entries);
    }
    return;
  }
  for (int a = 0; a < axes_; ++a) {
    std::vector<Entry>& table = tables_.emplace_back();
    const auto found = std::find(problem.axes.begin(), problem.axes.end(), a);
    if (found == problem.axes.end()) {
      table.resize(static_cast<std::size_t>(grid[a]));
      continue;
    }
    const Kind kind = problem.kinds[static_cast<std::size_t>(found - problem.axes.begin())];
    const std::optional<Shape> box = problem.waves ? problem.waves->box : std::nullopt;
    const std::optional<Shape> low = problem.waves ? problem.waves->low : std::nullopt;
    const Index n = grid[a], extent = box ? (*box)[a] : n;
    const bool halved = kind == Kind::r2c;
    const auto period = static_cast<double>(logical_size(kind, n));
    // of real functions a kept box of even extent has -extent/2 without its mirror image
    const double unpaired = box && problem.waves->real && !halved ? static_cast<double>(extent) : period;
    for (Index i = 0; i < (halved ? extent / 2 + 1 : extent); ++i) {
      const double k = low ? static_cast<double>(wrapped(((*low)[a] + i + n) % n, n)) : wavenumber_of(kind, i, extent);
      const double twice = 2 * std::abs(k);
      const bool pairs = halved || (real_to_real(kind) && kind != Kind::hc2r && kind != Kind::dht);
      const bool mirrored = pairs && k != 0 && twice != period;
      table.push_back({k, twice == unpaired || twice == period ? 0 : k, mirrored ? 2.0 : 1.0});
    }
  }
}

const Modes::Entry& Modes::entry(int axis, Index index) const {
  const auto text = [](Index n) { return std::to_string(n); };
  if (axis < 0 || axis >= axes_)
    throw Error("axis " + text(axis) + " of a problem of " + text(axes_) + " axes; give one from 0 to " +
                text(axes_ - 1) + ", batch and components not counted");
  const auto at = static_cast<std::size_t>(axis);
  const Index lo = listed_ ? first_ : 0, hi = lo + static_cast<Index>(listed_ ? vectors_.size() : tables_[at].size());
  if (index < lo || index >= hi)
    throw Error("index " + text(index) + " of the transformed array along axis " + text(axis) + ", where " +
                (hi > lo ? "indices go from " + text(lo) + " to " + text(hi - 1) : "this rank has no coefficient") +
                (listed_ ? "; give the number of a coefficient of this rank" : "; give one of them"));
  return listed_ ? vector(index)[at] : tables_[at][static_cast<std::size_t>(index)];
}

void Modes::check(const Box& box) const {
  if (box.empty()) return;
  const int own = listed_ ? 1 : axes_, axes = before_ + own + behind_;
  if (box.axes() != axes)
    throw Error("modes of an array or point of " + std::to_string(box.axes()) +
                " axes; the transformed array of this plan has " + std::to_string(axes));
  for (int a = 0; a < own; ++a) entry(a, box.lo[before_ + a]), entry(a, box.hi[before_ + a] - 1);
}

Mode Modes::at(const Shape& point) const {
  Shape behind;
  for (const Index i : point) behind.push_back(i + 1);
  check({point, behind});
  Mode mode = start(point);
  for (int a = 0; a < point.size(); ++a) mode.weight *= weight(a, point[a]);
  return mode;
}

const Modes& AnyPlan::modes() const {
  std::call_once(body_->modes_made, [&] {
    const Options& o = body_->requested;
    const bool batch = o.batch > 1, listed = problem().waves && !problem().waves->box;
    const Index first = listed ? output_view().box.lo[batch] : 0;
    body_->modes = std::make_unique<const Modes>(problem(), batch, o.components > 1, vectors(), first);
  });
  return *body_->modes;
}

double AnyPlan::wavenumber(int axis, Index index) const { return modes().wavenumber(axis, index); }

}  // namespace weft

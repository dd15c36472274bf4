#include "check/region.hpp"

#include <algorithm>

namespace weft::check {
namespace {

/// Bytes from the first one of a region to its last, without the first `level` loops.
Index span(const Region& r, std::size_t level) {
  Index bytes = r.run;
  for (std::size_t k = level; k < r.loops.size(); ++k) bytes += (r.loops[k].first - 1) * r.loops[k].second;
  return bytes;
}

Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// What is left of a, from loop i on, begins `apart` bytes behind what is left of b, from loop j
/// on.
bool meet(const Region& a, std::size_t i, const Region& b, std::size_t j, Index apart) {
  const Index a_span = span(a, i), b_span = span(b, j);
  if (apart >= b_span || apart + a_span <= 0) return false;
  const Index a_step = i < a.loops.size() ? a.loops[i].second : 0, b_step = j < b.loops.size() ? b.loops[j].second : 0;
  const Index step = std::max(a_step, b_step);
  if (step == 0) return true;
  const bool in_a = a_step == step, in_b = b_step == step;
  const Index a_most = in_a ? a.loops[i].first - 1 : 0, b_most = in_b ? b.loops[j].first - 1 : 0;
  const Index a_inner = a_span - a_most * step, b_inner = b_span - b_most * step;
  // a goes k steps further than b, where that brings them together
  const Index low = std::max(-b_most, floor_div(-a_inner - apart, step) + 1);
  const Index high = std::min(a_most, floor_div(b_inner - 1 - apart, step));
  for (Index k = low; k <= high; ++k)
    if (meet(a, i + (in_a ? 1 : 0), b, j + (in_b ? 1 : 0), apart + k * step)) return true;
  return false;
}

}  // namespace

Index Region::end() const { return first + span(*this, 0); }

Region region(const View& view, const Box& part, Index element_bytes, const Memory& memory) {
  Box box = view.box;
  for (int a = 0; a < box.axes() && a < part.axes(); ++a)
    box.lo[a] = std::max(box.lo[a], part.lo[a]), box.hi[a] = std::min(box.hi[a], part.hi[a]);
  Region r{memory, 0, 0, {}};
  for (int a = 0; a < box.axes(); ++a)
    if (box.hi[a] <= box.lo[a]) return r;
  r.first = view.at(box.lo) * element_bytes;
  r.run = element_bytes;
  for (int a = 0; a < box.axes(); ++a)
    if (box.extent(a) > 1) r.loops.push_back({box.extent(a), view.strides[a] * element_bytes});
  std::sort(r.loops.begin(), r.loops.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
  for (; !r.loops.empty() && r.loops.back().second == r.run; r.loops.pop_back()) r.run *= r.loops.back().first;
  return r;
}

bool overlap(const Region& a, const Region& b) { return a.run > 0 && b.run > 0 && meet(a, 0, b, 0, a.first - b.first); }

}  // namespace weft::check

// Which rank gets which sticks.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <weft/layout.hpp>
#include <weft/quote.hpp>
#include <weft/sphere.hpp>

#include "geometry/checked.hpp"

namespace weft {
namespace {

/// Coefficients of all sticks; throws Error where one ends before it begins.
Index coefficients_of(const std::vector<SphereStick>& sticks) {
  Index all = 0;
  for (const SphereStick& s : sticks) {
    if (s.hi < s.lo)
      throw Error("a stick from " + std::to_string(s.lo) + " to " + std::to_string(s.hi) +
                  "; give where it begins and one past where it ends");
    all = checked::sum(all, checked::difference(s.hi, s.lo, "the length of a stick"), "the coefficients of all sticks");
  }
  return all;
}

}  // namespace

std::vector<std::vector<SphereStick>> share_sticks(const std::vector<SphereStick>& sticks, int ranks,
                                                   const std::string& rule) {
  if (ranks < 1) throw Error("sticks for " + std::to_string(ranks) + " ranks; give at least 1");
  std::vector<std::vector<SphereStick>> shares(static_cast<std::size_t>(ranks));
  if (rule == "columns") {
    const std::vector<Index> bounds = Split::even().bounds(static_cast<Index>(sticks.size()), ranks);
    for (std::size_t r = 0; r < shares.size(); ++r)
      shares[r].assign(sticks.begin() + bounds[r], sticks.begin() + bounds[r + 1]);
    return shares;
  }
  if (rule != "coefficients")
    throw Error("sticks are shared by \"" + shown(rule) + "\"; allowed are \"coefficients\" and \"columns\"");
  coefficients_of(sticks);
  std::vector<std::size_t> longest_first(sticks.size());
  for (std::size_t i = 0; i < sticks.size(); ++i) longest_first[i] = i;
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return sticks[a].size() > sticks[b].size(); });
  std::set<std::tuple<Index, Index, std::size_t>> least;  // coefficients, sticks, rank
  for (std::size_t r = 0; r < shares.size(); ++r) least.emplace(0, 0, r);
  std::vector<std::vector<std::size_t>> numbers(shares.size());
  for (const std::size_t i : longest_first) {
    const auto [coefficients, columns, rank] = *least.begin();
    least.erase(least.begin());
    least.emplace(coefficients + sticks[i].size(), columns + 1, rank);
    numbers[rank].push_back(i);
  }
  for (std::size_t r = 0; r < shares.size(); ++r) {
    std::sort(numbers[r].begin(), numbers[r].end());
    for (const std::size_t i : numbers[r]) shares[r].push_back(sticks[i]);
  }
  return shares;
}

std::vector<std::vector<SphereStick>> share_sticks(const std::vector<SphereStick>& sticks, int planes, int rows,
                                                   const std::string& rule) {
  if (planes < 1 || rows < 1)
    throw Error("sticks for " + std::to_string(planes) + "x" + std::to_string(rows) +
                " ranks; give at least 1 each way");
  if (Index{planes} * rows > std::numeric_limits<int>::max())
    throw Error("sticks for " + std::to_string(planes) + "x" + std::to_string(rows) +
                " ranks, more than can be numbered; give at most " + std::to_string(std::numeric_limits<int>::max()));
  std::map<Index, Index> weights;  // of each g2
  const Index all = coefficients_of(sticks),
              twice = std::max<Index>(checked::product(2, all, "twice the coefficients"), 1);
  checked::product(twice, rows, "twice the coefficients of all rows");
  Index before = 0;
  for (const SphereStick& s : sticks) weights[s.g2] += s.size();
  std::map<Index, std::size_t> group;
  for (const auto& [g2, weight] : weights) {  // by where the middle of its coefficients falls
    group[g2] = static_cast<std::size_t>((2 * before + weight) * rows / twice);
    before += weight;
  }
  std::vector<std::vector<SphereStick>> groups(static_cast<std::size_t>(rows)),
      shares(static_cast<std::size_t>(Index{planes} * rows));
  for (const SphereStick& s : sticks) groups[group.at(s.g2)].push_back(s);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto parts = share_sticks(groups[g], planes, rule);
    for (std::size_t p = 0; p < parts.size(); ++p) shares[p * groups.size() + g] = std::move(parts[p]);
  }
  return shares;
}

}  // namespace weft

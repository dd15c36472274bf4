// Which rank gets which sticks.
#include <algorithm>
#include <set>
#include <tuple>

#include <weft/layout.hpp>
#include <weft/sphere.hpp>

namespace weft {

std::vector<std::vector<SphereStick>> share_sticks(const std::vector<SphereStick>& sticks, int ranks, const std::string& rule) {
  if (ranks < 1) throw Error("sticks for " + std::to_string(ranks) + " ranks; give at least 1");
  std::vector<std::vector<SphereStick>> shares(static_cast<std::size_t>(ranks));
  if (rule == "columns") {
    const std::vector<Index> bounds = Split::even().bounds(static_cast<Index>(sticks.size()), ranks);
    for (std::size_t r = 0; r < shares.size(); ++r) shares[r].assign(sticks.begin() + bounds[r], sticks.begin() + bounds[r + 1]);
    return shares;
  }
  if (rule != "coefficients") throw Error("sticks are shared by \"" + rule + "\"; allowed are \"coefficients\" and \"columns\"");
  std::vector<std::size_t> longest_first(sticks.size());
  for (std::size_t i = 0; i < sticks.size(); ++i) longest_first[i] = i;
  std::stable_sort(longest_first.begin(), longest_first.end(), [&](std::size_t a, std::size_t b) { return sticks[a].size() > sticks[b].size(); });
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

}  // namespace weft

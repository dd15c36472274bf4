#include "sphere/waves.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace weft {
namespace {

std::string triplet(const GVector& g) {
  return "(" + std::to_string(g[0]) + ", " + std::to_string(g[1]) + ", " + std::to_string(g[2]) + ")";
}

// Signed, of either form; throws when the grid has no place for it or, of a half sphere, for its
// mirror image. n/2 of an even grid is -n/2, whatever its sign: both are one point.
Index unwrapped(const GVector& vector, int axis, const Shape& grid, bool half) {
  const Index g = vector[static_cast<std::size_t>(axis)], n = grid[axis], most = (n - 1) / 2;
  if (g >= -most && g <= most) return g;
  if (g > 0 && g < n && n - g <= most) return g - n;
  const bool middle = g == n - n / 2 || g == -(n / 2);  // of an even grid: what is left is n/2
  if (middle && n % 2 == 0 && !half) return -(n / 2);
  if (std::abs(static_cast<double>(g)) > 1e12)
    throw Error("G-vector " + triplet(vector) + " does not fit the grid " + to_string(grid) +
                ": it is beyond all grids");
  const Index least = g > 0 && g < n ? n + 1 : 2 * std::abs(g) + 1;
  const std::string text = std::to_string(most);
  throw Error("G-vector " + triplet(vector) + " does not fit the grid " + to_string(grid) + ": axis " +
              std::to_string(axis) + " holds -" + text + " to " + text +
              (n % 2 != 0 ? ""
               : half     ? " with their mirror images (n/2 is its own)"
                          : " and one of +-" + std::to_string(n / 2)) +
              ", or these wrapped; give a grid of at least " + std::to_string(least) + " points there (2 max|g| + 1)");
}

// Appends, as part of the last entry where both count on.
void append(std::vector<Table::Entry>& line, const Table::Entry& next) {
  if (!line.empty() && !next.conjugate && !next.mirror) {
    Table::Entry& last = line.back();
    if (!last.conjugate && !last.mirror && last.position + last.count == next.position &&
        last.number + last.count == next.number) {
      last.count += next.count;
      return;
    }
  }
  line.push_back(next);
}

}  // namespace

std::vector<std::pair<Index, Index>> Table::gaps(const std::vector<Entry>& line) const {
  std::vector<std::pair<Index, Index>> filled, holes;
  for (const Entry& e : line) filled.emplace_back(e.position, e.position + e.count);
  std::sort(filled.begin(), filled.end());
  Index reached = 0;
  for (const auto& [lo, hi] : filled) {
    if (lo > reached) holes.emplace_back(reached, lo);
    reached = std::max(reached, hi);
  }
  if (reached < length) holes.emplace_back(reached, length);
  return holes;
}

Share::Share(const Shape& grid, const std::vector<GVector>& vectors, bool half, bool box) {
  const auto wrapped = [&](Index g, int axis) { return g < 0 ? g + grid[axis] : g; };
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    GVector g;
    for (int a = 0; a < 3; ++a)
      g[static_cast<std::size_t>(a)] =
          box ? vectors[i][static_cast<std::size_t>(a)] : unwrapped(vectors[i], a, grid, half);
    const bool mirrored = half && (g[2] != 0 ? g[2] < 0 : g[1] != 0 ? g[1] < 0 : g[0] < 0);
    if (mirrored)
      for (Index& component : g) component = -component;
    reach0_ = std::max(reach0_, std::min(std::abs(g[0]), grid[0] - std::abs(g[0])));
    elements_.push_back({wrapped(g[0], 0), wrapped(g[1], 1), wrapped(g[2], 2), static_cast<Index>(i), mirrored});
  }
  const auto place = [](const Element& e) { return std::tuple(e.at2, e.at1, e.at0); };
  std::sort(elements_.begin(), elements_.end(),
            [&](const Element& a, const Element& b) { return place(a) < place(b); });
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (i > 0 && place(elements_[i]) == place(elements_[i - 1])) {
      const GVector &a = vectors[static_cast<std::size_t>(elements_[i - 1].coefficient)],
                    &b = vectors[static_cast<std::size_t>(elements_[i].coefficient)];
      if (elements_[i].conjugate != elements_[i - 1].conjugate)
        throw Error("G-vectors " + triplet(a) + " and " + triplet(b) +
                    " are mirror images of each other; of a real function's half sphere give one of them");
      const std::string folded =
          a == b ? "" : ", as " + triplet(b) + " too, which is the same point of the grid " + to_string(grid);
      throw Error("G-vector " + triplet(a) + " is given twice" + folded + ", as entries " +
                  std::to_string(elements_[i - 1].coefficient) + " and " + std::to_string(elements_[i].coefficient) +
                  " of the list; give it once");
    }
    sticks_ += i == 0 || elements_[i].at1 != elements_[i - 1].at1 || elements_[i].at2 != elements_[i - 1].at2;
  }
}

// Numbers: coefficients, the reach along axis 0, then for every stick its place.
std::string Share::text() const {
  std::vector<Index> numbers{static_cast<Index>(elements_.size()), reach0_};
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    if (i == 0 || e.at1 != elements_[i - 1].at1 || e.at2 != elements_[i - 1].at2)
      numbers.insert(numbers.end(), {e.at1, e.at2});
  }
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Index));
}

Waves::Waves(const Shape& grid, const std::vector<std::string>& texts, int first_rank,
             const std::vector<std::vector<Share::Element>>& shares, bool is_half, bool is_real, int before, int rows)
    : half(is_half), real(is_real) {
  Index reach[3] = {0, 0, 0};
  const auto unwrapped = [&](Index at, int axis) { return std::min(at, grid[axis] - at); };
  const auto ranks = static_cast<int>(texts.size());
  std::vector<std::vector<Index>> known(texts.size());  // of every rank what its text says
  // Of every index of axis 2: whose it is among the ranks that share a plane
  std::map<Index, std::set<int>> groups;
  first_coefficient.push_back(0);
  for (std::size_t r = 0; r < texts.size(); ++r) {
    std::vector<Index>& numbers = known[r];
    numbers.resize(texts[r].size() / sizeof(Index));
    std::memcpy(numbers.data(), texts[r].data(), texts[r].size());
    coefficients += numbers[0];
    first_coefficient.push_back(coefficients);
    reach[0] = std::max(reach[0], numbers[1]);
    for (std::size_t i = 3; i < numbers.size(); i += 2) groups[numbers[i]].insert(static_cast<int>(r) % rows);
  }
  const bool pencil =
      rows > 1 && std::all_of(groups.begin(), groups.end(), [](const auto& g) { return g.second.size() == 1; });
  if (pencil)
    for (int g = 0; g <= rows; ++g) {
      first_line.push_back(static_cast<Index>(lines.size()));
      for (const auto& [line, of] : groups)
        if (*of.begin() == g) lines.push_back(line);
    }
  // those who share columns follow one another
  place.resize(texts.size());
  first_stick.push_back(0);
  std::vector<std::pair<std::pair<Index, Index>, int>> owners;
  for (int k = 0; k < ranks; ++k) {
    const int r = pencil ? k % (ranks / rows) * rows + k / (ranks / rows) : k;
    place[static_cast<std::size_t>(r)] = k;
    const std::vector<Index>& numbers = known[static_cast<std::size_t>(r)];
    for (std::size_t i = 2; i < numbers.size(); i += 2) {
      columns.emplace_back(numbers[i], numbers[i + 1]);
      reach[1] = std::max(reach[1], unwrapped(numbers[i], 1));
      reach[2] = std::max(reach[2], unwrapped(numbers[i + 1], 2));
      owners.emplace_back(columns.back(), r);
    }
    first_stick.push_back(static_cast<Index>(columns.size()));
  }
  least = {2 * reach[0] + 1, 2 * reach[1] + 1, 2 * reach[2] + 1};
  if (coefficients == 0) throw Error("no rank has a G-vector; a sphere needs at least one");
  std::sort(owners.begin(), owners.end());
  const auto split =
      std::adjacent_find(owners.begin(), owners.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (split != owners.end()) {
    const auto& [at, owner] = *split;
    throw Error("the stick at (" + std::to_string(at.first) + ", " + std::to_string(at.second) +
                ") of axes 1 and 2 is split over ranks " + std::to_string(owner) + " and " +
                std::to_string(std::next(split)->second) + "; all G-vectors of one stick" +
                (half ? ", their mirror images included," : "") + " belong to one rank");
  }

  const auto group = static_cast<std::size_t>(first_rank % rows);
  auto table = std::make_shared<Table>(Table{before + 2, before + 1, pencil ? first_line[group] : 0, grid[1], {}, {}});
  table->lines.resize(static_cast<std::size_t>(pencil ? first_line[group + 1] - first_line[group]
                                               : real ? grid[2] / 2 + 1
                                                      : grid[2]));
  for (std::size_t s = 0; s < columns.size(); ++s) {
    const auto [at1, at2] = columns[s];
    if (pencil && *groups.at(at2).begin() != static_cast<int>(group)) continue;
    auto& line = table->lines[static_cast<std::size_t>(
        pencil ? std::lower_bound(lines.begin() + first_line[group], lines.begin() + first_line[group + 1], at2) -
                     lines.begin() - first_line[group]
               : at2)];
    append(line, {at1, static_cast<Index>(s)});
    // the other half of the plane that is its own mirror image
    if (half && at2 == 0 && at1 > 0) line.push_back({grid[1] - at1, static_cast<Index>(s), 1, true, true});
  }
  const auto count = static_cast<Index>(table->lines.size());
  for (Index line = 0; line < count && !pencil; ++line) {
    if (table->lines[static_cast<std::size_t>(line)].empty() ||
        (!table->kept.empty() && line < table->kept.back().second))
      continue;
    if (table->kept.empty() || table->kept.back().second < line) table->kept.emplace_back(line, line);
    Index &lo = table->kept.back().first, &hi = table->kept.back().second;
    hi = std::min(hi + Table::batch, count);
    if ((hi - lo) % Table::batch != 0)
      lo = std::max(hi - (hi - lo + Table::batch - 1) / Table::batch * Table::batch,
                    table->kept.size() > 1 ? std::prev(table->kept.end(), 2)->second : 0);
  }
  planes = table;

  table =
      std::make_shared<Table>(Table{before + 1,
                                    before,
                                    first_stick[static_cast<std::size_t>(place[static_cast<std::size_t>(first_rank)])],
                                    grid[0],
                                    {},
                                    {}});
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const Index first = first_coefficient[static_cast<std::size_t>(first_rank) + r];
    const auto& elements = shares[r];
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Share::Element& e = elements[i];
      if (i == 0 || e.at1 != elements[i - 1].at1 || e.at2 != elements[i - 1].at2) table->lines.emplace_back();
      append(table->lines.back(), {e.at0, first + e.coefficient, 1, e.conjugate, false});
      if (half && e.at1 == 0 && e.at2 == 0 && e.at0 > 0)
        table->lines.back().push_back({grid[0] - e.at0, first + e.coefficient, 1, !e.conjugate, true});
    }
  }
  sticks = table;
}

}  // namespace weft

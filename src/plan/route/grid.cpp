#include "plan/route/grid.hpp"

#include <tuple>

namespace weft {
namespace {

// What lies before a route: the ranks that are busy in the next stage, the fewest that are in any
// if no grid but the usual ones follows, and how many exchanges there are then.
struct Course {
  Index now = 0, fewest = 0;
  int exchanges = 0;
};

// A few ranks more are not worth another layout.
bool clearly_more(Index busy, Index than) { return 2 * busy >= 3 * than; }

// A rule that leaves parts empty is the caller's choice, and no reason for another grid: as many
// parts count as could hold something.
Index busy_ranks(const Dimensions& dimensions) {
  Index busy = 1;
  for (const Dimension& d : dimensions)
    if (!local(dimensions, d.axis)) busy *= std::min<Index>(d.parts(), d.bounds.back());
  return busy;
}

Course course(const GridProblem& problem, Dimensions dimensions, Order remaining) {
  Course found{busy_ranks(dimensions), problem.ranks, 0};
  for (;;) {
    Order later;
    for (const int a : remaining)
      if (!local(dimensions, a)) later.push_back(a);
    found.fewest = std::min(found.fewest, busy_ranks(dimensions));
    remaining = later;
    if (remaining.empty()) return found;
    dimensions = turned(problem, dimensions, next_turn(problem, dimensions, remaining), remaining, Split::even());
    ++found.exchanges;
  }
}

// Every way to share `ranks` among exactly `cuts` of the axes [axis, last). A factor is no larger
// than twice its axis is long, unless it is all that is left.
template <class F>
void for_each_grid(const Shape& shape, int axis, int last, int cuts, int ranks,
                   std::vector<std::pair<int, int>>& factors, const F& f) {
  if (cuts == 0) {
    if (ranks == 1) f(factors);
    return;
  }
  for (int a = axis; a + cuts <= last; ++a)
    for (int parts = 2; parts <= ranks; ++parts) {
      if (ranks % parts != 0 || (cuts == 1) != (parts == ranks) || (parts > 2 * shape[a] && parts < ranks)) continue;
      factors.emplace_back(a, parts);
      for_each_grid(shape, a + 1, last, cuts - 1, ranks / parts, factors, f);
      factors.pop_back();
    }
}

Dimensions cut(const std::vector<std::pair<int, int>>& factors, const Shape& shape, const Split& split) {
  Dimensions dimensions;
  for (const auto& [axis, parts] : factors) dimensions.push_back({axis, split.bounds(shape[axis], parts)});
  return dimensions;
}

}  // namespace

bool local(const Dimensions& dimensions, int axis) {
  return std::all_of(dimensions.begin(), dimensions.end(), [&](const Dimension& d) {
    if (d.axis != axis) return true;
    for (std::size_t k = 0; k + 1 < d.bounds.size(); ++k)  // all of it with one part, nothing with the others
      if (d.bounds[k + 1] > d.bounds[k] && d.bounds[k + 1] - d.bounds[k] != d.bounds.back()) return false;
    return true;
  });
}

bool uncut(const Dimensions& dimensions, int axis) {
  return std::none_of(dimensions.begin(), dimensions.end(), [&](const Dimension& d) { return d.axis == axis; });
}

Turn next_turn(const GridProblem& problem, const Dimensions& dimensions, const Order& remaining) {
  const Shape& shape = problem.shape(remaining);
  Turn turn;
  turn.gathered = *std::max_element(remaining.begin(), remaining.end());
  const auto at =
      std::find_if(dimensions.begin(), dimensions.end(), [&](const Dimension& d) { return d.axis == turn.gathered; });
  turn.dimension = static_cast<std::size_t>(at - dimensions.begin());
  const auto kept_busy = [&](int axis) { return std::min<Index>(shape[axis], at->parts()); };
  const auto take = [&](int axis) {
    if (uncut(dimensions, axis) && (turn.scattered < 0 || kept_busy(axis) > kept_busy(turn.scattered)))
      turn.scattered = axis;
  };
  for (int a = problem.batch; a < shape.size(); ++a) take(a);
  if (problem.batch) take(0);  // only where it keeps more ranks busy than the others
  return turn;
}

Turn turn_between(const Dimensions& from, const Dimensions& to) {
  Turn turn;
  const auto parts = [](const Dimensions& dimensions, int axis) {
    for (const Dimension& d : dimensions)
      if (d.axis == axis) return d.parts();
    return 1;
  };
  int gathered = 0, scattered = 0;
  for (const Dimension& d : from)
    if (uncut(to, d.axis))
      turn.gathered = d.axis, turn.dimension = static_cast<std::size_t>(&d - from.data()), ++gathered;
    else if (parts(to, d.axis) != d.parts())
      return {};
  for (const Dimension& d : to)
    if (uncut(from, d.axis)) turn.scattered = d.axis, ++scattered;
  return gathered == 1 && scattered == 1 ? turn : Turn();
}

Dimensions turned(const GridProblem& problem, Dimensions dimensions, const Turn& turn, const Order& remaining,
                  const Split& split) {
  const Shape& shape = problem.shape(remaining);
  Dimension& changed = dimensions[turn.dimension];
  if (turn.scattered < 0) {
    std::fill(changed.bounds.begin() + 1, changed.bounds.end(), shape[turn.gathered]);
  } else {
    changed.bounds = split.bounds(shape[turn.scattered], changed.parts());
    changed.axis = turn.scattered;
  }
  return dimensions;
}

std::optional<Dimensions> busier(const GridProblem& problem, const Dimensions& grid, const Order& remaining, int first,
                                 int last, const Split& split) {
  const Shape& shape = problem.shape(remaining);
  const bool halves = std::find(remaining.begin(), remaining.end(), problem.halved) != remaining.end();
  const Course usual = course(problem, grid, remaining);
  struct Best {
    Course course;
    std::vector<std::pair<int, int>> factors;
    bool batch_whole = false;
  };
  std::optional<Best> on_the_whole, now;
  Order worthwhile;  // an axis of one point is no reason for an exchange
  for (const int a : remaining)
    if (shape[a] > 1) worthwhile.push_back(a);
  std::vector<std::pair<int, int>> factors;
  // Few cuts need few exchanges, so more of them are tried only where ranks are still idle.
  for (int cuts = 1; cuts < problem.real.size() && (on_the_whole ? on_the_whole->course : usual).fewest < problem.ranks;
       ++cuts)
    for_each_grid(shape, first, last, cuts, problem.ranks, factors, [&](const auto& candidate) {
      const Dimensions dimensions = cut(candidate, shape, Split::even());
      if (halves && !local(dimensions, problem.halved)) return;
      if (std::none_of(worthwhile.begin(), worthwhile.end(), [&](int a) { return local(dimensions, a); })) return;
      const Course leads = course(problem, dimensions, remaining);
      const bool batch_whole = problem.batch && uncut(dimensions, 0);  // then its fields can travel one by one
      const auto rank = [](const Course& c) { return std::tuple(c.fewest, -c.exchanges, c.now); };
      const auto rank_now = [](const Course& c) { return std::tuple(c.now, c.fewest, -c.exchanges); };
      const auto first_by = [&](std::optional<Best>& best, const auto& order, bool than_usual) {
        if (!best ? than_usual
                  : std::pair(order(leads), batch_whole) > std::pair(order(best->course), best->batch_whole))
          best = {leads, candidate, batch_whole};
      };
      first_by(on_the_whole, rank, clearly_more(leads.fewest, usual.fewest));
      first_by(now, rank_now, clearly_more(leads.now, usual.now));
    });
  // What follows may be mended by another grid then.
  if (now && clearly_more(now->course.now, (on_the_whole ? on_the_whole->course : usual).now)) on_the_whole = now;
  if (!on_the_whole) return std::nullopt;
  return cut(on_the_whole->factors, shape, split);
}

}  // namespace weft

// Problems and sticks of plane waves.
#include <sstream>

#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

Precision precision_of_text(const char* name) { return precision_from_string(text(name, "the precision")); }

Shape three(const int64_t* entries, const char* what) { return shape(3, entries, what); }

Cutoff cutoff_of(const weft_cutoff* from) {
  const weft_cutoff& c = given(from, "cutoff");
  Cutoff cutoff{.squared = c.squared, .half = c.half != 0};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) cutoff.metric[i][j] = c.metric[i][j];
    cutoff.k[i] = c.k[i];
  }
  return cutoff;
}
std::string rule_of(const char* rule) { return rule == nullptr ? "coefficients" : rule; }

weft_stick from_cpp(const SphereStick& s) { return {s.g1, s.g2, s.lo, s.hi}; }
std::vector<SphereStick> sticks_of(Index count, const weft_stick* sticks) {
  list(sticks, count, "sticks");
  std::vector<SphereStick> all;
  for (Index i = 0; i < count; ++i) all.push_back({sticks[i].g1, sticks[i].g2, sticks[i].lo, sticks[i].hi});
  return all;
}
void sticks_out(const std::vector<SphereStick>& from, weft_stick* to, Index room, int64_t* count) {
  list_out(from, to, room, count, [&](const SphereStick& s, std::size_t i) { to[i] = from_cpp(s); });
}
void shares_out(const std::vector<std::vector<SphereStick>>& shares, Index count, weft_stick* shared, int64_t* begin) {
  list(shared, count, "places for shared sticks");
  given(begin, "begin");
  Index next = 0;
  for (const auto& share : shares) {
    *begin++ = next;
    std::transform(share.begin(), share.end(), shared + next, from_cpp);
    next += static_cast<Index>(share.size());
  }
  *begin = next;
}

}  // namespace

extern "C" {

int weft_problem_create(weft_problem** made_problem, const char* precision, int64_t axes, const int64_t* extents,
                        const char* names, int64_t count, const int64_t* transformed) {
  return made(made_problem, [&] {
    std::vector<Kind> kinds;
    std::istringstream parts(text(names, "kinds"));
    for (std::string part; std::getline(parts, part, ',');) kinds.push_back(kind_from_string(part));
    list(transformed, count, "axes to transform");
    return problem(precision_of_text(precision), kinds, shape(axes, extents, "shape"),
                   ints(count, transformed, "the list of axes to transform"));
  });
}

void weft_cutoff_init(weft_cutoff* cutoff) {
  if (cutoff == nullptr) return;
  *cutoff = {};
  for (int i = 0; i < 3; ++i) cutoff->metric[i][i] = 1;
}

int weft_problem_sphere(weft_problem** made_problem, const char* precision, const int64_t* grid, int64_t count,
                        const int64_t* g, int real) {
  return made(made_problem, [&] {
    return problem(precision_of_text(precision), three(grid, "grid"), {.mine = vectors(count, g), .half = real != 0});
  });
}
int weft_problem_cutoff(weft_problem** made_problem, const char* precision, const int64_t* grid,
                        const weft_cutoff* cutoff, const char* balance, int real) {
  return made(made_problem, [&] {
    AnyProblem made_of =
        real != 0 ? AnyProblem(gamma_sphere<double>(three(grid, "grid"), cutoff_of(cutoff), rule_of(balance)))
                  : AnyProblem(sphere<double>(three(grid, "grid"), cutoff_of(cutoff), rule_of(balance)));
    made_of.precision = precision_of_text(precision);
    return made_of;
  });
}
int weft_problem_kept_box(weft_problem** made_problem, const char* precision, const int64_t* grid, const int64_t* kept,
                          const int64_t* low, int real) {
  return made(made_problem, [&] {
    PlaneWaves waves{.box = three(kept, "kept"), .real = real != 0};
    if (low != nullptr) waves.low = three(low, "low");
    return problem(precision_of_text(precision), three(grid, "grid"), waves);
  });
}
int weft_problem_copy(weft_problem** copy, const weft_problem* problem) {
  return made(copy, [&] { return given(problem, "problem").value; });
}
void weft_problem_destroy(weft_problem** problem) { destroyed(problem); }

int weft_sphere_sticks(const weft_cutoff* cutoff, weft_stick* sticks, int64_t room, int64_t* count) {
  return guarded([&] { sticks_out(sphere_sticks(cutoff_of(cutoff)), sticks, room, count); });
}
int weft_box_sticks(const int64_t* kept, weft_stick* sticks, int64_t room, int64_t* count) {
  return guarded([&] { sticks_out(box_sticks(three(kept, "kept")), sticks, room, count); });
}
int weft_share_sticks(int64_t count, const weft_stick* sticks, int ranks, const char* rule, weft_stick* shared,
                      int64_t* begin) {
  return guarded(
      [&] { shares_out(share_sticks(sticks_of(count, sticks), ranks, rule_of(rule)), count, shared, begin); });
}
int weft_share_sticks_in_pencils(int64_t count, const weft_stick* sticks, int planes, int rows, const char* rule,
                                 weft_stick* shared, int64_t* begin) {
  return guarded(
      [&] { shares_out(share_sticks(sticks_of(count, sticks), planes, rows, rule_of(rule)), count, shared, begin); });
}
int weft_stick_vectors(int64_t count, const weft_stick* sticks, int64_t* g, int64_t room, int64_t* found) {
  return guarded([&] {
    list_out(weft::vectors(sticks_of(count, sticks)), g, room, found,
             [&](const GVector& v, std::size_t i) { std::copy(v.begin(), v.end(), g + 3 * i); });
  });
}
int weft_box_vectors(const int64_t* kept, const int64_t* low, int real, int ranks, int rank, int64_t* g, int64_t room,
                     int64_t* found) {
  return guarded([&] {
    if (ranks < 1 || rank < 0 || rank >= ranks)
      throw Error("the vectors of rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                  " are asked for; allowed: a rank from 0 on of 1 or more");
    const std::optional<Shape> lowest = low == nullptr ? std::nullopt : std::optional(three(low, "low"));
    list_out(box_vectors(three(kept, "kept"), real != 0, ranks, rank, lowest), g, room, found,
             [&](const GVector& v, std::size_t i) { std::copy(v.begin(), v.end(), g + 3 * i); });
  });
}
int weft_smallest_grid(int64_t count, const int64_t* g, int64_t fields, int64_t* grid) {
  return guarded([&] {
    given(grid, "grid");
    fill_axes(smallest_grid(weft::c::vectors(count, g), counted(fields, 1, 1 << 30, "fields")), grid);
  });
}

}  // extern "C"

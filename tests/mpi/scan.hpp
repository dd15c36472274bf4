// What scans of random problems share: a case drawn from its number, arrays of any element type,
// and the loop over cases.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>

#include "support/plans.hpp"
#include "support/thorough.hpp"

namespace weft {

struct Drawn {
  AnyProblem problem;
  Options options;
  bool handed_out = false;  // arrays of the plan's own; a map to another array than it comes from
};

inline std::string described(const Drawn& drawn) {
  const AnyProblem& p = drawn.problem;
  const Options& o = drawn.options;
  std::string s = std::string(to_string(p.precision)) + " " + to_string(p.shape) + ", axes";
  for (int k = 0; k < p.axes.size(); ++k)
    s += " " + std::to_string(p.axes[k]) + " " + std::string(to_string(p.kinds[static_cast<std::size_t>(k)]));
  s += ", batch " + std::to_string(o.batch) + ", components " + std::to_string(o.components) + ", threads " +
       std::to_string(o.threads);
  s += ", " + o.strategy + ", " + to_string(o.schedule) + ", communicate " + o.schedule.communicate + ", scale " +
       o.scale;
  for (const int g : o.grid) s += ", grid " + std::to_string(g);
  if (o.in_place()) s += ", in place";
  if (o.overwrites_input()) s += ", overwriting";
  if (drawn.handed_out) s += ", arrays of the plan's own";
  if (o.backward_schedule) s += ", backward " + to_string(*o.backward_schedule);
  for (const int n : o.nodes) s += ", node " + std::to_string(n);
  if (o.natural_output) s += ", natural";
  if (o.input) s += "\ninput " + o.input->describe(true);
  if (o.output) s += "\noutput " + o.output->describe(true);
  return s;
}

/// None where the plan declines.
inline std::optional<AnyPlan> planned(const Drawn& drawn) {
  try {
    return std::optional<AnyPlan>(std::in_place, world, drawn.problem, drawn.options);
  } catch (const Declined&) {
    return std::nullopt;
  }
}

/// One number of an array of any element type.
class Element {
 public:
  Element(Precision precision, bool complex) : precision_(precision), complex_(complex) {}
  Index bytes() const { return static_cast<Index>(element_bytes(precision_, complex_)); }
  Complex read(const std::byte* at) const {
    return precision_ == Precision::double_ ? read_as<double>(at) : read_as<float>(at);
  }
  void write(std::byte* at, Complex value) const {
    precision_ == Precision::double_ ? write_as<double>(at, value) : write_as<float>(at, value);
  }
  Complex given(Index k) const {
    const Complex full = complex_ ? Complex(value(k), value(k + 77)) : Complex(value(k));
    return precision_ == Precision::double_ ? full : Complex(std::complex<float>(full));
  }

 private:
  template <class Real>
  Complex read_as(const std::byte* at) const {
    Real parts[2] = {0, 0};
    std::memcpy(parts, at, static_cast<std::size_t>(bytes()));
    return {parts[0], parts[1]};
  }
  template <class Real>
  void write_as(std::byte* at, Complex value) const {
    const Real parts[2] = {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
    std::memcpy(at, parts, static_cast<std::size_t>(bytes()));
  }

  Precision precision_;
  bool complex_;
};

template <class Visit>
void each_point(const Box& box, Visit visit) {
  if (box.empty()) return;
  for (Shape p = box.lo;;) {
    visit(p);
    int a = p.size() - 1;
    while (a >= 0 && ++p[a] == box.hi[a]) p[a] = box.lo[a], --a;
    if (a < 0) return;
  }
}

using Random = std::mt19937;
template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}
inline Index below(Random& random, Index n) { return static_cast<Index>(random() % static_cast<std::uint32_t>(n)); }
inline bool one_in(Random& random, Index n) { return below(random, n) == 0; }

/// A slab along any axis, in any memory order and with padding on any axis.
inline Layout draw_layout(Random& random, const Shape& shape) {
  Order order = c_order(shape.size());
  Shape padding;
  if (one_in(random, 2))
    for (int k = order.size() - 1; k > 0; --k) std::swap(order[k], order[static_cast<int>(below(random, k + 1))]);
  if (one_in(random, 2)) {
    padding = Shape::filled(shape.size(), 0);
    padding[static_cast<int>(below(random, shape.size()))] = 1 + below(random, 3);
  }
  const int axis = one_in(random, 2) ? 0 : static_cast<int>(below(random, std::min(2, shape.size())));
  return Layout::slab(shape, axis, ranks_of_world()).ordered(order, padding);
}

inline std::vector<std::string> strategies_and_auto() {
  std::vector<std::string> names{"auto"};
  for (const Strategy* s : strategies()) names.emplace_back(s->name());
  return names;
}

/// How exchanges are cut, who does them, and the scale.
inline void draw_schedules(Random& random, Options& o) {
  if (one_in(random, 2)) o.schedule = one_of(random, schedules());
  if (one_in(random, 5)) o.backward_schedule = one_of(random, schedules());
  if (one_in(random, 3)) o.threads = 2 + static_cast<int>(below(random, 2));
  if (o.threads > 1 && one_in(random, 2)) {
    o.schedule.communicate = "thread";
    if (o.backward_schedule) o.backward_schedule->communicate = "thread";
  }
  o.scale = one_of<std::string>(random, {"none", "full", "symmetric"});
}

inline Index number_of(const char* name, Index otherwise) {
  return std::getenv(name) ? std::atoll(std::getenv(name)) : otherwise;
}

/// Runs cases `first` and on; the first few that fail are told in full.
template <class Case>
void scan(Case (*draw)(Index), double (*error_of)(const Case&), Index first, Index count) {
  Index ran = 0, wrong = 0;
  first = number_of("WEFT_TEST_CASE", first), count = number_of("WEFT_TEST_CASES", count);
  for (Index k = first; k < first + count; ++k) {
    const Case drawn = draw(k);
    double error = 0;
    if (number_of("WEFT_TEST_TELL", 0) && rank_of_world() == 0)
      std::fprintf(stderr, "case %lld: %s\n", static_cast<long long>(k), described(drawn).c_str());
    ASSERT_NO_THROW(error = error_of(drawn)) << "case " << k << ": " << described(drawn);
    ran += error >= 0;
    if (error < 1e-11) continue;
    if (++wrong <= number_of("WEFT_TEST_SHOW", 5))
      ADD_FAILURE() << "case " << k << " errs by " << error << ": " << described(drawn);
  }
  EXPECT_EQ(wrong, 0) << "of " << ran;
  if (rank_of_world() == 0)
    std::fprintf(stderr, "%lld of %lld cases ran\n", static_cast<long long>(ran), static_cast<long long>(count));
  if (count > 20) {
    EXPECT_GT(3 * ran, count);
  }
}

// A slice that takes some seconds; all of it where that is asked for, and less where ranks wait for
// one another's turns.
inline Index cases(Index all) {
  const Index share = std::min(ranks_of_world(), 3);
  return thorough() ? all / share : all / 20 / (share * share);
}

}  // namespace weft

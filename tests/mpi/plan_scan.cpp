// Random problems and options against the definition: forward, backward and the map between, in place and not. Each case is
// drawn from its number alone, alike on all ranks, so that a case that fails can be run again by itself.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "support/plans.hpp"

namespace weft {
namespace {

struct Drawn {
  AnyProblem problem;
  Options options;
  bool handed_out = false;  // arrays of the plan's own; a map to another array than it comes from
};

std::string described(const Drawn& drawn) {
  const AnyProblem& p = drawn.problem;
  const Options& o = drawn.options;
  std::string s = std::string(to_string(p.kinds.back())) + " " + std::string(to_string(p.precision)) + " " + to_string(p.shape) + ", axes";
  for (const int a : p.axes) s += " " + std::to_string(a);
  s += ", batch " + std::to_string(o.batch) + ", components " + std::to_string(o.components) + ", threads " + std::to_string(o.threads);
  s += ", " + o.strategy + ", " + to_string(o.schedule) + ", communicate " + o.schedule.communicate + ", scale " + o.scale;
  for (const int g : o.grid) s += ", grid " + std::to_string(g);
  if (o.in_place) s += ", in place";
  if (o.overwrite_input) s += ", overwriting";
  if (drawn.handed_out) s += ", arrays of the plan's own";
  if (o.backward_schedule) s += ", backward " + to_string(*o.backward_schedule);
  for (const int n : o.nodes) s += ", node " + std::to_string(n);
  if (o.natural_output) s += ", natural";
  if (o.input) s += "\ninput " + o.input->describe(true);
  if (o.output) s += "\noutput " + o.output->describe(true);
  return s;
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

/// The transform of the whole array on one rank: c2c and r2c by their definition, real to real by a plan that keeps its input.
/// Results of one problem serve all cases that differ in options alone.
const std::vector<Complex>& transformed(const AnyProblem& problem, const Shape& shape, int before, const Element& element) {
  static std::map<std::string, std::vector<Complex>> known;
  std::string key = to_string(shape) + std::to_string(before) + std::string(to_string(problem.precision));
  for (int k = 0; k < problem.axes.size(); ++k)
    key += " " + std::to_string(problem.axes[k]) + std::string(to_string(problem.kinds[static_cast<std::size_t>(k)]));
  std::vector<Complex>& result = known[key];
  if (!result.empty()) return result;
  const auto points = static_cast<std::size_t>(volume(shape));
  result.resize(points);
  Order axes;
  for (const int a : problem.axes) axes.push_back(a + before);
  if (!real_to_real(problem.kinds.front())) {
    for (std::size_t k = 0; k < points; ++k) result[k] = element.given(static_cast<Index>(k));
    result = naive(std::move(result), shape, axes);
    return result;
  }
  AnyPlan plan(MPI_COMM_SELF, weft::problem(Precision::double_, problem.kinds, shape, axes), {.strategy = "alltoallv", .effort = "estimate"});
  std::vector<double> in(points), out(points);
  for (std::size_t k = 0; k < points; ++k) in[k] = element.given(static_cast<Index>(k)).real();
  plan.forward(in.data(), out.data());
  const View view = plan.output_view();
  each_point(view.box, [&](const Shape& p) {
    result[static_cast<std::size_t>(position(p, shape))] = out[static_cast<std::size_t>(view.at(p))];
  });
  return result;
}

/// The largest error of forward, backward or a map on any rank, relative to what a transform multiplies rounding by; negative where the plan declines.
double error_of(const Drawn& drawn) {
  const AnyProblem& problem = drawn.problem;
  const Options& options = drawn.options;
  std::optional<AnyPlan> made;
  try {
    made.emplace(world, problem, options);
  } catch (const Declined&) {
    return -1;
  }
  AnyPlan& plan = *made;
  const bool real_all = real_to_real(problem.kinds.front());
  const Element in(problem.precision, !real_all && problem.kinds.back() == Kind::c2c), out(problem.precision, !real_all);
  const Shape& shape = plan.input_layout().shape();
  const std::vector<Complex>& expected = transformed(problem, shape, options.batch > 1, in);

  const Index in_bytes = plan.input_elements() * in.bytes(), out_bytes = plan.output_elements() * out.bytes();
  std::vector<std::max_align_t> real, spectrum, mapped;
  const auto room = [](std::vector<std::max_align_t>& array, Index bytes) {
    array.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
    return reinterpret_cast<std::byte*>(array.data());
  };
  const auto real_memory = drawn.handed_out ? plan.input_memory() : nullptr, spectrum_memory = drawn.handed_out ? plan.output_memory() : nullptr;
  std::byte* const u = real_memory ? real_memory.get() : room(real, std::max(in_bytes, options.in_place ? out_bytes : 0));
  std::byte* const u_hat = options.in_place ? u : spectrum_memory ? spectrum_memory.get() : room(spectrum, out_bytes);
  const View in_view = plan.input_view(), out_view = plan.output_view();
  double logical = 1;
  for (int k = 0; k < problem.axes.size(); ++k) logical *= static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  const double there = options.scale == "full" ? 1 / logical : options.scale == "symmetric" ? 1 / std::sqrt(logical) : 1;
  double worst = 0;
  const auto note = [&](double error) { worst = std::isfinite(error) ? std::max(worst, error) : 1e300; };
  const auto fill = [&](std::byte* array) {
    each_point(in_view.box, [&](const Shape& p) { in.write(array + in_view.at(p) * in.bytes(), in.given(position(p, shape))); });
  };
  const auto comes_back = [&](const std::byte* array, double factor) {
    each_point(in_view.box, [&](const Shape& p) { note(std::abs(in.read(array + in_view.at(p) * in.bytes()) * factor - in.given(position(p, shape)))); });
  };
  for (int round = 0; round < 2; ++round) {
    fill(u);
    plan.forward(u, u_hat);
    each_point(out_view.box, [&](const Shape& p) {
      note(std::abs(out.read(u_hat + out_view.at(p) * out.bytes()) / there - expected[static_cast<std::size_t>(position(p, shape))]));
    });
    if (!options.in_place && !options.overwrite_input) comes_back(u, 1);
    plan.backward(u_hat, u);
    comes_back(u, plan.scale());
  }
  fill(u);
  std::byte* const v = drawn.handed_out && !options.in_place ? room(mapped, in_bytes) : u;
  plan.forward_map_backward(u, v, [&](const Line& line) {
    auto* values = static_cast<std::byte*>(line.values);
    for (Index k = 0; k < line.count; ++k, values += out.bytes()) out.write(values, out.read(values) * 2.0);
  });
  comes_back(v, plan.scale() / 2);
  if (problem.precision == Precision::single_) worst *= 1e-8;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, world);
  return worst;
}

using Random = std::mt19937;
template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}
Index below(Random& random, Index n) { return static_cast<Index>(random() % static_cast<std::uint32_t>(n)); }
bool one_in(Random& random, Index n) { return below(random, n) == 0; }

AnyProblem draw_problem(Random& random, const std::vector<Shape>& shapes) {
  const Shape shape = one_of(random, shapes);
  Order axes = c_order(shape.size());
  if (one_in(random, 2)) {  // some of them, in any order
    for (int k = axes.size() - 1; k > 0; --k) std::swap(axes[k], axes[static_cast<int>(below(random, k + 1))]);
    axes = Order(axes.begin(), axes.begin() + 1 + below(random, axes.size()));
  }
  const Kind kind = one_of<Kind>(random, {Kind::c2c, Kind::c2c, Kind::r2c, Kind::r2c, Kind::r2c, Kind::dct2, Kind::dst3});
  return problem(one_in(random, 4) ? Precision::single_ : Precision::double_, {kind}, shape, axes);
}

/// A slab along any axis, in any memory order and with padding on any axis.
Layout draw_layout(Random& random, const Shape& shape) {
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

Shape spectrum_of(const AnyProblem& problem) {
  Shape shape = problem.shape;
  if (problem.kinds.back() == Kind::r2c) shape[problem.axes[problem.axes.size() - 1]] = shape[problem.axes[problem.axes.size() - 1]] / 2 + 1;
  return shape;
}

/// Arrays of one memory: orders, padding, components, tiles.
Drawn draw_in_place(Index number) {
  Random random(static_cast<std::uint32_t>(number));
  random.discard(8);
  Drawn d{draw_problem(random, {{5}, {8}, {64}, {4, 6}, {6, 5}, {3, 16}, {40, 33}, {3, 5, 4}, {4, 4, 6}, {16, 16, 16}, {2, 3, 40}, {33, 20, 24}, {2, 3, 4, 5}}), {}};
  Options& o = d.options;
  o.strategy = one_of<std::string>(random, {"alltoallv", "auto", "isend", "direct"});
  o.effort = "estimate";
  o.in_place = true;
  if (one_in(random, 2)) o.components = 2 + below(random, 2);
  if (one_in(random, 3)) o.batch = 2 + below(random, 3);
  if (one_in(random, 3)) o.threads = 2;
  if (one_in(random, 4)) o.overwrite_input = true;
  if (one_in(random, 3)) o.schedule = one_of(random, schedules());
  if (one_in(random, 2)) o.input = draw_layout(random, d.problem.shape);
  if (one_in(random, 2)) o.output = draw_layout(random, spectrum_of(d.problem));
  else o.natural_output = one_in(random, 3);
  return d;
}

/// Everything else: lines of a few points, grids, batches, mixtures of strategies, threads, nodes, either way to call.
Drawn draw_anything(Index number) {
  Random random(static_cast<std::uint32_t>(number) + 1'000'000);
  random.discard(8);
  std::vector<Shape> shapes{{64}, {40, 33}, {3, 5, 4}, {16, 16, 16}, {2, 3, 40}, {33, 20, 24}, {2, 3, 4, 5}, {2, 1, 3, 1, 2, 2}, {1, 2, 2, 1, 3, 1, 2, 2}};
  if (one_in(random, 2)) {
    Shape tiny;
    for (Index a = below(random, 4); a >= 0; --a) tiny.push_back(one_of<Index>(random, {1, 2, 3, 5}));
    shapes = {tiny};
  }
  Drawn d{draw_problem(random, shapes), {}};
  const int ranks = ranks_of_world(), axes = d.problem.shape.size();
  Options& o = d.options;
  std::vector<std::string> names{"auto"};
  for (const Strategy* s : strategies()) names.emplace_back(s->name());
  o.strategy = one_of(random, names);
  o.effort = "estimate";
  o.in_place = one_in(random, 5);
  o.overwrite_input = one_in(random, 3);
  d.handed_out = one_in(random, 2);
  if (axes < 7 && one_in(random, 4)) o.components = 2 + below(random, 2);
  if (axes < 8 && one_in(random, 2)) o.batch = 2 + below(random, 6);
  if (one_in(random, 2)) o.schedule = one_of(random, schedules());
  if (one_in(random, 5)) o.backward_schedule = one_of(random, schedules());
  if (one_in(random, 3)) o.threads = 2 + static_cast<int>(below(random, 2));
  if (o.threads > 1 && one_in(random, 2)) {
    o.schedule.communicate = "thread";
    if (o.backward_schedule) o.backward_schedule->communicate = "thread";
  }
  o.scale = one_of<std::string>(random, {"none", "full", "symmetric"});
  if (axes > 1 && ranks > 1 && one_in(random, 3)) o.grid = ranks % 2 == 0 && one_in(random, 2) ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  if (one_in(random, 6)) o.input = draw_layout(random, d.problem.shape);
  if (one_in(random, 5)) o.output = draw_layout(random, spectrum_of(d.problem));
  else o.natural_output = one_in(random, 3);
  if (one_in(random, 6))
    for (int r = 0; r < ranks; ++r) o.nodes.push_back(static_cast<int>(below(random, 2)));
  // the last exchange may have a strategy of its own, where there are several
  if (ranks > 1 && o.natural_output && o.strategy != "auto" && one_in(random, 2)) {
    const std::string alone = o.strategy;
    o.strategy += "+" + one_of(random, names);
    try {
      AnyPlan(world, d.problem, o);
    } catch (const Error&) {  // one exchange, or it declines
      o.strategy = alone;
    }
  }
  return d;
}

bool thorough() { return std::getenv("WEFT_TEST_THOROUGH") != nullptr; }
Index number_of(const char* name, Index otherwise) { return std::getenv(name) ? std::atoll(std::getenv(name)) : otherwise; }

/// Runs cases `first` and on; the first few that fail are told in full.
void scan(Drawn (*draw)(Index), Index first, Index count) {
  Index ran = 0, wrong = 0;
  first = number_of("WEFT_TEST_CASE", first), count = number_of("WEFT_TEST_CASES", count);
  for (Index k = first; k < first + count; ++k) {
    const Drawn drawn = draw(k);
    double error = 0;
    if (number_of("WEFT_TEST_TELL", 0) && rank_of_world() == 0) std::fprintf(stderr, "case %lld: %s\n", static_cast<long long>(k), described(drawn).c_str());
    ASSERT_NO_THROW(error = error_of(drawn)) << "case " << k << ": " << described(drawn);
    ran += error >= 0;
    if (error < 1e-11) continue;
    if (++wrong <= number_of("WEFT_TEST_SHOW", 5)) ADD_FAILURE() << "case " << k << " errs by " << error << ": " << described(drawn);
  }
  EXPECT_EQ(wrong, 0) << "of " << ran;
  if (rank_of_world() == 0) std::fprintf(stderr, "%lld of %lld cases ran\n", static_cast<long long>(ran), static_cast<long long>(count));
  if (count > 20) {
    EXPECT_GT(3 * ran, count);
  }
}

// A slice that takes some seconds; all of it where that is asked for, and less where ranks wait for one another's turns.
Index cases(Index all) {
  const Index share = std::min(ranks_of_world(), 3);
  return thorough() ? all / share : all / 20 / (share * share);
}

TEST(PlanScan, InPlace) { scan(draw_in_place, 1, cases(8000)); }
TEST(PlanScan, Anything) { scan(draw_anything, 1, cases(4000)); }

}  // namespace
}  // namespace weft

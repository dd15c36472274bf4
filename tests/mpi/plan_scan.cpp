// Random problems and options against the definition: forward, backward and the map between, in
// place and not. Each case is drawn from its number alone, alike on all ranks, so that a case that
// fails can be run again by itself.
#include <algorithm>
#include <map>

#include "mpi/scan.hpp"

namespace weft {
namespace {

/// The transform of the whole array by its definition. Results of one problem serve all cases that
/// differ in options alone.
const std::vector<Complex>& transformed(const AnyProblem& problem, const Shape& shape, int before,
                                        const Element& element) {
  static std::map<std::string, std::vector<Complex>> known;
  std::string key = to_string(shape) + std::to_string(before) + std::string(to_string(problem.precision));
  Order axes;
  for (int k = 0; k < problem.axes.size(); ++k) {
    axes.push_back(problem.axes[k] + before);
    key += " " + std::to_string(problem.axes[k]) + std::string(to_string(problem.kinds[static_cast<std::size_t>(k)]));
  }
  std::vector<Complex>& result = known[key];
  if (!result.empty()) return result;
  for (Index k = 0; k < volume(shape); ++k) result.push_back(element.given(k));
  return result = naive(std::move(result), shape, axes, problem.kinds);
}

/// The largest error of forward, backward or a map on any rank, relative to what a transform
/// multiplies rounding by; negative where the plan declines.
double error_of(const Drawn& drawn) {
  const AnyProblem& problem = drawn.problem;
  const Options& options = drawn.options;
  std::optional<AnyPlan> made = planned(drawn);
  if (!made) return -1;
  AnyPlan& plan = *made;
  const Element in(problem.precision, complex_input(problem)), out(problem.precision, complex_output(problem));
  const Shape& shape = plan.input_layout().shape();
  const std::vector<Complex>& expected = transformed(problem, shape, options.batch > 1, in);

  const Index in_bytes = plan.input_elements() * in.bytes(), out_bytes = plan.output_elements() * out.bytes();
  std::vector<std::max_align_t> real, spectrum, mapped;
  const auto room = [](std::vector<std::max_align_t>& array, Index bytes) {
    array.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
    return reinterpret_cast<std::byte*>(array.data());
  };
  const auto real_memory = drawn.handed_out ? plan.input_memory() : nullptr,
             spectrum_memory = drawn.handed_out ? plan.output_memory() : nullptr;
  std::byte* const u =
      real_memory ? real_memory.get() : room(real, std::max(in_bytes, options.in_place() ? out_bytes : 0));
  std::byte* const u_hat = options.in_place() ? u : spectrum_memory ? spectrum_memory.get() : room(spectrum, out_bytes);
  const View in_view = plan.input_view(), out_view = plan.output_view();
  double logical = 1;
  for (int k = 0; k < problem.axes.size(); ++k)
    logical *=
        static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  const double there = options.scale == "full"        ? 1 / logical
                       : options.scale == "symmetric" ? 1 / std::sqrt(logical)
                                                      : 1;
  double worst = 0;
  const auto note = [&](double error) { worst = std::isfinite(error) ? std::max(worst, error) : 1e300; };
  const auto fill = [&](std::byte* array) {
    each_point(in_view.box,
               [&](const Shape& p) { in.write(array + in_view.at(p) * in.bytes(), in.given(position(p, shape))); });
  };
  const auto comes_back = [&](const std::byte* array, double factor) {
    each_point(in_view.box, [&](const Shape& p) {
      note(std::abs(in.read(array + in_view.at(p) * in.bytes()) * factor - in.given(position(p, shape))));
    });
  };
  for (int round = 0; round < 2; ++round) {
    fill(u);
    plan.forward(u, u_hat);
    each_point(out_view.box, [&](const Shape& p) {
      note(std::abs(out.read(u_hat + out_view.at(p) * out.bytes()) / there -
                    expected[static_cast<std::size_t>(position(p, shape))]));
    });
    if (!options.in_place() && !options.overwrites_input()) comes_back(u, 1);
    plan.backward(u_hat, u);
    comes_back(u, plan.scale());
  }
  fill(u);
  std::byte* const v = drawn.handed_out && !options.in_place() ? room(mapped, in_bytes) : u;
  plan.forward_map_backward(u, v, [&](const Line& line) {
    auto* values = static_cast<std::byte*>(line.values);
    for (Index k = 0; k < line.count; ++k, values += out.bytes()) out.write(values, out.read(values) * 2.0);
  });
  comes_back(v, plan.scale() / 2);
  if (problem.precision == Precision::single_) {  // 1e-3, or the last place of the largest result
    double largest = 1;
    for (const Complex& value : expected) largest = std::max(largest, std::abs(value));
    worst *= 1e-8 * std::min(1.0, 1e-3 / (largest * 0x1p-23));
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, world);
  return worst;
}

/// `mixed`: each axis has a kind of its own.
AnyProblem draw_problem(Random& random, const std::vector<Shape>& shapes, bool mixed) {
  const Shape shape = one_of(random, shapes);
  Order axes = c_order(shape.size());
  if (one_in(random, 2)) {  // some of them, in any order
    for (int k = axes.size() - 1; k > 0; --k) std::swap(axes[k], axes[static_cast<int>(below(random, k + 1))]);
    axes = Order(axes.begin(), axes.begin() + 1 + below(random, axes.size()));
  }
  const Kind kind =
      one_of<Kind>(random, {Kind::c2c, Kind::c2c, Kind::r2c, Kind::r2c, Kind::r2c, Kind::dct2, Kind::dst3});
  const Precision precision = one_in(random, 4) ? Precision::single_ : Precision::double_;
  if (!mixed) return problem(precision, {kind}, shape, axes);
  std::vector<Kind> kinds;
  for (const int a : axes) {
    Kind drawn = one_in(random, 2) ? Kind::c2c : static_cast<Kind>(static_cast<int>(Kind::dct1) + below(random, 11));
    if (drawn == Kind::dct1 && shape[a] == 1) drawn = Kind::dht;
    kinds.push_back(drawn);
  }
  if (one_in(random, 2)) kinds[static_cast<std::size_t>(below(random, axes.size()))] = Kind::r2c;
  if (kinds.size() == 1 && kinds[0] == Kind::r2c) kinds[0] = Kind::r2hc;  // which is not mixed
  return problem(precision, kinds, shape, axes);
}

int halved_axis(const AnyProblem& problem) {
  const auto r2c = std::find(problem.kinds.begin(), problem.kinds.end(), Kind::r2c);
  return r2c == problem.kinds.end() ? -1 : problem.axes[static_cast<int>(r2c - problem.kinds.begin())];
}

Shape spectrum_of(const AnyProblem& problem) {
  Shape shape = problem.shape;
  if (const int halved = halved_axis(problem); halved >= 0) shape[halved] = shape[halved] / 2 + 1;
  return shape;
}

/// Arrays of one memory: orders, padding, components, tiles.
Drawn draw_in_place(Index number, bool mixed) {
  Random random(static_cast<std::uint32_t>(number));
  random.discard(8);
  Drawn d{draw_problem(random,
                       {{5},
                        {8},
                        {64},
                        {4, 6},
                        {6, 5},
                        {3, 16},
                        {40, 33},
                        {3, 5, 4},
                        {4, 4, 6},
                        {16, 16, 16},
                        {2, 3, 40},
                        {33, 20, 24},
                        {2, 3, 4, 5}},
                       mixed),
          {}};
  Options& o = d.options;
  o.strategy = one_of<std::string>(random, {"alltoallv", "auto", "isend", "direct"});
  o.effort = "estimate";
  o.placement = "in_place";
  if (one_in(random, 2)) o.components = 2 + below(random, 7);
  if (one_in(random, 3)) o.batch = 2 + below(random, 3);
  if (one_in(random, 3)) o.threads = 2;
  if (one_in(random, 3)) o.schedule = one_of(random, schedules());
  if (one_in(random, 2)) o.input = draw_layout(random, d.problem.shape);
  if (one_in(random, 2))
    o.output = draw_layout(random, spectrum_of(d.problem));
  else
    o.natural_output = one_in(random, 3);
  return d;
}

/// Everything else: lines of a few points, grids, batches, mixtures of strategies, threads, nodes,
/// either way to call.
Drawn draw_anything(Index number, bool mixed) {
  Random random(static_cast<std::uint32_t>(number) + 1'000'000);
  random.discard(8);
  std::vector<Shape> shapes{{64},         {40, 33},           {3, 5, 4},
                            {16, 16, 16}, {2, 3, 40},         {33, 20, 24},
                            {2, 3, 4, 5}, {2, 1, 3, 1, 2, 2}, {1, 2, 2, 1, 3, 1, 2, 2}};
  if (one_in(random, 2)) {
    Shape tiny;
    for (Index a = below(random, 4); a >= 0; --a) tiny.push_back(one_of<Index>(random, {1, 2, 3, 5}));
    shapes = {tiny};
  }
  Drawn d{draw_problem(random, shapes, mixed), {}};
  const int ranks = ranks_of_world(), axes = d.problem.shape.size();
  Options& o = d.options;
  const std::vector<std::string> names = strategies_and_auto();
  o.strategy = one_of(random, names);
  o.effort = "estimate";
  const bool in_place = one_in(random, 5), overwrite = one_in(random, 3);
  o.placement = in_place ? "in_place" : overwrite ? "overwrite" : "preserve";
  d.handed_out = one_in(random, 2);
  if (axes < 7 && one_in(random, 4)) o.components = 2 + below(random, 7);
  if (axes < 8 && one_in(random, 2)) o.batch = 2 + below(random, 6);
  draw_schedules(random, o);
  if (axes > 1 && ranks > 1 && one_in(random, 3))
    o.grid = ranks % 2 == 0 && one_in(random, 2) ? Few<int>{2, ranks / 2} : Few<int>{1, ranks};
  if (one_in(random, 6)) o.input = draw_layout(random, d.problem.shape);
  // beside a layout, a grid leaves the halved axis whole, and some axis
  const int halved = halved_axis(d.problem);
  const bool cuts_it = halved >= 0 && halved < o.grid.size() && o.grid[halved] > 1;
  const auto cut = std::count_if(o.grid.begin(), o.grid.end(), [](int parts) { return parts > 1; });
  if (o.input && (cuts_it || cut == d.problem.shape.size())) o.grid = {};
  if (one_in(random, 5))
    o.output = draw_layout(random, spectrum_of(d.problem));
  else
    o.natural_output = one_in(random, 3);
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

TEST(PlanScan, InPlace) {
  scan<Drawn>([](Index k) { return draw_in_place(k, false); }, error_of, 1, cases(8000));
}
TEST(PlanScan, Anything) {
  scan<Drawn>([](Index k) { return draw_anything(k, false); }, error_of, 1, cases(4000));
}
TEST(PlanScan, MixedKinds) {
  scan<Drawn>([](Index k) { return k % 2 ? draw_in_place(k, true) : draw_anything(k, true); }, error_of, 1,
              cases(6000));
}

}  // namespace
}  // namespace weft

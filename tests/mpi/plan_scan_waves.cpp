// Random spheres and boxes of plane waves under random options, against the dense transform by its
// definition.
#include <map>

#include "mpi/scan.hpp"

namespace weft {
namespace {

struct Waves : Drawn {
  std::vector<GVector> all;  // of a box none: its numbers tell its vectors
};

std::string described(const Waves& drawn) {
  const PlaneWaves& w = *drawn.problem.waves;
  std::string s = w.box ? "box of " + to_string(*w.box) : "sphere of " + std::to_string(drawn.all.size());
  if (w.low) s += " from " + to_string(*w.low);
  if (!w.box) s += w.cutoff ? ", shared by " + w.balance : ", lists";
  if (w.real) s += ", real functions";
  s += ", groups " + std::to_string(drawn.options.groups);
  return s + ", " + described(static_cast<const Drawn&>(drawn));
}

/// A field's coefficients, by the wrapped vector; those of real functions are conjugate where
/// vectors are mirrored.
class Field {
 public:
  Field(const Waves& drawn, Index b) : grid_(drawn.problem.shape), real_(drawn.problem.waves->real), first_(1000 * b) {}
  Shape wrapped(const GVector& g) const {
    Shape p;
    for (int a = 0; a < 3; ++a) p.push_back((g[static_cast<std::size_t>(a)] % grid_[a] + grid_[a]) % grid_[a]);
    return p;
  }
  Index place(const GVector& g) const { return position(wrapped(g), grid_); }
  Index mirrored(const GVector& g) const { return place({-g[0], -g[1], -g[2]}); }
  Complex coefficient(const GVector& g, const Element& element) const {
    const Index k = place(g), other = mirrored(g);
    const Complex c = element.given(first_ + (real_ ? std::min(k, other) : k));
    return !real_ || k < other ? c : k == other ? Complex(c.real()) : std::conj(c);
  }

 private:
  Shape grid_;
  bool real_;
  Index first_;
};

std::vector<Complex> backward(std::vector<Complex> x, const Shape& grid) {
  for (Complex& v : x) v = std::conj(v);
  x = naive(std::move(x), grid, {0, 1, 2});
  for (Complex& v : x) v = std::conj(v);
  return x;
}

double error_of(const Waves& drawn) {
  const AnyProblem& problem = drawn.problem;
  const PlaneWaves& waves = *problem.waves;
  const Options& options = drawn.options;
  std::optional<AnyPlan> made = planned(drawn);
  if (!made) return -1;
  AnyPlan& plan = *made;
  const Shape& grid = problem.shape;
  const auto points = static_cast<std::size_t>(volume(grid));
  const bool batch = options.batch > 1;
  const Element in(problem.precision, !waves.real), out(problem.precision, true);
  const View in_view = plan.input_view(), out_view = plan.output_view();

  std::vector<GVector> all = drawn.all;
  const auto along = [&](int a, Index i) {  // of a box
    if (waves.low) return (*waves.low)[a] + i;
    const Index n = (*waves.box)[a];
    return (a == 2 && waves.real) || i < (n + 1) / 2 ? i : i - n;
  };
  if (waves.box)
    each_point(Box::whole({(*waves.box)[0], (*waves.box)[1], waves.real ? (*waves.box)[2] / 2 + 1 : (*waves.box)[2]}),
               [&](const Shape& p) {
                 all.push_back({along(0, p[0]), along(1, p[1]), along(2, p[2])});
               });
  const auto vector_at = [&](const Shape& p) {
    if (waves.box) return GVector{along(0, p[batch]), along(1, p[batch + 1]), along(2, p[batch + 2])};
    return plan.vectors()[static_cast<std::size_t>(p[batch] - out_view.box.lo[batch])];
  };
  const auto field_of = [&](const Shape& p) { return batch ? p[0] : 0; };
  const auto place = [&](const Shape& p) { return position(batch ? Shape{p[1], p[2], p[3]} : p, grid); };

  // real space of the coefficients; the spectrum of any real space; that of the potential times the
  // first one
  std::vector<std::vector<Complex>> there, back, mapped;
  const auto potential = [](Index k) { return 1 + value(k + 33); };
  for (Index b = 0; b < options.batch; ++b) {
    const Field field(drawn, b);
    std::vector<Complex> spectrum(points), real(points);
    for (const GVector& g : all) {
      const Complex c = field.coefficient(g, out);
      spectrum[static_cast<std::size_t>(field.place(g))] = c;
      if (waves.real) spectrum[static_cast<std::size_t>(field.mirrored(g))] = std::conj(c);
    }
    there.push_back(backward(std::move(spectrum), grid));
    std::vector<Complex> product = there.back();
    for (std::size_t k = 0; k < points; ++k) {
      product[k] *= potential(static_cast<Index>(k)) / static_cast<double>(points);
      real[k] = in.given(static_cast<Index>(k) + 7 * b);
    }
    mapped.push_back(naive(std::move(product), grid, {0, 1, 2}));
    back.push_back(naive(std::move(real), grid, {0, 1, 2}));
  }

  std::vector<std::max_align_t> real, spectrum, result;
  const auto room = [](std::vector<std::max_align_t>& array, Index bytes) {
    array.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
    return reinterpret_cast<std::byte*>(array.data());
  };
  const Index in_bytes = plan.input_elements() * in.bytes(), out_bytes = plan.output_elements() * out.bytes();
  const auto memory = drawn.handed_out ? plan.input_memory() : nullptr;
  const auto coefficients = drawn.handed_out ? plan.output_memory() : nullptr;
  std::byte* const psi = memory ? memory.get() : room(real, in_bytes);
  std::byte* const c = coefficients ? coefficients.get() : room(spectrum, out_bytes);
  std::byte* const other = drawn.handed_out ? room(result, out_bytes) : c;  // a map's result

  double worst = 0;
  const auto note = [&](Complex found, Complex expected) {
    const double error = std::abs(found - expected);
    worst = std::isfinite(error) ? std::max(worst, error) : 1e300;
  };
  const auto each_coefficient = [&](auto visit) {
    each_point(out_view.box, [&](const Shape& p) { visit(out_view.at(p) * out.bytes(), field_of(p), vector_at(p)); });
  };
  const auto fill = [&] {
    each_coefficient(
        [&](Index at, Index b, const GVector& g) { out.write(c + at, Field(drawn, b).coefficient(g, out)); });
  };
  const auto compare = [&](const std::byte* array, const std::vector<std::vector<Complex>>& expected, double factor) {
    each_coefficient([&](Index at, Index b, const GVector& g) {
      const auto k = static_cast<std::size_t>(Field(drawn, b).place(g));
      note(out.read(array + at) * factor, expected[static_cast<std::size_t>(b)][k]);
    });
  };
  const auto number = static_cast<double>(points);
  const double once = options.scale == "full" ? number : options.scale == "symmetric" ? std::sqrt(number) : 1;
  const double undone = options.scale == "symmetric" ? std::sqrt(number) : 1;  // by backward
  for (int round = 0; round < 2; ++round) {
    fill();
    plan.backward(c, psi);
    each_point(in_view.box, [&](const Shape& p) {
      const auto expected = there[static_cast<std::size_t>(field_of(p))][static_cast<std::size_t>(place(p))];
      note(in.read(psi + in_view.at(p) * in.bytes()) * undone, expected);
    });
    if (!options.overwrites_input())
      each_coefficient(
          [&](Index at, Index b, const GVector& g) { note(out.read(c + at), Field(drawn, b).coefficient(g, out)); });
    const auto given = [&](const Shape& p) { return in.given(place(p) + 7 * field_of(p)); };
    each_point(in_view.box, [&](const Shape& p) { in.write(psi + in_view.at(p) * in.bytes(), given(p)); });
    plan.forward(psi, c);
    compare(c, back, once);
    if (!options.overwrites_input())
      each_point(in_view.box, [&](const Shape& p) { note(in.read(psi + in_view.at(p) * in.bytes()), given(p)); });
  }
  fill();
  plan.backward_map_forward(c, other, [&](const Line& line) {
    Shape p = line.first;
    auto* values = static_cast<std::byte*>(line.values);
    for (Index k = 0; k < line.count; ++k, ++p[line.axis], values += in.bytes())
      in.write(values, in.read(values) * potential(place(p)));
  });
  compare(other, mapped, options.scale == "none" ? 1 / number : 1);
  if (problem.precision == Precision::single_) worst *= 1e-8;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, world);
  return worst;
}

/// Sticks in any order, each with any rank.
std::vector<GVector> draw_lists(Random& random, std::vector<GVector> all) {
  std::map<std::pair<Index, Index>, std::vector<GVector>> sticks;
  for (const GVector& g : all) sticks[{g[1], g[2]}].push_back(g);
  std::vector<GVector> mine;
  for (auto& [at, stick] : sticks) {
    const Index owner = below(random, ranks_of_world());
    if (one_in(random, 2)) std::reverse(stick.begin(), stick.end());
    if (owner == rank_of_world())
      mine.insert(one_in(random, 2) ? mine.begin() : mine.end(), stick.begin(), stick.end());
    else
      random.discard(1);
  }
  return mine;
}

Waves draw_waves(Index number) {
  Random random(static_cast<std::uint32_t>(number) + 2'000'000);
  random.discard(8);
  const Shape grid = one_of<Shape>(random, {{6, 5, 7},
                                            {8, 8, 8},
                                            {9, 7, 8},
                                            {4, 6, 5},
                                            {12, 10, 9},
                                            {5, 5, 16},
                                            {16, 3, 4},
                                            {3, 3, 3},
                                            {2, 5, 6},
                                            {1, 4, 5}});
  Waves d;
  PlaneWaves w;
  const Index what = below(random, 6);
  if (what < 3) {
    Cutoff cutoff{.squared = 0.2 * static_cast<double>(1 + below(random, 60))};
    if (one_in(random, 3)) cutoff.metric = {{{1, 0.1, 0}, {0.1, 1.2, 0.05}, {0, 0.05, 0.8}}};
    cutoff.half = what == 1;
    if (!cutoff.half && one_in(random, 3)) cutoff.k = {0.5, 0.25, 0};
    const auto fits = [&] {
      const Shape least = smallest_grid(sphere_sticks(cutoff));
      return least[0] <= grid[0] && least[1] <= grid[1] && least[2] <= grid[2];
    };
    while (!fits()) cutoff.squared *= 0.8;
    if (sphere_sticks(cutoff).empty()) cutoff.k = {0, 0, 0};  // then G = 0 is there
    d.all = vectors(sphere_sticks(cutoff));
    w.cutoff = cutoff;
    w.balance = one_of<std::string>(random, {"coefficients", "columns"});
    if (one_in(random, 3)) w = {.mine = draw_lists(random, d.all), .half = cutoff.half};
  } else {
    const auto odd = [&](Index n) { return n - (n + 1) % 2; };
    w.box = Shape();
    for (const Index n : grid) w.box->push_back(1 + below(random, n));
    w.real = what == 3;
    if (w.real) (*w.box)[0] = odd((*w.box)[0]), (*w.box)[1] = odd((*w.box)[1]);
    if (what == 4) {
      w.low = Shape();
      for (int a = 0; a < 3; ++a) w.low->push_back(below(random, 2 * grid[a] - (*w.box)[a] + 1) - grid[a]);
    }
  }
  const bool listed = !w.box, given = listed && !w.cutoff;
  d.problem = problem(one_in(random, 4) ? Precision::single_ : Precision::double_, grid, std::move(w));
  const int ranks = ranks_of_world();
  Options& o = d.options;
  o.strategy = one_of(random, strategies_and_auto());
  o.effort = "estimate";
  o.placement = one_in(random, 3) ? "overwrite" : "preserve";
  d.handed_out = one_in(random, 2);
  if (one_in(random, 2)) o.batch = 2 + below(random, 4);
  draw_schedules(random, o);
  const bool pencils = ranks > 1 && listed && !given && one_in(random, 3);
  if (pencils)
    o.grid = ranks % 2 == 0 && one_in(random, 2) ? Few<int>{ranks / 2, 2} : Few<int>{1, ranks};
  else if (one_in(random, 4))
    o.input = draw_layout(random, grid);
  else if (o.batch > 1 && ranks > 1 && one_in(random, 3))
    o.groups = ranks % 2 == 0 && one_in(random, 2) ? 2 : ranks;
  if (one_in(random, 6))
    for (int r = 0; r < ranks; ++r) o.nodes.push_back(static_cast<int>(below(random, 2)));
  return d;
}

TEST(PlanScan, PlaneWaves) { scan<Waves>(draw_waves, error_of, 1, cases(4000)); }

}  // namespace
}  // namespace weft

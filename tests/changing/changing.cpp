// Other data at every execution, over strategies, schedules and batches, in every order of forward,
// backward and mapped: no execution hands over what another one left. Single results are checked
// against the definition, those of executions in a row against these, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/changing.hpp"
#include "support/late.hpp"
#include "support/thorough.hpp"

namespace weft {
namespace {

/// All of `schedules()`, and either tiles of one plane with windows of 0 to 4.
std::vector<ScheduleOptions> cuts() {
  std::vector<ScheduleOptions> all = schedules();
  for (const char* tiles : {"kept", "gathered"})
    for (Index window = 0; window <= 4; ++window)
      if (const ScheduleOptions schedule{tiles, 1, window, 0}; std::find(all.begin(), all.end(), schedule) == all.end())
        all.push_back(schedule);
  return all;
}

/// Every strategy, the same with ranks that are late, and mixtures, which need two exchanges.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    const std::vector<const Strategy*> known = strategies();
    std::vector<std::string> names;
    for (const Strategy* s : known) {
      add(std::make_unique<Late>(*s));
      names.emplace_back(s->name());
      names.push_back("late-" + names.back());
    }
    for (const char* mixed : {"late-direct+late-deposit", "late-deposit+late-isend", "late-isend+late-direct"})
      names.emplace_back(mixed);
    return names;
  }();
  return all;
}

/// What else a plan may be asked for.
struct Variant {
  const char* name;
  std::function<void(Options&)> change;
  bool dense_only;
};
const Variant natural{"natural output", [](Options& o) { o.natural_output = true; }, true};
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"plain", [](Options&) {}, false},
      {"overwriting", [](Options& o) { o.placement = "overwrite"; }, false},
      {"in place", [](Options& o) { o.placement = "in_place"; }, true},
      natural,
      {"a grid",
       [](Options& o) {
         o.grid = {1, ranks_of_world()};
       },
       true},
      {"two threads", [](Options& o) { o.threads = 2; }, false},
      {"a communicating thread", [](Options& o) { o.threads = 2, o.schedule.communicate = "thread"; }, false}};
  return all;
}
/// How many of them, which come first, have ranks of one thread.
std::size_t variants_of_one_thread() {
  const auto threaded = std::find_if(variants().begin(), variants().end(), [](const Variant& variant) {
    Options options;
    variant.change(options);
    return options.threads > 1;
  });
  return static_cast<std::size_t>(threaded - variants().begin());
}

/// Fields of a batch on the whole grid, and what is transformed back.
class Known {
 public:
  Known(const AnyProblem& problem, Index batch, const std::vector<GVector>& mine, bool real)
      : grid_(problem.shape), batched_(batch > 1), waves_(problem.waves) {
    std::vector<int> inside(static_cast<std::size_t>(volume(grid_)), !problem.waves);
    for (const GVector& g : mine) inside[at(g)] = 1;
    MPI_Allreduce(MPI_IN_PLACE, inside.data(), static_cast<int>(inside.size()), MPI_INT, MPI_MAX, world);
    for (Index b = 0; b < batch; ++b) {
      std::vector<Complex> field, waves;
      for (Index k = 0; k < volume(grid_); ++k) {
        field.emplace_back(value(k + 1000 * b), real ? 0 : value(k + 1000 * b + 77));
        waves.push_back(static_cast<double>(inside[static_cast<std::size_t>(k)]) *
                        Complex(value(k + 1000 * b + 500), value(k + 1000 * b + 577)));
      }
      spectrum_.push_back(naive(field, grid_, {0, 1, 2}));
      field_.push_back(std::move(field));
      if (!waves_) continue;
      coefficients_.push_back(waves);
      for (Complex& v : waves) v = std::conj(v);
      waves = naive(std::move(waves), grid_, {0, 1, 2});
      for (Complex& v : waves) v = std::conj(v);
      back_.push_back(std::move(waves));
    }
  }
  Complex before(const Shape& p) const { return in(field_, p); }
  Complex back(const Shape& p) const {
    return waves_ ? in(back_, p) : in(field_, p) * static_cast<double>(volume(grid_));
  }
  Complex spectrum(const Shape& p) const { return in(spectrum_, p); }
  Complex spectrum(Index b, const GVector& g) const { return spectrum_[static_cast<std::size_t>(b)][at(g)]; }
  Complex coefficient(Index b, const GVector& g) const { return coefficients_[static_cast<std::size_t>(b)][at(g)]; }

 private:
  std::size_t at(const GVector& g) const {
    Shape p;
    for (int a = 0; a < 3; ++a) p.push_back((g[static_cast<std::size_t>(a)] + 2 * grid_[a]) % grid_[a]);
    return static_cast<std::size_t>(position(p, grid_));
  }
  Complex in(const std::vector<std::vector<Complex>>& all, const Shape& p) const {
    return all[batched_ ? static_cast<std::size_t>(p[0]) : 0]
              [static_cast<std::size_t>(position(batched_ ? Shape{p[1], p[2], p[3]} : p, grid_))];
  }

  Shape grid_;
  bool batched_, waves_;
  std::vector<std::vector<Complex>> field_, spectrum_, coefficients_, back_;
};

template <class In, class Out>
class Runs {
 public:
  Runs(const Problem<In, Out>& problem, Index batch) : problem_(problem), batch_(batch) {
    Plan plan(world, problem_, {.strategy = "alltoallv", .effort = "estimate", .batch = batch_});
    known_ = std::make_unique<Known>(problem, batch, plan.vectors(), std::is_floating_point_v<In>);
  }

  /// Collective, and alike on all ranks. False where the strategy declines. Nothing is executed
  /// where the schedule comes to one that this strategy has had, as windows of more tiles than there
  /// are do.
  bool operator()(const std::string& strategy, const ScheduleOptions& schedule, const Variant& variant) {
    Options options{.strategy = strategy, .effort = "estimate", .schedule = schedule, .batch = batch_};
    variant.change(options);
    try {
      Plan plan(world, problem_, options);
      if (!had_.insert(strategy + ", " + to_string(plan.effective().schedule)).second) return true;
      SCOPED_TRACE(strategy + ", " + to_string(schedule) + ", " + variant.name + ", batch " + std::to_string(batch_));
      run(plan);
      return true;
    } catch (const Declined&) {
      return false;
    }
  }
  int plans() const { return static_cast<int>(had_.size()); }

 private:
  template <class T>
  static T as(Complex v) {
    if constexpr (std::is_floating_point_v<T>)
      return v.real();
    else
      return v;
  }

  void run(Plan<In, Out>& plan) {
    std::vector<In> before(static_cast<std::size_t>(plan.input_elements()));
    std::vector<Out> after(static_cast<std::size_t>(plan.output_elements()));
    const auto array = []<class T>(std::vector<T>& values, const View& view) {
      return Array<T>({reinterpret_cast<std::byte*>(values.data()), [](std::byte*) {}}, view,
                      static_cast<Index>(values.size()));
    };
    const auto each_wave = [&](std::vector<Out>& values, auto&& f) {
      auto next = values.begin();
      for (Index b = 0; b < batch_; ++b)
        for (const GVector& g : plan.vectors()) f(b, g, *next++);
    };
    const bool waves = plan.problem().waves != nullptr;
    array(before, plan.input_view()).fill([&](const Shape& p) { return as<In>(known_->before(p)); });
    if (waves)
      each_wave(after, [&](Index b, const GVector& g, Out& v) { v = known_->coefficient(b, g); });
    else
      array(after, plan.output_view()).fill([&](const Shape& p) { return known_->spectrum(p); });
    auto quiet = back_to_back(plan, before, after, every_three);

    double there = 0, back = 0;
    if (waves)
      each_wave(quiet.forward, [&](Index b, const GVector& g, Out& v) {
        there = std::max(there, std::abs(v - known_->spectrum(b, g)));
      });
    else
      array(quiet.forward, plan.output_view()).for_each([&](const Shape& p, Out& v) {
        there = std::max(there, std::abs(v - known_->spectrum(p)));
      });
    array(quiet.backward, plan.input_view()).for_each([&](const Shape& p, In& v) {
      back = std::max(back, std::abs(Complex(v) - known_->back(p)));
    });
    EXPECT_LT(there, 1e-11) << "forward\n" << plan.describe();
    EXPECT_LT(back, 1e-9) << "backward\n" << plan.describe();
  }

  Problem<In, Out> problem_;
  Index batch_;
  std::unique_ptr<Known> known_;
  std::set<std::string> had_;  // strategies and what is done of their schedules
};

/// `half`: odd (1) or even (0) batches are enough for this problem, where not all are asked for.
template <class In, class Out>
void over_all(const Problem<In, Out>& problem, Index batch, Index half) {
  if (!thorough() && batch % 2 != half) return;
  Options plain{.effort = "estimate", .batch = batch};
  const AnyPlan lines = lines_of(problem, plain);
  Runs runs(problem, batch);
  const std::vector<ScheduleOptions> all = cuts();
  auto turn = static_cast<std::size_t>(batch + 3 * problem.shape[0]);
  int ran = 0;
  for (const std::string& name : names()) {
    const bool late = name.starts_with("late-"), mixed = name.find('+') != name.npos;
    if (mixed && problem.waves) continue;
    // Each under one schedule, or where peers read what is the plan's own under all that keep few
    // tiles of it. Of all schedules late ranks have every one: they show whatever others show. Threads
    // of a rank, which have no part in what ranks wait for and spin, are left out there.
    std::vector<ScheduleOptions> some{all[turn++ % all.size()]};
    if (!mixed && late && strategy(name).reads_in_place())
      for (Index window = 0; window <= 4; ++window) some.push_back({"kept", 1, window, 0});
    const std::size_t any_threads = some.size();
    if (thorough() && late) some.insert(some.end(), all.begin(), all.end());
    for (std::size_t k = 0; k < some.size(); ++k) {
      const ScheduleOptions& schedule = some[k];
      const std::size_t count = k < any_threads ? variants().size() : variants_of_one_thread();
      const Variant* variant = mixed ? &natural : &variants()[turn++ % count];
      if (variant->dense_only && problem.waves) variant = &variants().front();
      ran += runs(name, schedule, *variant) || runs(name, schedule, variants().front()) || runs(name, {}, *variant);
      if (testing::Test::HasFailure()) return;
    }
  }
  testing::Test::RecordProperty("plans", runs.plans());
  EXPECT_GT(ran, static_cast<int>(names().size()) / 2);
}

class Changing : public testing::TestWithParam<Index> {};

TEST_P(Changing, Complex) { over_all(c2c<double>({6, 5, 4}), GetParam(), 1); }
TEST_P(Changing, RealToComplex) { over_all(r2c<double>({5, 4, 6}), GetParam(), 0); }
TEST_P(Changing, Sphere) { over_all(sphere<double>({6, 7, 5}, Cutoff{.squared = 4}), GetParam(), 1); }
TEST_P(Changing, KeptBox) { over_all(kept_box<double>({6, 8, 5}, Shape{4, 5, 3}), GetParam(), 0); }

INSTANTIATE_TEST_SUITE_P(Batch, Changing, testing::Range(Index{1}, Index{10}), testing::PrintToStringParamName());

// The plan's own output may be what the way back sends from. Filled again as soon as a map returns,
// it must not be what a peer still reads.
TEST(ChangingMaps, GiveBackTheArraysOfThePlan) {
  names();
  constexpr int rounds = 24;
  const Shape shape{64, 64, Index{24} * ranks_of_world()};  // more than what is too small to be lent
  const Options options{.strategy = "late-direct", .effort = "estimate", .placement = "overwrite", .scale = "full"};
  Plan fft(world, c2c<double>(shape), options);
  auto in = fft.make_input(), out = fft.make_input();
  auto spectrum = fft.output();
  const auto number = [](int round, Index i) { return Complex(value(round * 5 + i), value(i * 3 - round)); };
  Index wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    for (Index i = 0; i < in.size(); ++i) in.data()[i] = number(round, i);
    fft.forward_map_backward(in.data(), out.data(), [](const Line&) {});
    std::fill_n(spectrum.data(), spectrum.size(), Complex(1e15));
    for (Index i = 0; i < out.size(); ++i) wrong += std::abs(out.data()[i] - number(round, i)) > 1e-12;
  }
  EXPECT_EQ(wrong, 0) << fft.describe();
}

}  // namespace
}  // namespace weft

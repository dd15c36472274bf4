#include "support/changing.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>

#include "support/plans.hpp"

namespace weft {

Lateness::Lateness() {
  static std::uint64_t count = 0;  // alike on all ranks, since plans are
  const char* const asked = std::getenv("WEFT_TEST_SEED");
  const std::string first = asked ? asked : "1";
  seed_ = "WEFT_TEST_SEED=" + first + ", run " + std::to_string(++count);
  state_ = std::strtoull(first.c_str(), nullptr, 10) * 0x9e3779b97f4a7c15u + count;
  random();
}

unsigned Lateness::random() {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<unsigned>(state_ >> 33);
}

unsigned Lateness::next() {
  const bool here = static_cast<int>(random() % static_cast<unsigned>(ranks_of_world())) == rank_of_world();
  const unsigned kind = random() % 4, before = random(), later = random() % 100;
  if (here && kind < 2) usleep(kind == 0 ? before % 1000 : before % 100);
  return here && kind > 1 ? later : 0;
}

namespace {

/// Arrays as real numbers.
template <class Real>
struct Known {
  std::function<void(const void*, void*)> run;
  std::vector<Real> in, out;
  std::vector<std::size_t> given, made;  ///< which of them are the data, and the result: the others are padding
  Real *own_in, *own_out;                ///< the plan's own arrays
};

template <class Real, class T>
std::vector<Real> numbers(const std::vector<T>& values) {
  const auto* const first = reinterpret_cast<const Real*>(values.data());
  return {first, first + values.size() * (sizeof(T) / sizeof(Real))};
}

/// The real numbers of the elements of an array that are data: all, or those that its view has.
template <class Real, class T>
std::vector<std::size_t> places(const Array<T>& array, bool all, Index count) {
  std::vector<std::size_t> elements;
  if (all)
    elements.resize(static_cast<std::size_t>(count)), std::iota(elements.begin(), elements.end(), std::size_t{0});
  else
    array.for_each(
        [&](const Shape&, T& value) { elements.push_back(static_cast<std::size_t>(&value - array.data())); });
  constexpr std::size_t each = sizeof(T) / sizeof(Real);
  std::vector<std::size_t> reals;
  for (const std::size_t e : elements)
    for (std::size_t i = 0; i < each; ++i) reals.push_back(e * each + i);
  return reals;
}

template <class Real>
std::size_t wrong(const Real* seen, const std::vector<Real>& known, const std::vector<std::size_t>& where,
                  double times) {
  std::size_t count = 0;
  for (const std::size_t i : where) count += !(seen[i] == static_cast<Real>(times) * known[i]);
  return count;
}

template <class T>
std::vector<T> elements(const auto& numbers) {
  const auto* const first = reinterpret_cast<const T*>(numbers.data());
  return {first, first + numbers.size() * sizeof(numbers[0]) / sizeof(T)};
}

}  // namespace

template <class In, class Out>
Quiet<In, Out> back_to_back(Plan<In, Out>& plan, const std::vector<In>& before, const std::vector<Out>& after,
                            const std::string& order) {
  using Real = real_of<In>;
  const bool waves = plan.problem().waves != nullptr, in_place = plan.requested().in_place();
  const bool preserves = !in_place && !plan.requested().overwrites_input();
  const Array<In> u = plan.input();
  const Array<Out> u_hat = plan.output();
  EXPECT_EQ(static_cast<Index>(before.size()), u.size());
  EXPECT_EQ(static_cast<Index>(after.size()), u_hat.size());
  const auto real_space = places<Real>(u, false, 0);
  const auto spectrum = places<Real>(u_hat, waves, plan.requested().batch * static_cast<Index>(plan.vectors().size()));

  // small whole numbers, so that multiples stay what they are; now and then in no hurry
  std::atomic<unsigned> rest{0};
  const std::function<void(const Line&)> map = [&](const Line& line) {
    if (const unsigned microseconds = rest.exchange(0)) usleep(microseconds);
    const auto multiply = [&]<class T>(T* values) {
      Index others = 0;
      for (int a = 0; a < line.first.size(); ++a) others += a == line.axis ? 0 : (a + 2) * line.first[a];
      for (Index k = 0; k < line.count; ++k)
        values[k] *= static_cast<real_of<T>>(1 + (others + line.first[line.axis] + k) % 3);
    };
    waves ? multiply(static_cast<In*>(line.values)) : multiply(static_cast<Out*>(line.values));
  };
  const std::vector<Real> there = numbers<Real>(before), back = numbers<Real>(after);
  Real *const own_u = reinterpret_cast<Real*>(u.data()), *const own_u_hat = reinterpret_cast<Real*>(u_hat.data());
  Known<Real> all[3] = {
      {[&](const void* in, void* out) { plan.AnyPlan::forward(in, out); }, there, back, real_space, spectrum, own_u,
       own_u_hat},
      {[&](const void* in, void* out) { plan.AnyPlan::backward(in, out); }, back, there, spectrum, real_space,
       own_u_hat, own_u},
      waves ? Known<Real>{[&](const void* in, void* out) { plan.backward_map_forward(in, out, map); }, back, back,
                          spectrum, spectrum, own_u_hat, nullptr}
            : Known<Real>{[&](const void* in, void* out) { plan.AnyPlan::forward_map_backward(in, out, map); }, there,
                          there, real_space, real_space, own_u, nullptr}};
  const auto poisoned = [](std::size_t count) { return std::vector<Real>(count, static_cast<Real>(1e15)); };
  MPI_Barrier(world);
  for (Known<Real>& known : all) {
    std::vector<Real> in = known.in;
    if (in_place)
      known.out = known.in;
    else
      known.out = poisoned(known.out.size());
    known.run(in_place ? known.out.data() : in.data(), known.out.data());
    MPI_Barrier(world);
  }

  struct Execution {
    const Known<Real>* known;
    std::vector<Real> in, out;
    bool own;
  };
  std::vector<Execution> executions;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Known<Real>& known = all[order[k] == 'f' ? 0 : order[k] == 'b' ? 1 : 2];
    executions.push_back({&known, known.in, poisoned(known.out.size()), k % 3 == 1 && known.own_out});
    for (const std::size_t i : known.given) executions.back().in[i] *= static_cast<Real>(factor(k));
    if (in_place) executions.back().out = executions.back().in;
  }
  Lateness late;
  for (Execution& e : executions) {
    rest = late.next();
    if (e.own) {
      std::copy(e.in.begin(), e.in.end(), e.known->own_in);
      e.known->run(e.known->own_in, e.known->own_out);
      std::copy_n(e.known->own_out, e.out.size(), e.out.begin());
    } else {
      e.known->run(in_place ? e.out.data() : e.in.data(), e.out.data());
    }
  }
  // of all ranks together, so that all fail or none
  std::vector<unsigned long> bad(2 * executions.size(), 0);
  for (std::size_t k = 0; k < executions.size(); ++k) {
    const Execution& e = executions[k];
    bad[2 * k] = wrong(e.out.data(), e.known->out, e.known->made, factor(k));
    if (preserves && !e.own) bad[2 * k + 1] = wrong(e.in.data(), e.known->in, e.known->given, factor(k));
  }
  MPI_Allreduce(MPI_IN_PLACE, bad.data(), static_cast<int>(bad.size()), MPI_UNSIGNED_LONG, MPI_SUM, world);
  for (std::size_t k = 0; k < executions.size(); ++k) {
    EXPECT_EQ(bad[2 * k], 0u) << "numbers are not those of execution " << k << " of " << order << "; " << late.seed()
                              << "\n"
                              << plan.describe();
    EXPECT_EQ(bad[2 * k + 1], 0u) << "numbers of the input of execution " << k << " of " << order << " are changed";
  }
  Quiet<In, Out> quiet{elements<Out>(all[0].out), elements<In>(all[1].out), {}, {}};
  waves ? void(quiet.mapped_waves = elements<Out>(all[2].out)) : void(quiet.mapped = elements<In>(all[2].out));
  return quiet;
}

template <class In, class Out>
Quiet<In, Out> back_to_back(Plan<In, Out>& plan, const std::string& order) {
  using Real = real_of<In>;
  const auto random = [&]<class T>(std::vector<T>& values) {
    auto* const reals = reinterpret_cast<Real*>(values.data());
    const auto offset = static_cast<Index>(1 + rank_of_world()) * 100003;
    for (std::size_t i = 0; i < values.size() * (sizeof(T) / sizeof(Real)); ++i)
      reals[i] = static_cast<Real>(value(static_cast<Index>(i) + offset));
  };
  std::vector<In> before(static_cast<std::size_t>(plan.input_elements()));
  std::vector<Out> after(static_cast<std::size_t>(plan.output_elements()));
  random(before), random(after);
  if (!plan.problem().waves) {
    const Array<In> u = plan.input();
    const Array<Out> u_hat = plan.output();
    std::copy(before.begin(), before.end(), u.data());
    plan.forward(u, u_hat);
    std::copy_n(u_hat.data(), after.size(), after.begin());
  }
  return back_to_back(plan, before, after, order);
}

#define WEFT_BACK_TO_BACK(In, Out)                                                                      \
  template Quiet<In, Out> back_to_back(Plan<In, Out>&, const std::vector<In>&, const std::vector<Out>&, \
                                       const std::string&);                                             \
  template Quiet<In, Out> back_to_back(Plan<In, Out>&, const std::string&)
WEFT_BACK_TO_BACK(std::complex<double>, std::complex<double>);
WEFT_BACK_TO_BACK(std::complex<float>, std::complex<float>);
WEFT_BACK_TO_BACK(double, std::complex<double>);
WEFT_BACK_TO_BACK(float, std::complex<float>);
WEFT_BACK_TO_BACK(double, double);

}  // namespace weft

// Any array of a plan as one kind of value: double-precision complex numbers, dense and in C order
// of the rank's box.
#pragma once

#include <complex>
#include <type_traits>
#include <vector>

#include <weft/plan.hpp>

using Values = std::vector<std::complex<double>>;

template <class T>
void load(const weft::Array<T>& array, const Values& values) {
  auto next = values.begin();
  array.for_each([&](const weft::Shape&, T& value) {
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>((next++)->real());
    else
      value = static_cast<T>(*next++);
  });
}

template <class T>
Values unload(const weft::Array<T>& array) {
  Values values;
  array.for_each([&](const weft::Shape&, T& value) { values.emplace_back(value); });
  return values;
}

template <class In>
weft::Array<In> input_of(weft::AnyPlan& plan) {
  return {plan.input_memory(), plan.input_view(), plan.input_elements()};
}
template <class Out>
weft::Array<Out> output_of(weft::AnyPlan& plan) {
  return {plan.output_memory(), plan.output_view(), plan.output_elements()};
}

/// Calls work(In(), Out()) with the problem's element types.
template <class Work>
auto with_types(const weft::AnyProblem& problem, Work work) {
  const auto of = [&](auto real) {
    using Real = decltype(real);
    using Complex = std::complex<Real>;
    if (complex_input(problem)) return work(Complex(), Complex());
    if (complex_output(problem)) return work(Real(), Complex());
    return work(Real(), Real());
  };
  return problem.precision == weft::Precision::double_ ? of(double()) : of(float());
}

// Executions in a row with other data each, without a barrier between: what one leaves must not be
// touched by the next.
#include <gtest/gtest.h>

#include <array>

#include "support/plans.hpp"

namespace weft {
namespace {

// One result a round, each of other data: in a row, and one by one with a barrier between, must
// have the same bits.
template <class Execute, class In>
int differing(const std::vector<std::vector<In>>& inputs, std::size_t results, Execute execute) {
  using Out = std::remove_cvref_t<decltype(*execute.result)>;
  std::vector<std::vector<Out>> alone(inputs.size(), std::vector<Out>(results)), in_a_row = alone;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    execute(inputs[k].data(), alone[k].data());
    MPI_Barrier(world);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) execute(inputs[k].data(), in_a_row[k].data());
  int count = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) count += alone[k] != in_a_row[k];
  MPI_Barrier(world);
  return count;
}

template <class In, class Out, class F>
struct Execution {
  F f;
  Out* result = nullptr;
  void operator()(const In* in, Out* out) { f(in, out); }
};

template <class T>
std::vector<std::vector<T>> changing(Index elements) {
  constexpr int rounds = 12;
  std::vector<std::vector<T>> inputs(rounds, std::vector<T>(static_cast<std::size_t>(elements)));
  for (std::size_t k = 0; k < inputs.size(); ++k)
    for (std::size_t i = 0; i < inputs[k].size(); ++i)
      inputs[k][i] = static_cast<T>(value(static_cast<Index>(i * (k + 1) + 7 * k)));
  return inputs;
}

// A ring of fields, where the number of tiles is or is not a multiple of the ring's.
TEST(Rounds, FieldsInARingWaitForTheirReaders) {
  for (Index batch = 1; batch <= 9; ++batch)
    for (Index window = 1; window <= 3; ++window) {
      Plan fft(world, r2c<double>({16, 12, 20}),
               {.strategy = "direct", .effort = "estimate", .schedule = {"kept", 1, window}, .batch = batch});
      const auto u = changing<double>(fft.input_elements());
      const auto u_hat = changing<Complex>(fft.output_elements());
      const auto forward = [&](const double* in, Complex* out) { fft.forward(in, out); };
      const auto backward = [&](const Complex* in, double* out) { fft.backward(in, out); };
      EXPECT_EQ(differing(u, u_hat[0].size(), Execution<double, Complex, decltype(forward)>{forward}), 0)
          << "batch " << batch << " window " << window;
      EXPECT_EQ(differing(u_hat, u[0].size(), Execution<Complex, double, decltype(backward)>{backward}), 0)
          << "backward, batch " << batch << " window " << window;
    }
}

}  // namespace
}  // namespace weft

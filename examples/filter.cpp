// A low-pass filter in one call: forward, a function on every mode, backward, without storing the
// modes.
#include <cmath>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Index n = 40;
    weft::Plan fft(MPI_COMM_WORLD, weft::r2c<double>({n, n, n}));
    auto field = fft.input();

    const auto wave = [=](weft::Index k, weft::Index x) {
      return std::cos(2 * std::numbers::pi * double(k * x) / double(n));
    };
    field.fill([&](const weft::Shape& x) { return wave(2, x[0]) + wave(3, x[2]) + wave(17, x[1]); });
    fft.forward_map_backward(field, field, [&](const weft::Mode& k, auto& value) {
      bool slow = true;
      for (int a = 0; a < 3; ++a) slow = slow && std::abs(k[a]) <= 8;
      value *= slow ? fft.scale() : 0;
    });

    field.for_each(
        [&](const weft::Shape& x, double value) { error += std::norm(value - wave(2, x[0]) - wave(3, x[2])); });
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::cout << "2-norm of the error of the slow waves: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

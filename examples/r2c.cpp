// A real transform: the Poisson equation -laplace(phi) = rho on a periodic cube, solved mode by
// mode.
#include <cmath>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Index n = 48;
    weft::Plan fft(MPI_COMM_WORLD, weft::r2c<double>({n, n, n}));
    auto field = fft.input();
    auto modes = fft.output();  // n x n x (n/2+1): the other half is the complex conjugate

    const auto phi = [=](const weft::Shape& x) {
      return std::sin(2 * std::numbers::pi * double(x[0] + 2 * x[1] - x[2]) / double(n));
    };
    field.fill([&](const weft::Shape& x) { return 6 * phi(x); });  // k^2 = 1 + 4 + 1
    fft.forward(field, modes);
    fft.modes().for_each(
        modes, [&](const weft::Mode& k, auto& value) { value *= k.square() == 0 ? 0 : fft.scale() / k.square(); });
    fft.backward(modes, field);

    field.for_each([&](const weft::Shape& x, double value) { error += std::norm(value - phi(x)); });
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::cout << "2-norm of the error of phi: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

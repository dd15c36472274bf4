// Poisson's equation in a channel: periodic along x and z, walls along y where the solution
// vanishes. Fourier modes along x and z and sines along y solve it mode by mode; the result is
// compared with an exact solution.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Index nx = 24, ny = 20, nz = 16;
    using weft::Kind;
    const auto problem = weft::mixed<double, std::complex<double>>({nx, ny, nz}, {Kind::c2c, Kind::dst2, Kind::r2c});
    weft::Plan fft(MPI_COMM_WORLD, problem);
    auto u = fft.input();

    const double pi = std::numbers::pi, height = 2;  // x and z from 0 to 2 pi, y from wall to wall
    const auto x = [=](const weft::Shape& i) { return 2 * pi * double(i[0]) / double(nx); };
    // In the middle of cells
    const auto y = [=](const weft::Shape& i) { return height * (double(i[1]) + 0.5) / double(ny); };
    const auto z = [=](const weft::Shape& i) { return 2 * pi * double(i[2]) / double(nz); };
    const auto first = [=](const weft::Shape& i) { return std::sin(pi * y(i) / height) * std::cos(2 * x(i)); };
    const auto second = [=](const weft::Shape& i) {
      return std::sin(3 * pi * y(i) / height) * std::sin(x(i) - 3 * z(i));
    };

    // the Laplacian of first + second
    u.fill([&](const weft::Shape& i) {
      return -(4 + std::pow(pi / height, 2)) * first(i) - (10 + std::pow(3 * pi / height, 2)) * second(i);
    });
    fft.forward_map_backward(u, u, [&](const weft::Mode& k, std::complex<double>& value) {
      // K[1] half waves from wall to wall, at least one: nothing is divided by zero
      const double ky = pi / height * k[1];
      value *= -fft.scale() / (k[0] * k[0] + ky * ky + k[2] * k[2]);
    });
    u.for_each([&](const weft::Shape& i, double value) { error += std::norm(value - first(i) - second(i)); });
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::cout << "2-norm of the error of the solution: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

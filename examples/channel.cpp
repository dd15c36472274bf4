// Poisson's equation in a channel: periodic along x and z, walls along y where the solution vanishes. Fourier modes along x
// and z and sines along y solve it mode by mode; the result is compared with an exact solution.
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
    weft::Plan fft(MPI_COMM_WORLD, weft::mixed<double, std::complex<double>>({nx, ny, nz}, {Kind::c2c, Kind::dst2, Kind::r2c}));
    auto u = fft.input();

    const double pi = std::numbers::pi, height = 2;  // x and z from 0 to 2 pi, y from wall to wall
    const auto at = [=](const weft::Shape& i) {      // points along y lie in the middle of cells, which dst2 is for
      const double x = 2 * pi * double(i[0]) / double(nx), y = height * (double(i[1]) + 0.5) / double(ny), z = 2 * pi * double(i[2]) / double(nz);
      return std::sin(pi * y / height) * std::cos(2 * x) + std::sin(3 * pi * y / height) * std::sin(x - 3 * z);
    };
    // its Laplacian
    const auto source = [=](const weft::Shape& i) {
      const double x = 2 * pi * double(i[0]) / double(nx), y = height * (double(i[1]) + 0.5) / double(ny), z = 2 * pi * double(i[2]) / double(nz);
      return -(4 + std::pow(pi / height, 2)) * std::sin(pi * y / height) * std::cos(2 * x) -
             (10 + std::pow(3 * pi / height, 2)) * std::sin(3 * pi * y / height) * std::sin(x - 3 * z);
    };

    u.fill(source);
    fft.forward_map_backward(u, u, [&](const weft::Shape& k, std::complex<double>& mode) {
      const double kx = double(k[0] <= nx / 2 ? k[0] : k[0] - nx), ky = pi * double(k[1] + 1) / height, kz = double(k[2]);
      mode *= -fft.scale() / (kx * kx + ky * ky + kz * kz);  // the lowest sine has one arch: no mode is divided by zero
    });
    u.for_each([&](const weft::Shape& i, double value) { error += std::norm(value - at(i)); });
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::cout << "2-norm of the error of the solution: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

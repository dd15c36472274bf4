// A halo exchange without any FFT: every rank's brick gets its neighbours' outermost points,
// periodically, and a finite difference of a wave is compared with what it must be.
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, grid[3] = {0, 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, grid);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Index n = 24;
    const weft::Layout bricks = weft::Layout::grid({n, n, n}, {grid[0], grid[1], grid[2]}),
                       halo = bricks.grown({1, 1, 1});
    weft::Redistribution exchange(MPI_COMM_WORLD, bricks, halo, sizeof(double),
                                  {.strategy = "auto", .periodic = {1, 1, 1}});
    if (rank == 0) std::cout << exchange.describe();

    // The layout says which points are here, and where: views hold a global box, an offset and
    // strides.
    const weft::View inner = bricks.view(rank), outer = halo.view(rank);
    const auto each_point = [&](auto visit) {
      for (weft::Index x = inner.box.lo[0]; x < inner.box.hi[0]; ++x)
        for (weft::Index y = inner.box.lo[1]; y < inner.box.hi[1]; ++y)
          for (weft::Index z = inner.box.lo[2]; z < inner.box.hi[2]; ++z) visit(weft::Shape{x, y, z});
    };
    std::vector<double> u(static_cast<std::size_t>(bricks.elements(rank))),
        grown(static_cast<std::size_t>(halo.elements(rank)));
    const double k = 2 * std::numbers::pi / double(n);
    each_point(
        [&](const weft::Shape& p) { u[std::size_t(inner.at(p))] = std::cos(k * double(p[0] + 2 * p[1] + 3 * p[2])); });
    exchange(u.data(), grown.data());

    const double eigenvalue = 2 * (std::cos(k) + std::cos(2 * k) + std::cos(3 * k) - 3);
    each_point([&](const weft::Shape& p) {
      const weft::Index here = outer.at(p);
      double laplacian = -6 * grown[std::size_t(here)];
      for (int axis = 0; axis < 3; ++axis)
        for (const weft::Index step : {-outer.strides[axis], outer.strides[axis]})
          laplacian += grown[std::size_t(here + step)];
      error += std::norm(laplacian - eigenvalue * grown[std::size_t(here)]);
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::cout << "2-norm of the error of the Laplacian: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

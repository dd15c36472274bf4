// The inner loop of a plane-wave code: a local potential applied to a batch of bands, each a list
// of coefficients c(G), without storing real space.
#include <cmath>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Index n = 24, bands = 4;
    weft::Plan waves(MPI_COMM_WORLD, weft::sphere<double>({n, n, n}, weft::Cutoff{.squared = 36}), {.batch = bands});
    const std::vector<weft::GVector>& g = waves.vectors();  // this rank's
    auto c = waves.output();                                // c(band, vector), vector by vector

    // the potential 2 cos(x) couples G and G +- (1, 0, 0)
    std::vector<double> potential;
    const weft::Box planes = waves.map_view().box;
    for (weft::Index x = planes.lo[0]; x < planes.hi[0]; ++x)
      potential.insert(potential.end(), std::size_t(n * n), 2 * std::cos(2 * std::numbers::pi * double(x) / double(n)));

    const auto coefficient = [](weft::Index band, weft::Index g0, weft::Index g1, weft::Index g2) {
      return g0 * g0 + g1 * g1 + g2 * g2 <= 36 ? std::polar(1.0 / double(1 + band), double(g0 - 2 * g1 + 3 * g2)) : 0;
    };
    weft::Index i = 0;
    for (weft::Index band = 0; band < bands; ++band)
      for (const auto& [g0, g1, g2] : g) c.data()[i++] = coefficient(band, g0, g1, g2);
    waves.apply(potential, c, c);
    i = 0;
    for (weft::Index band = 0; band < bands; ++band)
      for (const auto& [g0, g1, g2] : g)
        error += std::norm(c.data()[i++] - coefficient(band, g0 - 1, g1, g2) - coefficient(band, g0 + 1, g1, g2));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::cout << "2-norm of the error of the potential applied: " << std::sqrt(error) << "\n";
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

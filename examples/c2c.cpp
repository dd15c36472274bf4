// A complex transform on any number of ranks: a plane wave has one coefficient.
#include <cmath>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 0;  // sum of squares: a NaN shows
  {
    const weft::Shape n{64, 48, 40}, k{3, 46, 5};  // 46 is -2
    weft::Plan fft(MPI_COMM_WORLD, weft::c2c<double>(n));
    auto u = fft.input(), u_hat = fft.output();  // this rank's parts; they know their global indices

    u.fill([&](const weft::Shape& x) {
      double phase = 0;
      for (int a = 0; a < 3; ++a) phase += double(k[a] * x[a]) / double(n[a]);
      return std::polar(1.0, 2 * std::numbers::pi * phase);
    });
    fft.forward(u, u_hat);

    u_hat.for_each(
        [&](const weft::Shape& q, auto& value) { error += std::norm(value * fft.scale() - (q == k ? 1.0 : 0.0)); });
    if (u_hat.box().contains(k))
      std::cout << fft << "coefficient of mode " << weft::point_string(k) << ": " << u_hat[k] * fft.scale() << "\n";
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return std::sqrt(error) < 1e-11 ? 0 : 1;
}

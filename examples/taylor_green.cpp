// Navier-Stokes by Fourier modes, without aliasing: the Taylor-Green vortex in a periodic box of 2
// pi.
//
// The plan keeps the modes up to K < n/3 of a grid of n points (the 2/3 rule): products of two
// fields are then exact in all modes that are kept, and the discrete flow loses energy by viscosity
// alone, dE/dt = -2 nu Z. The program checks that, and the enstrophy Z of early times by the series
// of Taylor and Green.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>

#include <weft/weft.hpp>

using Complex = std::complex<double>;
using Spectrum = weft::Array<Complex>;  // three components of a vector, one behind the other, of a mode each

class Flow {
 public:
  Flow(MPI_Comm comm, weft::Index n, double viscosity)
      : comm_(comm), viscosity_(viscosity), fft_(comm, weft::real_kept_box<double>({n, n, n}, kept(n)), {.batch = 3}) {
    // u = (sin x cos y cos z, -cos x sin y cos z, 0)
    u_.fill([n](const weft::Shape& p) {
      const auto angle = [&](int axis) { return 2 * std::numbers::pi * double(p[axis]) / double(n); };
      const double x = angle(1), y = angle(2), z = angle(3);
      if (p[0] == 0) return std::sin(x) * std::cos(y) * std::cos(z);
      return p[0] == 1 ? -std::cos(x) * std::sin(y) * std::cos(z) : 0;
    });
    fft_.forward(u_, u_hat_);
    for (Complex& value : u_hat_.span()) value *= fft_.scale();
  }

  /// One step of the classical Runge-Kutta method.
  void advance(double dt) {
    const double weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, ahead[] = {0, 0.5, 0.5, 1};
    const auto u = u_hat_.span(), stage = stage_.span(), rate = rate_.span(), next = next_.span();
    std::copy(u.begin(), u.end(), next.begin());
    std::fill(rate.begin(), rate.end(), Complex());
    for (int s = 0; s < 4; ++s) {
      for (std::size_t i = 0; i < u.size(); ++i) stage[i] = u[i] + ahead[s] * dt * rate[i];
      find_rate();
      for (std::size_t i = 0; i < u.size(); ++i) next[i] += weight[s] * dt * rate[i];
    }
    std::copy(next.begin(), next.end(), u.begin());
  }

  /// Means over the box: |u|^2 / 2, and |curl u|^2 / 2, in which every mode counts k^2 times.
  double energy() const {
    return half_sum([](const weft::Mode&) { return 1.0; });
  }
  double enstrophy() const {
    return half_sum([](const weft::Mode& k) { return k.square(); });
  }

 private:
  /// Odd: an even extent would keep the mode -kept/2 without its mirror image.
  static weft::Shape kept(weft::Index n) { return weft::Shape::filled(3, 2 * ((n - 1) / 3) + 1); }

  static Complex component(const Spectrum& of, const weft::Mode& k, int c) {
    weft::Shape point = k.at;
    point[0] = c;
    return of[point];
  }

  /// rate_i = -d/dx_j (u_i u_j) - dp/dx_i + nu laplace u_i of the stage. The pressure p removes
  /// what is not free of divergence: the part along k.
  void find_rate() {
    fft_.backward(stage_, u_);
    const auto u = u_.span(), uv = products_.span();
    const std::size_t points = u.size() / 3;
    for (std::size_t i = 0; i < points; ++i) {
      const double u0 = u[i], u1 = u[i + points], u2 = u[i + 2 * points];
      uv[i] = u1 * u2, uv[i + points] = u2 * u0, uv[i + 2 * points] = u0 * u1;  // product c lacks component c
      u[i] = u0 * u0, u[i + points] = u1 * u1, u[i + 2 * points] = u2 * u2;
    }
    fft_.forward(u_, squares_hat_);
    fft_.forward(products_, products_hat_);
    fft_.modes().for_each(rate_, [&](const weft::Mode& k, Complex& value) {
      const int c = int(k.at[0]);
      const double square = k.square();
      Complex flux[3], along = 0;  // -d/dx_j (u_i u_j), and its part along k
      for (int i = 0; i < 3; ++i) {
        Complex sum = k[i] * component(squares_hat_, k, i);
        for (int j = 0; j < 3; ++j)
          if (j != i) sum += k[j] * component(products_hat_, k, 3 - i - j);
        flux[i] = Complex(0, -1) * sum;
        along += k[i] * flux[i];
      }
      value = fft_.scale() * (flux[c] - (square > 0 ? k[c] * along / square : 0));
      value -= viscosity_ * square * component(stage_, k, c);
    });
  }

  template <class F>
  double half_sum(F&& factor) const {
    double sum = 0;
    fft_.modes().for_each(
        u_hat_, [&](const weft::Mode& k, const Complex& value) { sum += k.weight * factor(k) * std::norm(value) / 2; });
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return sum;
  }

  MPI_Comm comm_;
  double viscosity_;
  weft::Plan<double, Complex> fft_;
  weft::Array<double> u_ = fft_.make_input(), products_ = fft_.make_input();
  Spectrum u_hat_ = fft_.make_output(), squares_hat_ = fft_.make_output(), products_hat_ = fft_.make_output();
  Spectrum stage_ = fft_.make_output(), rate_ = fft_.make_output(), next_ = fft_.make_output();
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool good = true;
  const auto expect = [&](const char* what, double found, double wanted, double tolerance) {
    const bool fine = std::abs(found - wanted) <= tolerance;  // a NaN is not
    good = good && fine;
    if (rank == 0) std::cout << what << ": " << found << ", exact " << wanted << (fine ? "\n" : "  WRONG\n");
  };
  {
    const double viscosity = 0.005, dt = 0.05;
    Flow flow(MPI_COMM_WORLD, 24, viscosity);
    const double energy = flow.energy(), enstrophy = flow.enstrophy();
    expect("energy at first", energy, 1. / 8, 1e-15);
    expect("enstrophy at first", enstrophy, 3. / 8, 1e-14);
    double lost = 0, before = enstrophy;
    for (int step = 0; step < 100; step += 2) {
      flow.advance(dt);
      const double middle = flow.enstrophy();
      flow.advance(dt);
      const double after = flow.enstrophy();
      lost += 2 * viscosity * (before + 4 * middle + after) * dt / 3;  // Simpson's rule
      before = after;
      if (step == 2) {  // Taylor and Green, Proc. R. Soc. A 158 (1937) 499: Z / Z(0) in powers of t, nu = 1 / R
        const double t = 0.2, v = viscosity;
        const double series = 1 - 6 * v * t + (5. / 48 + 18 * v * v) * t * t - (5. / 3 + 36 * v * v) * v * t * t * t;
        expect("enstrophy at t = 0.2, of that at first", after / enstrophy, series, 3e-5);
      }
    }
    expect("energy lost up to t = 5", energy - flow.energy(), lost, 1e-8);
    if (rank == 0) std::cout << "enstrophy grew " << before / enstrophy << " times\n";
  }
  MPI_Finalize();
  return good ? 0 : 1;
}

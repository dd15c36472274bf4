// weft-potential: a local potential applied to a batch of bands in one call, beside the sum of its
// parts: backward, multiply, forward.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include <weft/plan.hpp>

#include "../tools/weft/median.hpp"

namespace {

struct Asked {
  weft::Index n = 128, batch = 60;
  double radius = 0;
  int repeats = 5;
  std::string strategy = "auto";
};

using Complex = std::complex<double>;

int measure(const Asked& asked, int rank, int ranks) {
  const weft::Index n = asked.n;
  const auto sticks = asked.radius > 0 ? weft::sphere_sticks({.squared = asked.radius * asked.radius})
                                       : weft::box_sticks({n / 2, n / 2, n / 2});
  weft::Plan waves(
      MPI_COMM_WORLD,
      weft::sphere<double>({n, n, n}, weft::vectors(weft::share_sticks(sticks, ranks)[static_cast<std::size_t>(rank)])),
      {.strategy = asked.strategy, .batch = asked.batch});
  auto c = waves.output(), psi = waves.input();
  std::vector<Complex> together(c.span().size());
  std::vector<double> potential(static_cast<std::size_t>(waves.map_view().box.volume()));
  for (std::size_t i = 0; i < potential.size(); ++i)
    potential[i] = 1 + 0.25 * static_cast<double>(i * 2654435761u % 1000) / 1000;
  const auto fill = [&] {
    for (std::size_t i = 0; i < c.span().size(); ++i)
      c.data()[i] = {static_cast<double>(i * 2654435761u % 1009) / 1009, static_cast<double>(i % 7)};
  };

  const auto timed = [&](auto&& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime();
    work();
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
  };
  const double scale = waves.scale();
  std::vector<double> one_call, backward, multiply, forward;
  double difference[2] = {0, 0};
  for (int repeat = -1; repeat < asked.repeats; ++repeat) {  // the first does not count
    fill();
    const double a = timed([&] { waves.apply(potential, c, together); });
    const double b = timed([&] { waves.backward(c, psi); });
    const double m = timed([&] {
      auto* value = reinterpret_cast<double*>(psi.data());
      for (weft::Index band = 0; band < asked.batch; ++band)
        for (const double v : potential) *value++ *= v * scale, *value++ *= v * scale;
    });
    const double f = timed([&] { waves.forward(psi, c); });
    for (std::size_t i = 0; i < together.size(); ++i)
      difference[0] += std::norm(together[i] - c.data()[i]), difference[1] += std::norm(together[i]);
    if (repeat < 0) continue;
    one_call.push_back(a), backward.push_back(b), multiply.push_back(m), forward.push_back(f);
  }
  MPI_Allreduce(MPI_IN_PLACE, difference, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double error = std::sqrt(difference[0] / difference[1]),
               parts = median(backward) + median(multiply) + median(forward);
  if (rank == 0)
    fmt::print(
        "{} bands on {}^3, {}, {} ranks, strategy {}\nbackward {:.4g} ms, multiply {:.4g} ms, forward {:.4g} ms: "
        "{:.4g} ms\nin one call {:.4g} ms: {:.3f} of that; difference {:.1e}\n",
        asked.batch, n, asked.radius > 0 ? fmt::format("sphere of radius {:g}", asked.radius) : "boxcut 2", ranks,
        waves.effective().strategy, 1e3 * median(backward), 1e3 * median(multiply), 1e3 * median(forward), 1e3 * parts,
        1e3 * median(one_call), median(one_call) / parts, error);
  return error < 1e-13 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Asked asked;
  CLI::App app{"A local potential applied in one call, beside backward, multiply and forward.", "weft-potential"};
  app.add_option("--n", asked.n, "points of the grid along each axis")
      ->check(CLI::Range(2, 1 << 12))
      ->capture_default_str();
  app.add_option("--sphere", asked.radius, "radius of the sphere (else a box of half the grid)")
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", asked.batch, "bands")->check(CLI::Range(1, 1 << 20))->capture_default_str();
  app.add_option("--strategy", asked.strategy, "a name of 'weft list'")->capture_default_str();
  app.add_option("--repeat", asked.repeats, "repetitions to time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    code = measure(asked, rank, ranks);
  } catch (const CLI::ParseError& e) {
    code = e.get_exit_code() == 0 ? 0 : 2;
    if (rank == 0) app.exit(e);
  } catch (const weft::Error& e) {  // alike on all ranks
    code = 1;
    if (rank == 0) std::cerr << "weft-potential: " << e.what() << std::endl;
  }
  MPI_Finalize();
  return code;
}

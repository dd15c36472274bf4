// The heat equation by finite differences: ghost points are filled while points that need none are
// stepped.
#include <weft/weft.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const weft::Index n = 24, steps = 20;
    const double share = 0.1, wave = 2 * std::numbers::pi / n;  // of the difference to each neighbour, in one step
    const auto parts = weft::Layout::slab({n, n, n}, 0, ranks);
    weft::Halo halo(MPI_COMM_WORLD, parts, sizeof(double),
                    {.width = {1, 1, 1}, .corners = false, .periodic = {1, 1, 1}});
    const weft::View at = halo.inside();
    std::vector<double> u(static_cast<std::size_t>(halo.elements())), next = u;

    const auto each = [&](const weft::Box& box, auto&& f) {
      for (weft::Index x = box.lo[0]; x < box.hi[0]; ++x)
        for (weft::Index y = box.lo[1]; y < box.hi[1]; ++y)
          for (weft::Index z = box.lo[2]; z < box.hi[2]; ++z) f(weft::Shape{x, y, z});
    };
    const auto step = [&](const weft::Box& box) {
      each(box, [&](const weft::Shape& point) {
        const double* const here = u.data() + at.at(point);
        double sum = -6 * *here;
        for (const weft::Index stride : at.strides) sum += here[stride] + here[-stride];
        next[static_cast<std::size_t>(at.at(point))] = *here + share * sum;
      });
    };
    each(at.box, [&](const weft::Shape& x) {
      u[static_cast<std::size_t>(at.at(x))] = std::cos(wave * static_cast<double>(x[0] + x[1] + x[2]));
    });

    weft::Box middle = at.box;  // needs no ghost point
    for (int a = 0; a < 3; ++a) middle = middle.cut(a, at.box.lo[a] + 1, at.box.hi[a] - 1);
    for (weft::Index s = 0; s < steps; ++s) {
      halo.start(u.data());
      step(middle);
      halo.finish();
      weft::Box rest = at.box;  // what is around the middle, an axis after the other
      for (int a = 0; a < 3; ++a) {
        step(rest.cut(a, rest.lo[a], std::min(middle.lo[a], rest.hi[a])));
        step(rest.cut(a, middle.hi[a], rest.hi[a]));
        rest = rest.cut(a, middle.lo[a], middle.hi[a]);
      }
      u.swap(next);
    }

    const double decay = std::pow(1 - 6 * share * (1 - std::cos(wave)), steps);
    each(at.box, [&](const weft::Shape& x) {
      const double expected = decay * std::cos(wave * static_cast<double>(x[0] + x[1] + x[2]));
      wrong += std::abs(u[static_cast<std::size_t>(at.at(x))] - expected) > 1e-12;
    });
    if (rank == 0) std::printf("%sthe wave has decayed to %.6f\n", halo.describe().c_str(), decay);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

#include "restart.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include <weft/error.hpp>
#include <weft/file.hpp>
#include <weft/quote.hpp>

#include "together.hpp"

namespace bands {

std::optional<std::vector<double>> Restart::read(const Space& space, double electrons) const {
  if (path_.empty()) return {};
  int rank = 0, there = 0;
  MPI_Comm_rank(pools_.all(), &rank);
  std::error_code none;
  if (rank == 0) there = std::filesystem::exists(path_, none);
  MPI_Bcast(&there, 1, MPI_INT, 0, pools_.all());
  if (!there) return {};

  std::vector<double> slab(space.points());
  weft::read(pools_.mine(), path_, space.layout(), std::span(slab));
  double held = std::accumulate(slab.begin(), slab.end(), 0.0) * space.volume_of_point();
  MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_SUM, pools_.mine());
  if (!(std::abs(held - electrons) < 1e-6 * electrons))
    throw weft::Error(
        fmt::format("{} holds the density of {:.6g} electrons, and the crystal has {:.6g}: it is of another "
                    "calculation; name another file",
                    weft::shown_path(path_), held, electrons));
  return slab;
}

void Restart::write(const Space& space, const std::vector<double>& slab) const {
  if (path_.empty()) return;
  agree(pools_.all(), [&] {
    if (pools_.number() == 0) weft::write(pools_.mine(), path_, space.layout(), std::span(slab));
  });
}

}  // namespace bands

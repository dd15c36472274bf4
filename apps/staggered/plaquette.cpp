#include "plaquette.hpp"

#include <weft/halo.hpp>

namespace staggered {

Plaquette plaquette(MPI_Comm comm, const weft::Layout& layout, const std::vector<Links>& links) {
  using weft::Index;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  weft::Halo halo(comm, layout, sizeof(Links),
                  {.width = {0, 0, 0, 0}, .behind = {1, 1, 1, 1}, .corners = false, .periodic = {1, 1, 1, 1}});
  std::vector<Links> around(static_cast<std::size_t>(halo.elements()));
  const weft::View own = layout.view(rank), inside = halo.inside();
  const weft::Box& box = own.box;
  const auto each = [&](auto&& f) {
    for (Index t = box.lo[0]; t < box.hi[0]; ++t)
      for (Index z = box.lo[1]; z < box.hi[1]; ++z)
        for (Index y = box.lo[2]; y < box.hi[2]; ++y)
          for (Index x = box.lo[3]; x < box.hi[3]; ++x) f(weft::Shape{t, z, y, x});
  };
  each([&](const weft::Shape& at) {
    around[static_cast<std::size_t>(inside.at(at))] = links[static_cast<std::size_t>(own.at(at))];
  });
  halo(around.data());

  double sums[2] = {0, 0};
  each([&](const weft::Shape& at) {
    const auto site = [&](int direction) -> const Links& {
      return around[static_cast<std::size_t>(inside.at(at) + (direction < 0 ? 0 : inside.strides[axis(direction)]))];
    };
    const Links& here = site(-1);
    for (int nu = 1; nu < directions; ++nu)
      for (int mu = 0; mu < nu; ++mu) {
        const auto m = static_cast<std::size_t>(mu), n = static_cast<std::size_t>(nu);
        sums[nu == directions - 1] += trace_of_product(here[m] * site(mu)[n], here[n] * site(nu)[m]);
      }
  });
  double all[2] = {0, 0};
  MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, comm);
  const double squares = 3.0 * static_cast<double>(weft::volume(layout.shape()));
  return {all[0] / squares, all[1] / squares};
}

}  // namespace staggered

#include "mesh.hpp"

namespace bands {

std::vector<KPoint> mesh(const std::array<int, 3>& divisions, const std::array<int, 3>& shift) {
  // Points are counted in half steps, so that which are mirror images is decided on whole numbers.
  const long all = static_cast<long>(divisions[0]) * divisions[1] * divisions[2];
  const auto place = [&](const std::array<int, 3>& twice) {
    return (static_cast<long>(twice[0]) / 2 * divisions[1] + twice[1] / 2) * divisions[2] + twice[2] / 2;
  };
  std::vector<KPoint> points;
  for (int i = 0; i < divisions[0]; ++i)
    for (int j = 0; j < divisions[1]; ++j)
      for (int l = 0; l < divisions[2]; ++l) {
        const std::array<int, 3> twice{2 * i + shift[0], 2 * j + shift[1], 2 * l + shift[2]};
        std::array<int, 3> mirror;
        Vector3 k;
        for (std::size_t a = 0; a < 3; ++a) {
          const int period = 2 * divisions[a];
          mirror[a] = ((-twice[a] % period) + period) % period;
          k[a] = static_cast<double>(2 * twice[a] > period ? twice[a] - period : twice[a]) / period;
        }
        if (place(mirror) < place(twice)) continue;
        points.push_back({"", k, (place(mirror) == place(twice) ? 1.0 : 2.0) / static_cast<double>(all)});
      }
  return points;
}

}  // namespace bands

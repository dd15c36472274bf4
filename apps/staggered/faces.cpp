#include "faces.hpp"

#include <algorithm>

#include "../agree.hpp"
#include "exchange.hpp"

namespace staggered {

using weft::Index;
using weft::Shape;

std::array<Face, sides> faces(MPI_Comm comm, const weft::Layout& parts, const Shape& width, int parity) {
  std::array<Face, sides> all;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  apps::agree(comm, [&] {
    const weft::Box& box = parts.box(rank);
    if (box.empty()) return;
    const weft::View own = dense_view(box, {});
    std::vector<int> number(static_cast<std::size_t>(box.volume()));
    int next = 0;
    each_site(box, [&](const Shape& at) {
      if (parity_of(at) == parity) number[static_cast<std::size_t>(own.at(at))] = next++;
    });
    for (int side = 0; side < sides; ++side) {
      Face& face = all[static_cast<std::size_t>(side)];
      const int a = side / 2;
      const bool upper = side % 2 != 0;
      const Index depth = std::max<Index>(width[a], 1);
      weft::Box leaving = upper ? box.cut(a, std::max(box.hi[a] - depth, box.lo[a]), box.hi[a])
                                : box.cut(a, box.lo[a], std::min(box.lo[a] + depth, box.hi[a]));
      each_site(leaving, [&](const Shape& at) {
        if (parity_of(at) == parity) face.leaves.push_back(number[static_cast<std::size_t>(own.at(at))]);
      });
      if (width[a] == 0) continue;
      Shape across = box.lo;
      across[a] = upper ? box.hi[a] : box.lo[a] - 1;
      across = wrapped(parts.shape(), across);
      face.neighbour = 0;
      while (face.neighbour + 1 < parts.ranks() && !parts.box(face.neighbour).contains(across)) ++face.neighbour;
      weft::Box other = parts.box(face.neighbour);
      const Index shortest = std::min(box.extent(a), other.extent(a));
      if (shortest < width[a])
        throw weft::Error("ranks " + std::to_string(rank) + " and " + std::to_string(face.neighbour) +
                          " exchange faces " + std::to_string(width[a]) + " sites deep, and one of them has only " +
                          std::to_string(shortest) + ": exchange by one of weft's strategies, or on fewer ranks");
      for (int b = 0; b < directions; ++b)
        if (b != a && (other.lo[b] != box.lo[b] || other.hi[b] != box.hi[b]))
          throw weft::Error("ranks " + std::to_string(rank) + " and " + std::to_string(face.neighbour) +
                            " have parts whose faces do not match: exchange by one of weft's strategies");
      face.arrives = next;
      each_site(ghosts_at(box, width, a, upper), [&](const Shape& at) { face.count += parity_of(at) == parity; });
      next += face.count;
    }
  });
  return all;
}

FaceTypes::FaceTypes(MPI_Comm comm, const weft::Layout& parts, const Shape& width, MPI_Datatype real)
    : faces_{faces(comm, parts, width, 0), faces(comm, parts, width, 1)} {
  for (std::size_t object = 0; object < std::size(objects); ++object) {
    MPI_Type_contiguous(2 * objects[object].numbers, real, &sites_[object]);
    MPI_Type_commit(&sites_[object]);
    for (std::size_t parity = 0; parity < 2; ++parity)
      for (std::size_t side = 0; side < sides; ++side) {
        const std::vector<int>& leaves = faces_[parity][side].leaves;
        MPI_Datatype& type = types_[object][parity][side];
        MPI_Type_create_indexed_block(static_cast<int>(leaves.size()), 1, leaves.data(), sites_[object], &type);
        MPI_Type_commit(&type);
      }
  }
}

int FaceTypes::site_bytes(int object) const {
  int bytes = 0;
  MPI_Type_size(site(object), &bytes);
  return bytes;
}

FaceTypes::~FaceTypes() {
  for (auto& of_object : types_)
    for (auto& of_parity : of_object)
      for (MPI_Datatype& type : of_parity) MPI_Type_free(&type);
  for (MPI_Datatype& type : sites_) MPI_Type_free(&type);
}

}  // namespace staggered

#include "fields.hpp"

#include "lime.hpp"

namespace staggered {
namespace {

/// f(number of the site, element) for every element of an array laid out as the lattice.
template <class T, class F>
std::vector<T> made(const weft::Layout& layout, int rank, F f) {
  std::vector<T> all(static_cast<std::size_t>(layout.elements(rank)));
  const weft::View own = layout.view(rank);
  each_site(own.box, [&](const weft::Shape& site) {
    f(static_cast<std::uint64_t>(number_of(layout.shape(), site)), all[static_cast<std::size_t>(own.at(site))]);
  });
  return all;
}

}  // namespace

std::vector<Links> unit_links(const weft::Layout& layout, int rank) {
  return made<Links>(layout, rank, [](std::uint64_t, Links& links) { links.fill(unit_matrix); });
}

std::vector<Links> random_links(const weft::Layout& layout, int rank, std::uint64_t seed) {
  return made<Links>(layout, rank, [&](std::uint64_t site, Links& links) {
    Normal normal(seed, site);
    for (Matrix& link : links) link = random_special_unitary(normal);
  });
}

std::vector<Vector> random_field(const weft::Layout& layout, int rank, std::uint64_t seed) {
  return made<Vector>(layout, rank, [&](std::uint64_t site, Vector& vector) {
    Normal normal(seed, site);
    for (Complex& value : vector) value = normal.complex();
  });
}

std::vector<Vector> point_field(const weft::Layout& layout, int rank) {
  return made<Vector>(layout, rank, [](std::uint64_t site, Vector& vector) { vector[0] = site == 0 ? 1 : 0; });
}

std::vector<Links> read_lime_links(MPI_Comm comm, const std::string& path, const weft::Layout& layout) {
  const std::vector<float> read = read_field(comm, path, layout, directions * colours * colours * 2);
  std::vector<Links> all(read.size() / (directions * colours * colours * 2));
  const float* next = read.data();
  for (Links& site : all)
    for (Matrix& link : site)
      for (Vector& row : link)
        for (Complex& value : row) value = {next[0], next[1]}, next += 2;
  return all;
}

std::vector<Vector> read_lime_vectors(MPI_Comm comm, const std::string& path, const weft::Layout& layout) {
  const std::vector<float> read = read_field(comm, path, layout, colours * 2);
  std::vector<Vector> all(read.size() / (colours * 2));
  const float* next = read.data();
  for (Vector& site : all)
    for (Complex& value : site) value = {next[0], next[1]}, next += 2;
  return all;
}

std::vector<Vector> take_parity(const Operator& d, int parity, const std::vector<Vector>& field) {
  std::vector<Vector> part(d.elements(parity));
  for (std::size_t i = 0; i < d.sites(parity); ++i) part[i] = field[static_cast<std::size_t>(d.places(parity)[i])];
  return part;
}

}  // namespace staggered

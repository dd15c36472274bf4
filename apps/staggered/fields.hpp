// Links and fields to begin with: made, or read from LIME files. All are laid out as the lattice,
// and the made ones are the same on any number of ranks.
#pragma once

#include <string>
#include <vector>

#include "gauge_file.hpp"
#include "operator.hpp"

namespace staggered {

std::vector<Links> unit_links(const weft::Layout& layout, int rank);
/// Of SU(3), as `random_special_unitary` makes them.
std::vector<Links> random_links(const weft::Layout& layout, int rank, std::uint64_t seed);

std::vector<Vector> random_field(const weft::Layout& layout, int rank, std::uint64_t seed);
/// 1 in the first colour of the site at the origin.
std::vector<Vector> point_field(const weft::Layout& layout, int rank);

/// Collective. Throws weft::Error as `read_field` does.
std::vector<Links> read_lime_links(MPI_Comm comm, const std::string& path, const weft::Layout& layout);
std::vector<Vector> read_lime_vectors(MPI_Comm comm, const std::string& path, const weft::Layout& layout);

/// The sites of one parity of a field, as the operator has them, with room for ghost sites.
std::vector<Vector> take_parity(const Operator& d, int parity, const std::vector<Vector>& field);

}  // namespace staggered

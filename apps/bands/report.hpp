// Results for people and for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "band_structure.hpp"
#include "ground_state.hpp"

namespace bands {

/// A line or two: what was calculated, and by whom.
std::string heading(const Input& input, const BandStructure& structure);
/// Many lines: a row for each k-point, in eV, gaps and seconds.
std::string energies(const Input& input, const BandStructure& structure);
/// Both, and between them which ranks lack something.
std::string table(const Input& input, const BandStructure& structure);
/// One JSON object: energies in eV, k-points with their distance along the path in 1/bohr, the gap,
/// seconds by category.
std::string json(const Input& input, const BandStructure& structure);

/// A line on where time went.
std::string seconds_text(const Seconds& seconds, double wall);
/// The same by category for JSON: names and seconds.
std::vector<std::pair<std::string, double>> categories(const Seconds& seconds, double wall);
/// For JSON: how many ranks lack what.
std::vector<std::pair<std::string, int>> counts(const Idle& idle);

/// A line for each iteration, the first with a heading.
std::string line(const Iteration& now);
std::string table(const Input& input, const GroundState& state);
/// One JSON object: energies in Ha and their parts, those of bands in eV, iterations, seconds by
/// category.
std::string json(const Input& input, const GroundState& state);
/// Its density, for programs that show crystals. On the first rank.
std::string cube_of(const Input& input, const GroundState& state);
std::string xsf_of(const Input& input, const GroundState& state);

}  // namespace bands

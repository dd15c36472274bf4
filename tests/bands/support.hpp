// The shipped crystals, and calculations of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "bands/input.hpp"

inline bands::Input crystal(const std::string& name) {
  const std::string path = std::filesystem::path(WEFT_CRYSTALS) / (name + ".toml");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return bands::read_input(path, {std::istreambuf_iterator<char>(file), {}});
}

/// The same at other k-points, with so many bands.
inline bands::Input at(bands::Input input, const std::vector<bands::Vector3>& points, weft::Index count) {
  input.kpoints.clear();
  for (const bands::Vector3& k : points) input.kpoints.push_back({"", k, 0});
  input.bands = count;
  input.occupied = 0;
  return input;
}

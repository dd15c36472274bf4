#include "xsf.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cube.hpp"
#include "units.hpp"

namespace bands {

namespace {

std::string row(const Vector3& bohr) {
  return fmt::format("{:16.10f} {:16.10f} {:16.10f}\n", bohr[0] * bohr_in_angstrom, bohr[1] * bohr_in_angstrom,
                     bohr[2] * bohr_in_angstrom);
}

}  // namespace

std::string xsf(const Crystal& crystal, const std::vector<weft::Index>& grid, const std::vector<double>& values,
                const std::string& title) {
  std::string out = "# " + (title.empty() ? "a crystal" : title) + "\nCRYSTAL\nPRIMVEC\n";
  for (const Vector3& a : crystal.cell) out += row(a);
  out += fmt::format("PRIMCOORD\n{} 1\n", crystal.atoms.size());
  for (const Atom& atom : crystal.atoms) {
    Vector3 inside;
    for (std::size_t a = 0; a < 3; ++a) inside[a] = atom.at[a] - std::floor(atom.at[a]);
    out += fmt::format("{:3} ", atomic_number(crystal.species[atom.species])) + row(combine(inside, crystal.cell));
  }
  out += fmt::format("BEGIN_BLOCK_DATAGRID_3D\nfield\nBEGIN_DATAGRID_3D_field\n{} {} {}\n0 0 0\n", grid[0] + 1,
                     grid[1] + 1, grid[2] + 1);
  for (const Vector3& a : crystal.cell) out += row(a);
  std::size_t written = 0;
  for (weft::Index k = 0; k <= grid[2]; ++k)  // the first axis runs fastest
    for (weft::Index j = 0; j <= grid[1]; ++j)
      for (weft::Index i = 0; i <= grid[0]; ++i) {
        const weft::Index at = ((i % grid[0]) * grid[1] + j % grid[1]) * grid[2] + k % grid[2];
        out += fmt::format("{:13.5e}{}", values[static_cast<std::size_t>(at)], ++written % 6 == 0 ? "\n" : "");
      }
  return out + "\nEND_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n";
}

}  // namespace bands

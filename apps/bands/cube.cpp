#include "cube.hpp"

#include <cctype>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace bands {

int atomic_number(const std::string& name) {
  constexpr std::string_view symbols =
      "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
      "Mo "
      "Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg "
      "Tl "
      "Pb Bi Po At Rn ";
  std::size_t letters = 0;
  while (letters < name.size() && std::isalpha(static_cast<unsigned char>(name[letters]))) ++letters;
  const std::string wanted = name.substr(0, letters);
  int number = 1;
  for (std::size_t at = 0; at < symbols.size(); ++number) {
    const std::size_t end = symbols.find(' ', at);
    if (symbols.substr(at, end - at) == wanted) return number;
    at = end + 1;
  }
  return 0;
}

std::string cube(const Crystal& crystal, const std::vector<double>& charges, const std::vector<weft::Index>& grid,
                 const std::vector<double>& values, const std::string& title) {
  std::string out = (title.empty() ? "a crystal" : title) + "\nvalues in atomic units\n";
  out += fmt::format("{:5} {:12.6f} {:12.6f} {:12.6f}\n", crystal.atoms.size(), 0.0, 0.0, 0.0);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto n = static_cast<double>(grid[a]);
    out += fmt::format("{:5} {:12.6f} {:12.6f} {:12.6f}\n", grid[a], crystal.cell[a][0] / n, crystal.cell[a][1] / n,
                       crystal.cell[a][2] / n);
  }
  for (const Atom& atom : crystal.atoms) {
    Vector3 inside;
    for (std::size_t a = 0; a < 3; ++a) inside[a] = atom.at[a] - std::floor(atom.at[a]);
    const Vector3 at = combine(inside, crystal.cell);
    out += fmt::format("{:5} {:12.6f} {:12.6f} {:12.6f} {:12.6f}\n", atomic_number(crystal.species[atom.species]),
                       charges[atom.species], at[0], at[1], at[2]);
  }
  const auto row = static_cast<std::size_t>(grid[2]);
  for (std::size_t i = 0; i < values.size(); ++i)  // six in a line, and a new line for every row of the grid
    out += fmt::format("{:13.5e}{}", values[i], (i + 1) % row % 6 == 0 ? "\n" : "");
  return out;
}

}  // namespace bands

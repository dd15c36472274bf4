// weft-bands: the band structure of a crystal with an empirical pseudopotential, from a TOML file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "program.hpp"
#include "report.hpp"

int main(int argc, char** argv) {
  bands::Program program("weft-bands", "Band structures of crystals with empirical pseudopotentials, in plane waves.",
                         false);
  return program.run(argc, argv, [](const bands::Asked&, const bands::Input& input, const bands::Settings& settings) {
    const bands::BandStructure structure = bands::band_structure(MPI_COMM_WORLD, input, settings);
    return bands::Result{bands::table(input, structure), bands::json(input, structure), "", ""};
  });
}

// `weft lattice`: what there is to do with a lattice, one subcommand each.
//
// Exit codes: 0 fine, 1 a check or a step failed, 2 the command line is wrong.
#include <charconv>
#include <fstream>
#include <iostream>

#include <weft/quote.hpp>

#include "../../agree.hpp"
#include "../lattice.hpp"
#include "commands.hpp"

namespace staggered {

weft::Shape shape_from(const std::string& text) {
  weft::Shape shape = weft::Shape::filled(directions, 0);
  const char *at = text.data(), *const end = at + text.size();
  for (int d = 0; d < directions; ++d) {
    weft::Index& n = shape[axis(d)];
    const auto [next, error] = std::from_chars(at, end, n);
    const bool ends = d + 1 == directions;
    if (error != std::errc() || n < 1 || n > 1 << 15 || (ends ? next != end : next == end || *next != 'x'))
      throw weft::Error("'" + weft::shown(text) +
                        "' are no extents of a lattice: give nx, ny, nz and nt, each from 1 to 32768, as 8x8x8x16");
    at = next + 1;
  }
  return shape;
}

nlohmann::json extents_json(const weft::Shape& shape) {
  const weft::Shape n = extents(shape);
  return std::vector<weft::Index>(n.begin(), n.end());
}

void write_json(MPI_Comm comm, const std::string& path, const nlohmann::json& report) {
  apps::agree(comm, [&] {
    if (path.empty() || rank_of(comm) != 0) return;
    std::ofstream out(path);
    out << report.dump(2) << "\n";
    out.close();
    if (!out) throw weft::Error("\"" + weft::shown(path) + "\" cannot be written");
  });
}

namespace {

int run(int argc, char** argv) {
  CLI::App app{"SU(3) lattices over weft's halo exchange"};
  app.name("weft lattice");
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  const Command commands[] = {plaquette_command(app), solve_command(app), bench_command(app), study_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool asked = e.get_exit_code() == 0;
    if (rank_of(MPI_COMM_WORLD) == 0) app.exit(e);
    return asked ? 0 : 2;
  }
  try {
    for (const Command& command : commands)
      if (command.app->parsed()) return command.run();
  } catch (const std::exception& e) {
    if (rank_of(MPI_COMM_WORLD) == 0) std::cerr << "weft lattice: " << e.what() << "\n";
  }
  return 1;
}

}  // namespace
}  // namespace staggered

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = staggered::run(argc, argv);
  MPI_Finalize();
  return status;
}
